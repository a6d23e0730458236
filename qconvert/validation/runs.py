"""Runs of any engine on whole modules or layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from xdsl.dialects.builtin import ModuleOp

from qconvert.api import load
from qconvert.backends.base import WriteOptions
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.modules import Program
from qconvert.formats import ModelFormat
from qconvert.ir import module_text
from qconvert.support.arrays import Array
from qconvert.support.errors import EngineError
from qconvert.validation.ports import ConvertedPorts, Ports
from qconvert.validation.written import Written

Results: TypeAlias = list[list[Array]]
Part = TypeVar("Part")


@dataclass(frozen=True)
class Task:
    """A module of the IR and its inputs, one list for each sample."""

    module: ModuleOp
    inputs: list[list[Array]]


def run_modules(
    engine: EngineName,
    to: ModelFormat,
    tasks: Sequence[Task],
    options: WriteOptions,
    *,
    limits: Limits | None = None,
    begun: Callable[[int], None] = lambda _: None,
    rewriting: bool = False,
    emitted: dict[ModuleOp, Written] | None = None,
) -> list[Results | EngineError]:
    """Write modules of the IR in a format and run all of them on their inputs in one child process.

    ``begun`` is called with the number of each module before it runs. ``rewriting`` asks for the format's
    ``rewriting_runs``. ``emitted`` has modules that were written before, and gets the others.
    """
    known = {} if emitted is None else emitted
    known.update({task.module: _emitted(task.module, to, options) for task in tasks if task.module not in known})
    ports = [ConvertedPorts.of(task.module, options, to) for task in tasks]
    inputs = [carried(each, task.inputs) for each, task in zip(ports, tasks, strict=True)]
    files = announced([(known[task.module], each) for task, each in zip(tasks, inputs, strict=True)], begun)
    answers = _answers(files, engine, to, limits, rewriting=rewriting)
    return [restored(each, answer) for each, answer in zip(ports, answers, strict=True)]


def _emitted(module: ModuleOp, to: ModelFormat, options: WriteOptions) -> Written:
    emission = to.emit(module, options)
    file = emission.file
    if file is not None:
        return Written("", file, {}, lambda: load(file).module)
    return Written("", module_text(emission.module), to.program_options(emission.module), lambda: emission.module)


def _answers(
    files: Iterable[tuple[Written, list[list[Array]]]],
    engine: EngineName,
    to: ModelFormat,
    limits: Limits | None,
    *,
    rewriting: bool = False,
) -> list[Results | EngineError]:
    """Run files on their inputs, as their @main has them."""
    if engine is EngineName.REFERENCE:
        assert not rewriting, "the interpreter rewrites nothing"
        return [[list(file.evaluation.run(arrays)) for arrays in inputs] for file, inputs in files]
    programs = (Program(file.program, inputs, file.options, [] if rewriting else file.notes) for file, inputs in files)
    return to.run_programs(engine, programs, limits, rewriting=rewriting)


def announced(parts: Sequence[Part], begun: Callable[[int], None]) -> Iterator[Part]:
    """Yield the programs, and call ``begun`` with the number of each."""
    for number, part in enumerate(parts, 1):
        begun(number)
        yield part


def run_file(
    file: Written,
    engine: EngineName,
    to: ModelFormat,
    inputs: list[list[Array]],
    ports: Ports,
    limits: Limits | None,
    *,
    rewriting: bool = False,
) -> Results | EngineError:
    """Run a file on the source's inputs.

    ``rewriting`` asks for the engine's default settings, by which it rewrites the file first.
    """
    [answer] = _answers([(file, carried(ports, inputs))], engine, to, limits, rewriting=rewriting)
    return restored(ports, answer)


def carried(ports: Ports, inputs: list[list[Array]]) -> list[list[Array]]:
    """Return inputs of the source as those of a file, one list for each sample."""
    return [ports.arguments(arrays) for arrays in inputs]


def restored(ports: Ports, answer: Results | EngineError) -> Results | EngineError:
    """Return a file's results as those of the source."""
    return answer if isinstance(answer, EngineError) else [ports.results(results) for results in answer]
