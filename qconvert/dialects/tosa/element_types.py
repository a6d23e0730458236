"""The element types that TOSA's ops take, and the extensions that they need: rows of the specification's tables.

Source: TOSA specification 1.0, "Supported Data Types" of each operator, for both profiles and all extensions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation

INTEGERS = ("i8", "i16", "i32")
FLOATS = ("f16", "bf16", "f32")
FLOATS_8 = ("f8E4M3FN", "f8E5M2")
MOVED = ("i1", *INTEGERS, *FLOATS_8, *FLOATS)
"""The types of ops that move elements."""

_OF_TYPES = {
    "i4": "int4",
    "i48": "int16",
    "bf16": "bf16",
    "f8E4M3FN": "fp8e4m3",
    "f8E5M2": "fp8e5m2",
}
"""The extension that every op with an element type needs."""

_INT16 = "[int16]"
EXTENSIONS = (*dict.fromkeys(("int16", "int4", *_OF_TYPES.values())),)


class TypeTable(NamedTuple):
    """The rows of an op's table: element types, and the extensions that an op of these types needs.

    The types of a row are those of the operands, of the accumulator if the op has ``acc_type``, and of the result, in
    this order. A row of one type stands for ops with that type everywhere.
    """

    rows: Mapping[tuple[str, ...], frozenset[str]]

    def extensions(self, types: tuple[str, ...]) -> frozenset[str] | None:
        """Return the extensions that an op of these types needs, or None if TOSA has no such op."""
        found = self.rows.get(types)
        if found is None and types and types.count(types[0]) == len(types):
            return self.rows.get(types[:1])
        return found


def type_table(*rows: str) -> TypeTable:
    """Return the table of rows such as ``i8 i32``; a row that ends with ``[int16]`` needs this extension."""
    entries: dict[tuple[str, ...], frozenset[str]] = {}
    for row in rows:
        types = tuple(name for name in row.split() if name != _INT16)
        named = ("int16",) if row.endswith(_INT16) else ()
        entries[types] = frozenset((*named, *(_OF_TYPES[name] for name in types if name in _OF_TYPES)))
    return TypeTable(MappingProxyType(entries))


def types_of(op: Operation) -> tuple[str, ...]:
    """Return the names of the element types of an op's operands, its accumulator and its results; not of shapes."""
    return tuple(_element_names(op))


def required_extensions(op: Operation) -> frozenset[str] | None:
    """Return the extensions that an op's element types need, or None if TOSA has no such op of these types."""
    table = getattr(op, "TYPES", None)
    return table.extensions(types_of(op)) if isinstance(table, TypeTable) else frozenset()


def _element_names(op: Operation) -> Iterator[str]:
    for operand in op.operands:
        if isinstance(operand.type, TensorType):
            yield _name(operand.type.element_type)
    if "acc_type" in op.properties:
        yield _name(op.properties["acc_type"])
    for type in op.result_types:
        if isinstance(type, TensorType):
            yield _name(type.element_type)


@cache
def _name(element: Attribute) -> str:
    return str(element)
