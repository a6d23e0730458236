"""Running a model once, and evaluating the checks of MLIR text."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from qconvert.api import Model, convert, text_of
from qconvert.engines.base import EngineName
from qconvert.formats import Format
from qconvert.support.errors import CheckFailedError, ConversionError, EngineError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp

    from qconvert.backends.base import Backend
    from qconvert.engines.modules import Program, Results

Arrays: TypeAlias = "dict[str, NDArray[Any]]"


def run(
    model: Model,
    inputs: Mapping[str, NDArray[np.generic]],
    *,
    engine: EngineName = EngineName.REFERENCE,
    options: Backend | None = None,
) -> Arrays:
    """Run a model once: arrays by input name in, arrays by output name out; quantized ones as storage integers.

    ``reference`` interprets the fused IR, ``onnxruntime`` and ``litert`` run the source, ``tosa`` its TOSA, others its
    StableHLO.
    Raises UsageError for a missing input, EngineError where a runtime refuses or dies.
    """
    from qconvert.engines.base import require

    require(engine)
    missing = [name for name in model.input_names if name not in inputs]
    if missing:
        raise UsageError(f"no value for input {', '.join(missing)}; the model takes {', '.join(model.input_names)}")
    ordered = [inputs[name] for name in model.input_names]
    if engine in _SOURCE_ENGINES:
        return _run_source(model, dict(zip(model.input_names, ordered, strict=True)), engine)
    results = _run_module(model, ordered, engine, options)
    return dict(zip(model.output_names, results, strict=True))


@dataclass(frozen=True)
class Checked:
    """What evaluating a file's checks gave: how many functions passed, and why each of the others did not."""

    passed: int
    failures: tuple[CheckFailedError, ...]


def run_checks(source: str | Path | bytes) -> Checked:
    """Evaluate MLIR text for its ``check`` ops: every function without arguments, or ``@main`` where there is one.

    A file may hold several modules between ``// -----`` lines. Raises ConversionError where a module cannot be read or
    evaluated, or has nothing to evaluate.
    """
    from qconvert.frontends.mlir import load_text, sections
    from qconvert.interpreter.core import evaluate_function

    file, content = _content(source)
    try:
        modules = [load_text(section, file) for section in sections(text_of(content))]
        functions = [function for module in modules for function in _runnable(module)]
        failures = []
        for function in functions:
            try:
                evaluate_function(function, ())
            except CheckFailedError as failure:
                failures.append(failure)
    except ConversionError as error:
        raise error.located(file=file) from error
    return Checked(len(functions) - len(failures), tuple(failures))


def _content(source: str | Path | bytes) -> tuple[str, bytes]:
    """A name for a source, and its bytes; raises UsageError where it cannot be opened."""
    if isinstance(source, bytes):
        return "<bytes>", source
    if str(source) == "-":
        return "<stdin>", sys.stdin.buffer.read()
    try:
        return str(source), Path(source).read_bytes()
    except OSError as error:
        raise UsageError(f"{source}: cannot be read: {error.strerror}") from error


def _runnable(module: ModuleOp) -> list[FuncOp]:
    """``@main``, or all functions with a body; raises ConversionError where one of them takes arguments."""
    from xdsl.dialects.func import FuncOp

    functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
    chosen = [function for function in functions if function.sym_name.data == "main"] or functions
    ready = [function for function in chosen if not function.body.block.args]
    if chosen and not ready:
        raise ConversionError(f"@{chosen[0].sym_name.data} takes arguments", hint="Give them with --inputs")
    return ready


_SOURCE_ENGINES = {EngineName.ONNXRUNTIME: Format.ONNX, EngineName.LITERT: Format.TFLITE}
"""The engines that run a source itself, and its format."""

_SPELLINGS = {Format.ONNX: "ONNX", Format.TFLITE: "TFLite"}


def _run_source(model: Model, feeds: Arrays, engine: EngineName) -> Arrays:
    """The source's outputs; raises UsageError where the engine runs another format."""
    from qconvert.engines import litert, onnxruntime

    wanted = _SOURCE_ENGINES[engine]
    if model.format is not wanted:
        raise UsageError(f"{engine} runs {_SPELLINGS[wanted]} models; {model.file} is {model.format}")
    if engine is EngineName.LITERT:
        return litert.run(model.content, feeds)
    return onnxruntime.run(model.path or model.content, feeds)


def _run_module(
    model: Model, inputs: Sequence[NDArray[Any]], engine: EngineName, options: Backend | None
) -> Sequence[NDArray[Any]]:
    to = format_run(model, engine)
    converted = convert(model, to, options)
    if engine is EngineName.REFERENCE:
        from qconvert.interpreter import evaluate

        try:
            return evaluate(converted.fused, inputs)
        except ConversionError as error:
            raise error.located(file=model.file) from error
    from qconvert.engines import modules

    return modules.only(run_programs(engine, to, [modules.Program(converted.text, [list(inputs)])]))[0]


def format_run(model: Model, engine: EngineName) -> Format:
    """What a model is converted to before an engine runs it: its own format where none is left to choose."""
    if model.format in (Format.TOSA, Format.TOSA_RESCALE):
        return model.format
    return Format.TOSA if engine is EngineName.TOSA else Format.STABLEHLO


_IREE_INPUTS = {Format.TOSA: "tosa", Format.TOSA_RESCALE: "auto"}
"""What IREE is told of text that is not StableHLO alone."""


def run_programs(engine: EngineName, to: Format, programs: Sequence[Program]) -> list[Results | EngineError]:
    """Run text of a format, or ONNX models, on a real engine; raises UsageError where it does not take the format."""
    from qconvert.engines import iree, onnxruntime, stablehlo, tosa

    if to is Format.ONNX and engine is EngineName.ONNXRUNTIME:
        return onnxruntime.run_many(programs)
    if to is Format.TOSA and engine is EngineName.TOSA:
        return tosa.run_many(programs)
    if engine is EngineName.IREE and to is not Format.ONNX:
        return iree.run_many(programs, input_type=iree.InputType(_IREE_INPUTS.get(to, "stablehlo")))
    if to not in (*_IREE_INPUTS, Format.ONNX) and engine is EngineName.STABLEHLO:
        return stablehlo.run_many(programs)
    raise UsageError(f"{engine} does not run {to}")
