"""Elementwise ops: a table of operators of the same meaning, and functions for the others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.backends.onnx.builder import check_elements, held_dtype, onnx_type
from qconvert.backends.onnx.elementwise import aligned
from qconvert.backends.onnx.lowering import ComputedTensor, Layout, Tensor, Writer, emits_tosa
from qconvert.backends.onnx.tosa.bounds import reach
from qconvert.backends.onnx.tosa.fixed_point import cast, number, parameter, plus, rounded_shift, saturated
from qconvert.dialects import tosa
from qconvert.dialects.tosa.modes import ignores_nan
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.ir import described, element_type, i1, i8, i32, i64, integer_type, is_float, shape
from qconvert.numerics.interpolated_table import STEP_BITS
from qconvert.support.errors import ConversionError

_SAME: dict[type[Operation], str] = {
    tosa.AbsOp: "Abs",
    tosa.CeilOp: "Ceil",
    tosa.CosOp: "Cos",
    tosa.ErfOp: "Erf",
    tosa.ExpOp: "Exp",
    tosa.FloorOp: "Floor",
    tosa.LogOp: "Log",
    tosa.LogicalNotOp: "Not",
    tosa.ReciprocalOp: "Reciprocal",
    tosa.SigmoidOp: "Sigmoid",
    tosa.SinOp: "Sin",
    tosa.TanhOp: "Tanh",
    tosa.AddOp: "Add",
    tosa.IntdivOp: "Div",
    tosa.LogicalAndOp: "And",
    tosa.LogicalOrOp: "Or",
    tosa.LogicalXorOp: "Xor",
    tosa.MaximumOp: "Max",
    tosa.MinimumOp: "Min",
    tosa.PowOp: "Pow",
    tosa.SubOp: "Sub",
    tosa.EqualOp: "Equal",
    tosa.GreaterEqualOp: "GreaterOrEqual",
    tosa.GreaterOp: "Greater",
}
_BITWISE: dict[type[Operation], str] = {
    tosa.BitwiseAndOp: "BitwiseAnd",
    tosa.BitwiseNotOp: "BitwiseNot",
    tosa.BitwiseOrOp: "BitwiseOr",
    tosa.BitwiseXorOp: "BitwiseXor",
}
_NARROW = 32
"""Integers of fewer bits are widened for operators that compute."""


def check_nan(op: Operation) -> None:
    """Raise ConversionError for an op that ignores NaN."""
    if ignores_nan(op):
        raise ConversionError("ONNX's operators do not ignore NaN", hint="Use nan_mode = PROPAGATE")


def is_narrow(element: Attribute) -> bool:
    """Return True for integers of fewer than 32 bits, but for booleans."""
    return isinstance(element, IntegerType) and 1 < element.width.data < _NARROW


def held_in_kernels(element: Attribute) -> Attribute:
    """Return the type for operators of which onnxruntime has kernels for 8 and 32 bits, but not for 16."""
    return i32 if is_narrow(element) and element != i8 else element


def broadcast(op: Operation, values: Sequence[SSAValue], write: Writer) -> tuple[list[str], Layout, bool]:
    """Return tensors of operands in one layout, the layout, and True if the node's result may have size 1 somewhere.

    The result has all its elements if one of the operands has as many.
    """
    names, layout, _ = aligned(values, write)
    sizes = shape(op.results[0])
    return names, layout, not any(_is_whole(value, sizes, write) for value in values)


def _is_whole(value: SSAValue, sizes: tuple[int, ...], write: Writer) -> bool:
    tensor = write[value]
    if isinstance(tensor, ComputedTensor):
        return not tensor.repeated and shape(value) == sizes
    return tensor.held.shape == sizes


def _node(kind: str, op: Operation, values: Sequence[SSAValue], write: Writer) -> ComputedTensor:
    """Write one node on operands of one element type that broadcast."""
    names, layout, repeated = broadcast(op, values, write)
    check_elements(kind, write.opset, element_type(values[0]))
    return ComputedTensor(write.node(kind, names), layout, repeated=repeated)


@emits_tosa(*_SAME)
def same(op: Operation, write: Writer) -> Tensor:
    """Write the node of the same meaning, for integers of 8 and 16 bits in 32 bits."""
    check_nan(op)
    element, kind = element_type(op.operands[0]), _SAME[type(op)]
    if not is_narrow(element):
        return _node(kind, op, op.operands, write)
    names, layout, repeated = broadcast(op, op.operands, write)
    made = write.node(kind, [cast(name, element, i32, write) for name in names])
    target = element_type(op.results[0])
    return ComputedTensor(made if target == i1 else cast(made, i32, target, write), layout, repeated=repeated)


@emits_tosa(*_BITWISE)
def bitwise(op: Operation, write: Writer) -> Tensor:
    """Write the operator on bits."""
    kind = _BITWISE[type(op)]
    write.require(18, kind)
    return _node(kind, op, op.operands, write)


@emits_tosa(tosa.RsqrtOp)
def rsqrt(op: tosa.RsqrtOp, write: Writer) -> Tensor:
    """Write Reciprocal of Sqrt."""
    root = _node("Sqrt", op, [op.input1], write)
    return ComputedTensor(write.node("Reciprocal", [root.name]), root.layout, repeated=root.repeated)


@emits_tosa(tosa.MulOp)
def mul(op: tosa.MulOp, write: Writer) -> Tensor:
    """Write Mul; products that are shifted are computed in 64 bits."""
    element, shift = element_type(op.input1), parameter_array(op.shift)
    if is_float(element):
        return _node("Mul", op, [op.input1, op.input2], write)
    if shift is None:
        raise ConversionError("the shift of a product is not constant")
    names, layout, repeated = broadcast(op, [op.input1, op.input2], write)
    places, largest = int(shift.item()), reach(op.input1, write) * reach(op.input2, write)
    wide = i64 if places else i32
    made = write.node("Mul", [cast(name, element, wide, write) for name in names])
    if places:
        if places == 1:
            largest = min(largest, 1 << 32)  # TOSA's products fit in 32 bits after the shift
        made = cast(rounded_shift(made, np.asarray(places, np.int64), largest, 0, write), i64, i32, write)
    return ComputedTensor(made, layout, repeated=repeated)


def _powers(value: SSAValue, name: str, write: Writer) -> str:
    """Return ``2^value`` in 64 bits; ``name`` is the tensor of the value, laid out."""
    known = write.known(value)
    if known is not None and known.held.size == 1:
        return number(np.left_shift(np.int64(1), known.array.astype(np.int64)), write, "power")
    places = write.node("Cast", [name], to=TensorProto.UINT64)
    shifted = write.node("BitShift", [parameter(1, np.uint64, write, "one"), places], direction="LEFT")
    return write.node("Cast", [shifted], to=TensorProto.INT64)


@emits_tosa(tosa.LogicalLeftShiftOp)
def logical_left_shift(op: tosa.LogicalLeftShiftOp, write: Writer) -> Tensor:
    """Multiply by a power of two in 64 bits, and keep the low bits."""
    element = element_type(op.input1)
    (value, places), layout, repeated = broadcast(op, [op.input1, op.input2], write)
    made = write.node("Mul", [cast(value, element, i64, write), _powers(op.input2, places, write)])
    return ComputedTensor(cast(made, i64, element, write), layout, repeated=repeated)


@emits_tosa(tosa.LogicalRightShiftOp)
def logical_right_shift(op: tosa.LogicalRightShiftOp, write: Writer) -> Tensor:
    """Write BitShift of the bits without a sign."""
    element = element_type(op.input1)
    if not isinstance(element, IntegerType):
        raise ConversionError(f"a shift of the bits of {described(element)}", hint="Shift integers")
    bits = integer_type(element.width.data, signed=False)
    names, layout, repeated = broadcast(op, [op.input1, op.input2], write)
    wide = [write.node("Cast", [cast(name, element, bits, write)], to=TensorProto.UINT32) for name in names]
    made = write.node("Cast", [write.node("BitShift", wide, direction="RIGHT")], to=onnx_type(element))
    return ComputedTensor(made, layout, repeated=repeated)


@emits_tosa(tosa.ArithmeticRightShiftOp)
def arithmetic_right_shift(op: tosa.ArithmeticRightShiftOp, write: Writer) -> Tensor:
    """Divide by a power of two in 64 bits, rounded down, or to the nearest with halves up."""
    element, positive = element_type(op.input1), number(1 << 32, write, "positive")
    (value, places), layout, repeated = broadcast(op, [op.input1, op.input2], write)
    wide, power = cast(value, element, i64, write), _powers(op.input2, places, write)
    if tosa.is_set(op.round):
        wide = write.node("Add", [wide, write.node("Div", [power, number(2, write, "two")])])
    quotient = write.node("Div", [write.node("Add", [wide, positive]), power])  # Div rounds towards zero
    made = write.node("Sub", [quotient, write.node("Div", [positive, power])])
    return ComputedTensor(cast(made, i64, element, write), layout, repeated=repeated)


@emits_tosa(tosa.ClzOp)
def clz(op: tosa.ClzOp, write: Writer) -> Tensor:
    """Subtract the number of powers of two that are not above the number without a sign from 32."""
    (name,), layout, repeated = broadcast(op, [op.input1], write)
    bits = write.node("Cast", [write.node("Cast", [name], to=TensorProto.UINT32)], to=TensorProto.INT64)
    line = write.node("Unsqueeze", [bits, write.integers([-1], "axis")])
    powers = number(np.left_shift(np.int64(1), np.arange(32)), write, "powers")
    used = write.node("Cast", [write.node("GreaterOrEqual", [line, powers])], to=TensorProto.INT32)
    count = write.node("ReduceSum", [used, write.integers([-1], "axis")], keepdims=0)
    return ComputedTensor(write.node("Sub", [number(32, write, "bits", np.int32), count]), layout, repeated=repeated)


@emits_tosa(tosa.NegateOp)
def negate(op: tosa.NegateOp, write: Writer) -> Tensor:
    """Subtract integers from the sum of both zero points, saturated; floats change their sign."""
    element = element_type(op.input1)
    if is_float(element):
        return _node("Neg", op, [op.input1], write)
    zero_points = [parameter_array(value) for value in (op.input1_zp, op.output_zp)]
    total = sum(int(value.item()) for value in zero_points if value is not None)
    if any(value is None for value in zero_points):
        raise ConversionError("a zero point is not constant")
    (name,), layout, repeated = broadcast(op, [op.input1], write)
    negative = plus(write.node("Neg", [cast(name, element, i64, write)]), total, write)
    made = saturated(negative, element, reach(op.input1, write) + abs(total), write)
    return ComputedTensor(made, layout, repeated=repeated)


@emits_tosa(tosa.ClampOp)
def clamp(op: tosa.ClampOp, write: Writer) -> Tensor:
    """Write Clip, of 16-bit integers in 32 bits."""
    check_nan(op)
    element = element_type(op.input)
    held = held_in_kernels(element)
    (name,), layout, repeated = broadcast(op, [op.input], write)
    check_elements("Clip", write.opset, element)
    ends = [parameter(end, held_dtype(held), write, "limit") for end in op.limits]
    made = write.node("Clip", [cast(name, element, held, write), *ends])
    return ComputedTensor(cast(made, held, element, write), layout, repeated=repeated)


@emits_tosa(tosa.CastOp)
def cast_to(op: tosa.CastOp, write: Writer) -> Tensor:
    """Write Cast; floats round half to even into integers, and saturate. Narrower integers keep the low bits."""
    source, target = element_type(op.input), element_type(op.output)
    (name,), layout, repeated = broadcast(op, [op.input], write)
    if is_float(source) and not is_float(target) and target != i1:
        wide = write.node("Cast", [name], to=TensorProto.DOUBLE)
        made = saturated(write.node("Round", [wide]), target, 0, write, np.float64)
        return ComputedTensor(made, layout, repeated=repeated)
    return ComputedTensor(cast(name, source, target, write), layout, repeated=repeated)


@emits_tosa(tosa.SelectOp)
def select(op: tosa.SelectOp, write: Writer) -> Tensor:
    """Write Where, of booleans in 8 bits and of 16-bit integers in 32."""
    element = element_type(op.output)
    held = i8 if element == i1 else held_in_kernels(element)
    (condition, *names), layout, repeated = broadcast(op, [op.input1, op.input2, op.input3], write)
    made = write.node("Where", [condition, *(cast(name, element, held, write) for name in names)])
    return ComputedTensor(cast(made, held, element, write), layout, repeated=repeated)


_HALF, _PART = 1 << 15, 1 << STEP_BITS
"""The number that moves the least 16-bit integer to 0, and the number of positions between two entries."""


@emits_tosa(tosa.TableOp)
def table(op: tosa.TableOp, write: Writer) -> Tensor:
    """Write Gather of the entry of each 8-bit integer; interpolate between two entries for a 16-bit integer."""
    entries, element = parameter_array(op.table), element_type(op.input1)
    if entries is None:
        raise ConversionError("a table is not constant")
    (name,), layout, repeated = broadcast(op, [op.input1], write)
    places = cast(name, element, i32, write)
    made = (looked_up if element == i8 else _interpolated)(op.table, entries, places, write)
    return ComputedTensor(made, layout, repeated=repeated)


def looked_up(key: Hashable, entries: NDArray[Any], places: str, write: Writer) -> str:
    """Write Gather from a list of the results of all integers of a signed type; negative indices count from the end."""
    turned = np.roll(entries, -(entries.size // 2))
    return write.node("Gather", [write.once(("table", key), turned, "table"), places])


def _interpolated(key: Hashable, entries: NDArray[Any], value: str, write: Writer) -> str:
    """Write ``128 * entry + part * rise`` in 32 bits."""
    whole = entries.astype(np.int32)
    lists = {"entries": whole[:-1] * _PART, "rises": np.diff(whole)}
    places, part = plus(value, _HALF, write, np.int32), number(_PART, write, "part", np.int32)
    index = write.node("Div", [places, part])
    rest = write.node("Sub", [places, write.node("Mul", [index, part])])
    low, rise = (write.node("Gather", [write.once((key, role), lists[role], role), index]) for role in lists)
    return write.node("Add", [low, write.node("Mul", [rise, rest])])
