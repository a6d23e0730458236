"""Running the yardstick with its inner tensors, and any engine on whole or cut modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from qconvert.api import Model
from qconvert.backends.stablehlo import StableHloOptions, emit, lower
from qconvert.dialects.printing import module_text
from qconvert.engines import iree, onnxruntime, stablehlo
from qconvert.engines.base import EngineName
from qconvert.engines.modules import Program
from qconvert.errors import EngineError, UsageError
from qconvert.formats import Format
from qconvert.interpreter import evaluate
from qconvert.validation.samples import Sample

Array: TypeAlias = NDArray[Any]
Results: TypeAlias = list[list[Array]]


@dataclass(frozen=True)
class ReferenceRun:
    """onnxruntime's tensors by name, one dict a sample: unoptimised with the inner ones, optimised outputs only."""

    tensors: list[dict[str, Array]]
    optimised: list[dict[str, Array]]


def run_reference(model: Model, samples: Sequence[Sample], tensors: Sequence[str]) -> ReferenceRun:
    """Run the source in onnxruntime, on one thread, with and without graph optimisation.

    Raises UsageError where the source is no ONNX model, EngineError where onnxruntime refuses it.
    """
    if model.format is not Format.ONNX:
        raise UsageError(f"{model.file} is {model.format}; only ONNX models can be validated against onnxruntime")
    source = model.path or model.content
    wanted = list(dict.fromkeys((*tensors, *model.output_names)))
    plain = onnxruntime.run_samples(source, list(samples), extra_outputs=wanted)
    optimised = onnxruntime.run_samples(
        source, list(samples), optimisation=onnxruntime.Optimisation.ALL, extra_outputs=model.output_names
    )
    return ReferenceRun(plain, optimised)


@dataclass(frozen=True)
class Task:
    """A module of the IR and the inputs to run it on, one list a sample."""

    module: ModuleOp
    inputs: list[list[Array]]


def run_modules(engine: EngineName, tasks: Sequence[Task], options: StableHloOptions) -> list[Results | EngineError]:
    """Lower modules of the IR for StableHLO and run each on its inputs, all in one go.

    ``reference`` interprets what is lowered with the source's own rounding; the other engines get StableHLO text.
    """
    if engine is EngineName.REFERENCE:
        return [_interpreted(lower(task.module, options), task.inputs) for task in tasks]
    programs = [Program(module_text(emit(task.module, options).module), task.inputs) for task in tasks]
    return run_programs(engine, programs)


def _interpreted(module: ModuleOp, inputs: list[list[Array]]) -> Results:
    return [list(evaluate(module, arrays)) for arrays in inputs]


def run_programs(engine: EngineName, programs: Sequence[Program]) -> list[Results | EngineError]:
    """Run StableHLO text on a real engine; raises UsageError where the engine does not take StableHLO."""
    if engine is EngineName.STABLEHLO:
        return stablehlo.run_many(programs)
    if engine is EngineName.IREE:
        return iree.run_many(programs)
    raise UsageError(f"{engine} does not run StableHLO; reference, stablehlo and iree do")
