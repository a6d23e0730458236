"""The file that is judged: the bytes that ``convert`` writes, or a given file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp

from qconvert import interpreter
from qconvert.api import Converted, Model, load
from qconvert.api.weights import is_pair_of
from qconvert.formats import ModelFormat


@dataclass(frozen=True, eq=False)
class Written:
    """A file as engines take it: MLIR's text or a file's bytes, with the engines' options.

    ``read`` returns the module that is read back from it, which only the interpreter needs. An engine that does not run
    the file as usual adds to its ``notes``.
    """

    file: str
    program: str | bytes
    options: Mapping[str, str]
    read: Callable[[], ModuleOp]
    notes: list[str] = field(default_factory=list)

    @cached_property
    def evaluation(self) -> interpreter.Program:
        """The module that is read back, which the interpreter evaluates."""
        return interpreter.Program(self.read())


def written(model: Model, converted: Converted, to: ModelFormat) -> Written:
    """Return the file that ``convert`` writes of a model."""
    content = converted.content
    program: str | bytes = converted.text if content is None else content
    raw = program.encode() if isinstance(program, str) else program
    return Written(model.file, program, to.program_options(converted.module), lambda: load(raw).module)


def given_file(given: Model, to: ModelFormat) -> Written:
    """Return a file that was converted before."""
    return Written(given.file, given.program, to.program_options(given.module), lambda: given.module)


def is_what_converts(given: Model, converted: Converted, fresh: Written) -> bool:
    """Return True if a given file is what a new conversion gives, whose file is ``fresh``."""
    if given.weights is not None:
        return is_pair_of(given, converted)
    is_same = given.program == fresh.program
    return is_same or (given.binary is not None and given.binary.write(converted.module, None) == given.content)
