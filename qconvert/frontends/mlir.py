"""StableHLO text in: xDSL's parser with our dialects, verified."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.parsing import parse_module
from qconvert.errors import ConversionError


def load_text(text: str, file: str) -> ModuleOp:
    """Parse and verify a module.

    Raises ConversionError with ``file:line:column`` for text that cannot be read and with the file's name for a module
    that reads but is wrong.
    """
    module = parse_module(text, file)
    try:
        module.verify()
    except VerifyException as error:
        raise ConversionError(_first_line(error), file=file) from error
    return module


def _first_line(error: VerifyException) -> str:
    """xDSL's message ends with the whole module; the cause is its first lines."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else "the module is not valid")[:300]
