"""Elementwise ops: rows for those that are one node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.backends.onnx.builder import onnx_type
from qconvert.backends.onnx.litert import litert_binary
from qconvert.backends.onnx.lowering import Held, Known, Layout, Tensor, Writer, emits
from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection
from qconvert.ir.types import element_type, expressed, i1, is_float, quantized, shape
from qconvert.support.errors import ConversionError

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
    stablehlo.SignOp: "Sign",
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
_LOGIC: dict[type[Operation], str] = {stablehlo.AndOp: "And", stablehlo.OrOp: "Or", stablehlo.XorOp: "Xor"}
_COMPARISONS = {
    ComparisonDirection.EQ: "Equal",
    ComparisonDirection.GE: "GreaterOrEqual",
    ComparisonDirection.GT: "Greater",
    ComparisonDirection.LE: "LessOrEqual",
    ComparisonDirection.LT: "Less",
}


def aligned(values: Sequence[SSAValue], write: Writer) -> tuple[list[str], Layout, bool]:
    """Tensors for operands of one shape in one layout, the layout, and whether some elements are there once only.

    Elements that repeat are left to the node's broadcasting. The layout is that of the first operand that is computed.
    """
    layout, is_chosen, repeated = write.own_layout(max(values, key=lambda value: len(shape(value)))), False, True
    for value in values:
        tensor = write[value]
        if isinstance(tensor, Held) and len(tensor.layout) == len(layout):
            if not is_chosen or (repeated and not tensor.repeated):
                layout, is_chosen = tensor.layout, True
            repeated = repeated and tensor.repeated
        elif isinstance(tensor, Known) and tensor.array.shape == shape(value):
            repeated = False
    names = [write.floats(value, layout if shape(value) else (), whole=False) for value in values]
    return names, layout, repeated


def elementwise(kind: str, values: Sequence[SSAValue], write: Writer) -> Held:
    """One node of operands of one shape."""
    names, layout, repeated = aligned(values, write)
    return Held(write.node(kind, names), layout, repeated=repeated)


@emits(*_UNARY)
def unary(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """The node of the same meaning."""
    return elementwise(_UNARY[type(op)], [op.operand], write)


@emits(*_BINARY)
def binary(op: stablehlo.BinaryOp, write: Writer) -> Tensor:
    """The node of the same meaning; a maximum with 0 is Relu."""
    if isinstance(op, stablehlo.AddOp | stablehlo.SubtractOp | stablehlo.MultiplyOp):
        found = litert_binary(op, write)
        if found is not None:
            return found
    if isinstance(op, stablehlo.MaximumOp) and is_float(expressed(element_type(op.result))):
        for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            known = write.known(other)
            if known is not None and known.number() == 0 and write.known(value) is None:
                return elementwise("Relu", [value], write)
    return elementwise(_BINARY[type(op)], [op.lhs, op.rhs], write)


@emits(*_LOGIC)
def logic(op: stablehlo.BinaryOp, write: Writer) -> Tensor:
    """Of truth values, or of the bits of integers."""
    kind = _LOGIC[type(op)]
    if element_type(op.result) == i1:
        return elementwise(kind, [op.lhs, op.rhs], write)
    write.require(18, f"Bitwise{kind}")
    return elementwise(f"Bitwise{kind}", [op.lhs, op.rhs], write)


@emits(stablehlo.NotOp)
def negation(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Of a truth value, or of the bits of an integer."""
    if element_type(op.result) == i1:
        return elementwise("Not", [op.operand], write)
    write.require(18, "BitwiseNot")
    return elementwise("BitwiseNot", [op.operand], write)


@emits(stablehlo.RemainderOp)
def remainder(op: stablehlo.BinaryOp, write: Writer) -> Tensor:
    """Mod with the sign of the dividend."""
    names, layout, repeated = aligned([op.lhs, op.rhs], write)
    return Held(write.node("Mod", names, fmod=1), layout, repeated=repeated)


