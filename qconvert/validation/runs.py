"""Runs of any engine on whole modules or layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.api import load
from qconvert.backends.base import WriteOptions
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.modules import Program
from qconvert.formats import ModelFormat
from qconvert.interpreter.core import main_function
from qconvert.ir import element_type, module_text, numpy_dtype
from qconvert.support.errors import EngineError
from qconvert.validation.edges import Edges, edges_of
from qconvert.validation.written import Written

Array: TypeAlias = NDArray[Any]
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
    edges = [edges_of(task.module, options) for task in tasks]
    inputs = [carried(edge, task.inputs, to) for edge, task in zip(edges, tasks, strict=True)]
    files = announced([(known[task.module], each) for task, each in zip(tasks, inputs, strict=True)], begun)
    answers = _answers(files, engine, to, limits, rewriting=rewriting)
    return [restored(edge, answer, task.module, to) for edge, answer, task in zip(edges, answers, tasks, strict=True)]


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
    task: Task,
    options: WriteOptions,
    limits: Limits | None,
    *,
    rewriting: bool = False,
) -> Results | EngineError:
    """Run a file that was converted from the task's module with these options.

    ``rewriting`` asks for the engine's default settings, by which it rewrites the file first.
    """
    edges = edges_of(task.module, options)
    files = [(file, carried(edges, task.inputs, to))]
    return restored(edges, _answers(files, engine, to, limits, rewriting=rewriting)[0], task.module, to)


def carried(edges: Edges, inputs: list[list[Array]], to: ModelFormat) -> list[list[Array]]:
    """Return inputs as a format's @main takes them: quantized where the options say so, in the format's types."""
    return [[to.argument(array) for array in edges.before(arrays)] for arrays in inputs]


def restored(edges: Edges, answer: Results | EngineError, module: ModuleOp, to: ModelFormat) -> Results | EngineError:
    """Return a conversion's results as those of the IR's @main."""
    if isinstance(answer, EngineError):
        return answer
    sources = [
        value if op is None else op.operands[0] for op, value in zip(edges.results, returned(module), strict=True)
    ]
    dtypes = [numpy_dtype(element_type(value)) for value in sources]
    if any(len(results) != len(dtypes) for results in answer):
        return answer  # of another model, which the comparison of shapes will say
    return [
        edges.after([to.result(found, dtype) for found, dtype in zip(results, dtypes, strict=True)])
        for results in answer
    ]


def returned(module: ModuleOp) -> Sequence[SSAValue]:
    """Return the values that @main returns."""
    terminator = main_function(module).body.block.last_op
    assert terminator is not None
    return terminator.operands
