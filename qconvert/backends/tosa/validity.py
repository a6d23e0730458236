"""All that can be wrong with a module of TOSA: its ops, their element types, level 8k, the target that it names."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.tosa.element_types import element_type_errors
from qconvert.backends.tosa.level import level_errors
from qconvert.backends.tosa.target import target_errors
from qconvert.dialects.verify import module_errors, only_dialects
from qconvert.support.errors import ConversionError


def tosa_errors(module: ModuleOp) -> Iterator[ConversionError]:
    """Yield the violations of TOSA's specification by ops, their element types, level 8k and the target."""
    yield from module_errors(module, only_dialects(("tosa", "func", "builtin")))
    yield from level_errors(module)
    yield from element_type_errors(module)
    yield from target_errors(module)
