"""ARG_MAX and ARG_MIN: reductions of pairs of value and index to the index of the first extreme."""

from __future__ import annotations

import numpy as np
import tflite
from xdsl.ir import Attribute

from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width
from qconvert.dialects import stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.dialects.stablehlo import ComparisonDirection as Direction
from qconvert.ir import element_type, i32, i64, shape
from qconvert.rewriting import arg_extreme_body, counts_along
from qconvert.support.errors import ConversionError

_OPERATORS = {
    Direction.GT: (tflite.BuiltinOperator.ARG_MAX, "ArgMaxOptions", tflite.BuiltinOperator.REDUCE_MAX),
    Direction.LT: (tflite.BuiltinOperator.ARG_MIN, "ArgMinOptions", tflite.BuiltinOperator.REDUCE_MIN),
}
_INDICES: dict[Attribute, int] = {i32: tflite.TensorType.INT32, i64: tflite.TensorType.INT64}


def arg_extreme(op: stablehlo.ReduceOp, write: Writer) -> tuple[Tensor, Tensor]:
    """Write ARG_MAX or ARG_MIN, and REDUCE_MAX or REDUCE_MIN for the value itself.

    Dequantized values are compared as integers, which have the same order. Raises ConversionError for any other
    reduction of several values.
    """
    found, (values, indices) = arg_extreme_body(op), op.results
    kind = _INDICES.get(element_type(indices))
    if found is None or found.earlier is not Direction.LT or kind is None or not _counts(op):
        raise ConversionError("TFLite reduces several values only as the index of the first largest or smallest")
    code, table, reducer = _OPERATORS[found.better]
    extreme, index = write.result(values), write.result(indices)
    axes = write.integers(op.reduced, "axes")
    keeps = Options("ReducerOptions", {"KeepDims": False})
    version = by_width(extreme, 2, 3)
    write.operator(reducer, [write[op.inputs[0]], axes], extreme, keeps, version=version)
    source = op.inputs[0]
    if isinstance(source.owner, stablehlo.UniformDequantizeOp) and write[source.owner.operand].width == 8:
        source = source.owner.operand
    axis, compared = write.constant(np.asarray(op.reduced[0]), i32, f"{index.name}_axis"), write[source]
    options, version = Options(table, {"OutputType": kind}), by_width(compared, 2, 2)
    return extreme, write.operator(code, [compared, axis], index, options, version=version)


def _counts(op: stablehlo.ReduceOp) -> bool:
    """Return True if the op reduces one dimension, along which the second operand counts from 0."""
    if len(op.reduced) != 1:
        return False
    (axis,), indices = op.reduced, op.inputs[1]
    if isinstance(indices.owner, stablehlo.IotaOp):
        return bool(indices.owner.iota_dimension.value.data == axis)
    array = constant_array(indices)
    return array is not None and counts_along(np.broadcast_to(array, shape(indices)), axis)
