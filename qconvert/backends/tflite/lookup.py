"""Functions of one value by their results: GATHER of a table at the storage integers, or MUL by a factor."""

from __future__ import annotations

import numpy as np
import tflite
from numpy.typing import NDArray

from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits
from qconvert.dialects import composite
from qconvert.ir import UniformQuantizedType, element_type, i32, quantized, shape
from qconvert.numerics import nearest_integers


@emits(composite.LookupOp)
def lookup(op: composite.LookupOp, write: Writer) -> Tensor:
    """Write MUL for products by one number, else CAST to int32, ADD of the number of negative integers, and GATHER."""
    element = quantized(op.operand)
    assert element is not None
    factor = _factor(op, element)
    if factor is not None:
        return write.rescaled(write[op.operand], write.result(op.result), factor=factor)
    indices = write.like(op.result, i32, "index")
    cast = Options("CastOptions")
    write.operator(tflite.BuiltinOperator.CAST, [write[op.operand]], indices, cast)
    if element.storage.signed:
        lowest = write.constant(np.asarray(1 << (element.storage.width - 1)), i32, "negatives")
        shifted = write.derived(indices, "shifted", indices.shape)
        indices = write.operator(tflite.BuiltinOperator.ADD, [indices, lowest], shifted, Options("AddOptions"))
    table = write.constant(op.values.array, element_type(op.result), f"{write.named(op.result)}_table")
    output, options = write.result(op.result), Options("GatherOptions", {"Axis": 0})
    assert output.shape == shape(op.operand)
    version = by_width(output, 2, 4)
    return write.operator(tflite.BuiltinOperator.GATHER, [table, indices], output, options, version=version)


_FACTORS = (2.0**-6, 2.0**6)
"""Between these MUL's kernels have enough bits, XNNPACK's included."""


def _factor(op: composite.LookupOp, source: UniformQuantizedType) -> float | None:
    """Return the factor of a table of 8-bit products by one number, None for another table.

    MUL rounds such a product as a requantization: to the 64th part of a step first.
    """
    result = quantized(op.result)
    if result is None or source.storage != result.storage or source.storage.width != 8:
        return None
    table, storage = np.asarray(op.values.array, np.int64).reshape(-1), source.storage
    operands = np.arange(storage.minimum, storage.maximum + 1) - source.zero_point
    ratio = _ratio(operands, table - result.zero_point, (storage.minimum < table) & (table < storage.maximum))
    if ratio is None or not _FACTORS[0] < ratio < _FACTORS[1]:
        return None
    products = nearest_integers(operands * ratio) + result.zero_point
    is_whole = np.array_equal(np.clip(products, storage.minimum, storage.maximum), table)
    return ratio * result.scale / source.scale if is_whole else None


def _ratio(operands: NDArray[np.int64], results: NDArray[np.int64], within: NDArray[np.bool_]) -> float | None:
    """Return the middle of the numbers whose products with the operands round to the results, None without any."""
    known = within & (operands != 0)
    if not known.any():
        return None
    ends = (results[known, None] + [-0.5, 0.5]) / operands[known, None]
    low, high = ends.min(axis=1).max(), ends.max(axis=1).min()
    return float(low + high) / 2 if low < high else None
