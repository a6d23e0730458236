"""Values of JSON and TOML as typed dataclasses, read strictly: unknown keys and other types are errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from qconvert.support.errors import UsageError
from qconvert.support.suggestions import perhaps

_T = TypeVar("_T")
_KINDS = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}


class WrongValueError(UsageError):
    """A value that does not fit; ``where`` has the keys that lead to it."""

    def __init__(self, where: tuple[str, ...], found: str) -> None:
        super().__init__(f"{'.'.join(where)}: {found}")
        self.where = where
        self.found = found


def typed(kind: type[_T], value: object, where: tuple[str, ...] = ()) -> _T:
    """Return a value as a type: a dataclass, a tuple, a dictionary, an enum, or a plain type, possibly None.

    Raises WrongValueError naming the keys, what was found and what is allowed.
    """
    found: _T = _value(kind, value, where)
    return found


def _value(kind: Any, value: object, where: tuple[str, ...]) -> Any:
    if is_dataclass(kind):
        return _instance(kind, value, where)
    if get_origin(kind) in (Union, UnionType):
        [inner] = [each for each in get_args(kind) if each is not NoneType]
        return None if value is None else _value(inner, value, where)
    if get_origin(kind) is tuple:
        if not isinstance(value, list):
            raise WrongValueError(where, f"a list is needed, found {_shown(value)}")
        return tuple(_value(get_args(kind)[0], each, where) for each in value)
    if get_origin(kind) is dict:
        key, inner = get_args(kind)
        items = [(name, each, (*where, name)) for name, each in _table(value, where)]
        return {_value(key, name, place): _value(inner, each, place) for name, each, place in items}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _member(kind, value, where)
    return _plain(kind, value, where)


def _instance(kind: Any, value: object, where: tuple[str, ...]) -> Any:
    """Return a dataclass of a table, whose keys are the names of the fields."""
    types, known = get_type_hints(kind), {field.name: field for field in fields(kind)}
    content = dict(_table(value, where))
    for key in content:
        if key not in known:
            raise WrongValueError(
                (*where, key), f"the key is unknown{perhaps(key, known)}; known are {', '.join(known)}"
            )
    for key, field in known.items():
        if key not in content and _is_needed(field):
            raise WrongValueError((*where, key), "this is missing")
    values = {key: _value(types[key], each, (*where, key)) for key, each in content.items()}
    try:
        return kind(**values)
    except WrongValueError:
        raise
    except UsageError as error:
        raise WrongValueError(where, str(error)) from error


def _is_needed(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _table(value: object, where: tuple[str, ...]) -> list[tuple[str, object]]:
    if not isinstance(value, Mapping):
        raise WrongValueError(where, f"a table is needed, found {_shown(value)}")
    return list(value.items())


def _member(kind: type[Enum], value: object, where: tuple[str, ...]) -> Enum:
    for member in kind:
        if member.value == value:
            return member
    names = [str(member.value) for member in kind]
    hint = perhaps(value, names) if isinstance(value, str) else ""
    raise WrongValueError(where, f"{_shown(value)} is unknown{hint}; known are {', '.join(names)}")


def _plain(kind: type, value: object, where: tuple[str, ...]) -> object:
    if kind is object:
        return value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise WrongValueError(where, f"{_KINDS[kind]} is needed, found {_shown(value)}")
    return value


def _shown(value: object) -> str:
    return f"{value!r:.60}"
