"""The pattern of the elements of a layer that differ, found in what was measured of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from qconvert.validation.causes.cause import Pattern
from qconvert.validation.causes.lines import FEW_OF_LINE
from qconvert.validation.causes.measure import Plain
from qconvert.validation.causes.spans import Span

_FEW = 4
"""The number of elements that show a pattern at least."""
_FEW_OF_EACH = 3
"""The number of elements of each channel that show, on average, whose values it holds."""
_SHARE = 0.5
"""The least share of a channel's elements that an offset moves by more than rounding hides."""
_SMALL_SHARE = 0.1
"""The least share that an offset below 1 LSB moves: that of the offset itself."""
_MANY = 8
"""The number of elements that show an offset below 1 LSB at least: others may all differ in one direction by chance."""
_WIDEST = 1.6
"""The largest quotient of the ends of a factor's range that still tells a factor."""
_ZERO = 0.1
"""The factor from which on downwards a channel is taken to be zero."""


class Range(NamedTuple):
    """The least and the largest offset or factor, of one or several channels."""

    low: float
    high: float


class Found(NamedTuple):
    """A pattern, and the ``range`` of an offset or a factor, which each channel may have of its own (``is_own``).

    Besides a factor there may be offsets (``has_offset``). ``stops`` are the values at which a bound holds the file,
    ``kept`` those at which it holds the reference. ``order`` is that of the dimensions, ``sources`` has the channel of
    the reference whose values each channel holds.
    """

    pattern: Pattern
    range: Range | None = None
    is_own: bool = False
    has_offset: bool = False
    stops: tuple[float, ...] = ()
    kept: tuple[float, ...] = ()
    order: tuple[int, ...] = ()
    sources: Mapping[int, int] | None = None


def patterns(plain: Plain, *, is_float: bool) -> Iterator[Found]:
    """Yield the patterns that explain elements, the most special first."""
    if plain.elements < _FEW:
        return
    yield from _orders(plain)
    yield from _bounds(plain)
    spans = [*plain.spans.values()]
    every = sum(spans, Span())
    for each, is_own in (([every], False), (spans, True))[: 1 if every.elements < _FEW * len(spans) else 2]:
        told = [span for span in each if not _is_small(span)] if is_own and not is_float else each
        if 2 * len(told) <= len(each):
            return
        offsets = [_offset(span, plain.slack, is_float=is_float) for span in told]
        if all(offsets):
            yield Found(Pattern.OFFSET, _hull(offsets), is_own)
        factors = [_factor(span, plain.error) for span in told]
        if all(factors):
            yield Found(Pattern.FACTOR, _hull(factors), is_own)
    yield from _lines(spans, plain.error)


def _lines(spans: Sequence[Span], error: float) -> Iterator[Found]:
    """Yield a pattern if each channel has a factor, that of all or one of its own, and an offset of its own."""
    if not all(math.isfinite(end) for span in spans if span.inner for end in (span.low, span.high)):
        return
    lines = [span.moments.line(error) for span in spans if span.moments.count >= FEW_OF_LINE]
    known = [line for line in lines if line is not None and abs(line.factor - 1) > line.error]
    if len(known) < len(lines) or 2 * len(known) <= len(spans):
        return
    common = Range(max(line.factor - line.error for line in known), min(line.factor + line.error for line in known))
    if common.low <= common.high:
        yield Found(Pattern.FACTOR, common, has_offset=True)
    else:
        ends = sorted(line.factor for line in known)
        yield Found(Pattern.FACTOR, Range(ends[0], ends[-1]), is_own=True, has_offset=True)


def _is_small(span: Span) -> bool:
    """Return True for a channel with differences of 1 LSB in one direction alone, which tell neither offset nor factor.

    Most other channels have to tell it.
    """
    low, high = min(span.low, span.least_held), max(span.high, span.most_held)
    return low == high and abs(low) == 1.0


def _hull(ranges: Sequence[Range | None]) -> Range:
    found = [each for each in ranges if each is not None]
    return Range(min(each.low for each in found), max(each.high for each in found))


def _offset(span: Span, slack: float, *, is_float: bool) -> Range | None:
    """Return the range of the differences if one offset explains them, up to rounding."""
    low, high = span.low, span.high
    if not span.inner or low * high <= 0 or not math.isfinite(low + high) or high - low > slack:
        return None
    if span.least_held < min(low, 0.0) - slack or span.most_held > max(high, 0.0) + slack:
        return None
    share = span.inner / (span.inner + span.calm)
    if not is_float and max(abs(low), abs(high)) <= 1.0:
        return Range(low, high) if share >= _SMALL_SHARE and span.inner >= _MANY else None
    return Range(low, high) if share >= _SHARE else None


def _factor(span: Span, error: float) -> Range | None:
    """Return the factors that explain all differences of a channel and its equal elements."""
    low, high = span.least, span.most
    if span.inner < 2 or not math.isfinite(span.low + span.high) or low > high or low <= 1.0 <= high:
        return None
    if span.reach > error and not _overlap(low, high, (span.reach - error) / (span.reach + error)):
        return None
    is_told = high < _ZERO if low == 0.0 else high / low <= _WIDEST
    return Range(low, high) if is_told else None


def _overlap(low: float, high: float, least: float) -> bool:
    """Return True if a range of factors has one that leaves an element equal: ``least`` to its reciprocal."""
    return low <= 1 / least and high >= least


def _bounds(plain: Plain) -> Iterator[Found]:
    """Yield a pattern if elements differ only where a bound holds one side."""
    every, stops, kept = plain.all, list[float](), list[float]()
    if every.found[0] == every.found[1] or not all(map(math.isfinite, every.found)):
        return
    for at, box in enumerate((plain.lower, plain.higher)):
        if box is None:
            continue
        if _is_one(box.reference, every.reference[at]):
            kept.append(box.reference[0])
        elif _is_one(box.found, every.found[1 - at]):
            stops.append(box.found[0])
        else:
            return
    yield Found(Pattern.BOUND, stops=tuple(stops), kept=tuple(kept))


def _is_one(values: tuple[float, float], edge: float) -> bool:
    return values[0] == values[1] == edge


def _orders(plain: Plain) -> Iterator[Found]:
    """Yield a pattern if the values are equal in another order of dimensions, or those of other channels."""
    if plain.moves is None:
        return
    if plain.moves.orders:
        yield Found(Pattern.ORDER, order=min(plain.moves.orders))
    sources = plain.moves.sources
    many = plain.elements >= _FEW_OF_EACH * len(plain.spans)
    if many and all(sources.get(channel) and span.elements > 1 for channel, span in plain.spans.items()):
        yield Found(Pattern.ORDER, sources={channel: min(sources[channel]) for channel in plain.spans})


def few_channels(plain: Plain, channels: int) -> tuple[int, ...]:
    """Return the channels of the elements if they lie in a few of so many ``channels`` not by chance, else none."""
    found = tuple(sorted(plain.spans))
    if len(found) > _NAMED or plain.elements < 2 or (len(found) / channels) ** plain.elements > _CHANCE:
        return ()
    return found


_NAMED = 3
"""The most channels that are named."""
_CHANCE = 1 / 16
"""The chance, from which on downwards, of elements anywhere to lie in so few channels."""
