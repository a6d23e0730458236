"""Numbers with their nouns, and durations."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number and its noun: ``1 op``, ``2 ops``, ``1,000 ops``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a duration in its own unit: ``45 s``, ``10 min``, ``5.5 hours``."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} hours"
