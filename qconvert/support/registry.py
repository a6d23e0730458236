"""Registries for all layers: a registry imports the modules of its package, checks signatures, refuses duplicates."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import FunctionType
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Entry = TypeVar("Entry")
Handler = TypeVar("Handler", bound=Callable[..., object])


class Catalog(Mapping[Key, Entry]):
    """Entries by key, added by the modules of a package. The first look-up imports these modules.

    ``module`` is the name of the module that holds the catalog. The package is the module's own, or the package
    ``inner`` in it. Packages inside the package have catalogs of their own. A class is looked up in the module of its
    family first, which has the same name in every layer, and the other modules are only imported if it is not there.
    """

    def __init__(self, layer: str, module: str, inner: str = "") -> None:
        self.layer = layer
        self._module = module
        self._inner = inner
        self._entries: dict[Key, Entry] = {}
        self._is_loaded = False

    def add(self, key: Key, entry: Entry) -> None:
        """Add one entry; raises TypeError on a key that is taken."""
        if key in self._entries:
            raise TypeError(f"{self.layer}: {key} is already registered")
        self._entries[key] = entry

    def __getitem__(self, key: Key) -> Entry:
        if isinstance(key, type) and key not in self._entries and not self._is_loaded:
            family = key.__module__.rpartition(".")[2]
            if (self._folder / f"{family}.py").is_file():
                self._import(family)
        return self._entries[key] if key in self._entries else self._loaded()[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._loaded())

    def __len__(self) -> int:
        return len(self._loaded())

    def _loaded(self) -> dict[Key, Entry]:
        if not self._is_loaded:
            for module in iter_modules([str(self._folder)]):
                if not module.ispkg:
                    self._import(module.name)
            self._is_loaded = True  # set last: a second thread then waits for the imports as well
        return self._entries

    @property
    def _folder(self) -> Path:
        return Path(str(sys.modules[self._module].__file__)).parent / self._inner

    def _import(self, name: str) -> None:
        package = ".".join(filter(None, (self._module.rpartition(".")[0], self._inner)))
        import_module(f"{package}.{name}")


class Registry(Catalog[Key, Handler]):
    """Handlers by key (an operator's name, an op class), each a function with the same ``parameters``.

    The parameters' names are checked when the handler's module is imported, so that a wrong handler never reaches a
    user.
    """

    def __init__(self, layer: str, module: str, parameters: tuple[str, ...], inner: str = "") -> None:
        super().__init__(layer, module, inner)
        self.parameters = parameters

    def register(self, *keys: Key) -> Callable[[Handler], Handler]:
        """Decorate a handler for ``keys``; raises TypeError on a wrong signature or a key that is taken."""

        def decorate(handler: Handler) -> Handler:
            found = _parameters(handler)
            if found != self.parameters:
                listed = ", ".join(map(str, keys))
                raise TypeError(f"{self.layer}: handler for {listed} takes {found}, expected {self.parameters}")
            for key in keys:
                self.add(key, handler)
            return handler

        return decorate


def _parameters(handler: Callable[..., object]) -> tuple[str, ...]:
    """Return the names of a function's parameters; ``inspect.signature`` is too slow for hundreds of handlers."""
    assert isinstance(handler, FunctionType)
    return handler.__code__.co_varnames[: handler.__code__.co_argcount]
