"""``validate``: compare a conversion with its source, end to end and layer by layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from xdsl.ir import BlockArgument

from qconvert.api import Converted, Model, convert, load
from qconvert.api.macs import estimate, run_limits
from qconvert.backends.base import WriteOptions
from qconvert.engines.base import EngineName, engine_info, require
from qconvert.engines.limits import Limits as EngineLimits
from qconvert.engines.modules import Results
from qconvert.expansion.registry import is_hybrid_of_litert
from qconvert.formats import DEFAULT, FORMATS, Format, ModelFormat, engine_format
from qconvert.support.counting import counted
from qconvert.support.errors import EngineError, UsageError
from qconvert.support.version import installed_version
from qconvert.validation.bisect import bisect_notes, first_difference, return_values, with_inner_results
from qconvert.validation.compare import (
    compare_layer,
    compare_output,
    input_reports,
    layer_inputs,
    output_lsbs,
    rewriting_notes,
)
from qconvert.validation.floats import compare_floats, float_values, why_no_layers
from qconvert.validation.given import first_layer_that_differs, is_what_converts, program_of
from qconvert.validation.layers import Layer, proof_of, split_layers, tagged
from qconvert.validation.limits import (
    FamilyLimit,
    Limits,
    failure_of,
    float_limit,
    input_failure,
    kernel_limit,
    layer_of_given,
    limit_for,
    litert_limit,
    relative_failure,
    rounds,
    unjudged,
)
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
from qconvert.validation.runs import (
    ReferenceRun,
    Task,
    interpret_given,
    reference_of,
    run_given,
    run_modules,
    run_reference,
    run_rewritten,
)
from qconvert.validation.samples import Sample, arguments, given_samples, random_samples


@dataclass(frozen=True)
class Settings:
    """The settings of a validation: the target and its options (None: its defaults), the engine, samples and limits.

    ``timeout`` is the limit in seconds for each run of the whole model and of a layer in an engine, by default 600.
    A target or an engine that is None is chosen by :func:`chosen`. ``bisect`` adds notes on where the conversion starts
    to differ. ``part`` selects samples by their numbers; by default all given ones are compared, or ``samples`` random
    ones.
    """

    to: Format | None = None
    engine: EngineName | None = None
    options: WriteOptions | None = None
    samples: int = 16
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    bisect: bool = False
    timeout: float | None = None
    part: range | None = None

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0 < self.timeout < math.inf:
            raise UsageError(f"the time limit is {self.timeout} s, it must be above 0")


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


@dataclass(frozen=True)
class _Case:
    """The data of one validation."""

    to: Format
    engine: EngineName
    model: Model
    converted: Converted
    given: Model | None
    split: tuple[Layer, ...]
    samples: list[Sample]
    reference: ReferenceRun
    settings: Settings
    options: WriteOptions
    progress: Callable[[str], None]

    @property
    def limits(self) -> EngineLimits:
        """Return the limits of the engines."""
        return run_limits(self.settings.timeout)

    @cached_property
    def shows_layers(self) -> bool:
        """False for a given file that differs from a new conversion."""
        return self.given is None or is_what_converts(self.given, self.converted)

    @property
    def is_judged_by_outputs(self) -> bool:
        """Return True if neither layers nor limits judge the outputs."""
        return not self.shows_layers and not self.settings.limits.given()

    @property
    def target(self) -> ModelFormat:
        """Return the format of the conversion."""
        return FORMATS[self.to]


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
    ports = arguments(own.fused, loaded.input_names)
    samples = _samples(inputs, ports, settings)
    slow = estimate(engine, own.fused, len(samples), settings.timeout)
    if slow is not None:
        notice(slow)
    progress(f"running {runtime.engine}")
    split = split_layers(own.fused, loaded.input_names, loaded.op_types)
    tensors = [name for name, _ in tagged(own.fused)]
    reference = run_reference(loaded, samples, tensors, run_limits(settings.timeout))
    case = _Case(to, engine, loaded, own, given, split, samples, reference, settings, options, progress)
    progress(f"running {engine}")
    outputs, output_failures, rewritten = _outputs(case)
    progress("comparing layers")
    layers, layer_failures, notes = _layers(case)
    floats, more = ((), ()) if layers or layer_failures or notes else _floats(case)
    notes = (*notes, *more, *rewritten)
    if _is_weight_only(case):
        notes = (*notes, _WEIGHT_ONLY)
    if settings.bisect:
        progress("looking for the first difference")
        notes = (*notes, *_bisect(case, layers))
    return _report(case, inputs is None, outputs, layers, floats, (*output_failures, *layer_failures), notes)


def _samples(
    inputs: Mapping[str, NDArray[Any]] | None, ports: Mapping[str, BlockArgument], settings: Settings
) -> list[Sample]:
    """Return the samples to compare; raises UsageError where the given ones are fewer than ``settings.part`` needs."""
    part = settings.part
    if inputs is None:
        part = part or range(settings.samples)
        return random_samples(ports, part.stop, settings.seed, part.start)
    found = given_samples(inputs, ports)
    if part is not None and part.stop > len(found):
        raise UsageError(f"the file has {counted(len(found), 'sample')}, {part.stop} are needed")
    return found if part is None else found[part.start : part.stop]


def _check_given(given: Model | None, to: Format) -> None:
    """Raise UsageError if the given file's format is not the target."""
    if given is not None and given.format is not to and not (FORMATS[given.format].is_mlir and FORMATS[to].is_mlir):
        raise UsageError(f"{given.file} is {given.format}, not {to}")


