"""The classes of a dialect, found in the package of its families."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import TypeVar

from xdsl.ir import Attribute, Dialect, Operation

T = TypeVar("T")


def defined(base: type[T], home: ModuleType) -> Iterator[type[T]]:
    """Yield the classes of a base that a module or a package of modules defines, with names of a dialect, in order."""
    for value in vars(home).values():
        # issubclass would ask all subclasses of an abstract base
        named = isinstance(value, type) and base in value.__mro__ and isinstance(vars(value).get("name"), str)
        if named and f"{value.__module__}.".startswith(f"{home.__name__}."):
            yield value


def dialect(name: str, package: ModuleType) -> Dialect:
    """Return the dialect of all ops, attributes and types that a package defines."""
    return Dialect(name, list(defined(Operation, package)), list(defined(Attribute, package)))
