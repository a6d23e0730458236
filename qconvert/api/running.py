"""The evaluation of a model on one sample, and of the checks in MLIR text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from qconvert import interpreter
from qconvert.api.conversion import convert
from qconvert.api.loading import Source, head, open_source
from qconvert.api.macs import estimate, run_limits
from qconvert.api.models import Model
from qconvert.backends.base import WriteOptions
from qconvert.engines.base import EngineName, require
from qconvert.engines.modules import Program, only
from qconvert.formats import FORMATS, Format, engine_format, recognise, text_of
from qconvert.frontends.mlir import load_text, sections
from qconvert.interpreter.program import evaluate_function
from qconvert.interpreter.schedule import Schedule
from qconvert.support.errors import CheckFailedError, ConversionError, UsageError, in_file

Arrays: TypeAlias = dict[str, NDArray[Any]]


def run(
    model: Model,
    inputs: Mapping[str, NDArray[np.generic]],
    *,
    engine: EngineName = EngineName.REFERENCE,
    options: WriteOptions | None = None,
    schedule: Schedule | None = None,
    timeout: float | None = None,
    notice: Callable[[str], None] = lambda _: None,
) -> Arrays:
    """Run a model once: arrays by input name in, arrays by output name out; quantized ones as storage integers.

    ``reference`` interprets the fused IR, ``onnxruntime`` and ``litert`` run the source, ``tosa`` its TOSA, others its
    StableHLO. ``schedule`` is the order in which ``reference`` evaluates reductions. An engine is stopped after
    ``timeout`` seconds, by default 600. ``notice`` is called with a note where an engine does not run as usual.
    Raises UsageError for a missing input or a schedule with another engine, EngineError where a runtime refuses
    or dies.
    """
    if engine is not EngineName.REFERENCE:  # which is always there; the look-up takes longer than a small model
        require(engine)
    if schedule is not None and engine is not EngineName.REFERENCE:
        raise UsageError(f"{engine} chooses the order of reductions itself; a schedule is for --engine reference")
    missing = [name for name in model.input_names if name not in inputs]
    if missing:
        given = f"the arrays given are {', '.join(map(repr, inputs))}" if inputs else "no array is given"
        raise UsageError(f"no array for input {', '.join(map(repr, missing))}: {given}")
    feeds = {name: inputs[name] for name in model.input_names}
    for found in FORMATS.values():
        if found.reference is not None and found.reference.engine is engine:
            if model.format is not found.name:
                raise UsageError(f"{engine} runs {found.title} models; {model.file} is {model.format}")
            with model.source() as source:
                ran = found.reference.run(source, feeds, run_limits(timeout))
            if ran.note:
                notice(ran.note)
            return ran.samples[0]
    results = _run_module(model, list(feeds.values()), engine, options, schedule, timeout)
    return dict(zip(model.output_names, results, strict=True))


def _run_module(
    model: Model,
    inputs: Sequence[NDArray[Any]],
    engine: EngineName,
    options: WriteOptions | None,
    schedule: Schedule | None,
    timeout: float | None,
) -> Sequence[NDArray[Any]]:
    to = run_format(model, engine)
    if engine is EngineName.REFERENCE:
        with in_file(model.file):
            return _prepared(model, to, options).run(inputs, schedule)
    converted = convert(model, to, options)
    estimate(engine, converted.fused, 1, timeout)  # refuses what would be stopped long before its end
    program = Program(converted.text, [list(inputs)])
    return only(FORMATS[to].run_programs(engine, [program], run_limits(timeout)))[0]


def _prepared(model: Model, to: Format, options: WriteOptions | None) -> interpreter.Program:
    """Return what the interpreter evaluates, which the model keeps for the next run."""
    program = model.programs.get((to, options))
    if program is None:
        program = model.programs[to, options] = interpreter.Program(convert(model, to, options).fused)
    return program


def run_format(model: Model, engine: EngineName) -> Format:
    """Return the format that an engine runs: the model's own if its quantization is lowered already."""
    return engine_format(engine) if FORMATS[model.format].lowered_ways is None else model.format


@dataclass(frozen=True)
class Checked:
    """The result of a file's checks: the number of functions that passed, and the failures of the others."""

    passed: int
    failures: tuple[CheckFailedError, ...]


def run_checks(source: Source) -> Checked:
    """Evaluate MLIR text for its ``check`` ops: every function without arguments, or ``@main`` where there is one.

    A file may hold several modules between ``// -----`` lines. Raises ConversionError where a module cannot be read or
    evaluated, or has nothing to evaluate.
    """
    file, opened = open_source(source)
    with in_file(file):
        own = FORMATS[recognise(head(opened), file)]
        if not own.is_mlir:
            hint = "Give --inputs IN.npz and -o OUT.npz"
            raise ConversionError(f"the inputs of a model in {own.title} are needed to run it", hint=hint)
        modules = [load_text(section, file) for section in sections(text_of(opened.read()))]
        functions = [function for module in modules for function in _runnable(module)]
        failures = []
        for function in functions:
            try:
                evaluate_function(function, ())
            except CheckFailedError as failure:
                failures.append(failure)
    return Checked(len(functions) - len(failures), tuple(failures))


def _runnable(module: ModuleOp) -> list[FuncOp]:
    """Return ``@main``, or all functions with a body; raises ConversionError where one of them takes arguments."""
    functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
    chosen = [function for function in functions if function.sym_name.data == "main"] or functions
    ready = [function for function in chosen if not function.body.block.args]
    if chosen and not ready:
        raise ConversionError(f"@{chosen[0].sym_name.data} takes arguments", hint="Give them with --inputs")
    return ready