def _outputs(case: _Case) -> tuple[tuple[OutputReport, ...], list[str], tuple[str, ...]]:
    ordered = [[sample[name] for name in case.model.input_names] for sample in case.samples]
    results = _whole_model(case, ordered)
    if isinstance(results, EngineError):
        raise results
    _check_shapes(case, results)
    reports, failures = [], []
    limits = case.settings.limits
    by_default = limits.max_rel is None and not rounds(case.converted.fused) and _computes_hybrids_alike(case)
    for i, (name, lsb) in enumerate(zip(case.model.output_names, output_lsbs(case.converted.fused), strict=True)):
        report, disagreements = compare_output(
            name,
            [run[name] for run in case.reference.tensors],
            [result[i] for result in results],
            [run[name] for run in case.reference.optimised if name in run],
            lsb,
        )
        reports.append(report)
        failures += limits.failures(report)
        default = float_limit(report) if by_default else None
        failures += filter(None, [relative_failure(report, default)])
        if case.given is not None and case.is_judged_by_outputs and default is None and report.exact < 1.0:
            failures += [unjudged(report), *_first_in_given(case, case.given)]
        if disagreements:
            failures.append(f"output '{name}': the best class differs on {disagreements} samples where both are sure")
    rewritten = _rewritten(case, ordered) if case.engine in case.target.rewriting_runs else results
    if isinstance(rewritten, EngineError):
        return tuple(reports), [*failures, f"with {case.target.rewriting}: {rewritten}"], ()
    what = case.target.rewriting
    return tuple(reports), failures, rewriting_notes(case.model.output_names, results, rewritten, what)


def _first_in_given(case: _Case, given: Model) -> list[str]:
    """Return a sentence on the first layer that a given file computes otherwise, if the names of nodes lead to one."""
    fused = case.converted.fused
    task = Task(fused, [[sample[name] for name in case.model.input_names] for sample in case.samples])
    run = partial(interpret_given, to=case.target, task=task, options=case.options)
    found = first_layer_that_differs(given.module, fused, case.split, run, case.reference.tensors)
    return [layer_of_given(layer, case.model.op_types.get(layer.node, ""), equal) for layer, equal in found]


def _rewritten(case: _Case, inputs: list[list[NDArray[Any]]]) -> Results | EngineError:
    program = program_of(case.converted) if case.given is None else case.given.program
    task = Task(case.converted.fused, inputs)
    return run_rewritten(program, case.engine, case.target, task, case.options, case.limits)


def _computes_hybrids_alike(case: _Case) -> bool:
    """Return True unless the program that is run lacks ops whose activations LiteRT quantizes at run time."""
    keeps = case.engine is EngineName.REFERENCE and case.target.keeps_hybrid
    return keeps or not any(map(is_hybrid_of_litert, case.converted.fused.walk()))


def _is_weight_only(case: _Case) -> bool:
    """Return True if activations that LiteRT quantizes at run time stay floats in the program that is run."""
    return not case.target.expresses_hybrid and not _computes_hybrids_alike(case)


_WEIGHT_ONLY = "LiteRT quantizes float activations at run time, the conversion does not: the outputs' distance is that"


def _check_shapes(case: _Case, results: list[list[NDArray[Any]]]) -> None:
    """Raise UsageError for results of other shapes: a given file may be the conversion of another model."""
    expected = [case.reference.tensors[0][name].shape for name in case.model.output_names]
    found = [result.shape for result in results[0]]
    if found != expected:
        file = case.model.file if case.given is None else case.given.file
        engine = reference_of(case.model).engine
        raise UsageError(f"{file} has outputs of shapes {found}, {engine}'s are {expected}")


