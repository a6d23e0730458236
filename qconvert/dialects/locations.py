"""Source node names as MLIR locations: set at import, merged by every rewrite, read by every report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, FusedLoc, LocationAttr, NameLoc, NoneAttr, StringAttr, UnknownLoc
from xdsl.ir import Attribute, Operation


def named(*nodes: str) -> LocationAttr:
    """A location that stands for one source node or, fused, for several."""
    unique = dict.fromkeys(nodes)
    if not unique:
        return UnknownLoc()
    locations = [NameLoc(StringAttr(node), NoneAttr()) for node in unique]
    return locations[0] if len(locations) == 1 else FusedLoc(ArrayAttr(locations), NoneAttr())


def node_names(location: Attribute) -> tuple[str, ...]:
    """The source nodes a location stands for, in order."""
    if isinstance(location, NameLoc):
        return (location.desc.data,)
    if isinstance(location, FusedLoc):
        inner = cast("ArrayAttr[Attribute]", location.locations)
        return tuple(dict.fromkeys(name for part in inner for name in node_names(part)))
    return ()


def merged(ops: Iterable[Operation]) -> LocationAttr:
    """The location of an op that takes the place of several."""
    return named(*(name for op in ops for name in node_names(op.location)))


def describe(op: Operation) -> str | None:
    """The source node an error about ``op`` names: the first one it stands for."""
    names = node_names(op.location)
    return names[0] if names else None
