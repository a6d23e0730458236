"""Sums and means along dimensions as LiteRT computes them."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.expansion.expander import Expander, constant_array, integer_of, per_tensor, signed_type
from qconvert.expansion.registry import expands, rounding_of
from qconvert.ir import element_type, shape
from qconvert.numerics import ZeroPoints, multiplier_and_shift
from qconvert.support.errors import ConversionError


@expands(stablehlo.ReduceOp)
def total(op: stablehlo.ReduceOp, build: Expander) -> SSAValue:
    """Apply REDUCE_SUM to each dimension, and RESCALE by LiteRT's own multiplier."""
    check_initial(op)
    value, element = build.centred(op.inputs[0]), signed_type(op.results[0])
    for axis in op.reduced:
        value = build.add(tosa.ReduceSumOp(value, axis))
    multiplier, shift = (np.array([part]) for part in _total_multiplier(op))
    factor, zero_points = (multiplier.astype(np.int32), shift), ZeroPoints(0, element.zero_point)
    made = tosa.RescaleOp.by(value, factor, integer_of(element), zero_points, build.parameter, rounding=rounding_of(op))
    return build.reshape(build.add(made), shape(op.results[0]))


def _total_multiplier(op: stablehlo.ReduceOp) -> tuple[int, int]:
    """Return multiplier and right shift of a sum; a mean's multiplier is divided by its element count, truncated."""
    source, result = (per_tensor(value).scale for value in (op.inputs[0], op.results[0]))
    found, places = (int(part) for part in multiplier_and_shift(source / result))
    if not _is_mean(op):
        return found, places
    count = prod(shape(op.inputs[0])[i] for i in op.reduced)
    spare = min(count.bit_length() - 1, 32, 62 - places)
    return (found << spare) // count, places + spare


def _is_mean(op: stablehlo.ReduceOp) -> bool:
    after = op.output_conversion
    return after is not None and any(isinstance(inner, stablehlo.BitcastConvertOp) for inner in after.block.ops)


def check_initial(op: stablehlo.ReductionOp) -> None:
    """Raise ConversionError unless the initial value is neutral, because TOSA's reductions take no initial value."""
    if not is_neutral(op):
        raise ConversionError(f"TOSA's reductions start from the neutral element, found {_initial(op)}")


def _initial(op: stablehlo.ReductionOp) -> float | None:
    initial = constant_array(op.initials[0])
    return None if initial is None else initial.reshape(-1)[0].item()


def is_neutral(op: stablehlo.ReductionOp) -> bool:
    """Return True if the initial value is the neutral element."""
    value = _initial(op)
    return value is not None and stablehlo.is_neutral(type(op.combiner), value, element_type(op.initials[0]))
