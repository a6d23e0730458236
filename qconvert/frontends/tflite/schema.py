"""TensorFlow Lite's schema: the bindings of the package ``tflite``, each imported when it is asked for.

``import tflite`` imports all two hundred of them, a tenth of a command's start-up, of which a model needs ten; so does
every table that is read through another one's binding. What is here reads them without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any, TypeVar, overload

from flatbuffers.number_types import Int32Flags

Kind = TypeVar("Kind")

OPERATOR_CODES, SUBGRAPHS, BUFFERS, SIGNATURES = 6, 8, 12, 18
"""Where a Model has its tables: a field's place is 4 plus twice its position in the schema."""
TENSORS, OPERATORS = 4, 10
"""Those of a SubGraph."""
QUANTIZATION, SPARSITY = 12, 16
"""Those of a Tensor."""
BUILTIN_CODE = 10
"""Where an OperatorCode has its number, if that is above 127."""


def __getattr__(name: str) -> Any:
    """A class of the bindings, a table or an enumeration, by its name in the schema."""
    return _binding(name)


@cache
def _binding(name: str) -> Any:
    """Every class has a module of its own name."""
    package = find_spec("tflite")
    if package is None:
        raise ModuleNotFoundError("the bindings of TensorFlow Lite's schema are missing: pip install tflite")
    spec = PathFinder.find_spec(f"tflite.{name}", package.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise AttributeError(f"the schema has no '{name}'")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def table(parent: Any, place: int, kind: type[Kind]) -> Kind | None:
    """The table that a field of another table holds, None where it holds none."""
    offset = parent._tab.Offset(place)
    return _at(parent._tab.Indirect(parent._tab.Pos + offset), parent, kind) if offset else None


def int32(parent: Any, place: int) -> int:
    """The integer that a field holds, 0 where it holds none."""
    offset = parent._tab.Offset(place)
    return int(parent._tab.Get(Int32Flags, parent._tab.Pos + offset)) if offset else 0


class Tables(Sequence[Kind]):
    """The tables that a field of another table lists, each read when it is asked for.

    Raises IndexError where the file is too small for so many, and for a place that is none of them.
    """

    def __init__(self, parent: Any, place: int, kind: type[Kind]) -> None:
        self._parent, self._kind = parent, kind
        offset = parent._tab.Offset(place)
        self._count = int(parent._tab.VectorLen(offset)) if offset else 0
        self._start = int(parent._tab.Vector(offset)) if offset else 0
        if self._count > len(parent._tab.Bytes):
            raise IndexError(self._count)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Kind]:
        return (self[i] for i in range(self._count))  # Sequence's own would take an error in a table for the end

    @overload
    def __getitem__(self, index: int) -> Kind: ...
    @overload
    def __getitem__(self, index: slice) -> list[Kind]: ...
    def __getitem__(self, index: int | slice) -> Kind | list[Kind]:
        if isinstance(index, slice):
            return [self[i] for i in range(self._count)[index]]
        if not 0 <= index < self._count:
            raise IndexError(index)
        return _at(self._parent._tab.Indirect(self._start + 4 * index), self._parent, self._kind)


def _at(position: int, parent: Any, kind: type[Kind]) -> Kind:
    made: Any = kind()
    made.Init(parent._tab.Bytes, position)
    found: Kind = made
    return found
