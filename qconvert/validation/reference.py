"""The reference of a model: its format's own runtime, or qconvert's interpreter where the runtime lacks an operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from qconvert.api import Model
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.formats import FORMATS
from qconvert.formats.base import Reference
from qconvert.interpreter import Program
from qconvert.support.arrays import Array
from qconvert.support.errors import EngineError, UsageError
from qconvert.validation.limits.bisect import with_inner_results
from qconvert.validation.sampling.samples import Sample


class Chosen(NamedTuple):
    """The engine that is the reference of a model, its setting, and notes on where it does not run as usual.

    ``optimised_notes`` are on the run with optimisation.
    """

    engine: EngineName
    setting: str
    notes: tuple[str, ...] = ()
    optimised_notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReferenceRun:
    """The reference's tensors by name for each sample: all tensors unoptimised, only the outputs optimised.

    ``optimised`` is empty if the runtime breaks the model while it optimises it, or is not the reference.
    """

    tensors: list[dict[str, Array]]
    optimised: list[dict[str, Array]]
    by: Chosen


def reference_of(model: Model) -> Reference:
    """Return the runtime that a source is compared with; raises UsageError if no runtime defines the format."""
    reference = FORMATS[model.format].reference
    if reference is None:
        raise UsageError(f"{model.file} is {model.format}; only ONNX and TFLite models can be validated")
    return reference


def usual(model: Model) -> Chosen:
    """Return the reference of a model that its format's own runtime runs."""
    runtime = reference_of(model)
    return Chosen(runtime.engine, runtime.optimisation)


def run_runtime(
    model: Model, samples: Sequence[Sample], tensors: Sequence[str], limits: Limits | None = None
) -> ReferenceRun:
    """Run the source in its format's runtime, on one thread, with and without optimisation.

    onnxruntime has graph optimisation; LiteRT has reference kernels and, by default, optimised kernels. Raises
    UsageError if the source has no reference, EngineError if the reference refuses it.
    """
    every = list(dict.fromkeys((*tensors, *model.output_names)))
    with model.source() as source:
        found = reference_of(model).trace(source, samples, every, model.output_names, limits)
    by = usual(model)._replace(notes=found.notes, optimised_notes=found.optimised_notes)
    return ReferenceRun(found.tensors, found.optimised, by)


def run_reference(
    model: Model,
    fused: ModuleOp,
    samples: Sequence[Sample],
    tensors: Sequence[str],
    limits: Limits | None,
    *,
    asked: EngineName | None = None,
) -> ReferenceRun:
    """Run the reference on samples: the interpreter on the ``fused`` module if the runtime lacks an operator.

    ``asked`` is the interpreter, or the runtime, whose place nothing takes then. Raises EngineError if the runtime
    refuses the model for another reason.
    """
    notes: tuple[str, ...] = ()
    try:
        if asked is not EngineName.REFERENCE:
            return run_runtime(model, samples, tensors, limits)
    except EngineError as error:
        why = reference_of(model).stand_in(error)
        if why is None or asked is not None:
            raise
        notes = (why,)
    module, names = with_inner_results(fused)
    inputs = [[sample[name] for name in model.input_names] for sample in samples]
    inner, whole = Program(module), Program(fused)
    runs = [dict(zip(names, inner.run(arrays), strict=True)) for arrays in inputs]
    outputs = [dict(zip(model.output_names, whole.run(arrays), strict=True)) for arrays in inputs]
    tensors_of_runs = [run | output for run, output in zip(runs, outputs, strict=True)]
    return ReferenceRun(tensors_of_runs, [], Chosen(EngineName.REFERENCE, "", notes))
