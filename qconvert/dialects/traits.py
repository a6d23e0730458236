"""Facts about ops that several layers ask for: ``op.has_trait(MovesElements)``.

A trait promises something about every op of a class, quantized or not. A subclass of a trait promises what the trait
promises, and more. A real value is the number that an integer of
a quantized type stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.traits import OpTrait


class Elementwise(OpTrait):
    """Element ``i`` of the result follows from element ``i`` of each operand alone; a scalar operand fits any shape."""


class PassesIntegers(OpTrait):
    """The op is the same on storage integers: it hands on values of one quantized type, and so do its regions."""


class KeepsRange(OpTrait):
    """Each real value of the result lies between the least and the largest of the operands."""


class KeepsMultiples(OpTrait):
    """Operands that are multiples of one scale give a result that is a multiple of it."""


class TakesElements(KeepsRange, KeepsMultiples):
    """Each real value of the result is one of the operands'."""


class MovesElements(TakesElements, PassesIntegers):
    """Each element of the result is one of the operands', whatever their values; all have one quantized type."""


class Rearranges(MovesElements):
    """The result holds each element of the one operand at most once."""


class Clamps(TakesElements):
    """One operand is bounded by the others, which are a lower bound, an upper bound, or both."""


class AffineByConstant(OpTrait):
    """Where the second operand is constant, the op multiplies the first by a number or adds one to it."""


class Contraction(OpTrait):
    """The op sums products of its first two operands, activations and weights."""


class Steps(OpTrait):
    """A small change of a real operand can change the result by one: the op rounds, or tells the sign."""


class Bitwise(OpTrait):
    """The op is about the bits of integers, or about truth values, and not about real values."""


class QuantizationCast(OpTrait):
    """The op changes the type that real values are stored in and computes nothing else."""


@dataclass(frozen=True)
class Range(OpTrait):
    """Each real value of the result lies between two numbers, whatever the operands."""

    minimum: float
    maximum: float
