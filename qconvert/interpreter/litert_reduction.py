"""LiteRT's sums and means along dimensions, and its averages whose windows reach over the edge.

Source: TensorFlow Lite's reference kernels, as the BUILTIN_REF resolver of LiteRT runs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import composite, stablehlo
from qconvert.interpreter.core import Array
from qconvert.interpreter.litert import averaged, centred, kernel, quantized_element, stored
from qconvert.ir.arithmetic import Arithmetic
from qconvert.ir.types import numpy_dtype, shape
from qconvert.numerics import Rounding, apply_rescale, multiplier_and_shift


def total_multiplier(op: stablehlo.ReduceOp) -> tuple[int, int]:
    """Multiplier and right shift of a sum, those of a mean divided by the number of elements, cut off."""
    source, result = (quantized_element(value).scale for value in (op.inputs[0], op.results[0]))
    found, places = (int(part) for part in multiplier_and_shift(source / result))
    if not _is_mean(op):
        return found, places
    count = prod(shape(op.inputs[0])[i] for i in op.reduced)
    spare = min(count.bit_length() - 1, 32, 62 - places)
    return (found << spare) // count, places + spare


def _is_mean(op: stablehlo.ReduceOp) -> bool:
    after = op.output_conversion
    return after is not None and any(isinstance(inner, stablehlo.BitcastConvertOp) for inner in after.block.ops)


@kernel(stablehlo.ReduceOp)
def total(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """The sum of the integers less their zero points, rescaled."""
    assert isinstance(op, stablehlo.ReduceOp)
    summed = centred(op.inputs[0], operands[0]).sum(axis=op.reduced)
    return stored(apply_rescale(summed, *total_multiplier(op), Rounding(follows.rounding)), op.results[0])


@kernel(composite.AveragePoolOp)
def average(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """The sum of the stored integers divided by how many there are, halves away from zero."""
    assert isinstance(op, composite.AveragePoolOp)
    element, window = quantized_element(op.result), op.window
    padded = np.pad(operands[0].astype(np.int64), window.padding)
    windows = np.lib.stride_tricks.sliding_window_view(padded, window.size)
    steps = tuple(slice(None, None, step) for step in window.strides)
    summed = windows[steps].sum(axis=tuple(range(-len(window.size), 0)))
    cut = averaged(summed, op.counts.astype(np.int64), follows)
    return np.clip(cut, element.storage.minimum, element.storage.maximum).astype(numpy_dtype(element))
