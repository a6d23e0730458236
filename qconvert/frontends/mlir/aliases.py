"""The sizes of attributes whose parts are shared: a text of a kilobyte can stand for more than any memory holds.

``#a1 = [#a0, #a0]``, ``#a2 = [#a1, #a1]`` and so on double at each line. A part that is an alias is measured once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    DictionaryAttr,
    FusedLoc,
    LocationAttr,
    NameLoc,
    NoneAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, ParametrizedAttribute

from qconvert.ir import fused
from qconvert.support.limits import budget

_KEPT = 256
"""The largest location, in parts, that is kept behind a name."""


class Extent(NamedTuple):
    """The number of levels of an attribute, and of the attributes within it, itself included; aliases are expanded."""

    levels: int
    total: int


def extent(attribute: Attribute, known: Mapping[int, Extent]) -> Extent:
    """Measure an attribute; ``known`` has the extents of aliases by their identity."""
    found = known.get(id(attribute))
    if found is not None:
        return found
    inner = [extent(part, known) for part in _parts(attribute)]
    return Extent(1 + max((each.levels for each in inner), default=0), 1 + sum(each.total for each in inner))


def _parts(attribute: Attribute) -> Sequence[Attribute]:
    if isinstance(attribute, ParametrizedAttribute):
        return attribute.parameters
    if isinstance(attribute, ArrayAttr):
        return tuple(attribute.data)
    return tuple(attribute.data.values()) if isinstance(attribute, DictionaryAttr) else ()


def simplified(location: LocationAttr, known: Mapping[int, Extent]) -> LocationAttr:
    """Return a location that is not larger than reports need: its names, and what is behind these if that is little."""
    if id(location) in known:
        return location
    if isinstance(location, FusedLoc):
        parts = cast("ArrayAttr[LocationAttr]", location.locations)
        return fused(simplified(part, known) for part in parts)
    if not isinstance(location, NameLoc | CallSiteLoc):
        return location
    levels, total = extent(location, known)
    if levels <= budget().levels and total <= _KEPT:
        return location
    return UnknownLoc() if isinstance(location, CallSiteLoc) else NameLoc(location.desc, NoneAttr())