def _whole_model(case: _Case, inputs: list[list[NDArray[Any]]]) -> list[list[NDArray[Any]]] | EngineError:
    """Return the conversion's results; a given file is run as it is."""
    engine, options = case.engine, case.options
    if case.given is None:
        return run_modules(engine, case.target, [Task(case.converted.fused, inputs)], options, limits=case.limits)[0]
    return run_given(case.given, engine, case.target, Task(case.converted.fused, inputs), options, case.limits)


def _layers(case: _Case) -> tuple[tuple[LayerReport, ...], list[str], tuple[str, ...]]:
    """Compare the layers whose tensors the reference has; none if a given file differs from a new conversion."""
    if case.given is not None and not case.shows_layers:
        found = f"{case.given.file} is not what converting {case.model.file} to {case.to} with these options gives now"
        return (), [], (f"{found}: its layers are not compared. Give --to and the options that it was made with",)
    known = {*case.reference.tensors[0], *case.samples[0]}
    layers = [layer for layer in case.split if known.issuperset((layer.tensor, *layer.inputs))]
    inputs = [layer_inputs(layer, case.samples, case.reference) for layer in layers]
    tasks = [Task(layer.module, arrays) for layer, arrays in zip(layers, inputs, strict=True)]

    def begun(number: int) -> None:
        case.progress(f"comparing layers: {number} of {len(tasks)}, '{layers[number - 1].node}'")

    answers = run_modules(case.engine, case.target, tasks, case.options, limits=case.limits, begun=begun)
    reports, failures = [], []
    for layer, arrays, answer in zip(layers, inputs, answers, strict=True):
        op_type = case.model.op_types.get(layer.node, "")
        if isinstance(answer, EngineError):
            failures.append(f"layer '{layer.node}' ({op_type}): {answer}")
            continue
        report = compare_layer(layer, op_type, arrays, answer, case.reference)
        proof, limit = proof_of(layer, case.converted.proofs), _limit(case, layer, report.float_error)
        report = replace(report, proof=proof.proof, bound=proof.bound, measured=proof.measured, needed=limit.exact)
        reports.append(report)
        failures += filter(None, [failure_of(report, limit)])
    if case.target.compares_rewritten_layers and not FORMATS[case.model.format].follows_litert:
        answers = run_modules(case.engine, case.target, tasks, case.options, limits=case.limits, rewriting=True)
        reports, more = with_rewritten(reports, layers, answers, case.reference, case.target.rewriting)
        failures += more
    missing = len(case.split) - len(layers) if layers else 0
    note = f"{counted(missing, 'layer')} not compared: the reference does not have the tensors by name"
    return tuple(reports), failures, (note,) if missing else ()


def _floats(case: _Case) -> tuple[tuple[FloatReport, ...], tuple[str, ...]]:
    """Compare the floats of each node of a model without layers; also return notes."""
    copy = case.converted.fused.clone()
    reason = why_no_layers(copy, has_layers=bool(case.split))
    values = float_values(copy, case.model.op_types)
    if not values:
        return (), (reason,)
    return_values(copy, values)
    tensors = {node: case.model.node_tensors.get(node, node) for node in values}
    inputs = [[sample[name] for name in case.model.input_names] for sample in case.samples]
    try:
        reference = run_reference(case.model, case.samples, list(tensors.values()), case.limits).tensors
        [results] = run_modules(case.engine, case.target, [Task(copy, inputs)], case.options, limits=case.limits)
        if isinstance(results, EngineError):
            raise results
    except EngineError as error:
        return (), (f"{reason}. Nor can the floats of its nodes be compared: {error}",)
    reports = compare_floats(tensors, case.model.op_types, results, reference)
    return reports, (f"{reason}. {_INSTEAD}" if reports else reason,)


_INSTEAD = "The floats of each node are compared instead, from the inputs on, without a limit"


def _limit(case: _Case, layer: Layer, error: FloatError | None) -> FamilyLimit:
    if FORMATS[case.model.format].follows_litert:
        return litert_limit(layer.family, layer.bits, case.target)
    if case.engine is EngineName.LITERT:
        return kernel_limit(layer)
    return limit_for(layer.family, layer.bits, error)


def _bisect(case: _Case, layers: Sequence[LayerReport]) -> tuple[str, ...]:
    module, names = with_inner_results(case.converted.fused)
    inputs = [[sample[name] for name in case.model.input_names] for sample in case.samples]
    results = run_modules(case.engine, case.target, [Task(module, inputs)], case.options, limits=case.limits)[0]
    if isinstance(results, EngineError):
        raise results
    notes = bisect_notes(first_difference(names, results, case.reference.tensors), layers)
    return notes if case.shows_layers else tuple(f"in a new conversion: {note}" for note in notes)


def _report(
    case: _Case,
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
        samples=len(case.samples),
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
