"""The property of everything that qconvert writes: qconvert reads it, with the same names, and finds it valid."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import fields
from enum import Enum
from functools import cache, partial
from typing import Any

from xdsl.dialects.func import FuncOp

from qconvert import api
from qconvert.api import Converted, Model, ModuleResult
from qconvert.api.verification import verify
from qconvert.backends.base import WriteOptions
from qconvert.dialects import stablehlo
from qconvert.formats import FORMATS, Format
from qconvert.passes import PASSES
from qconvert.support.errors import QConvertError

Way = tuple[Format, WriteOptions]
"""A format, and the options to write it with."""


@cache
def ways() -> tuple[Way, ...]:
    """Return every format: with its default options, then with each other value of one option."""
    found: list[Way] = []
    for name in Format:
        options = FORMATS[name].options
        found += [(name, options()), *((name, options(**{key: value})) for key, value in _other_values(options))]
    return tuple(found)


def _other_values(options: type[WriteOptions]) -> Iterator[tuple[str, Any]]:
    """Yield a name and a value for each value that an option of the command line has besides its default."""
    for field in fields(options):
        if not field.metadata:
            continue
        if isinstance(field.default, Enum):
            yield from ((field.name, value) for value in type(field.default) if value is not field.default)
        elif field.default is False:
            yield field.name, True


def way_of(model: Model, case: int) -> Way:
    """Return the way to write a model that follows from the number of a case."""
    lowered = FORMATS[model.format].lowered_ways
    if lowered is None:
        return ways()[case % len(ways())]
    names = (model.format, *lowered)
    name = names[case % len(names)]
    return name, FORMATS[name].checked_options()


class UnreadableError(AssertionError):
    """A file that qconvert wrote is refused, names other ports, or violates its format's specification."""


def convert_and_read_back(model: Model, case: int) -> None:
    """Convert a model in the way of a case, and read the file back.

    Raises QConvertError where the conversion is refused, UnreadableError where the file is.
    """
    read_back(api.convert(model, *way_of(model, case)), model)


def read_back(made: ModuleResult, source: Model) -> Model:
    """Return the model that is read from the content of a module's file; raises UnreadableError."""
    stream = io.BytesIO()
    made.write_content(stream)
    return check_content(stream.getvalue(), source, is_specified=is_specified(made, source))


def check_content(content: bytes, source: Model, *, is_specified: bool) -> Model:
    """Return the model that is read from a file's content, which may be valid for its format's specification.

    Raises UnreadableError where the content is refused, names other ports than its source, or is not valid.
    """
    try:
        back = api.load(content)
        names = [_port_names(model) for model in (source, back)]
        violations = verify(content).violations if is_specified and FORMATS[back.format].is_mlir else ()
    except QConvertError as error:
        raise UnreadableError(f"{error}\n{_excerpt(content)}") from error
    if names[0] and names[0] != names[1]:
        raise UnreadableError(f"ports {names[0]} are named {names[1]}")
    if violations:
        raise UnreadableError(f"{violations[0]}\n{_excerpt(content)}")
    return back


def every_way(content: bytes) -> list[str]:
    """Convert a model in every way, run every pass alone, and read everything back; return the errors' texts."""
    errors = []
    model = api.load(content)
    steps: list[Callable[[], object]] = [partial(convert_and_read_back, model, case) for case in range(len(ways()))]
    steps += [partial(_read_back_after, name, model) for name in PASSES]
    for step in steps:
        try:
            step()
        except QConvertError as error:
            errors.append(str(error))
    assert all("\n" not in error and len(error) < 1600 for error in errors)
    return errors


def _read_back_after(name: str, model: Model) -> None:
    read_back(api.transform(model, [name]), model)


def _port_names(model: Model) -> tuple[tuple[str, ...], ...]:
    """Return the names of inputs and outputs; () for modules without ``@main``."""
    functions = [op for op in model.module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main"]
    is_called = bool(functions) and not functions[0].is_declaration
    return (model.input_names, model.output_names) if is_called else ()


def is_specified(made: ModuleResult, source: Model) -> bool:
    """Return whether a specification holds for a module: not for the IR, which passes leave, and not for the RFC.

    A source that is lowered already is copied, with what is not valid in it.
    """
    if not isinstance(made, Converted):
        return False
    if FORMATS[source.format].lowered_ways is not None and verify(source.content).violations:
        return False
    return not any(
        isinstance(op, stablehlo.ReductionOp) and (op.has_conversions or op.is_left_to_right)
        for op in made.module.walk()
    )


def _excerpt(content: bytes) -> str:
    return content[:2000].decode(errors="replace")
