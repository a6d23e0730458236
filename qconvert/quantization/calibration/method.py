"""Methods that choose the range of a value from its elements, by their names on the command line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from qconvert.quantization.calibration.observers import HistogramObserver, MinMax, MovingAverage, Observer
from qconvert.quantization.calibration.thresholds import entropy_range, mse_range, percentile_range
from qconvert.support.errors import UsageError


@dataclass(frozen=True)
class _Kind:
    """A method's observer, and its parameter: name, default and limits."""

    make: Callable[[float], Observer]
    parameter: str = ""
    default: float = 0.0
    lowest: float = 0.0
    highest: float = 0.0
    is_whole: bool = False

    def accepts(self, value: float) -> bool:
        """Return whether the parameter may have a value."""
        return self.lowest <= value <= self.highest and (not self.is_whole or value == int(value))

    @property
    def allowed(self) -> str:
        """The allowed parameters, as text."""
        return f"{'an integer' if self.is_whole else 'a number'} from {self.lowest:g} to {self.highest:g}"


def _bits(choose: Callable[..., tuple[float, float]], bits: float) -> Observer:
    return HistogramObserver(partial(choose, bits=int(bits)))


def _percentile(percentile: float) -> Observer:
    return HistogramObserver(partial(percentile_range, percentile=percentile))


_KINDS: dict[str, _Kind] = {
    "minmax": _Kind(lambda _: MinMax()),
    "moving-average": _Kind(MovingAverage, "constant", 0.01, 0.0, 1.0),
    "percentile": _Kind(_percentile, "percentile", 99.999, 50.0, 100.0),
    "mse": _Kind(partial(_bits, mse_range), "bits", 8, 2, 16, is_whole=True),
    "entropy": _Kind(partial(_bits, entropy_range), "bits", 8, 2, 16, is_whole=True),
}

METHODS = tuple(_KINDS)
"""The names of all methods."""


@dataclass(frozen=True)
class Method:
    """A method by its name, with its parameter; :meth:`parse` reads ``percentile`` and ``percentile=99.9``."""

    name: str = "minmax"
    parameter: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Method:
        """Read ``NAME`` or ``NAME=PARAMETER``; raise UsageError naming what is allowed."""
        name, separator, value = text.partition("=")
        kind = _KINDS.get(name)
        if kind is None:
            raise UsageError(f"there is no calibration method '{name}'; there are {', '.join(METHODS)}")
        if not separator:
            return cls(name, kind.default)
        if not kind.parameter:
            raise UsageError(f"calibration method {name} takes no parameter, found '{value}'")
        number = _number(value)
        if not kind.accepts(number):
            raise UsageError(f"calibration method {name}: {kind.parameter} '{value}' must be {kind.allowed}")
        return cls(name, number)

    def observer(self) -> Observer:
        """Return a new observer for one value."""
        return _KINDS[self.name].make(self.parameter)

    def __str__(self) -> str:
        value = repr(float(self.parameter)).removesuffix(".0")
        return f"{self.name}={value}" if _KINDS[self.name].parameter else self.name


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
