"""The check that TOSA has the ops of a module for their element types. TOSA's tools check it, but name no source node.

Source: TOSA specification 1.0, "Supported Data Types" of each operator.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.dialects.tosa.element_types import required_extensions, types_of
from qconvert.ir import describe, place
from qconvert.support.errors import ConversionError

_HINT = "Quantize the node to types that TOSA has, or cut the model around it with --inputs and --outputs"
_MOST = 7
"""The number of types that a message has; only CONCAT has more."""


def check_element_types(module: ModuleOp) -> None:
    """Raise ConversionError for the first op that TOSA does not have for its element types, naming its node."""
    for error in element_type_errors(module):
        raise error


def element_type_errors(module: ModuleOp) -> Iterator[ConversionError]:
    """Yield an error for each op that TOSA does not have for its element types."""
    for op in module.walk():
        if required_extensions(op) is None:
            yield ConversionError(_reason(op), hint=_HINT, node=describe(op), op=op.name, file=place(op))


def _reason(op: Operation) -> str:
    """Return the sentence about an op; only different types of an op of many operands are listed."""
    types = types_of(op)
    shown = types if len(types) <= _MOST else tuple(dict.fromkeys(types))
    return f"TOSA has no {op.name.removeprefix('tosa.')} with the element types {', '.join(shown)}"
