"""The classes of a dialect, found in the modules of its families."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import TypeVar

from xdsl.ir import Attribute, Dialect, Operation

T = TypeVar("T")


def defined(base: type[T], families: Sequence[ModuleType]) -> Iterator[type[T]]:
    """Yield the classes of a base that the modules themselves define, with names of a dialect, in order."""
    for module in families:
        for value in vars(module).values():
            # issubclass would ask all subclasses of an abstract base
            own = isinstance(value, type) and base in value.__mro__ and value.__module__ == module.__name__
            if own and isinstance(vars(value).get("name"), str):
                yield value


def dialect(name: str, families: Sequence[ModuleType]) -> Dialect:
    """Return the dialect of all ops, attributes and types that the modules define."""
    return Dialect(name, list(defined(Operation, families)), list(defined(Attribute, families)))
