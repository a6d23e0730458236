"""``validate``: compare a conversion with its source, end to end and layer by layer."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from xdsl.ir import BlockArgument

from qconvert.api import Model, convert, load
from qconvert.api.macs import estimate
from qconvert.engines.base import EngineName, engine_info, require
from qconvert.expansion.registry import is_hybrid_of_litert
from qconvert.formats import DEFAULT, FORMATS, Format, engine_format
from qconvert.interpreter.core import main_function
from qconvert.ir import numpy_dtype, tensor
from qconvert.support.counting import counted
from qconvert.support.errors import EngineError, UsageError
from qconvert.support.version import installed_version
from qconvert.validation.bisect import bisect_notes
from qconvert.validation.case import Case, Settings
from qconvert.validation.compare import input_reports, layer_report, output_lsbs, output_report, rewriting_notes
from qconvert.validation.detailing import details_of
from qconvert.validation.floats import float_reports, why_no_layers
from qconvert.validation.given import is_what_converts
from qconvert.validation.layers import Layer, proof_of, split_layers, tagged
from qconvert.validation.limits import (
    FamilyLimit,
    failure_of,
    float_limit,
    input_failure,
    is_close,
    kernel_limit,
    limit_for,
    litert_limit,
    relative_failure,
    rounds,
    unjudged,
)
from qconvert.validation.measuring import Measured, measure
from qconvert.validation.report import (
    SCHEMA,
    Engine,
    FloatError,
    FloatReport,
    LayerReport,
    ModelFile,
    OutputReport,
    Reference,
)
from qconvert.validation.result import Report
from qconvert.validation.rewritten import with_rewritten
from qconvert.validation.runs import ReferenceRun, reference_of, run_reference
from qconvert.validation.samples import InOrder, Sample, arguments, drawn_samples, given_samples
from qconvert.validation.steps import Steps

__all__ = ["Settings", "chosen", "prepared", "validate"]

_BLOCK_BYTES = 1 << 25
"""The size of the tensors of the samples that are compared at once; they are held a few times."""


def chosen(to: Format | None, engine: EngineName | None, given: Format | None) -> tuple[Format, EngineName]:
    """Return the target and the engine of a validation: the requested ones, else those of the given file's format.

    Without a file the target follows from the engine, and the engine is ``reference``. An engine that is not installed
    is not chosen for a file. Raises UsageError for a file of a format that is not written.
    """
    target = to or given or (DEFAULT if engine is None else engine_format(engine))
    if engine is not None:
        return target, engine
    own = FORMATS[target].own_engine
    return target, own if given is not None and engine_info(own).version else EngineName.REFERENCE


def validate(
    model: Model | str | Path,
    converted: Model | str | Path | None = None,
    *,
    inputs: Mapping[str, NDArray[Any]] | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] = lambda _: None,
    notice: Callable[[str], None] = lambda _: None,
) -> Report:
    """Compare a model with its conversion, or with an already ``converted`` file.

    ``inputs`` are arrays as in an .npz file (see ``given_samples``); without them ``settings.samples`` are drawn.
    ``progress`` is called with the name of each step, ``notice`` with notes before slow work. Layers are compared in
    isolation: each is fed the reference's own integers. Raises UsageError or ConversionError if the comparison cannot
    be made, EngineError if a runtime refuses the whole model or dies.
    """
    return prepared(model, converted, inputs=inputs, settings=settings, progress=progress, notice=notice).report()


def prepared(
    model: Model | str | Path,
    converted: Model | str | Path | None = None,
    *,
    inputs: Mapping[str, NDArray[Any]] | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] = lambda _: None,
    notice: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Return the comparison of :func:`validate` before a sample is compared; raises its errors."""
    settings = settings or Settings()
    given = load(converted) if isinstance(converted, str | Path) else converted
    to, engine = chosen(settings.to, settings.engine, None if given is None else given.format)
    asked = FORMATS[to].checked_options(settings.options)
    require(engine)
    _check_given(given, to)
    loaded = model if isinstance(model, Model) else load(model)
    options = asked.following(loaded.opset)
    runtime = reference_of(loaded)
    require(runtime.engine)
    progress("converting")
    own = convert(loaded, to, options)
    numbers, samples = _samples(inputs, arguments(own.fused, loaded.input_names), settings)
    split = split_layers(own.fused, loaded.input_names, loaded.op_types)
    nothing = ReferenceRun([], [])
    shows_layers = given is None or is_what_converts(given, own)
    steps = Steps(progress, len(numbers))
    case = Case(to, engine, loaded, own, given, shows_layers, split, [], nothing, settings, options, steps)
    slow = estimate(engine, own.fused, len(numbers), settings.timeout)
    if slow is not None:
        notice(slow)
    tensors = [name for name, _ in tagged(own.fused)]
    return Comparison(case, steps, numbers, samples, tensors, is_drawn=inputs is None)


