"""Elementwise ops of two operands whose only content is their name.

Source: StableHLO's specification.
"""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition, traits_def

from qconvert.dialects.stablehlo.elementwise import BinaryOp
from qconvert.dialects.traits import AffineByConstant, Bitwise, Clamps, KeepsMultiples


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


@irdl_op_definition
class DivideOp(BinaryOp):
    name = "stablehlo.divide"
    traits = traits_def(AffineByConstant())


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


@irdl_op_definition
class RemainderOp(BinaryOp):
    name = "stablehlo.remainder"


@irdl_op_definition
class ShiftLeftOp(BinaryOp):
    name = "stablehlo.shift_left"
    traits = traits_def(Bitwise())


@irdl_op_definition
class ShiftRightArithmeticOp(BinaryOp):
    name = "stablehlo.shift_right_arithmetic"
    traits = traits_def(Bitwise())


@irdl_op_definition
class ShiftRightLogicalOp(BinaryOp):
    name = "stablehlo.shift_right_logical"
    traits = traits_def(Bitwise())


@irdl_op_definition
class SubtractOp(BinaryOp):
    name = "stablehlo.subtract"
    traits = traits_def(KeepsMultiples(), AffineByConstant())


@irdl_op_definition
class XorOp(BinaryOp):
    name = "stablehlo.xor"
    traits = traits_def(Bitwise())
