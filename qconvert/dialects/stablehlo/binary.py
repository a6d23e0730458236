"""Elementwise ops of two operands whose only content is their name.

Source: StableHLO's specification.
"""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition, traits_def

from qconvert.dialects.stablehlo.elementwise import BinaryOp
from qconvert.dialects.traits import AffineByConstant, Bitwise, Clamps, KeepsMultiples, Layer, NotIn


@irdl_op_definition
class AddOp(BinaryOp):
    name = "stablehlo.add"
    traits = traits_def(KeepsMultiples(), AffineByConstant())


@irdl_op_definition
class AndOp(BinaryOp):
    name = "stablehlo.and"
    traits = traits_def(Bitwise())


@irdl_op_definition
class Atan2Op(BinaryOp):
    name = "stablehlo.atan2"
    traits = traits_def(
        NotIn("no operator gives the angle of two numbers", Layer.ONNX, Layer.TOSA),
        NotIn("a function of two integers has no table", Layer.RESCALE, Layer.PUSH),
    )


@irdl_op_definition
class DivideOp(BinaryOp):
    name = "stablehlo.divide"
    traits = traits_def(AffineByConstant(), NotIn("a quotient of rescaled integers is another number", Layer.PUSH))


@irdl_op_definition
class MaximumOp(BinaryOp):
    name = "stablehlo.maximum"
    traits = traits_def(KeepsMultiples(), Clamps())


@irdl_op_definition
class MinimumOp(BinaryOp):
    name = "stablehlo.minimum"
    traits = traits_def(KeepsMultiples(), Clamps())


@irdl_op_definition
class MultiplyOp(BinaryOp):
    name = "stablehlo.multiply"
    traits = traits_def(AffineByConstant())


@irdl_op_definition
class OrOp(BinaryOp):
    name = "stablehlo.or"
    traits = traits_def(Bitwise())


@irdl_op_definition
class PowerOp(BinaryOp):
    name = "stablehlo.power"
    traits = traits_def(NotIn("a function of two integers has no table", Layer.RESCALE, Layer.PUSH))


@irdl_op_definition
class RemainderOp(BinaryOp):
    name = "stablehlo.remainder"
    traits = traits_def(
        NotIn("no operator gives remainders", Layer.TOSA),
        NotIn("a function of two integers has no table", Layer.RESCALE, Layer.PUSH),
    )


@irdl_op_definition
class ShiftLeftOp(BinaryOp):
    name = "stablehlo.shift_left"
    traits = traits_def(Bitwise(), NotIn("only StableHLO text has shifts", Layer.ONNX, Layer.TOSA))


@irdl_op_definition
class ShiftRightArithmeticOp(BinaryOp):
    name = "stablehlo.shift_right_arithmetic"
    traits = traits_def(Bitwise(), NotIn("only StableHLO text has shifts", Layer.ONNX, Layer.TOSA))


@irdl_op_definition
class ShiftRightLogicalOp(BinaryOp):
    name = "stablehlo.shift_right_logical"
    traits = traits_def(Bitwise(), NotIn("only StableHLO text has shifts", Layer.ONNX, Layer.TOSA))


@irdl_op_definition
class SubtractOp(BinaryOp):
    name = "stablehlo.subtract"
    traits = traits_def(KeepsMultiples(), AffineByConstant())


@irdl_op_definition
class XorOp(BinaryOp):
    name = "stablehlo.xor"
    traits = traits_def(Bitwise())
