"""Runs of any engine on whole modules or layers."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from qconvert.api import load
from qconvert.backends.base import WriteOptions
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.modules import Program, Results
from qconvert.formats import ModelFormat
from qconvert.ir import module_text
from qconvert.support.arrays import Array
from qconvert.support.errors import EngineError
from qconvert.validation.ports import ConvertedPorts, Ports
from qconvert.validation.written import Written


def run_module(
    engine: EngineName,
    to: ModelFormat,
    module: ModuleOp,
    inputs: list[list[Array]],
    options: WriteOptions,
    limits: Limits | None = None,
) -> Results | EngineError:
    """Write a module of the IR in a format and run it on inputs, one list for each sample."""
    ports = ConvertedPorts.of(module, options, to)
    return run_file(_emitted(module, to, options), engine, to, inputs, ports, limits)


def _emitted(module: ModuleOp, to: ModelFormat, options: WriteOptions) -> Written:
    emission = to.emit(module, options)
    file = emission.file
    if file is not None:
        return Written("", file, {}, lambda: load(file).module)
    return Written("", module_text(emission.module), to.program_options(emission.module), lambda: emission.module)


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
    arguments = carried(ports, inputs)
    if engine is EngineName.REFERENCE:
        assert not rewriting, "the interpreter rewrites nothing"
        return restored(ports, [list(file.evaluation.run(arrays)) for arrays in arguments])
    program = Program(file.program, arguments, file.options, [] if rewriting else file.notes)
    [answer] = to.run_programs(engine, [program], limits, rewriting=rewriting)
    return restored(ports, answer)


def carried(ports: Ports, inputs: list[list[Array]]) -> list[list[Array]]:
    """Return inputs of the source as those of a file, one list for each sample."""
    return [ports.arguments(arrays) for arrays in inputs]


def restored(ports: Ports, answer: Results | EngineError) -> Results | EngineError:
    """Return a file's results as those of the source."""
    return answer if isinstance(answer, EngineError) else [ports.results(results) for results in answer]
