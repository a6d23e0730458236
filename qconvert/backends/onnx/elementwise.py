"""Elementwise ops. Tables list the ops that become one node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert import numerics
from qconvert.backends.onnx.builder import check_elements, least_opset, onnx_type
from qconvert.backends.onnx.lowering import ComputedTensor, ConstantTensor, Layout, Tensor, Writer, emits
from qconvert.backends.onnx.wrapping import combined, computed_power, divided, power_of, remainder_of, sign_of
from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection
from qconvert.ir import element_type, expressed, i1, is_float, is_small_float, numpy_dtype, quantized, shape

_UNARY: dict[type[Operation], str] = {
    stablehlo.AbsOp: "Abs",
    stablehlo.CeilOp: "Ceil",
    stablehlo.CosineOp: "Cos",
    stablehlo.ExponentialOp: "Exp",
    stablehlo.FloorOp: "Floor",
    stablehlo.LogOp: "Log",
    stablehlo.LogisticOp: "Sigmoid",
    stablehlo.NegateOp: "Neg",
    stablehlo.RoundNearestEvenOp: "Round",
    stablehlo.SineOp: "Sin",
    stablehlo.SqrtOp: "Sqrt",
    stablehlo.TanOp: "Tan",
    stablehlo.TanhOp: "Tanh",
}
_BINARY: dict[type[Operation], str] = {
    stablehlo.AddOp: "Add",
    stablehlo.DivideOp: "Div",
    stablehlo.MaximumOp: "Max",
    stablehlo.MinimumOp: "Min",
    stablehlo.MultiplyOp: "Mul",
    stablehlo.PowerOp: "Pow",
    stablehlo.SubtractOp: "Sub",
}
_BINARY_OF_BOOLEANS: dict[type[Operation], str] = {
    stablehlo.AddOp: "Or",
    stablehlo.MaximumOp: "Or",
    stablehlo.MinimumOp: "And",
    stablehlo.MultiplyOp: "And",
}
_LOGIC: dict[type[Operation], str] = {
    stablehlo.AndOp: "And",
    stablehlo.NotOp: "Not",
    stablehlo.OrOp: "Or",
    stablehlo.XorOp: "Xor",
}
_COMPARISONS = {
    ComparisonDirection.EQ: "Equal",
    ComparisonDirection.GE: "GreaterOrEqual",
    ComparisonDirection.GT: "Greater",
    ComparisonDirection.LE: "LessOrEqual",
    ComparisonDirection.LT: "Less",
}

_WIDE = 64


def aligned(values: Sequence[SSAValue], write: Writer) -> tuple[list[str], Layout, bool]:
    """Return tensors of operands in one layout, the layout, and True if repeated elements stay unexpanded.

    The operands have one shape, or are scalars. The node's broadcasting repeats unexpanded elements. The layout is that
    of the first computed operand, preferably of one with all its elements.
    """
    layout, is_chosen, repeated = write.own_layout(max(values, key=lambda value: len(shape(value)))), False, True
    for value in values:
        tensor = write[value]
        if len(shape(value)) < len(layout):
            continue  # a scalar repeats in every dimension
        if isinstance(tensor, ComputedTensor):
            if not is_chosen or (repeated and not tensor.repeated):
                layout, is_chosen = tensor.layout, True
            repeated = repeated and tensor.repeated
        elif tensor.held.shape == shape(value):
            repeated = False
    names = [write.floats(value, layout if shape(value) else (), whole=False) for value in values]
    return names, layout, repeated


def elementwise(kind: str, values: Sequence[SSAValue], write: Writer, **attributes: Any) -> ComputedTensor:
    """Write one node on operands of one shape; raises ConversionError for elements that its operator does not take."""
    names, layout, repeated = aligned(values, write)
    check_elements(kind, write.opset, expressed(element_type(values[0])))
    return ComputedTensor(write.node(kind, names, **attributes), layout, repeated=repeated)


@emits(*_UNARY)
def unary(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Write the node of the same meaning."""
    return elementwise(_UNARY[type(op)], [op.operand], write)


