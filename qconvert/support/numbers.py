"""Numbers that users or files write as text."""

from __future__ import annotations

MOST_DIGITS = 19


def whole_number(text: str) -> int | None:
    """Return the number that a text of at most 19 ASCII digits states, or None for other text.

    ``int`` and ``str.isdigit`` disagree about other scripts' digits, and ``int`` refuses thousands of digits.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None
