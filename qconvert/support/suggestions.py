"""Suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_SHOWN = 5


def perhaps(name: str, known: Iterable[str]) -> str:
    """Return the known name most like an unknown one, as a clause for an error message; empty if none is close."""
    close = get_close_matches(name, list(known), n=1)
    return f", perhaps '{close[0]}' is meant" if close else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known names most like an unknown one, else the first names, for an error message."""
    names = list(known)
    return ", ".join(get_close_matches(name, names, n=3) or names[:_SHOWN])
