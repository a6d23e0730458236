"""Facts about ops that several layers ask for: ``op.has_trait(MovesElements)``.

A trait promises something about every op of a class, quantized or not. A subclass of a trait promises what the trait
promises, and more. A real value is the number that an integer of a quantized type stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation
from xdsl.traits import OpTrait
from xdsl.utils.str_enum import StrEnum


class Elementwise(OpTrait):
    """Element ``i`` of the result follows from element ``i`` of each operand alone; a scalar operand fits any shape."""


class ComputesReals(OpTrait):
    """On quantized types the op means: dequantize the operands, compute in float, quantize the result.

    A :class:`Conversion` is elementwise and has the trait from there, but computes nothing in float.
    """


class PassesIntegers(OpTrait):
    """The op is the same on storage integers: it hands on values of one quantized type, and so do its regions."""


class HandsOn(PassesIntegers):
    """The results are operands, or what a region returns: the op itself reads no element."""


class KeepsRange(OpTrait):
    """Each real value of the result lies between the least and the largest of the operands.

    A cubic resize can overshoot a little; its kernels saturate.
    """


class KeepsMultiples(OpTrait):
    """Operands that are multiples of one scale give a result that is a multiple of it."""


class TakesElements(KeepsRange, KeepsMultiples):
    """Each real value of the result is one of the operands'."""


@dataclass(frozen=True)
class MovesElements(TakesElements, PassesIntegers):
    """Each element of the result is an element of an operand, whichever values they have.

    ``count`` leading operands are moved, or all of them (None): the operands behind are indices and sizes. The moved
    operands and the result have one quantized type.
    """

    count: int | None = None


class Rearranges(MovesElements):
    """The result holds each element of the one operand at most once."""


class Clamps(TakesElements):
    """One operand is bounded by the others, which are a lower bound, an upper bound, or both."""


class AffineByConstant(OpTrait):
    """Where the second operand is constant, the op multiplies the first by a number or adds one to it."""


class Contraction(ComputesReals):
    """The op sums products of its first two operands, activations and weights."""


class Steps(OpTrait):
    """A small change of a real operand can change the result by one: the op rounds, or tells the sign."""


class Bitwise(OpTrait):
    """The op is about the bits of integers, or about truth values, and not about real values."""


class Conversion(OpTrait):
    """The op gives its operand another element type and computes nothing else."""


@dataclass(frozen=True)
class Range(OpTrait):
    """Each real value of the result lies between two numbers, whatever the operands."""

    minimum: float
    maximum: float


class Layer(StrEnum):
    """A part of the program that has an answer for every op: what becomes of it there, or why nothing does."""

    INTERPRETER = "interpreter"
    ONNX = "ONNX"
    TOSA = "TOSA"
    FUSION = "legalize-qdq-to-quantized-op"
    MATH = "legalize-quant-to-math"
    RESCALE = "quant-legalize-to-tosa-rescale"
    PUSH = "push-rescales"
    SINK = "sink-transposes"
    KERNELS = "fuse-kernels"


@dataclass(frozen=True)
class NotIn(OpTrait):
    """Some layers cannot express the op, for a reason that their messages give."""

    reason: str
    layers: frozenset[Layer]

    def __init__(self, reason: str, *layers: Layer) -> None:
        object.__setattr__(self, "reason", reason)
        object.__setattr__(self, "layers", frozenset(layers))


def absence(kind: Operation | type[Operation], layer: Layer) -> str | None:
    """Return the reason why a layer cannot express an op, None where the op gives none."""
    found = (trait for trait in kind.get_traits_of_type(NotIn) if layer in trait.layers)
    return next((trait.reason for trait in found), None)
