"""LESS and its like, and SELECT_V2."""

from __future__ import annotations

import tflite

from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits
from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection
from qconvert.ir import element_type, i32, is_litert, shape

_DIRECTIONS = {
    ComparisonDirection.EQ: (tflite.BuiltinOperator.EQUAL, "EqualOptions"),
    ComparisonDirection.NE: (tflite.BuiltinOperator.NOT_EQUAL, "NotEqualOptions"),
    ComparisonDirection.GT: (tflite.BuiltinOperator.GREATER, "GreaterOptions"),
    ComparisonDirection.GE: (tflite.BuiltinOperator.GREATER_EQUAL, "GreaterEqualOptions"),
    ComparisonDirection.LT: (tflite.BuiltinOperator.LESS, "LessOptions"),
    ComparisonDirection.LE: (tflite.BuiltinOperator.LESS_EQUAL, "LessEqualOptions"),
}


@emits(stablehlo.CompareOp)
def compare(op: stablehlo.CompareOp, write: Writer) -> Tensor:
    """Write a comparison; operands broadcast.

    LiteRT compares quantized integers by their products with the scale, which are equal for neighbours at small scales.
    Where the source is not TFLite, the integers of one type are compared as int32.
    """
    code, table = _DIRECTIONS[op.comparison_direction.data]
    inputs = write.spread_together(op.lhs, op.rhs)
    if not is_litert(op):
        inputs = [_integers(write, tensor) for tensor in inputs]
    version = by_width(inputs[0], 2, 2)
    return write.operator(code, inputs, write.result(op.result), Options(table), version=version)


def _integers(write: Writer, tensor: Tensor) -> Tensor:
    """Return the stored integers of a quantized tensor in int32, any other tensor as it is."""
    if tensor.quantization is None:
        return tensor
    if tensor.data is not None:
        return write.constant(tensor.data, i32, f"{tensor.name}_integers")
    output = write.derived(tensor, "integers", tensor.shape, i32)
    return write.cast(tensor, output)


@emits(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp, write: Writer) -> Tensor:
    """Write SELECT_V2, which broadcasts."""
    element = element_type(op.result)
    if shape(op.pred):
        pred, *sides = write.spread_together(op.pred, op.on_true, op.on_false)
    else:
        pred, sides = write[op.pred], write.spread_together(op.on_true, op.on_false)
    inputs, options = [pred, *(write.requantized(side, element) for side in sides)], Options("SelectV2Options")
    return write.operator(tflite.BuiltinOperator.SELECT_V2, inputs, write.result(op.result), options)
