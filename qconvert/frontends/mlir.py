"""StableHLO text in: xDSL's parser with our dialects, verified."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects.parsing import parse_module
from qconvert.dialects.verify import verify_module
from qconvert.errors import ConversionError


def load_text(text: str, file: str) -> ModuleOp:
    """Parse and verify a module.

    Raises ConversionError with ``file:line:column`` for text that cannot be read and with the file's name for a module
    that reads but is wrong.
    """
    module = parse_module(text, file)
    try:
        verify_module(module)
    except ConversionError as error:
        raise error.located(file=file) from None
    return module
