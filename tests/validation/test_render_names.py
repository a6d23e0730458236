"""Names from strangers' models in reports."""

from __future__ import annotations

from qconvert.validation.render import printable


def test_control_characters_are_replaced() -> None:
    assert printable("a\x00b\x1b[31m\n") == "a?b?[31m?"
    assert printable("Größe/卷积:0") == "Größe/卷积:0"
