"""Names from untrusted files, made safe to print.

Every text that reaches a terminal, a log or a report goes through :func:`printable`, because a name in a model may hold
escape sequences that terminals execute, marks that reverse the order of letters, or line ends that forge messages.
"""

from __future__ import annotations

from collections.abc import Iterable


def printable(text: str) -> str:
    r"""Return a text on one line; a character that Unicode does not call printable is escaped, as ``\x1b``."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})


def escaped(text: str) -> str:
    """Return printable text for HTML, inside and outside quoted attributes."""
    return printable(text).translate(_ENTITIES)


def printable_lines(lines: Iterable[str]) -> str:
    """Return lines as one text; each stays one line."""
    return "\n".join(map(printable, lines))
