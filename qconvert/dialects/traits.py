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
    """The trait of ops whose result element ``i`` follows from element ``i`` of each operand; scalars fit any shape."""


class ComputesReals(OpTrait):
    """The trait of ops that, on quantized types, dequantize the operands, compute in float and quantize the result.

    A :class:`Conversion` is elementwise and has the trait from there, but computes nothing in float.
    """


class PassesIntegers(OpTrait):
    """The trait of ops that compute the same on storage integers: values of one quantized type pass through the op.

    Regions of the op pass them on as well.
    """


class HandsOn(PassesIntegers):
    """The trait of ops whose results are operands or a region's results: the op itself reads no element."""


class KeepsRange(OpTrait):
    """The trait of ops whose result's real values lie between the operands' least and largest real value.

    A cubic resize can overshoot a little; its kernels saturate.
    """


class KeepsMultiples(OpTrait):
    """The trait of ops that turn multiples of one scale into multiples of that scale."""


class TakesElements(KeepsRange, KeepsMultiples):
    """The trait of ops whose result's real values are all real values of the operands."""


@dataclass(frozen=True)
class MovesElements(TakesElements, PassesIntegers):
    """The trait of ops whose result elements are elements of an operand, whatever the values.

    ``count`` leading operands are moved, or all of them (None): the operands behind are indices and sizes. The moved
    operands and the result have one quantized type.
    """

    count: int | None = None


class Rearranges(MovesElements):
    """The trait of ops whose result holds each element of the single operand at most once."""


class Clamps(TakesElements):
    """The trait of ops that bound one operand by the other operands: a lower bound, an upper bound, or both."""


class AffineByConstant(OpTrait):
    """The trait of ops that, with a constant second operand, multiply the first by a number or add one to it."""


class Contraction(ComputesReals):
    """The trait of ops that sum products of their first two operands, activations and weights."""


class Steps(OpTrait):
    """The trait of ops that round or take a sign: a small change of a real operand can change the result by one."""


class Bitwise(OpTrait):
    """The trait of ops on the bits of integers or on truth values, not on real values."""


class Conversion(OpTrait):
    """The trait of ops that change the operand's element type and compute nothing else."""


@dataclass(frozen=True)
class Range(OpTrait):
    """The trait of ops whose result's real values lie between two numbers, whatever the operands."""

    minimum: float
    maximum: float


class Layer(StrEnum):
    """The parts of the program that answer for every op: the op's form in that part, or why it has no form."""

    INTERPRETER = "interpreter"
    ONNX = "ONNX"
    TOSA = "TOSA"
    TFLITE = "TFLite"
    FUSION = "legalize-qdq-to-quantized-op"
    MATH = "legalize-quant-to-math"
    RESCALE = "quant-legalize-to-tosa-rescale"
    PUSH = "push-rescales"
    SINK = "sink-transposes"
    KERNELS = "fuse-kernels"
    TOSA_IN_ONNX = "ONNX from TOSA"
    TRANSLATION = "tosa-legalize-to-stablehlo"


@dataclass(frozen=True)
class NotIn(OpTrait):
    """The trait of ops that some layers cannot express; their messages give the reason."""

    reason: str
    layers: frozenset[Layer]

    def __init__(self, reason: str, *layers: Layer) -> None:
        object.__setattr__(self, "reason", reason)
        object.__setattr__(self, "layers", frozenset(layers))


def absence(kind: Operation | type[Operation], layer: Layer) -> str | None:
    """Return the reason why a layer cannot express an op, None if the op gives no reason."""
    found = (trait for trait in kind.get_traits_of_type(NotIn) if layer in trait.layers)
    return next((trait.reason for trait in found), None)
