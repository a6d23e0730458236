"""The values of float ops as i32 integers times a scale, and the rules that compute them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import ceil, log2
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert import numerics
from qconvert.backends.tosa.lowering import Lowering
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import constant_array
from qconvert.ir import UniformQuantizedType, element_type, f32, i32, quantized, shape
from qconvert.numerics import unrepeated
from qconvert.support.registry import Catalog

BITS = 29
"""The number of bits of the largest integer: RESCALE demands ``|value| < 2^(shift - 1)``, with multipliers below 2^31.

Source: TOSA specification 1.0, ``apply_scale_32``.
"""
_LARGEST = 2.0**BITS - 2
MULTIPLIER = 2.0**-31
"""The relative error of a RESCALE's multiplier."""
_LEAST_UNIT = 2.0**-120
_FLOAT_END = 2.0**128


class Interval(NamedTuple):
    """The real numbers that the elements of a value lie between."""

    low: float
    high: float

    @property
    def magnitude(self) -> float:
        """The largest magnitude of an element."""
        return max(abs(self.low), abs(self.high))

    @property
    def unit(self) -> float:
        """The finest power of two as a scale at which all numbers are below 2^29.

        Values with alike intervals have one scale, so that functions of them share their tables.
        """
        return max(2.0 ** ceil(log2(self.magnitude / _LARGEST)) if self.magnitude else 0.0, _LEAST_UNIT)

    @classmethod
    def of(cls, *numbers: float) -> Interval | None:
        """Return the interval from the least to the largest number, None if one is beyond float32's range."""
        return cls(min(numbers), max(numbers)) if all(abs(number) < _FLOAT_END for number in numbers) else None


class Fixed(NamedTuple):
    """The i32 integers of a value at a scale; ``error`` bounds the distance of each from the real value."""

    value: SSAValue
    scale: float
    error: float


class Values(ABC):
    """The float values of a function in integers, which rules ask for."""

    lower: Lowering

    @abstractmethod
    def interval(self, value: SSAValue) -> Interval | None:
        """Return the interval of a float value; None if it cannot be computed in integers."""

    def known(self, value: SSAValue) -> Interval:
        """Return the interval of a value that has one."""
        found = self.interval(value)
        assert found is not None
        return found

    @abstractmethod
    def unit(self, value: SSAValue) -> float:
        """Return the finest scale at which a value with an interval can be asked for."""

    @abstractmethod
    def is_long(self, value: SSAValue) -> bool:
        """Return True if integers that are held stand between a value and the quantized values in front of it."""

    @abstractmethod
    def source(self, value: SSAValue) -> SSAValue:
        """Return the only value that elementwise ops make a value of, or the value itself."""

    @abstractmethod
    def at(self, value: SSAValue, scale: float) -> Fixed:
        """Return a value with an interval as integers at a scale that is not below its :meth:`unit`."""

    def constant(self, array: NDArray[Any], scale: float) -> Fixed:
        """Return the real numbers of a constant at a scale."""
        exact = array / scale
        rounded = numerics.round_half_even(exact)
        error = float(np.abs(rounded - exact).max()) * scale
        return Fixed(self.lower.constant(rounded.astype(np.int32), i32), scale, error)

    def whole(self, value: SSAValue, sizes: Sequence[int]) -> SSAValue:
        """Return integers with all elements of a shape, which they may hold once along repeated dimensions."""
        if shape(value) == tuple(sizes):
            return value
        counts = [size // kept for size, kept in zip(sizes, shape(value), strict=True)]
        return self.lower.add(tosa.TileOp(value, self.lower.shape(counts)))


class Rule(ABC):
    """The way in which the results of an op are computed in integers."""

    @abstractmethod
    def interval(self, op: Any, of: Values) -> Interval | None:
        """Return the interval of an op's result; None if the op has no form in integers."""

    def unit(self, op: Any, of: Values) -> float:
        """Return the finest scale at which the result, and all operands that share its scale, fit."""
        return of.known(op.results[0]).unit

    @abstractmethod
    def at(self, op: Any, scale: float, of: Values) -> Fixed:
        """Return the result of an op at a scale that is not below its :meth:`unit`."""


RULES: Catalog[type[Operation], Rule] = Catalog("fixed point", __name__)
Kind = TypeVar("Kind", bound=type[Rule])


def rules(*kinds: type[Operation]) -> Callable[[Kind], Kind]:
    """Decorate the rule of op classes."""

    def decorate(rule: Kind) -> Kind:
        for kind in kinds:
            RULES.add(kind, rule())
        return rule

    return decorate


def rule_of(value: SSAValue) -> Rule | None:
    """Return the rule of the op that makes a float; None for other values and for ops without a rule."""
    owner = value.owner
    if not isinstance(owner, Operation) or len(owner.results) != 1 or element_type(value) != f32:
        return None
    return RULES.get(type(owner))


def real_constant(value: SSAValue) -> NDArray[np.float64] | None:
    """Return the real numbers of a float constant in float64, with size 1 along repeated dimensions."""
    array = constant_array(value)
    if array is None or element_type(value) != f32:
        return None
    return np.asarray(unrepeated(array), np.float64)


def one_scale(value: SSAValue) -> UniformQuantizedType | None:
    """Return the type of a value that is quantized from f32 with one scale, else None."""
    element = quantized(value)
    return element if element is not None and element.is_per_tensor and element.expressed_type == f32 else None


def own_element(value: SSAValue) -> UniformQuantizedType | None:
    """Return the quantized type behind a dequantize if it has one scale and up to 16 bits, else None."""
    owner = value.owner
    element = one_scale(owner.operand) if isinstance(owner, stablehlo.UniformDequantizeOp) else None
    return element if element is not None and element.storage.width <= 16 else None
