"""One kind of registry for every layer: a decorator, a signature check at import, no duplicates."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterator
from types import FunctionType
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Handler = TypeVar("Handler", bound=Callable[..., object])


class Registry(Generic[Key, Handler]):
    """Maps keys (an operator's name, an op class) to handlers; a layer holds one instance.

    ``parameters`` are the names every handler's positional parameters must have, checked when the handler's module is
    imported, so that a wrong handler never reaches a user.
    """

    def __init__(self, layer: str, parameters: tuple[str, ...]) -> None:
        self.layer = layer
        self.parameters = parameters
        self._handlers: dict[Key, Handler] = {}

    def register(self, *keys: Key) -> Callable[[Handler], Handler]:
        """Decorate a handler for ``keys``; raises TypeError on a wrong signature or a key that is taken."""

        def decorate(handler: Handler) -> Handler:
            for key in keys:
                self.add(key, handler)
            return handler

        return decorate

    def add(self, key: Key, handler: Handler) -> None:
        """Register one handler; raises TypeError on a wrong signature or a key that is taken."""
        found = _parameters(handler)
        if found != self.parameters:
            raise TypeError(f"{self.layer}: handler for {key} takes {found}, expected {self.parameters}")
        if key in self._handlers:
            raise TypeError(f"{self.layer}: {key} is already registered")
        self._handlers[key] = handler

    def get(self, key: Key) -> Handler | None:
        """The handler of ``key``, or None."""
        return self._handlers.get(key)

    def coverage(self) -> tuple[Key, ...]:
        """All registered keys, sorted by their text: what documentation and ``inspect`` list."""
        return tuple(sorted(self._handlers, key=str))

    def __iter__(self) -> Iterator[Key]:
        return iter(self._handlers)

    def __contains__(self, key: object) -> bool:
        return key in self._handlers


def _parameters(handler: Callable[..., object]) -> tuple[str, ...]:
    """The names of a handler's parameters; of a plain function from its code, which takes no time."""
    if isinstance(handler, FunctionType) and not handler.__kwdefaults__:
        return handler.__code__.co_varnames[: handler.__code__.co_argcount]
    return tuple(inspect.signature(handler).parameters)
