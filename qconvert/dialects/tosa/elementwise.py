"""Elementwise ops but CAST and TABLE; operands have one rank, and a dimension of size 1 is repeated.

Source: TOSA specification 1.0, "Elementwise unary/binary/ternary operators", "Comparison operators", "Activation
functions".
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, FloatAttr, IntegerAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects.stablehlo.base import broadcast_shape
from qconvert.dialects.tosa.base import TosaOp, scalar
from qconvert.dialects.tosa.element_types import FLOATS, INTEGERS, TypeTable, type_table
from qconvert.dialects.tosa.modes import NanModeAttr
from qconvert.dialects.traits import Elementwise, Layer, NotIn
from qconvert.ir import Tensor, i1, i8, i32, is_float, shape, tensor, tensor_type, with_element
from qconvert.support.errors import ConversionError


class UnaryOp(TosaOp, ABC):
    """``output[i] = f(input[i])``."""

    traits = traits_def(Pure(), Elementwise())

    TYPES: ClassVar[TypeTable] = type_table(*FLOATS)

    input1 = operand_def(TensorType)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue) -> None:
        super().__init__([value], {}, tensor(value))

    def infer(self) -> Tensor:
        """Return the operand's type."""
        return tensor(self.input1)


class BinaryOp(TosaOp, ABC):
    """``output[i] = f(a[i], b[i])`` on one element type."""

    traits = traits_def(Pure(), Elementwise())
    TYPES: ClassVar[TypeTable] = type_table("i32", *FLOATS)

    input1 = operand_def(TensorType)
    input2 = operand_def(TensorType)
    output = result_def(TensorType)

    def __init__(self, lhs: SSAValue, rhs: SSAValue) -> None:
        super().__init__([lhs, rhs], {}, tensor(lhs))

    def infer(self) -> Tensor:
        """Return the broadcast shape; raises ConversionError where element types differ."""
        lhs, rhs = tensor(self.input1).element_type, tensor(self.input2).element_type
        if lhs != rhs:
            raise ConversionError(f"element types {lhs} and {rhs} differ")
        return tensor_type(lhs, broadcast_shape(shape(self.input1), shape(self.input2)))


class CompareOp(BinaryOp, ABC):
    """A comparison, with booleans as result."""

    TYPES: ClassVar[TypeTable] = type_table(*(f"{name} {name} i1" for name in ("i32", *FLOATS)))

    def infer(self) -> Tensor:
        """Return the broadcast shape, of i1."""
        return with_element(super().infer(), i1)


@irdl_op_definition
class AbsOp(UnaryOp):
    name = "tosa.abs"
    TYPES: ClassVar[TypeTable] = type_table("i32", *FLOATS)


@irdl_op_definition
class BitwiseNotOp(UnaryOp):
    name = "tosa.bitwise_not"
    TYPES: ClassVar[TypeTable] = type_table(*INTEGERS)


@irdl_op_definition
class CeilOp(UnaryOp):
    name = "tosa.ceil"


@irdl_op_definition
class ClzOp(UnaryOp):
    name = "tosa.clz"
    TYPES: ClassVar[TypeTable] = type_table("i32")


@irdl_op_definition
class CosOp(UnaryOp):
    name = "tosa.cos"


@irdl_op_definition
class ErfOp(UnaryOp):
    name = "tosa.erf"
    traits = traits_def(Pure(), Elementwise(), NotIn("StableHLO has no error function", Layer.TRANSLATION))


@irdl_op_definition
class ExpOp(UnaryOp):
    name = "tosa.exp"


@irdl_op_definition
class FloorOp(UnaryOp):
    name = "tosa.floor"


@irdl_op_definition
class LogOp(UnaryOp):
    name = "tosa.log"


@irdl_op_definition
class LogicalNotOp(UnaryOp):
    name = "tosa.logical_not"
    TYPES: ClassVar[TypeTable] = type_table("i1")


@irdl_op_definition
class ReciprocalOp(UnaryOp):
    name = "tosa.reciprocal"


@irdl_op_definition
class RsqrtOp(UnaryOp):
    name = "tosa.rsqrt"