@emits(stablehlo.RsqrtOp)
def rsqrt(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Reciprocal of Sqrt."""
    root = elementwise("Sqrt", [op.operand], write)
    return Held(write.node("Reciprocal", [root.name]), root.layout, repeated=root.repeated)


@emits(stablehlo.RoundNearestAfzOp)
def round_half_away(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """The sign times what is left of the magnitude and a half."""
    (name,), layout, repeated = aligned([op.operand], write)
    more = write.node("Add", [write.node("Abs", [name]), write.scalar(0.5, op.operand, "half")])
    return Held(_signed(write.node("Floor", [more]), name, write), layout, repeated=repeated)


@emits(stablehlo.CbrtOp)
def cubic_root(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """The sign times a power of the magnitude."""
    (name,), layout, repeated = aligned([op.operand], write)
    root = write.node("Pow", [write.node("Abs", [name]), write.scalar(1 / 3, op.operand, "third")])
    return Held(_signed(root, name, write), layout, repeated=repeated)


def _signed(magnitude: str, like: str, write: Writer) -> str:
    return write.node("Mul", [magnitude, write.node("Sign", [like])])


@emits(stablehlo.ExponentialMinusOneOp)
def exponential_minus_one(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Exp less 1: near 0 exact to a last bit of 1."""
    power = elementwise("Exp", [op.operand], write)
    less = write.node("Sub", [power.name, write.scalar(1.0, op.operand, "one")])
    return Held(less, power.layout, repeated=power.repeated)


@emits(stablehlo.LogPlusOneOp)
def log_plus_one(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Log of 1 more: near 0 exact to a last bit of 1."""
    (name,), layout, repeated = aligned([op.operand], write)
    more = write.node("Add", [name, write.scalar(1.0, op.operand, "one")])
    return Held(write.node("Log", [more]), layout, repeated=repeated)


@emits(stablehlo.CompareOp)
def compare(op: stablehlo.CompareOp, write: Writer) -> Tensor:
    """Equal, Greater, Less and so on."""
    direction = op.comparison_direction.data
    if direction is not ComparisonDirection.NE:
        return elementwise(_COMPARISONS[direction], [op.lhs, op.rhs], write)
    equal = elementwise("Equal", [op.lhs, op.rhs], write)
    return Held(write.node("Not", [equal.name]), equal.layout, repeated=equal.repeated)


@emits(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp, write: Writer) -> Tensor:
    """Where."""
    return elementwise("Where", [op.pred, op.on_true, op.on_false], write)


@emits(stablehlo.ConvertOp)
def convert(op: stablehlo.ConvertOp, write: Writer) -> Tensor:
    """Cast."""
    (name,), layout, repeated = aligned([op.operand], write)
    return Held(write.node("Cast", [name], to=onnx_type(element_type(op.result))), layout, repeated=repeated)


def limits(op: stablehlo.ClampOp, write: Writer) -> tuple[float, float] | None:
    """The real numbers that a clamp has as bounds, or None where they are no numbers."""
    known = write.known(op.min), write.known(op.max)
    if known[0] is None or known[1] is None:
        return None
    low, high = known[0].number(), known[1].number()
    return None if low is None or high is None else (low, high)


def clip(name: str, bounds: tuple[float, float], like: SSAValue, write: Writer) -> str:
    """A tensor of reals between two numbers: Relu where only negative ones go, nothing where none do.

    ``like`` is the value that is clamped; where it is quantized, bounds at its storage's ends say nothing.
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
    """Clip between numbers, else Max and Min."""
    bounds = limits(op, write)
    if bounds is not None and np.isfinite(bounds).all() and not isinstance(write[op.operand], Known):
        (name,), layout, repeated = aligned([op.operand], write)
        return Held(clip(name, bounds, op.operand, write), layout, repeated=repeated)
    if not is_float(expressed(element_type(op.result))):
        raise ConversionError("integers are clamped between tensors", hint="Use constant bounds")
    names, layout, repeated = aligned([op.operand, op.min, op.max], write)
    highest = write.node("Max", names[:2])
    return Held(write.node("Min", [highest, names[2]]), layout, repeated=repeated)
