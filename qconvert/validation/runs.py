"""Running the yardstick with its inner tensors, and any engine on whole or cut modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.api import Model
from qconvert.api.running import run_programs
from qconvert.backends.base import Backend, Emission
from qconvert.backends.tosa import target_of
from qconvert.engines import litert, onnxruntime
from qconvert.engines.base import EngineName
from qconvert.engines.modules import Program
from qconvert.formats import Format
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import main_function
from qconvert.ir.printing import module_text
from qconvert.ir.types import element_type, numpy_dtype
from qconvert.support.errors import EngineError, UsageError
from qconvert.validation.edges import Edges, edges_of
from qconvert.validation.samples import Sample

Array: TypeAlias = NDArray[Any]
Results: TypeAlias = list[list[Array]]


@dataclass(frozen=True)
class Yardstick:
    """The runtime that a source is compared with, and how much it optimises then."""

    engine: EngineName
    optimisation: str


_YARDSTICKS = {
    Format.ONNX: Yardstick(EngineName.ONNXRUNTIME, "disabled"),
    Format.TFLITE: Yardstick(EngineName.LITERT, "BUILTIN_REF"),
}


def yardstick_of(model: Model) -> Yardstick:
    """What a source is compared with; raises UsageError where no runtime defines what its format means."""
    if model.format not in _YARDSTICKS:
        raise UsageError(f"{model.file} is {model.format}; only ONNX and TFLite models can be validated")
    return _YARDSTICKS[model.format]


@dataclass(frozen=True)
class ReferenceRun:
    """The yardstick's tensors by name, one dict a sample: unoptimised with the inner ones, optimised outputs only."""

    tensors: list[dict[str, Array]]
    optimised: list[dict[str, Array]]


def run_reference(model: Model, samples: Sequence[Sample], tensors: Sequence[str]) -> ReferenceRun:
    """Run the source in its yardstick, on one thread, with and without optimisation.

    For onnxruntime that is graph optimisation; LiteRT has reference kernels and, by default, optimised ones. Raises
    UsageError where the source has no yardstick, EngineError where that refuses it.
    """
    wanted = list(dict.fromkeys((*tensors, *model.output_names)))
    if yardstick_of(model).engine is EngineName.LITERT:
        default = litert.run_samples(model.content, samples, resolver=litert.Resolver.DEFAULT)
        return ReferenceRun(litert.run_samples(model.content, samples, tensors=wanted), default)
    source = model.path or model.content
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


def run_modules(engine: EngineName, to: Format, tasks: Sequence[Task], options: Backend) -> list[Results | EngineError]:
    """Lower modules of the IR to a format and run each on its inputs, all in one go.

    ``reference`` interprets what is lowered with the source's own rounding; the other engines get what is written.
    """
    edges = [edges_of(task.module, options) for task in tasks]
    inputs = [carried(edge, task.inputs, to) for edge, task in zip(edges, tasks, strict=True)]
    if engine is EngineName.REFERENCE:
        lowered = [options.lower(task.module) for task in tasks]
        answers: list[Results | EngineError] = [
            _interpreted(module, arrays) for module, arrays in zip(lowered, inputs, strict=True)
        ]
    else:
        emissions = [options.emit(task.module) for task in tasks]
        programs = [_program(emission, arrays, to) for emission, arrays in zip(emissions, inputs, strict=True)]
        answers = run_programs(engine, to, programs)
    return [restored(edge, answer, task.module, to) for edge, answer, task in zip(edges, answers, tasks, strict=True)]


def _program(emission: Emission, inputs: list[list[Array]], to: Format) -> Program:
    """A written module and its inputs; one of TOSA is validated against no more than it needs."""
    if emission.content is not None:
        return Program(emission.content, inputs)
    needs = {"target": str(target_of(emission.module))} if to is Format.TOSA else {}
    return Program(module_text(emission.module), inputs, needs)


def run_given(given: Model, engine: EngineName, to: Format, task: Task, options: Backend) -> Results | EngineError:
    """Run a file that was converted from the task's module with these options."""
    edges = edges_of(task.module, options)
    inputs = carried(edges, task.inputs, to)
    if engine is EngineName.REFERENCE:
        return restored(edges, _interpreted(given.module, inputs), task.module, to)
    written = given.content if given.format is Format.ONNX else given.text
    return restored(edges, run_programs(engine, to, [Program(written, inputs)])[0], task.module, to)


def carried(edges: Edges, inputs: list[list[Array]], to: Format) -> list[list[Array]]:
    """Inputs as a format's @main takes them: quantized, where it wants them so; TOSA's integers are signless."""
    before = [edges.before(arrays) for arrays in inputs]
    return [[_signless(array) for array in arrays] for arrays in before] if to is Format.TOSA else before


def _signless(array: Array) -> Array:
    signed = array.view(np.dtype(f"i{array.itemsize}")) if array.dtype.kind == "u" else array
    return signed.astype(np.int32) if signed.dtype == np.int64 else signed


def _typed(array: Array, dtype: np.dtype[Any]) -> Array:
    """Signless integers of TOSA read as what they stand for; indices, which it has in 32 bits, widened."""
    return array.view(dtype) if array.itemsize == dtype.itemsize else array.astype(dtype)


def restored(edges: Edges, answer: Results | EngineError, module: ModuleOp, to: Format) -> Results | EngineError:
    """Results as the IR's @main gives them."""
    if isinstance(answer, EngineError):
        return answer
    sources = [
        value if op is None else op.operands[0] for op, value in zip(edges.results, returned(module), strict=True)
    ]
    dtypes = [numpy_dtype(element_type(value)) for value in sources]
    if any(len(results) != len(dtypes) for results in answer):
        return answer  # of another model, which the comparison of shapes will say
    signed = [
        [_typed(found, dtype) if to is Format.TOSA else found for found, dtype in zip(results, dtypes, strict=True)]
        for results in answer
    ]
    return [edges.after(results) for results in signed]


def returned(module: ModuleOp) -> Sequence[SSAValue]:
    """What @main returns."""
    terminator = main_function(module).body.block.last_op
    assert terminator is not None
    return terminator.operands


def _interpreted(module: ModuleOp, inputs: list[list[Array]]) -> Results:
    return [list(evaluate(module, arrays)) for arrays in inputs]