@irdl_op_definition
class SigmoidOp(UnaryOp):
    name = "tosa.sigmoid"


@irdl_op_definition
class SinOp(UnaryOp):
    name = "tosa.sin"


@irdl_op_definition
class TanhOp(UnaryOp):
    name = "tosa.tanh"


@irdl_op_definition
class AddOp(BinaryOp):
    name = "tosa.add"


@irdl_op_definition
class BitwiseAndOp(BinaryOp):
    name = "tosa.bitwise_and"
    TYPES: ClassVar[TypeTable] = type_table(*INTEGERS)


@irdl_op_definition
class BitwiseOrOp(BinaryOp):
    name = "tosa.bitwise_or"
    TYPES: ClassVar[TypeTable] = type_table(*INTEGERS)


@irdl_op_definition
class BitwiseXorOp(BinaryOp):
    name = "tosa.bitwise_xor"
    TYPES: ClassVar[TypeTable] = type_table(*INTEGERS)


@irdl_op_definition
class IntdivOp(BinaryOp):
    name = "tosa.intdiv"
    TYPES: ClassVar[TypeTable] = type_table("i32")


@irdl_op_definition
class LogicalAndOp(BinaryOp):
    name = "tosa.logical_and"
    TYPES: ClassVar[TypeTable] = type_table("i1")


@irdl_op_definition
class LogicalLeftShiftOp(BinaryOp):
    name = "tosa.logical_left_shift"
    TYPES: ClassVar[TypeTable] = type_table(*INTEGERS)


@irdl_op_definition
class LogicalOrOp(BinaryOp):
    name = "tosa.logical_or"
    TYPES: ClassVar[TypeTable] = type_table("i1")


@irdl_op_definition
class LogicalRightShiftOp(BinaryOp):
    name = "tosa.logical_right_shift"
    TYPES: ClassVar[TypeTable] = type_table(*INTEGERS)


@irdl_op_definition
class LogicalXorOp(BinaryOp):
    name = "tosa.logical_xor"
    TYPES: ClassVar[TypeTable] = type_table("i1")


@irdl_op_definition
class PowOp(BinaryOp):
    name = "tosa.pow"
    TYPES: ClassVar[TypeTable] = type_table(*FLOATS)


@irdl_op_definition
class SubOp(BinaryOp):
    name = "tosa.sub"


@irdl_op_definition
class EqualOp(CompareOp):
    name = "tosa.equal"


@irdl_op_definition
class GreaterEqualOp(CompareOp):
    name = "tosa.greater_equal"


@irdl_op_definition
class GreaterOp(CompareOp):
    name = "tosa.greater"


class ExtremeOp(BinaryOp, ABC):
    """The base of minimum and maximum; ``nan_mode`` decides the result for NaN."""

    nan_mode = opt_prop_def(NanModeAttr)


@irdl_op_definition
class MaximumOp(ExtremeOp):
    """The larger of two."""

    name = "tosa.maximum"


@irdl_op_definition
class MinimumOp(ExtremeOp):
    """The smaller of two."""

    name = "tosa.minimum"


@irdl_op_definition
class ArithmeticRightShiftOp(BinaryOp):
    """``a >> b``; with ``round`` the last bit shifted out is added."""

    name = "tosa.arithmetic_right_shift"
    TYPES: ClassVar[TypeTable] = type_table(*INTEGERS)

    round = prop_def(BoolAttr)

    def __init__(self, lhs: SSAValue, rhs: SSAValue, *, rounds: bool = False) -> None:
        TosaOp.__init__(self, [lhs, rhs], {"round": BoolAttr.from_bool(rounds)})


