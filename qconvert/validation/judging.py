"""The verdict on what was measured: outputs, layers and the whole network against their limits, as a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from qconvert.engines.base import require
from qconvert.interpreter.core import returned
from qconvert.ir import element_type, numpy_dtype
from qconvert.support.counting import counted
from qconvert.support.errors import EngineError
from qconvert.support.version import installed_version
from qconvert.validation.case import Case
from qconvert.validation.figures.metrics import finite
from qconvert.validation.figures.report import (
    SCHEMA,
    Engine,
    LayerReport,
    ModelFile,
    OutputReport,
    ValueReport,
    WholeOutput,
)
from qconvert.validation.layers import Family, Layer, is_merged, passes_on, proof_of
from qconvert.validation.limits.bisect import bisect_notes
from qconvert.validation.limits.limits import (
    cut_failures,
    differing,
    disagreement,
    failure_of,
    float_limit,
    float_tolerance,
    input_failure,
    relative_failure,
    rounds,
    told,
    unjudged,
)
from qconvert.validation.measuring.blocks import Measured, inner_values
from qconvert.validation.measuring.detailing import details_of
from qconvert.validation.measuring.floats import float_reports, is_of_floats, why_no_layers
from qconvert.validation.measuring.outputs_and_layers import (
    input_reports,
    layer_report,
    output_lsbs,
    output_report,
    rewriting_notes,
    undefined_failures,
    undefined_notes,
)
from qconvert.validation.measuring.rewritten import with_rewritten
from qconvert.validation.parameters.findings import Finding
from qconvert.validation.reference import run_reference
from qconvert.validation.rendering.result import Report
from qconvert.validation.rendering.rows import accuracy_line
from qconvert.validation.sampling.samples import Sample
from qconvert.validation.segments import Segments, layers_in_file
from qconvert.validation.whole import verdict
from qconvert.validation.whole.verdict import Whole

_TRACED = 2
"""The number of samples on which the first value that departs is looked for."""


def judged(
    case: Case,
    measured: Measured,
    samples: Callable[[int], Sample],
    *,
    is_drawn: bool,
    segments: Segments | None = None,
) -> Report:
    """Judge what was measured on all samples; ``samples`` gives one by its place among them.

    ``segments`` are those of the file, if this process has cut it.
    """
    outputs, output_failures, rewritten = _outputs(case, measured)
    layers, layer_failures, merged_failures, notes = _layers(case, measured, samples)
    floats, more = (
        ((), ())
        if layers or (layer_failures and not is_of_floats(case.split)) or notes or measured.uncut
        else _floats(case, measured)
    )
    notes = (*_first_notes(case, measured), *notes, *more, *rewritten)
    if not case.computes_hybrids_alike:
        notes = (*notes, _WEIGHT_ONLY)
    if case.settings.bisect:
        found = bisect_notes(measured.first, layers)
        notes = (*notes, *(found if layers and not is_of_floats(case.split) else found[:1]))
    are_right = bool(layers) and not layer_failures and not merged_failures
    whole, whole_failures = _whole(case, measured, samples, layers, segments, are_right=are_right)
    if whole_failures:
        layers = tuple(replace(each, passed=each.passed and each.tensor not in merged_failures) for each in layers)
    merged = merged_failures.values() if whole_failures else ()
    inner = [*layer_failures, *merged, *whole_failures, *(_node_failures(case, measured) if output_failures else ())]
    other = _other_cause(case, layers) if output_failures or inner else None
    differs = [] if other is None else [_differs(other)]
    failures = (*differs, *output_failures, *inner)
    if case.is_judged_by_limits:
        failures, notes = tuple(output_failures), (*notes, *differs, *inner)
    if failures and not case.is_own and case.given is not None:
        what = f"{case.given.file} is not what converting {case.model.file} to {case.to} gives"
        notes = (f"{what}: its layers are judged", *notes)
    notes = (*notes, *measured.reference.optimised_notes)
    report = _report(case, measured, is_drawn, outputs, layers, floats, failures, notes)
    return replace(report, whole=whole, other_cause=other, details=details_of(case, measured))


def _first_notes(case: Case, measured: Measured) -> list[str]:
    """Return the notes on the samples and on the reference."""
    right = None if measured.right is None else accuracy_line(measured.right)
    undefined = undefined_notes(case.model.output_names, measured.outputs)
    return [*filter(None, [measured.uncut, *case.notes, right, *measured.reference.notes]), *undefined]


def _other_cause(case: Case, layers: Sequence[LayerReport]) -> Finding | None:
    """Return the first parameter that differs where no layer that fails is its own, None without one.

    Other operators count only inside a layer that fails, which the file computes together with those in front of it,
    and behind all layers if none fails. Nodes of floats have sentences with their parameters.
    """
    if is_of_floats(case.split):
        return None
    own = {layer.tensor: {layer.tensor, *layer.nodes} for layer in case.split}
    failing = [layer for layer in layers if not layer.passed]
    inside = {node for layer in failing for node in layer.nodes}.difference(*(own[layer.tensor] for layer in failing))
    names = {name for layer in failing for name in own[layer.tensor]}
    all_own = {name for names in own.values() for name in names}
    known = [
        each
        for each in case.parameters
        if not each.is_form or each.is_of(inside) or not (failing or each.is_of(all_own))
    ]
    return None if any(each.is_of(names) for each in known) else next(iter(known), None)


def _differs(finding: Finding) -> str:
    """Return the sentence that names the layer of a parameter that differs."""
    return f"layer '{finding.name}' ({finding.op}): {finding.parameter}, source against file: {finding.text}"


def _whole(
    case: Case,
    measured: Measured,
    samples: Callable[[int], Sample],
    layers: Sequence[LayerReport],
    segments: Segments | None,
    *,
    are_right: bool,
) -> tuple[tuple[WholeOutput, ...], list[str]]:
    """Judge the network from end to end; ``are_right``: all layers are."""
    if not rounds(case.converted.fused):
        return (), []
    is_equal = all(output.found.equal == output.found.elements for output in measured.outputs)
    case.progress("running the network with moved integers")
    whole = _network(case, measured, samples, layers)
    if not is_equal:
        whole.measure()
    outputs = whole.outputs(measured.outputs)
    failures = [*filter(None, map(verdict.failure_of, outputs))]
    if failures and not measured.uncut:
        traced = [samples(place) for place in range(min(_TRACED, measured.samples))]
        failures.append(_composition(case, whole, traced, segments, are_right=are_right))
    return outputs, failures


def _network(
    case: Case, measured: Measured, samples: Callable[[int], Sample], layers: Sequence[LayerReport] = ()
) -> Whole:
    errors = {layer.tensor: layer.float_error for layer in layers}
    return Whole(case, lambda layer: case.limit_of(layer, errors.get(layer.tensor)), samples, measured.samples)


def _composition(case: Case, whole: Whole, samples: list[Sample], segments: Segments | None, *, are_right: bool) -> str:
    """Return a sentence on the first value of the file that departs from the reference."""
    names = [layer.tensor for layer in case.split]
    fused, asked = case.converted.fused, case.settings.reference
    reference = run_reference(case.model, fused, samples, names, case.limits, asked=asked)
    traced = replace(case, samples=samples, reference=reference)
    found = inner_values(traced) if segments is None else segments.inner_values(traced)
    first = None if isinstance(found, EngineError) else whole.departing(found, reference.tensors)
    what = "each layer is right, their composition is not" if are_right else "the network departs from its source"
    if first is None:
        return f"{what}: " + ("no value before the outputs departs" if found else "the file holds none of its tensors")
    layer = next((layer for layer in case.split if layer.tensor == first), None)
    where = f"tensor '{first}'" if layer is None else f"'{first}', of layer '{layer.node}'"
    return f"{what}: the first value that departs is {where}"


def _outputs(case: Case, measured: Measured) -> tuple[tuple[OutputReport, ...], list[str], tuple[str, ...]]:
    reports, failures = [], list[str]()
    limits, names = case.settings.limits, case.model.output_names
    by_default = limits.max_rel is None and not rounds(case.converted.fused) and case.computes_hybrids_alike
    lsbs = output_lsbs(case.converted.fused)
    for name, lsb, output in zip(names, lsbs, measured.outputs, strict=True):
        report, disagreements = output_report(name, output, lsb)
        reports.append(report)
        failures += undefined_failures(name, output)
        failures += limits.failures(report)
        default = float_limit(report) if by_default else None
        beyond = relative_failure(report, default)
        if beyond is not None:
            failures.append(beyond)
        if default is None and measured.uncut and not limits.given():
            failures += unjudged(report)
        if not rounds(case.converted.fused):
            failures += disagreement(report, disagreements)
    if isinstance(measured.shares, EngineError):
        if any(output.optimised is None for output in measured.outputs):
            note = f"with {case.target.rewriting}, neither the source nor the file runs"
            return tuple(reports), failures, (note,)
        return tuple(reports), [*failures, f"with {case.target.rewriting}: {measured.shares}"], ()
    return tuple(reports), failures, rewriting_notes(names, measured.shares, case.target.rewriting)


_WEIGHT_ONLY = "LiteRT quantizes float activations at run time, the conversion does not: the outputs' distance is that"


def _layers(
    case: Case, measured: Measured, samples: Callable[[int], Sample]
) -> tuple[tuple[LayerReport, ...], list[str], dict[str, str], tuple[str, ...]]:
    """Judge the layers that were compared, in a given file those that it has.

    The second failures are of layers that the file merges, by their tensors. What one of them rounds, the next ones
    amplify, so that the limit of a family does not hold for them: they count where the network misses its own limit.
    A layer of a given file whose parameters differ may differ in ties alone. The last are notes, also on layers that
    read integers which stand for other numbers in the file.
    """
    in_floats = is_of_floats(case.split)
    layers = layers_in_file(case, measured.cut.reads) if measured.cut is not None and not in_floats else ()
    reports, failures, merged, others = [], list[str](), dict[str, str](), dict[str, str]()
    for layer in layers:
        op_type = case.model.op_types.get(layer.node, "")
        found = measured.layers[layer.tensor]
        if isinstance(found, EngineError):
            failures.append(f"layer '{layer.node}' ({op_type}): {found}")
            continue
        report = layer_report(layer, op_type, found)
        proof, limit = proof_of(layer, case.converted.proofs), case.limit_of(layer, report.float_error)
        report = replace(report, proof=proof.proof, bound=proof.bound, measured=proof.measured, needed=limit.exact)
        causes, failure = _causes_of(layer, case.parameters), failure_of(report, limit)
        if failure is None and causes and report.exact_non_ties < 1.0:
            failure = differing(report)
        read = None if failure is None or causes else _read_otherwise(layer, layers, case.parameters)
        if failure is not None and read is not None:
            why = f"no fault of its own, as it reads the result of '{read.name}', whose {read.parameter} differs"
            others[layer.tensor] = f"{why}: {failure}"
            failure = None
        is_excused = is_merged(layer) and not causes
        if failure is not None and is_excused:
            merged[layer.tensor] = failure
        elif failure is not None:
            failures.append("; ".join([failure, *causes]))
        reports.append(replace(report, passed=failure is None or is_excused))
    if measured.rewritten:
        reports, more = with_rewritten(reports, layers, measured.rewritten, case.target.rewriting, others)
        failures += more
    if measured.cut is None:
        return tuple(reports), failures, merged, tuple(others.values())
    failures += cut_failures(
        measured.cut if case.is_own else replace(measured.cut, unjudged=()),
        are_floats_alike=bool(layers or in_floats) and case.computes_hybrids_alike,
        rounded=lambda: _network(case, measured, samples).of_rounded_floats(),
    )
    note = f"{counted(measured.cut.unknown, 'layer')} not compared: the reference does not have the tensors by name"
    return tuple(reports), failures, merged, (*others.values(), *((note,) if layers and measured.cut.unknown else ()))


def _read_otherwise(layer: Layer, layers: Sequence[Layer], parameters: Sequence[Finding]) -> Finding | None:
    """Return the scale or zero point that a file states otherwise for a tensor that a layer reads, None without one.

    The source's integers then stand for other numbers in the file, so that a layer without a fault of its own gives
    other integers. Layers that only move or convert elements pass on what they read.
    """
    makers, tensors = {each.tensor: each for each in layers}, list(layer.inputs)
    while tensors:
        maker = makers.get(tensors.pop())
        if maker is None:
            continue
        names = {*maker.nodes, maker.tensor}
        found = next((each for each in parameters if each.is_of_result and each.is_of(names)), None)
        if found is not None:
            return found
        if maker.family is Family.MOVEMENT or passes_on(maker):
            tensors += maker.inputs
    return None


def _causes_of(layer: Layer, parameters: Sequence[Finding]) -> list[str]:
    """Return what differs in the parameters of a layer, as sentences."""
    return [
        f"{each.parameter}, source against file: {each.text}"
        for each in parameters
        if each.is_of((*layer.nodes, layer.tensor))
    ]


def _floats(case: Case, measured: Measured) -> tuple[tuple[ValueReport, ...], tuple[str, ...]]:
    """Return the reports on the floats of each node of a model without layers; also notes."""
    in_floats = is_of_floats(case.split)
    reason = why_no_layers(case.converted.fused, has_layers=bool(case.split) and not in_floats)
    found = measured.floats
    if found is None:
        return (), (reason,)
    if isinstance(found, EngineError):
        return (), (f"{reason}. Nor can the floats of its nodes be compared: {found}",)
    if in_floats:
        nodes = {layer.tensor: layer.node for layer in case.split}
        tensors = {nodes[tensor]: tensor for tensor in found}
        limits = {layer.node: _node_limit(case, layer) for layer in case.split if case.computes_alike(layer.module)}
        found = {nodes[tensor]: differences for tensor, differences in found.items()}
    else:
        tensors, limits = {node: case.model.node_tensors.get(node, node) for node in found}, {}
    reports = float_reports(found, tensors, case.model.op_types, limits)
    return reports, (f"{reason}. {_IN_FILE if in_floats else _INSTEAD}" if reports else reason,)


_INSTEAD = "The floats of each node are compared instead, from the inputs on, without a limit"
_IN_FILE = "The floats of each node are compared instead, computed inside the file from the reference's"


def _node_failures(case: Case, measured: Measured) -> list[str]:
    """Name the nodes of a file with failing outputs whose floats differ by more than float arithmetic does.

    They do not fail alone: a difference of small values, relative to the largest of them, is none of the outputs.
    """
    if not is_of_floats(case.split) or measured.cut is None:
        return []
    if isinstance(measured.floats, EngineError):
        return [f"the floats of nodes in the file: {measured.floats}"]
    failures = []
    for layer in (each for each in layers_in_file(case, measured.cut.reads) if case.computes_alike(each.module)):
        found = (measured.floats or {}).get(layer.tensor)
        limit = _node_limit(case, layer)
        if found is not None and not found.relative <= limit:
            op_type, apart = case.model.op_types.get(layer.node, ""), finite(found.relative)
            differs = f"differs by {apart:.2g} of its largest value, the limit is {limit:.2g}"
            what = f"layer '{layer.node}' ({op_type}), computed from the reference's floats, {differs}"
            failures.append("; ".join([f"{what}{told(found.cause)}", *_causes_of(layer, case.parameters)]))
    return failures


def _node_limit(case: Case, layer: Layer) -> float:
    """Return the relative difference that a node's floats may have from the reference's."""
    given = case.settings.limits.max_rel
    return float_tolerance(str(numpy_dtype(element_type(returned(layer.module)[0])))) if given is None else given


def _report(
    case: Case,
    measured: Measured,
    drawn: bool,
    outputs: tuple[OutputReport, ...],
    layers: tuple[LayerReport, ...],
    values: tuple[ValueReport, ...],
    failures: Sequence[str],
    notes: tuple[str, ...],
) -> Report:
    settings, runtime = case.settings, measured.reference
    bits = {layer.tensor: layer.bits for layer in case.split}
    inputs = () if case.options.quantizes_edges else input_reports(layers, case.model.input_names, bits)
    if case.target.exact_inputs:
        failures = [*failures, *filter(None, map(input_failure, inputs))]
    return Report(
        schema=SCHEMA,
        qconvert=installed_version(),
        model=ModelFile(case.model.file, case.model.sha256),
        reference=Engine(runtime.engine, require(runtime.engine).version or "", runtime.setting),
        engine=Engine(case.engine, require(case.engine).version or "", why=case.runner.why),
        file="" if case.given is None else case.given.file,
        file_sha256="" if case.given is None else case.given.sha256,
        to=case.to,
        samples=measured.samples,
        seed=settings.seed if drawn else None,
        limits=settings.limits.given(),
        outputs=outputs,
        layers=layers,
        inputs=inputs,
        values=values,
        ops=None if measured.cut is None else measured.cut.report,
        accuracy=measured.right,
        parameters=case.parameters,
        passed=not failures,
        failures=tuple(failures),
        notes=notes,
    )
