"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number and its noun: ``1 op``, ``2 ops``, ``1,000 ops``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
