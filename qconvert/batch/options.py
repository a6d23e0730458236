"""The options of formats in a plan: those of the command line, by the same names without ``--``."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeAlias, get_type_hints

from qconvert.backends.base import WriteOptions
from qconvert.batch.typed import WrongValueError, typed
from qconvert.formats import FORMATS, Format
from qconvert.support.errors import UsageError
from qconvert.support.suggestions import perhaps

Given: TypeAlias = dict[str, object]
"""The values of options by their names."""


def write_options(target: Format, given: Given, where: tuple[str, ...] = ()) -> WriteOptions:
    """Return the options with which a format is written.

    Raises WrongValueError for an option that the format lacks, or a value that the option lacks.
    """
    options = FORMATS[target].checked_options()
    types = get_type_hints(type(options))
    parsers = {f.name.replace("_", "-"): f.metadata["parser"] for f in fields(options) if "help" in f.metadata}
    values = {}
    for name, value in given.items():
        place = (*where, name)
        if name not in parsers:
            known = ", ".join(parsers)
            raise WrongValueError(place, f"{target} has no such option{perhaps(name, parsers)}; known are {known}")
        field, parser = name.replace("-", "_"), parsers[name]
        values[field] = typed(types[field], value, place) if parser is None else _parsed(parser, value, place)
    return _made(options, values, where)


def _parsed(parser: object, value: object, where: tuple[str, ...]) -> object:
    """Return the value that the command line makes of a text."""
    text = typed(str, value, where)
    assert callable(parser)
    try:
        return parser(text)
    except UsageError as error:
        raise WrongValueError(where, str(error)) from error


def _made(options: WriteOptions, values: dict[str, object], where: tuple[str, ...]) -> WriteOptions:
    try:
        return replace(options, **values)
    except UsageError as error:
        raise WrongValueError(where, str(error)) from error
