"""The cause of a layer's differences in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qconvert.support.counting import counted
from qconvert.validation.causes.cause import Cause, Pattern
from qconvert.validation.causes.measure import CauseMeasure
from qconvert.validation.causes.patterns import Found, Range, few_channels, patterns

_DIGITS = 6
"""The most digits behind the point of a factor."""
_SHOWN = 3
"""The number of channels that are listed."""


def cause_of(measure: CauseMeasure, elements: int, largest: float) -> Cause:
    """Return the cause of the differences of a layer of so many ``elements``, the ``largest`` in LSB or of floats."""
    plain, unit = measure.plain, "" if measure.is_float else " LSB"
    if plain is None:
        return _explained(measure)
    channels = few_channels(plain, measure.channels)
    found = next(patterns(plain, is_float=measure.is_float), None)
    many = plain.elements
    what, where = _what(measure, many), _where(channels)
    if found is not None:
        amount = _amount(found)
        return Cause(found.pattern, f"{what}{where}{_how(found, amount, unit)}", many, channels, amount)
    by = f", by up to {largest:.6g}{unit}"
    if channels:
        return Cause(Pattern.CHANNEL, f"{what}{where}{by}", many, channels)
    share = "" if not elements else f", {100 * many / elements:.3g}% of all"
    return Cause(Pattern.NONE, f"{what}{share}{by}, without a pattern", many)


def _explained(measure: CauseMeasure) -> Cause:
    """Return the cause where rounding or the accuracy of floats explains all differences."""
    many = measure.rounded + measure.inaccurate
    what = _differing(many)
    if measure.rounded >= measure.inaccurate:
        return Cause(Pattern.ROUNDING, f"{what} by 1 LSB, at ties or near them: rounding", many)
    return Cause(Pattern.FLOATS, f"{what}, within the accuracy of float arithmetic", many)


def _what(measure: CauseMeasure, many: int) -> str:
    """Return the words on all elements that differ; ``many`` of them neither rounding nor float accuracy explains."""
    counts = {"by rounding": measure.rounded, "within the accuracy of floats": measure.inaccurate}
    explained = [f"{count:,} of them {why}" for why, count in counts.items() if count]
    others = "; the others" if explained else ""
    return f"{', '.join([_differing(many + sum(counts.values())), *explained])}{others}"


def _differing(many: int) -> str:
    return f"{counted(many, 'element')} {'differs' if many == 1 else 'differ'}"


def _where(channels: Sequence[int]) -> str:
    return f", all in {_listed(channels)}" if channels else ""


def _listed(channels: Sequence[int]) -> str:
    if len(channels) == 1:
        return f"channel {channels[0]}"
    return f"channels {', '.join(map(str, channels[:-1]))} and {channels[-1]}"


def _how(found: Found, amount: float | None, unit: str) -> str:
    if found.pattern is Pattern.ORDER:
        return _order(found)
    if found.pattern is Pattern.BOUND:
        return _bound(found)
    assert found.range is not None
    if found.pattern is Pattern.FACTOR:
        but = " but for an offset, as of a bias" if found.has_offset else ""
        if amount is None:
            return f", each channel {found.range.low:.4g} to {found.range.high:.4g} times as large{but}: scales"
        return f", {amount:.7g} times as large{but}: a scale"
    if amount is None:
        ends = f"{found.range.low:.4g} to {found.range.high:.4g}{unit}"
        return f", each channel by an offset of its own ({ends}): biases, or a zero point that is read"
    return f", {_ends(found.range)}{unit} {'higher' if amount > 0 else 'lower'}: an offset, of a zero point or a bias"


def _ends(range_: Range) -> str:
    low, high = sorted(map(abs, range_))
    ends = [f"{low:.4g}", f"{high:.4g}"]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _amount(found: Found) -> float | None:
    """Return the offset in the middle of its range, or the shortest factor in its range."""
    if found.range is None or found.is_own:
        return None
    low, high = found.range
    if found.pattern is Pattern.OFFSET:
        return (low + high) / 2
    if low == 0.0:
        return 0.0
    short = (round((low + high) / 2, digits) for digits in range(_DIGITS + 1))
    return next((each for each in short if low <= each <= high), (low + high) / 2)


def _bound(found: Found) -> str:
    parts = []
    if found.kept:
        parts.append(f"where the reference stops at {_values(found.kept)} and the file goes on")
    if found.stops:
        parts.append(f"where the file stops at {_values(found.stops)} and the reference goes on")
    return f", {' or '.join(parts)}: a clamp, a ReLU or saturation"


def _values(values: Sequence[float]) -> str:
    return " and ".join(f"{value:.6g}" for value in sorted(set(values)))


def _order(found: Found) -> str:
    if found.sources is not None:
        return f": {_sources(found.sources)}"
    moved = [axis for axis, source in enumerate(found.order) if axis != source]
    if len(moved) == 2:
        return f": the values are equal with dimensions {moved[0]} and {moved[1]} exchanged, a transpose"
    return f": the values are equal with the dimensions in the order {list(found.order)}, a transpose"


def _sources(sources: Mapping[int, int]) -> str:
    if len(sources) == 2 and {*sources} == {*sources.values()}:
        return f"{_listed(sorted(sources))} are exchanged"
    parts = [f"{channel} holds the values of {source}" for channel, source in sorted(sources.items())[:_SHOWN]]
    return f"the channels are in another order, channel {', '.join(parts)}{', ...' if len(sources) > _SHOWN else ''}"