@irdl_op_definition
class MulOp(TosaOp):
    """``(a * b) >> shift`` of integers, in i32, rounded half up where the shift is not 0; ``a * b`` of floats."""

    name = "tosa.mul"
    TYPES: ClassVar[TypeTable] = type_table(
        "i8 i8 i8 i32", "i16 i16 i8 i32", "i32 i32 i8 i32", *(f"{name} {name} i8 {name}" for name in FLOATS)
    )
    traits = traits_def(Pure(), Elementwise())

    input1 = operand_def(TensorType)
    input2 = operand_def(TensorType)
    shift = operand_def(TensorType)
    SCALARS: ClassVar[tuple[str, ...]] = ("shift",)
    output = result_def(TensorType)

    def __init__(self, lhs: SSAValue, rhs: SSAValue, shift: SSAValue) -> None:
        super().__init__([lhs, rhs, shift], {})

    def infer(self) -> Tensor:
        """Return the broadcast shape, of i32 or the operands' float."""
        lhs, rhs = tensor(self.input1).element_type, tensor(self.input2).element_type
        if lhs != rhs or self.shift.type != tensor_type(i8, (1,)):
            raise ConversionError(f"element types {lhs} and {rhs} with a shift of type {self.shift.type}")
        return tensor_type(lhs if is_float(lhs) else i32, broadcast_shape(shape(self.input1), shape(self.input2)))


@irdl_op_definition
class NegateOp(TosaOp):
    """``-(a - input zero point) + output zero point``."""

    name = "tosa.negate"
    TYPES: ClassVar[TypeTable] = type_table(*INTEGERS, *FLOATS)
    traits = traits_def(Pure(), Elementwise())

    input1 = operand_def(TensorType)
    input1_zp = operand_def(TensorType)
    output_zp = operand_def(TensorType)
    SCALARS: ClassVar[tuple[str, ...]] = ("input1_zp", "output_zp")
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, input_zp: SSAValue, output_zp: SSAValue) -> None:
        super().__init__([value, input_zp, output_zp], {})

    def infer(self) -> Tensor:
        """Return the operand's type."""
        return tensor(self.input1)


@irdl_op_definition
class ClampOp(TosaOp):
    """``min(max(x, min_val), max_val)``."""

    name = "tosa.clamp"
    TYPES: ClassVar[TypeTable] = type_table("i8", "i16 [int16]", *FLOATS)
    traits = traits_def(Pure(), Elementwise())

    input = operand_def(TensorType)
    min_val = prop_def(Attribute)
    max_val = prop_def(Attribute)
    nan_mode = opt_prop_def(NanModeAttr)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, low: float, high: float) -> None:
        element = tensor(value).element_type
        limits = {"min_val": scalar(low, element), "max_val": scalar(high, element)}
        super().__init__([value], limits)

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest value that stay unchanged."""
        low, high = self.min_val, self.max_val
        assert isinstance(low, IntegerAttr | FloatAttr)
        assert isinstance(high, IntegerAttr | FloatAttr)
        return low.value.data, high.value.data

    def infer(self) -> Tensor:
        """Return the operand's type; the limits are of its elements' type."""
        found = tensor(self.input)
        types = {limit.type for limit in (self.min_val, self.max_val) if isinstance(limit, IntegerAttr | FloatAttr)}
        if types != {found.element_type}:
            raise ConversionError(f"the limits must have the elements' type {found.element_type}")
        return found


@irdl_op_definition
class SelectOp(TosaOp):
    """``condition[i] ? a[i] : b[i]``."""

    name = "tosa.select"
    TYPES: ClassVar[TypeTable] = type_table(*(f"i1 {name} {name} {name}" for name in ("i1", *INTEGERS, *FLOATS)))
    traits = traits_def(Pure(), Elementwise())

    input1 = operand_def(TensorType)
    input2 = operand_def(TensorType)
    input3 = operand_def(TensorType)
    output = result_def(TensorType)

    def __init__(self, condition: SSAValue, on_true: SSAValue, on_false: SSAValue) -> None:
        super().__init__([condition, on_true, on_false], {})

    def infer(self) -> Tensor:
        """Return the broadcast shape with the elements of ``a`` and ``b``."""
        on_true, on_false = tensor(self.input2).element_type, tensor(self.input3).element_type
        if on_true != on_false or tensor(self.input1).element_type != i1:
            raise ConversionError(f"a condition of {self.input1.type} cannot choose between {on_true} and {on_false}")
        return tensor_type(on_true, broadcast_shape(*map(shape, self.operands)))
