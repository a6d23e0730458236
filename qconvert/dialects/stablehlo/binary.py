"""Elementwise ops of two operands that differ only in their names.

Source: StableHLO's specification.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.irdl import irdl_op_definition, traits_def

from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.constraints import ANALYTIC, INTEGERS, NUMBERS, Kind, Listed
from qconvert.dialects.stablehlo.elementwise import BinaryOp
from qconvert.dialects.traits import AffineByConstant, Bitwise, Clamps, KeepsMultiples, Layer, NotIn
from qconvert.ir import element_type, quantized


class BitwiseOp(BinaryOp, ABC):
    """The base of logical ops on the bits of integers, or on truth values."""

    KINDS: ClassVar[Sequence[Kind]] = (*INTEGERS, Kind.BOOLEAN)
    traits = traits_def(Bitwise())


class ShiftOp(BinaryOp, ABC):
    """The base of shifts of an integer's bits."""

    KINDS: ClassVar[Sequence[Kind]] = INTEGERS
    traits = traits_def(Bitwise(), NotIn("shifts are written in StableHLO and ONNX only", Layer.TOSA, Layer.TFLITE))


@irdl_op_definition
class AddOp(BinaryOp):
    name = "stablehlo.add"
    traits = traits_def(KeepsMultiples(), AffineByConstant())

    def verify_quantized(self) -> None:
        """Check that elements are of one type (C1), or all quantized in types that go together (C2 to C7)."""
        values = (self.lhs, self.rhs, self.result)
        listed, types = Listed(values), [q for value in values if (q := quantized(value)) is not None]
        if not types:
            check(len({element_type(value) for value in values}) == 1, "add (C1)", "types differ: {}", listed)
            return
        check(len(types) == len(values), "add (C2)", "all or none must be quantized, found {}", listed)
        storages = {(q.storage.width, q.storage.signed) for q in types}
        check(len(storages) == 1, "add (C3)", "storage types differ: {}", listed)
        check(len({q.expressed_type for q in types}) == 1, "add (C4)", "expressed types differ: {}", listed)
        *operands, result = types
        some = any(q.is_per_axis for q in operands)
        check(some == result.is_per_axis, "add (C5)", "the result must be per-axis as the operands: {}", listed)
        for operand, constraint in zip(operands, ("add (C6)", "add (C7)"), strict=True):
            same = not operand.is_per_axis or operand.quantization_dimension == result.quantization_dimension
            check(same, constraint, "quantization dimensions differ: {}", listed)


@irdl_op_definition
class AndOp(BitwiseOp):
    name = "stablehlo.and"


@irdl_op_definition
class Atan2Op(BinaryOp):
    name = "stablehlo.atan2"
    KINDS: ClassVar[Sequence[Kind]] = ANALYTIC
    traits = traits_def(
        NotIn("no operator computes the angle of two numbers", Layer.ONNX, Layer.TOSA),
        NotIn("a function of two integers has no table", Layer.RESCALE, Layer.PUSH),
    )


@irdl_op_definition
class DivideOp(BinaryOp):
    name = "stablehlo.divide"
    KINDS: ClassVar[Sequence[Kind]] = NUMBERS
    traits = traits_def(AffineByConstant(), NotIn("the quotient of rescaled integers differs", Layer.PUSH))


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
class OrOp(BitwiseOp):
    name = "stablehlo.or"


@irdl_op_definition
class PowerOp(BinaryOp):
    name = "stablehlo.power"
    KINDS: ClassVar[Sequence[Kind]] = NUMBERS
    traits = traits_def(NotIn("a function of two integers has no table", Layer.RESCALE, Layer.PUSH))


@irdl_op_definition
class RemainderOp(BinaryOp):
    name = "stablehlo.remainder"
    KINDS: ClassVar[Sequence[Kind]] = NUMBERS
    traits = traits_def(
        NotIn("no operator gives remainders", Layer.TOSA, Layer.TFLITE),
        NotIn("a function of two integers has no table", Layer.RESCALE, Layer.PUSH),
    )


@irdl_op_definition
class ShiftLeftOp(ShiftOp):
    name = "stablehlo.shift_left"


@irdl_op_definition
class ShiftRightArithmeticOp(ShiftOp):
    name = "stablehlo.shift_right_arithmetic"


@irdl_op_definition
class ShiftRightLogicalOp(ShiftOp):
    name = "stablehlo.shift_right_logical"


@irdl_op_definition
class SubtractOp(BinaryOp):
    name = "stablehlo.subtract"
    KINDS: ClassVar[Sequence[Kind]] = NUMBERS
    traits = traits_def(KeepsMultiples(), AffineByConstant())


@irdl_op_definition
class XorOp(BitwiseOp):
    name = "stablehlo.xor"