def _samples(
    inputs: Mapping[str, NDArray[Any]] | None, ports: Mapping[str, BlockArgument], settings: Settings
) -> tuple[range, Callable[[range], list[Sample]]]:
    """Return the numbers of the samples to compare, and a function that gives samples by their numbers.

    Raises UsageError where the given ones are fewer than ``settings.part`` needs.
    """
    part = settings.part
    if inputs is None:
        return part or range(settings.samples), InOrder(partial(drawn_samples, ports, settings.seed))
    found = given_samples(inputs, ports)
    if part is not None and part.stop > len(found):
        raise UsageError(f"the file has {counted(len(found), 'sample')}, {part.stop} are needed")
    return part or range(len(found)), lambda numbers: found[numbers.start : numbers.stop]


@dataclass(frozen=True)
class Comparison:
    """A validation whose samples are still to be compared, a block at a time.

    The blocks follow from the model alone, so that the figures are the same whichever process compares which block.
    """

    case: Case
    steps: Steps
    numbers: range
    samples: Callable[[range], list[Sample]]
    tensors: list[str]
    is_drawn: bool

    @cached_property
    def blocks(self) -> list[range]:
        """The numbers of the samples of each block."""
        size = max(1, _BLOCK_BYTES // _sample_bytes(self.case))
        return [self.numbers[start : start + size] for start in range(0, len(self.numbers), size)]

    def measured(self, block: range) -> Measured:
        """Compare the samples of a block. Raises EngineError if a runtime refuses the whole model or dies."""
        case, samples = self.case, self.samples(block)
        case.progress(f"running {reference_of(case.model).engine}")
        reference = run_reference(case.model, samples, self.tensors, case.limits)
        return measure(replace(case, samples=samples, reference=reference))

    def report(
        self, share: Callable[[Sequence[range]], Iterable[Measured]] | None = None, processes: int = 1
    ) -> Report:
        """Compare all samples and judge them. Raises EngineError as :meth:`measured` does.

        ``share`` gives what is measured on each of several blocks, in their order, by several ``processes``.
        """
        is_shared = share is not None and len(self.blocks) > 1
        self.steps.begin(min(processes, len(self.blocks)) if is_shared else 1)
        found = share(self.blocks) if share is not None and is_shared else map(self.measured, self.blocks)
        return _judged(self.case, reduce(operator.add, map(self.steps.counted, found)), self.is_drawn)


def _judged(case: Case, measured: Measured, is_drawn: bool) -> Report:
    """Judge what was measured on all samples."""
    outputs, output_failures, rewritten = _outputs(case, measured)
    layers, layer_failures, notes = _layers(case, measured)
    floats, more = ((), ()) if layers or layer_failures or notes else _floats(case, measured)
    notes = (*notes, *more, *rewritten)
    if _is_weight_only(case):
        notes = (*notes, _WEIGHT_ONLY)
    if case.settings.bisect:
        found = bisect_notes(measured.first, layers)
        notes = (*notes, *(found if case.shows_layers else (f"in a new conversion: {note}" for note in found)))
    failures = (*output_failures, *layer_failures)
    report = _report(case, measured.samples, is_drawn, outputs, layers, floats, failures, notes)
    return replace(report, details=details_of(case, measured))


def _sample_bytes(case: Case) -> int:
    """Return the size of the tensors of one sample: inputs, outputs and what the reference is asked for."""
    block = main_function(case.converted.fused).body.block
    returned = block.last_op.operands if block.last_op is not None else ()
    values = (*block.args, *returned, *(value for _, value in tagged(case.converted.fused)))
    types = [tensor(value) for value in values]
    return sum(type.element_count() * numpy_dtype(type.element_type).itemsize for type in types) or 1


def _check_given(given: Model | None, to: Format) -> None:
    """Raise UsageError if the given file's format is not the target."""
    if given is not None and given.format is not to and not (FORMATS[given.format].is_mlir and FORMATS[to].is_mlir):
        raise UsageError(f"{given.file} is {given.format}, not {to}")


def _outputs(case: Case, measured: Measured) -> tuple[tuple[OutputReport, ...], list[str], tuple[str, ...]]:
    reports, failures = [], []
    limits, names = case.settings.limits, case.model.output_names
    by_default = limits.max_rel is None and not rounds(case.converted.fused) and _computes_hybrids_alike(case)
    lsbs = output_lsbs(case.converted.fused)
    for name, lsb, output in zip(names, lsbs, measured.outputs, strict=True):
        report, disagreements = output_report(name, output, lsb)
        reports.append(report)
        failures += limits.failures(report)
        default = float_limit(report) if by_default else None
        failures += filter(None, [relative_failure(report, default)])
        if default is None and case.given is not None and case.is_judged_by_outputs and not is_close(report):
            failures += [unjudged(report), *measured.given]
        if disagreements:
            failures.append(f"output '{name}': the best class differs on {disagreements} samples where both are sure")
    if isinstance(measured.shares, EngineError):
        return tuple(reports), [*failures, f"with {case.target.rewriting}: {measured.shares}"], ()
    return tuple(reports), failures, rewriting_notes(names, measured.shares, case.target.rewriting)


def _computes_hybrids_alike(case: Case) -> bool:
    """Return True unless the program that is run lacks ops whose activations LiteRT quantizes at run time."""
    keeps = case.engine is EngineName.REFERENCE and case.target.keeps_hybrid
    return keeps or not any(map(is_hybrid_of_litert, case.converted.fused.walk()))


def _is_weight_only(case: Case) -> bool:
    """Return True if activations that LiteRT quantizes at run time stay floats in the program that is run."""
    return not case.target.expresses_hybrid and not _computes_hybrids_alike(case)


_WEIGHT_ONLY = "LiteRT quantizes float activations at run time, the conversion does not: the outputs' distance is that"


def _layers(case: Case, measured: Measured) -> tuple[tuple[LayerReport, ...], list[str], tuple[str, ...]]:
    """Judge the layers that were compared; none if a given file differs from a new conversion."""
    if case.given is not None and not case.shows_layers:
        what = f"{case.given.file} is not what converting {case.model.file} to {case.to} with these options gives now"
        return (), [], (f"{what}: its layers are not compared. Give --to and the options that it was made with",)
    layers = [layer for layer in case.split if layer.tensor in measured.layers]
    reports, failures = [], []
    for layer in layers:
        op_type = case.model.op_types.get(layer.node, "")
        found = measured.layers[layer.tensor]
        if isinstance(found, EngineError):
            failures.append(f"layer '{layer.node}' ({op_type}): {found}")
            continue
        report = layer_report(layer, op_type, found)
        proof, limit = proof_of(layer, case.converted.proofs), _limit(case, layer, report.float_error)
        report = replace(report, proof=proof.proof, bound=proof.bound, measured=proof.measured, needed=limit.exact)
        reports.append(report)
        failures += filter(None, [failure_of(report, limit)])
    if measured.rewritten:
        reports, more = with_rewritten(reports, layers, measured.rewritten, case.target.rewriting)
        failures += more
    missing = len(case.split) - len(layers) if layers else 0
    note = f"{counted(missing, 'layer')} not compared: the reference does not have the tensors by name"
    return tuple(reports), failures, (note,) if missing else ()


def _floats(case: Case, measured: Measured) -> tuple[tuple[FloatReport, ...], tuple[str, ...]]:
    """Return the reports on the floats of each node of a model without layers; also notes."""
    reason, found = why_no_layers(case.converted.fused, has_layers=bool(case.split)), measured.floats
    if found is None:
        return (), (reason,)
    if isinstance(found, EngineError):
        return (), (f"{reason}. Nor can the floats of its nodes be compared: {found}",)
    tensors = {node: case.model.node_tensors.get(node, node) for node in found}
    reports = float_reports(found, tensors, case.model.op_types)
    return reports, (f"{reason}. {_INSTEAD}" if reports else reason,)


_INSTEAD = "The floats of each node are compared instead, from the inputs on, without a limit"


def _limit(case: Case, layer: Layer, error: FloatError | None) -> FamilyLimit:
    if case.is_of_litert:
        return litert_limit(layer.family, layer.bits, case.target)
    if case.engine is EngineName.LITERT:
        return kernel_limit(layer)
    return limit_for(layer.family, layer.bits, error)


def _report(
    case: Case,
    samples: int,
    drawn: bool,
    outputs: tuple[OutputReport, ...],
    layers: tuple[LayerReport, ...],
    floats: tuple[FloatReport, ...],
    failures: Sequence[str],
    notes: tuple[str, ...],
) -> Report:
    settings, runtime = case.settings, reference_of(case.model)
    bits = {layer.tensor: layer.bits for layer in case.split}
    inputs = () if case.options.quantizes_edges else input_reports(layers, case.model.input_names, bits)
    if case.target.exact_inputs:
        failures = [*failures, *filter(None, map(input_failure, inputs))]
    return Report(
        schema=SCHEMA,
        qconvert=installed_version(),
        model=ModelFile(case.model.file, case.model.sha256),
        reference=Reference(runtime.engine, require(runtime.engine).version or "", runtime.optimisation),
        engine=Engine(case.engine, require(case.engine).version or ""),
        to=case.to,
        samples=samples,
        seed=settings.seed if drawn else None,
        limits=settings.limits.given(),
        outputs=outputs,
        layers=layers,
        inputs=inputs,
        floats=floats,
        passed=not failures,
        failures=tuple(failures),
        notes=notes,
    )
