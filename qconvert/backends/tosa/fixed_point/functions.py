"""Functions of one value.

Of 8-bit integers all results are listed: four TABLEs hold the bytes of 32-bit results. Otherwise the range of the value
is cut into 512 intervals. On each, with ``t`` from -1 to 1, the function is ``a + (b + c t) t`` through three points.
``a`` has 31 bits in two TABLEs of 16-bit integers, ``b`` and ``c`` are in one TABLE each. The largest error is measured
on 16 points of each interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert import numerics
from qconvert.backends.tosa.fixed_point.polynomials import INTERVALS, Polynomials
from qconvert.backends.tosa.fixed_point.values import Fixed, Interval, Values, own_element, real_constant
from qconvert.backends.tosa.lowering import Lowering
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.traits import AffineByConstant, Elementwise, KeepsMultiples
from qconvert.expansion.builder import i16
from qconvert.interpreter.core import dequantize, evaluate_op
from qconvert.ir import i8, i32, shape, tensor
from qconvert.numerics import ZeroPoints

Reals = NDArray[Any]

_SAMPLES = 16 * INTERVALS
_LOW = -128
_LARGEST_MARGIN = 2.0**-8
"""The largest error, relative to the width of the domain, for which polynomials reach beyond the domain."""
_FLAT = 2.0**-28
"""The change of results, relative to the largest one, up to which they count as constant."""


def sources(value: SSAValue, known: dict[SSAValue, frozenset[SSAValue]]) -> frozenset[SSAValue]:
    """Return the values that elementwise ops make a value of; ``known`` has those of other values.

    A value that depends on two has only itself as its source, and a number none.
    """
    owner, array = value.owner, real_constant(value)
    if array is not None and array.size and (array == array.flat[0]).all():
        return frozenset()
    is_function = isinstance(owner, Operation) and owner.has_trait(Elementwise) and array is None
    if not is_function or isinstance(owner, stablehlo.UniformDequantizeOp):
        return frozenset((value,))
    assert isinstance(owner, Operation)
    found = frozenset[SSAValue]().union(*(known.get(operand) or sources(operand, known) for operand in owner.operands))
    return found if len(found) == 1 else frozenset((value,))


def between(value: SSAValue, source: SSAValue) -> list[Operation]:
    """Return the ops between a source and a value, in order, without constants."""
    found: dict[Operation, None] = {}
    stack = [(value, False)]
    while stack:
        current, is_done = stack.pop()
        owner = current.owner
        if current is source or real_constant(current) is not None or not isinstance(owner, Operation):
            continue
        if is_done:
            found[owner] = None
        elif owner not in found:
            stack.append((current, True))
            stack.extend((operand, False) for operand in owner.operands)
    return list(found)


def needs_function(value: SSAValue, source: SSAValue) -> bool:
    """Return True if an op between a source and a value is more than a sum, a product or a limit."""
    ops = between(value, source)
    return not all(map(_is_cheap, ops))


def _is_cheap(op: Operation) -> bool:
    """Return True if an op costs less than a list of results."""
    if isinstance(op, stablehlo.DivideOp):
        return real_constant(op.rhs) is not None
    return op.has_trait(AffineByConstant) or (op.has_trait(KeepsMultiples) and not isinstance(op, stablehlo.AbsOp))


@dataclass(frozen=True)
class Function:
    """A function of the elements of ``source``: a value that depends on it alone, or ``then`` of that value."""

    source: SSAValue
    value: SSAValue
    of: Values
    then: Callable[[Reals], Reals] | None = None

    @cached_property
    def _domain(self) -> Interval:
        return self.of.known(self.source)

    @cached_property
    def _codes(self) -> NDArray[Any] | None:
        """All integers of a source of 8 bits, None for another source."""
        element = own_element(self.source)
        if element is None or element.storage.width != 8:
            return None
        return np.arange(_LOW, _LOW + 256).astype(np.int8)

    def _results(self, reals: Reals) -> Reals:
        """Return the function of real numbers, in float32 as the reference computes it."""
        sizes = (-1, *(1 for _ in shape(self.source)[1:]))
        every = reals.astype(np.float32).reshape(sizes)
        found: dict[SSAValue, Reals] = {self.source: every}
        for op in between(self.value, self.source):
            operands = [found[v] if v in found else constant_like(v, every) for v in op.operands]
            (found[op.results[0]],) = evaluate_op(op, operands)
        result = found[self.value].reshape(-1)
        with np.errstate(all="ignore"):
            return (result if self.then is None else self.then(result)).astype(np.float64)

    @cached_property
    def _sampled(self) -> Reals:
        """Results on all of 8-bit integers, or on many numbers of the source's interval."""
        if self._codes is not None:
            assert isinstance(self.source.owner, Operation)
            [quantized] = self.source.owner.operands
            sizes = (-1, *(1 for _ in shape(quantized)[1:]))
            return self._results(dequantize(self._codes.reshape(sizes), tensor(quantized)))
        return self._results(np.linspace(self._domain.low, self._domain.high, _SAMPLES + 1))

    @cached_property
    def interval(self) -> Interval | None:
        """The interval of the results, None if one of them is not finite."""
        return Interval.of(float(self._sampled.min()), float(self._sampled.max()))

    @cached_property
    def unit(self) -> float:
        """The finest scale of the results."""
        assert self.interval is not None
        return self.interval.unit

    @cached_property
    def _limited(self) -> Interval | None:
        """The interval that the source's integers are limited to, None if they are taken as they are.

        A long chain may have the same function many times, of alike intervals.
        """
        low, high = _aligned(self._domain.low, self._domain.high)
        is_shared = self._changing is None and self.of.is_long(self.source)
        if is_shared and np.isfinite(self._results(np.linspace(low, high, INTERVALS))).all():
            return Interval(low, high)
        return self._changing

    @cached_property
    def _flatness(self) -> float:
        """The most by which results change where they count as constant."""
        return _FLAT * float(np.abs(self._sampled).max())

    @cached_property
    def _changing(self) -> Interval | None:
        """The interval outside of which results are constant but for few bits, None if it is the domain."""
        results, points = self._sampled, np.linspace(self._domain.low, self._domain.high, _SAMPLES + 1)
        changed = [np.flatnonzero(np.abs(results - results[end]) > self._flatness / 2) for end in (0, -1)]
        if own_element(self.source) is not None or not all(part.size for part in changed):
            return None
        low, high = points[max(0, changed[0][0] - 1)], points[min(_SAMPLES, changed[1][-1] + 1)]
        low, high = _aligned(low, high)
        if low < self._domain.low and high > self._domain.high:
            return None
        return Interval(max(low, self._domain.low), min(high, self._domain.high))

    def at(self, scale: float) -> Fixed:
        """Return the results at a scale."""
        if self._codes is None:
            return self._by_polynomials(scale)
        assert isinstance(self.source.owner, Operation)
        [quantized] = self.source.owner.operands
        made = listed(self.of.lower, quantized, numerics.round_half_even(self._sampled / scale).astype(np.int32))
        return Fixed(made, scale, 0.5 * scale)

    def _by_polynomials(self, scale: float) -> Fixed:
        """Return the results by polynomials on 512 intervals of the source's integers."""
        held, domain, ends = self._operand()
        lower, found = self.of.lower, Polynomials.fitted(self._results, domain, held.scale, ends, scale)
        offset = lower.offset(held.value, -found.start)
        index = lower.shift_right(offset, found.bits)
        rest = lower.add(tosa.SubOp(offset, lower.shift_left(index, found.bits)))
        place = lower.shift_left(lower.offset(rest, -(1 << (found.bits - 1))), 31 - found.bits)
        entry = lower.add(tosa.CastOp(lower.shift_left(lower.offset(index, -INTERVALS // 2), 7), i16))
        tables = [lower.add(tosa.TableOp(entry, lower.constant(table, i16))) for table in found.tables]
        high, low, slope, curve = tables
        whole = lower.add(tosa.AddOp(lower.shift_left(high, 8), lower.shift_right(low, 7)))
        inner = lower.add(tosa.AddOp(slope, lower.multiply(curve, place, found.shifts[0])))
        made = lower.add(tosa.AddOp(whole, lower.multiply(inner, place, found.shifts[1])))
        return Fixed(made, scale, found.error + found.steepness * held.error + self._flatness)

    def _operand(self) -> tuple[Fixed, Interval, tuple[int, int]]:
        """Return the source's integers, the interval that polynomials are for, and its ends in integers.

        Integers are limited to where results change, and to the domain if their errors lead far out of it.
        """
        own, lower, within = own_element(self.source), self.of.lower, self._limited or self._domain
        if own is not None:
            held = self.of.at(self.source, own.scale)
            return held, within, (round(within.low / own.scale), round(within.high / own.scale))
        width = max(within.high - within.low, self.of.unit(self.source))
        step = max(self.of.unit(self.source), 2.0 ** ceil(log2(width / (2**29 - 2**12))))
        held = self.of.at(self.source, step)
        if self._limited is None and held.error < width * _LARGEST_MARGIN:
            margin = ceil(held.error / step) + 1
            return held, within, (round(within.low / step) - margin, round(within.high / step) + margin)
        ends = round(within.low / step), round(within.high / step)
        low, high = (lower.filled(end, held.value) for end in ends)
        kept = lower.add(tosa.MinimumOp(lower.add(tosa.MaximumOp(held.value, low)), high))
        return Fixed(kept, step, held.error + step), within, ends


def _aligned(low: float, high: float) -> tuple[float, float]:
    """Return an interval around another, of which alike ones share the ends and so the tables of a function."""
    if low == high:
        return low, high
    unit = 2.0 ** floor(log2(high - low) - 4)
    return floor(low / unit) * unit, ceil(high / unit) * unit


def constant_like(value: SSAValue, like: Reals) -> Reals:
    """Return the number of a constant in float32, as often as ``like`` has elements."""
    array = real_constant(value)
    assert array is not None
    return np.full(like.shape, array.flat[0], np.float32)


def listed(lower: Lowering, quantized: SSAValue, results: NDArray[np.int32]) -> SSAValue:
    """Return the 32-bit result of each 8-bit integer: four TABLEs of its bytes, put together by RESCALEs and ADDs."""
    made: SSAValue | None = None
    for places in (24, 16, 8, 0):
        part = results >> 24 if places == 24 else ((results >> places) & 255) + _LOW
        if not (results.any() and (part - (_LOW if places < 24 else 0)).any()):
            continue
        table = lower.add(tosa.TableOp(lower[quantized], lower.constant(part.astype(np.int8), i8)))
        wide = lower.rescale(table, 2.0**places, i32, ZeroPoints(0 if places == 24 else _LOW))
        made = wide if made is None else lower.add(tosa.AddOp(made, wide))
    return lower.filled(0, lower[quantized]) if made is None else made
