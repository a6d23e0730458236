"""Source node names as MLIR locations: set at import, merged by every rewrite, read by every report.

An op that was read from text and has no name gets its place in the text instead, for errors. The place is not written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation

_ABSENT = NoneAttr()
"""The location within a name, which has none: made once, as making an attribute takes long."""


def named(*nodes: str) -> LocationAttr:
    """Return a location for one source node or, fused, for several."""
    unique = dict.fromkeys(nodes)
    if not unique:
        return UnknownLoc()
    locations = [NameLoc(StringAttr(node), _ABSENT) for node in unique]
    return locations[0] if len(locations) == 1 else FusedLoc(ArrayAttr(locations), NoneAttr())


def fused(parts: Iterable[Attribute]) -> LocationAttr:
    """Return one location for several: their source nodes, each once, or the first if they have none.

    It holds the parts of fused parts, never these, so that locations that repeat each other do not grow.
    """
    first: LocationAttr | None = None
    found: dict[str, NameLoc] = {}
    for part in parts:
        first = first or cast("LocationAttr", part)
        inner = cast("ArrayAttr[Attribute]", part.locations).data if isinstance(part, FusedLoc) else (part,)
        for each in inner:
            if isinstance(each, NameLoc):
                found.setdefault(each.desc.data, each)
    if not found:
        return first or UnknownLoc()
    return FusedLoc(ArrayAttr(found.values()), NoneAttr()) if len(found) > 1 else next(iter(found.values()))


def node_names(location: Attribute) -> tuple[str, ...]:
    """Return the source nodes a location stands for, in order."""
    if isinstance(location, NameLoc):
        return (location.desc.data,)
    if isinstance(location, FusedLoc):
        inner = cast("ArrayAttr[Attribute]", location.locations)
        return tuple(dict.fromkeys(name for part in inner for name in node_names(part)))
    return ()


def in_text(file: str, line: int, column: int) -> LocationAttr:
    """Return the location of an op without a name; line and column count from 1."""
    return FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(column))


def place(op: Operation) -> str | None:
    """Return ``file:line:column`` of an op that was read from text and has no name, else None."""
    found = op.location
    if not isinstance(found, FileLineColLoc):
        return None
    return f"{found.filename.data}:{found.line.data}:{found.column.data}"


def whereabouts(op: Operation) -> str:
    """Return the name of an op for reports: its source node, else its place in the text, else its own name."""
    return describe(op) or place(op) or op.name


def source_nodes(op: Operation) -> tuple[str, ...]:
    """Return the source nodes that an op stands for; of an op without a name its place in the text, or its own name."""
    return node_names(op.location) or (whereabouts(op),)


def merged(ops: Iterable[Operation]) -> LocationAttr:
    """Return the location of an op that replaces several: their names, or the place of the last in the text."""
    locations = [op.location for op in ops]
    names = [name for location in locations for name in node_names(location)]
    places = [location for location in locations if isinstance(location, FileLineColLoc)]
    return places[-1] if places and not names else named(*names)


def describe(op: Operation) -> str | None:
    """Return the source node that an error about ``op`` names: the first one it stands for."""
    names = node_names(op.location)
    return names[0] if names else None
