"""Functions of single elements, and of pairs that are broadcast."""

from __future__ import annotations

import numpy as np

from tests.graphs.network import Drawing, Input, MisfitError, Raw, Shape, Weight, number
from tests.graphs.operators.contraction import activated
from tests.graphs.operators.registry import operator

_UNARY: dict[str, dict[str, float]] = {
    "Abs": {},
    "Ceil": {},
    "Celu": {"alpha": 0.6},
    "Cos": {},
    "Elu": {"alpha": 0.7},
    "Erf": {},
    "Floor": {},
    "Gelu": {},
    "HardSigmoid": {"alpha": 0.3},
    "HardSwish": {},
    "Identity": {},
    "LeakyRelu": {"alpha": 0.1},
    "Mish": {},
    "Neg": {},
    "Relu": {},
    "Round": {},
    "Selu": {},
    "Sigmoid": {},
    "Sign": {},
    "Sin": {},
    "Softplus": {},
    "Softsign": {},
    "Swish": {"alpha": 1.3},
    "Tanh": {},
    "ThresholdedRelu": {"alpha": 0.4},
}

_ON_INTEGERS = ("LeakyRelu", "Sigmoid")
"""Those that onnxruntime computes on integers as well: they are drawn more often."""


@operator("unary", 16)
def unary(net: Drawing, x: str, shape: Shape) -> str:
    """One function of each element."""
    op_type = str(net.one_of(*_UNARY, *_ON_INTEGERS, *_ON_INTEGERS))
    return net.add(op_type, [x], **_UNARY[op_type])[0]


@operator("unary", 2)
def chain(net: Drawing, x: str, shape: Shape) -> str:
    """Float operators in a row with one quantizer behind all."""
    [made] = net.add("Clip", [x, number(-3), number(3)], quantized=False)
    if net.chance(0.5):
        return net.add("Exp", [made])[0]
    if net.chance(0.4):
        [made] = net.add("Mul", [made, number(0.4)], quantized=False)
        return net.add("Tan", [made])[0]
    [made] = net.add("Abs", [made], quantized=False)
    [made] = net.add("Add", [made, number(0.5)], quantized=False)
    return net.add(net.one_of("Log", "Reciprocal", "Sqrt"), [made])[0]


@operator("clip", 2)
def clip(net: Drawing, x: str, shape: Shape) -> str:
    """Clip with one bound or two."""
    low, high = net.one_of((0.0, 6.0), (-0.5, None), (None, 0.7), (-1.0, 1.0), (0.3, 2.0))
    bounds = [None if bound is None else number(bound) for bound in (low, high)]
    return net.add("Clip", [x, *bounds], keeps=net.chance(0.2))[0]


@operator("binary", 8)
def binary(net: Drawing, x: str, shape: Shape) -> str:
    """A sum, difference, product or extreme of two values, or with a constant that is broadcast."""
    op_type = str(net.one_of("Add", "Add", "Add", "Mul", "Mul", "Sub", "Max", "Min"))
    operands: list[Input] = [x, other_operand(net, x, shape)]
    if net.chance(0.4):
        operands.reverse()
    if op_type in ("Max", "Min"):
        return net.add(op_type, operands)[0]
    return activated(net, op_type, operands)


def other_operand(net: Drawing, x: str, shape: Shape) -> Input:
    """A value of the same shape, one that is broadcast, or a constant."""
    if net.chance(0.5):
        return net.like(x)
    broadcast = [name for name in net.free if name != x and _is_broadcast(net.shapes[name], shape)]
    if broadcast and net.chance(0.6):
        return str(net.one_of(*broadcast))
    sizes = [size if net.chance(0.5) else 1 for size in shape]
    return Weight(net.normal(*sizes[net.number(0, len(sizes)) if net.chance(0.3) else 0 :]))


def _is_broadcast(one: Shape, other: Shape) -> bool:
    try:
        return np.broadcast_shapes(one, other) == other
    except ValueError:
        return False


@operator("binary")
def grown(net: Drawing, x: str, shape: Shape) -> str:
    """A sum or product in which the value itself is broadcast to more or larger dimensions."""
    if len(shape) > 4:
        raise MisfitError
    sizes = [size if size > 1 or net.chance(0.3) else net.number(2, 3) for size in shape]
    if net.chance(0.5) or tuple(sizes) == shape:
        sizes = [net.number(2, 3), *sizes]
    return net.add(net.one_of("Add", "Mul", "Sub", "Max"), [x, Weight(net.normal(*sizes))])[0]


@operator("division")
def quotient(net: Drawing, x: str, shape: Shape) -> str:
    """Div by a constant, or by a value that is never near 0."""
    if net.chance(0.5):
        return net.add("Div", [x, number(net.one_of(0.7, 4.0, -3.0))])[0]
    [made] = net.add("Sigmoid", [net.like(x)], quantized=False)
    [made] = net.add("Add", [made, number(0.5)])
    return net.add("Div", [x, made])[0]


@operator("division")
def power(net: Drawing, x: str, shape: Shape) -> str:
    """A square or a cube."""
    return net.add("Pow", [x, number(net.one_of(2.0, 3.0))])[0]


@operator("slope")
def channel_slope(net: Drawing, x: str, shape: Shape) -> str:
    """PRelu, mostly with a slope for each channel."""
    if len(shape) < 2:
        raise MisfitError
    sizes = (shape[1], *[1] * (len(shape) - 2)) if net.chance(0.7) else (1,)
    return net.add("PRelu", [x, Weight(net.normal(*sizes))])[0]


@operator("choice", 2)
def choice(net: Drawing, x: str, shape: Shape) -> str:
    """Where, by a constant mask that is broadcast or by a comparison."""
    if net.chance(0.5):
        mask: Input = Raw(net.rng.random([size if net.chance(0.7) else 1 for size in shape]) < 0.5)
    else:
        [mask] = comparison(net, x, shape)
    other: Input = net.like(x) if net.chance(0.7) else Weight(net.normal(1))
    return net.add("Where", [mask, x, other] if net.chance(0.6) else [mask, other, x])[0]


def comparison(net: Drawing, x: str, shape: Shape) -> list[str]:
    """A comparison with a value of the same shape or a constant."""
    op_type = net.one_of("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
    other: Input = net.like(x) if net.chance(0.6) else Weight(net.normal(1))
    made = net.add(op_type, [x, other])
    return net.add("Not", made) if net.chance(0.2) else made


@operator("comparison")
def compared(net: Drawing, x: str, shape: Shape) -> str:
    """Comparisons, combined, as a result or as numbers."""
    [made] = comparison(net, x, shape)
    if net.chance(0.4):
        [made] = net.add(net.one_of("And", "Or", "Xor"), [made, *comparison(net, net.like(x), shape)])
    return net.add("Cast", [made], to=1)[0] if net.chance(0.5) else made


@operator("several")
def several(net: Drawing, x: str, shape: Shape) -> str:
    """Sum, Mean, Max and Min of three values."""
    return net.add(net.one_of("Sum", "Mean", "Max", "Min"), [x, net.like(x), net.like(x)])[0]


@operator("gate")
def gate(net: Drawing, x: str, shape: Shape) -> str:
    """``x * sigmoid(x)``, as exporters write SiLU."""
    [made] = net.add("Sigmoid", [x], quantized=net.chance(0.7))
    return net.add("Mul", [x, made])[0]
