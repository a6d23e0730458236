"""The cause of a layer's differences, as a report holds it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Pattern(StrEnum):
    """The pattern that the elements that differ have in common."""

    CHANNEL = "channel"
    OFFSET = "offset"
    FACTOR = "factor"
    BOUND = "bound"
    ORDER = "order"
    ROUNDING = "rounding"
    FLOATS = "float accuracy"
    NONE = "none"


@dataclass(frozen=True)
class Cause:
    """The pattern of the elements that differ in a layer alone, and a ``sentence`` that tells it.

    ``differing`` counts them, without those that rounding explains unless all are. ``channels`` has the few channels
    in which all of them lie. ``amount`` is the offset or the factor, None if there is none or each channel has its own.
    """

    pattern: Pattern
    sentence: str
    differing: int
    channels: tuple[int, ...] = ()
    amount: float | None = None