@emits(stablehlo.SignOp)
def sign(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Write Sign, or a form of it for int64."""
    (name,), layout, repeated = aligned([op.operand], write)
    element = expressed(element_type(op.operand))
    check_elements("Sign", write.opset, element)
    return ComputedTensor(sign_of(name, element, write), layout, repeated=repeated)


@emits(*_BINARY)
def binary(op: stablehlo.BinaryOp, write: Writer) -> Tensor:
    """Write the node of the same meaning; a float maximum with 0 becomes Relu."""
    if isinstance(op, stablehlo.MaximumOp) and is_float(expressed(element_type(op.result))):
        for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            known = write.known(other)
            if known is not None and known.number() == 0 and write.known(value) is None:
                return elementwise("Relu", [value], write)
    kinds = {**_BINARY, **_BINARY_OF_BOOLEANS} if element_type(op.result) == i1 else _BINARY
    if isinstance(element_type(op.result), IntegerType) and element_type(op.result) != i1:
        return _of_integers(kinds[type(op)], op, write)
    return elementwise(kinds[type(op)], [op.lhs, op.rhs], write)


def _of_integers(kind: str, op: stablehlo.BinaryOp, write: Writer) -> Tensor:
    """Write the node, or a form of it that wraps around as StableHLO's integers do."""
    element = element_type(op.result)
    if kind == "Pow":
        return _integer_power(op, write)
    check_elements(kind, write.opset, element)
    names, layout, repeated = aligned([op.lhs, op.rhs], write)
    made = divided(names, op.rhs, element, write) if kind == "Div" else combined(kind, names, element, write)
    return ComputedTensor(made, layout, repeated=repeated)


def _integer_power(op: stablehlo.BinaryOp, write: Writer) -> Tensor:
    """Write products of squares; onnxruntime's Pow of integers computes in float64 and saturates."""
    known, element = write.known(op.rhs), element_type(op.result)
    exponent = None if known is None else known.number()
    if exponent is not None and exponent >= 0:
        (name,), layout, repeated = aligned([op.lhs], write)
        return ComputedTensor(power_of(name, int(exponent), element, write), layout, repeated=repeated)
    names, layout, repeated = aligned([op.lhs, op.rhs], write)
    return ComputedTensor(computed_power(names[0], names[1], element, write), layout, repeated=repeated)


@emits(*_LOGIC)
def logic(op: stablehlo.ElementwiseOp, write: Writer) -> Tensor:
    """Write And, Not, Or or Xor of truth values, or of the bits of integers."""
    kind = _LOGIC[type(op)]
    if element_type(op.results[0]) == i1:
        return elementwise(kind, op.operands, write)
    write.require(18, f"Bitwise{kind}")
    return elementwise(f"Bitwise{kind}", op.operands, write)


@emits(stablehlo.RemainderOp)
def remainder(op: stablehlo.BinaryOp, write: Writer) -> Tensor:
    """Write Mod with the sign of the dividend, of floats; of integers :func:`_integer_rest`."""
    element = element_type(op.result)
    if not isinstance(element, IntegerType):
        return elementwise("Mod", [op.lhs, op.rhs], write, fmod=1)
    names, layout, repeated = aligned([op.lhs, op.rhs], write)
    check_elements("Mod", write.opset, element)
    made = remainder_of(names, lambda pair: _integer_rest(pair, element, write), op.rhs, element, write)
    return ComputedTensor(made, layout, repeated=repeated)


def _integer_rest(names: Sequence[str], element: IntegerType, write: Writer) -> str:
    """Write Mod; of 64 bits Mod of magnitudes, because ``fmod`` computes in float64."""
    if element.width.data < _WIDE:
        return write.node("Mod", list(names), fmod=1)
    if element.signedness.data is Signedness.UNSIGNED:
        return write.node("Mod", list(names))
    magnitudes = [write.node("Cast", [write.node("Abs", [name])], to=TensorProto.UINT64) for name in names]
    rest = write.node("Cast", [write.node("Mod", magnitudes)], to=TensorProto.INT64)
    return _signed(rest, names[0], element, write)


@emits(stablehlo.RsqrtOp)
def rsqrt(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Write Reciprocal of Sqrt."""
    root = elementwise("Sqrt", [op.operand], write)
    return ComputedTensor(write.node("Reciprocal", [root.name]), root.layout, repeated=root.repeated)


@emits(stablehlo.RoundNearestAfzOp)
def round_half_away(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Write ``sign(x) * floor(|x| + 0.5)``."""
    (name,), layout, repeated = aligned([op.operand], write)
    more = write.node("Add", [write.node("Abs", [name]), write.scalar(0.5, op.operand, "half")])
    return ComputedTensor(
        _signed(write.node("Floor", [more]), name, element_type(op.result), write), layout, repeated=repeated
    )


@emits(stablehlo.CbrtOp)
def cubic_root(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Write ``sign(x) * |x| ** (1/3)``."""
    (name,), layout, repeated = aligned([op.operand], write)
    root = write.node("Pow", [write.node("Abs", [name]), write.scalar(1 / 3, op.operand, "third")])
    return ComputedTensor(_signed(root, name, element_type(op.result), write), layout, repeated=repeated)


def _signed(magnitude: str, like: str, element: Attribute, write: Writer) -> str:
    return write.node("Mul", [magnitude, sign_of(like, element, write)])


@emits(stablehlo.ExponentialMinusOneOp)
def exponential_minus_one(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Write ``exp(x) - 1``; near 0 its absolute error is one ulp of 1."""
    power = elementwise("Exp", [op.operand], write)
    less = write.node("Sub", [power.name, write.scalar(1.0, op.operand, "one")])
    return ComputedTensor(less, power.layout, repeated=power.repeated)


@emits(stablehlo.LogPlusOneOp)
def log_plus_one(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Write ``log(x + 1)``; near 0 its absolute error is one ulp of 1."""
    (name,), layout, repeated = aligned([op.operand], write)
    more = write.node("Add", [name, write.scalar(1.0, op.operand, "one")])
    return ComputedTensor(write.node("Log", [more]), layout, repeated=repeated)


@emits(stablehlo.CompareOp)
def compare(op: stablehlo.CompareOp, write: Writer) -> Tensor:
    """Write Equal, Greater, Less and so on."""
    direction = op.comparison_direction.data
    if direction is not ComparisonDirection.NE:
        return elementwise(_COMPARISONS[direction], [op.lhs, op.rhs], write)
    equal = elementwise("Equal", [op.lhs, op.rhs], write)
    return ComputedTensor(write.node("Not", [equal.name]), equal.layout, repeated=equal.repeated)


@emits(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp, write: Writer) -> Tensor:
    """Write Where."""
    return elementwise("Where", [op.pred, op.on_true, op.on_false], write)


@emits(stablehlo.ConvertOp)
def convert(op: stablehlo.ConvertOp, write: Writer) -> Tensor:
    """Write Cast; a clamp to the range of a float8 type before it becomes its attribute ``saturate``."""
    element, operand = element_type(op.result), op.operand
    attributes: dict[str, Any] = {}
    if is_small_float(element):
        write.require(least_opset(element), f"a conversion to {element}")
        clamp = operand.owner
        saturates = isinstance(clamp, stablehlo.ClampOp) and _is_range(limits(clamp, write), element)
        attributes["saturate"] = int(saturates)
        if isinstance(clamp, stablehlo.ClampOp) and saturates:
            operand = clamp.operand
    return elementwise("Cast", [operand], write, to=onnx_type(element), **attributes)


def _is_range(bounds: tuple[float, float] | None, element: Attribute) -> bool:
    largest = numerics.largest_finite(numpy_dtype(element))
    return bounds == (-largest, largest)


def limits(op: stablehlo.ClampOp, write: Writer) -> tuple[float, float] | None:
    """Return the bounds of a clamp as real numbers, or None if they are not constant scalars."""
    known = write.known(op.min), write.known(op.max)
    if known[0] is None or known[1] is None:
        return None
    low, high = known[0].number(), known[1].number()
    return None if low is None or high is None else (low, high)


def clip(name: str, bounds: tuple[float, float], like: SSAValue, write: Writer) -> str:
    """Write Clip of a tensor of reals, Relu if only negative numbers change, or nothing if no number changes.

    ``like`` is the value that is clamped. If ``like`` is quantized, a bound at the end of its storage range is dropped.
    """
    low, high = bounds
    element = quantized(like)
    has_low = has_high = True
    if element is not None and element.is_per_tensor:
        storage, half = element.storage, 0.5 * element.scale
        has_low = low > (storage.minimum - element.zero_point) * element.scale + half
        has_high = high < (storage.maximum - element.zero_point) * element.scale - half
    if not has_low and not has_high:
        return name
    if low == 0 and not has_high:
        return write.node("Relu", [name])
    ends = [write.scalar(low, like, "min") if has_low else "", write.scalar(high, like, "max") if has_high else ""]
    return write.node("Clip", [name, *(ends if has_high else ends[:1])])


@emits(stablehlo.ClampOp)
def clamp(op: stablehlo.ClampOp, write: Writer) -> Tensor:
    """Write Clip if the bounds are finite constants, else Max and Min."""
    element = element_type(op.result)
    if isinstance(element, IntegerType):
        return _integer_clamp(op, element, write)
    bounds = limits(op, write)
    if bounds is not None and np.isfinite(bounds).all() and not isinstance(write[op.operand], ConstantTensor):
        (name,), layout, repeated = aligned([op.operand], write)
        return ComputedTensor(clip(name, bounds, op.operand, write), layout, repeated=repeated)
    names, layout, repeated = aligned([op.operand, op.min, op.max], write)
    highest = write.node("Max", names[:2])
    return ComputedTensor(write.node("Min", [highest, names[2]]), layout, repeated=repeated)


def _integer_clamp(op: stablehlo.ClampOp, element: IntegerType, write: Writer) -> Tensor:
    """Write Clip between constants, or Max and Min; onnxruntime's Clip of int64 is wrong beyond 31 bits."""
    bounds = limits(op, write)
    if bounds is not None and element.width.data < _WIDE and not isinstance(write[op.operand], ConstantTensor):
        (name,), layout, repeated = aligned([op.operand], write)
        return ComputedTensor(clip(name, bounds, op.operand, write), layout, repeated=repeated)
    names, layout, repeated = aligned([op.operand, op.min, op.max], write)
    highest = combined("Max", names[:2], element, write)
    return ComputedTensor(combined("Min", [highest, names[2]], element, write), layout, repeated=repeated)
