"""The comparison of a block of samples, as measures that are added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from qconvert.engines.modules import Results
from qconvert.support.arrays import Array
from qconvert.support.errors import EngineError, UsageError
from qconvert.validation.case import Case
from qconvert.validation.figures.measures import CutMeasure, Differences, LayerMeasure, OutputMeasure, added
from qconvert.validation.figures.report import SharesRight
from qconvert.validation.layers import Layer
from qconvert.validation.limits.bisect import first_difference, return_values
from qconvert.validation.limits.undefined import left_out
from qconvert.validation.measuring.floats import float_values, is_of_floats, measure_floats, measure_node
from qconvert.validation.measuring.outputs_and_layers import (
    equal_shares,
    layer_differences,
    layer_inputs,
    measure_layer,
    measure_output,
    output_lsbs,
)
from qconvert.validation.reference import Chosen, run_runtime
from qconvert.validation.runs import run_file, run_module
from qconvert.validation.segments import Segments, segments_of


@dataclass(frozen=True)
class Measured:
    """The measurements on some samples; an error of an engine takes the place of what it was asked for.

    ``shares`` has what :func:`~qconvert.validation.measuring.outputs_and_layers.equal_shares` tells of the engine's
    rewriting of the whole model, ``rewritten`` the layers in the engine's other kernels by tensor, like ``layers``.
    ``uncut`` says why the layers of a given file are not compared. ``floats`` are the differences of each node of a
    model without layers, None if none were measured. ``reference`` is the reference of all samples. ``first`` is the
    first tensor that differs from it, by its place among all. ``right`` is given for labelled samples.
    """

    samples: int
    reference: Chosen
    outputs: tuple[OutputMeasure, ...]
    shares: tuple[tuple[float, ...], ...] | EngineError
    layers: Mapping[str, LayerMeasure | EngineError]
    rewritten: Mapping[str, Differences | EngineError]
    cut: CutMeasure | None = None
    uncut: str = ""
    floats: Mapping[str, Differences] | EngineError | None = None
    first: str | None = None
    names: tuple[str, ...] = field(default=(), repr=False)
    right: SharesRight | None = None

    def __add__(self, other: Measured) -> Measured:
        return Measured(
            self.samples + other.samples,
            _with_notes(self.reference, other.reference),
            tuple(a + b for a, b in zip(self.outputs, other.outputs, strict=True)),
            added(self.shares, other.shares),
            added(self.layers, other.layers),
            added(self.rewritten, other.rewritten),
            added(self.cut, other.cut),
            self.uncut or other.uncut,
            added(self.floats, other.floats),
            min(filter(None, (self.first, other.first)), key=self.names.index, default=None),
            self.names,
            added(self.right, other.right),
        )


def _with_notes(first: Chosen, second: Chosen) -> Chosen:
    """Return a reference with the notes of another run, too."""
    return first._replace(
        notes=tuple(dict.fromkeys((*first.notes, *second.notes))),
        optimised_notes=tuple(dict.fromkeys((*first.optimised_notes, *second.optimised_notes))),
    )


def measure(case: Case, cut: Segments | str) -> Measured:
    """Compare a block of samples with the file, whole and in segments, or why it has none.

    Raises EngineError if a runtime refuses the whole model or dies.
    """
    case.progress(f"running {case.engine}")
    results = _whole_model(case)
    if isinstance(results, EngineError):
        raise results
    _check_shapes(case, results)
    outputs = _outputs(case, results)
    rewritten = _whole_model(case, rewriting=True) if case.engine in case.target.rewriting_runs else results
    shares = rewritten if isinstance(rewritten, EngineError) else equal_shares(results, rewritten)
    segments, uncut = (None, cut) if isinstance(cut, str) else (cut, "")
    case.progress("comparing layers")
    in_floats = is_of_floats(case.split)
    layers, other_kernels = _layers(case, segments) if segments and not in_floats else ({}, {})
    floats = None
    if segments and not layers:
        floats = _nodes(case, segments) if in_floats else _floats(case)
    names, first = _bisected(case, segments) if case.settings.bisect else ((), None)
    return Measured(
        len(case.samples),
        _with_notes(case.reference.by, Chosen(case.engine, "", tuple(case.file.notes))),
        outputs,
        shares,
        layers,
        other_kernels,
        _cut(case, segments) if segments else None,
        uncut,
        floats,
        first,
        names,
        _right(case, results),
    )


def _outputs(case: Case, results: Results) -> tuple[OutputMeasure, ...]:
    names, lsbs = case.model.output_names, output_lsbs(case.converted.fused)
    wanted = [[run[name] for name in names] for run in case.reference.tensors]
    skipped = left_out(case.converted.fused, case.inputs, wanted)

    def measured(i: int) -> OutputMeasure:
        found, masks = [result[i] for result in results], [each.masks[i] for each in skipped]
        optimised = [run[names[i]] for run in case.reference.optimised if names[i] in run]
        expected, classes = [run[i] for run in wanted], case.classes.get(names[i])
        measure = measure_output(expected, found, optimised, lsbs[i], masks, classes)
        why = next((each.why for each in skipped if each.masks[i].any()), "")
        return replace(measure, why=why)

    return tuple(map(measured, range(len(names))))


def _right(case: Case, results: Results) -> SharesRight | None:
    """Return how many labelled samples the reference and the file classify right, None without labels."""
    if case.labels is None:
        return None
    name = case.labels.output
    place = case.model.output_names.index(name)
    wanted, found = [run[name] for run in case.reference.tensors], [row[place] for row in results]
    return case.labels.right(case.start, wanted, found)


def _check_shapes(case: Case, results: Results) -> None:
    """Raise UsageError for results of other shapes: a given file may be the conversion of another model."""
    expected = [case.reference.tensors[0][name].shape for name in case.model.output_names]
    found = [result.shape for result in results[0]]
    if found != expected:
        raise UsageError(f"{case.file.file} has outputs of shapes {found}, {case.reference.by.engine}'s are {expected}")


def _whole_model(case: Case, *, rewriting: bool = False) -> Results | EngineError:
    """Return the results of the file, with ``rewriting`` by the engine's default settings."""
    return run_file(case.file, case.engine, case.target, case.inputs, case.ports, case.limits, rewriting=rewriting)


def _layers(
    case: Case, segments: Segments
) -> tuple[dict[str, LayerMeasure | EngineError], dict[str, Differences | EngineError]]:
    """Measure the layers inside the file, and those in an engine's other kernels."""
    layers, reference = segments.layers, case.reference

    def measured(layer: Layer, answer: Results | EngineError) -> LayerMeasure | EngineError:
        if isinstance(answer, EngineError):
            return answer
        arrays = layer_inputs(layer, case.samples, reference)
        return measure_layer(layer, case.tie_counter(layer), arrays, answer, reference, details=case.settings.details)

    answers = segments.answers(case)
    found = {layer.tensor: measured(layer, answer) for layer, answer in zip(layers, answers, strict=True)}
    rewrites = case.target.compares_rewritten_layers and case.engine in case.target.rewriting_runs
    if not rewrites or case.is_of_litert:
        return found, {}
    others = zip(layers, segments.answers(case, rewriting=True), strict=True)
    return found, {
        layer.tensor: answer if isinstance(answer, EngineError) else layer_differences(layer, answer, reference)
        for layer, answer in others
    }


def _cut(case: Case, segments: Segments) -> CutMeasure:
    """Return the ops of the file, and the outputs computed from the reference's integers in front of them."""
    results, runs = segments.outputs(case), case.reference.tensors
    heads: dict[str, Differences] | EngineError
    if isinstance(results, EngineError):
        heads = results
    else:
        names = enumerate(case.model.output_names)
        pairs = {name: [(run[name], row[i]) for run, row in zip(runs, results, strict=True)] for i, name in names}
        heads = {name: sum((Differences.of(*pair) for pair in each), Differences()) for name, each in pairs.items()}
    merged = len(case.layers) - len(segments.layers)
    unknown = len(case.split) - len(case.layers)
    stated = segments.stated(case) if case.settings.details else {}
    return CutMeasure(len(segments.program.ops), segments.unjudged, heads, segments.reads, merged, unknown, stated)


def _nodes(case: Case, segments: Segments) -> dict[str, Differences] | EngineError:
    """Measure the floats of each node inside the file, from the reference's floats at its inputs."""
    found: dict[str, Differences] = {}
    for layer, answer in zip(segments.layers, segments.answers(case), strict=True):
        if isinstance(answer, EngineError):
            return answer
        wanted = [run[layer.tensor] for run in case.reference.tensors]
        found[layer.tensor] = measure_node(layer, layer_inputs(layer, case.samples, case.reference), wanted, answer)
    return found


def _floats(case: Case) -> dict[str, Differences] | EngineError | None:
    """Compare the floats of each node of a model without layers; None if there are none."""
    copy = case.converted.fused.clone()
    values = float_values(copy, case.model.op_types)
    if not values:
        return None
    return_values(copy, values)
    tensors = {node: case.model.node_tensors.get(node, node) for node in values}
    try:
        reference = run_runtime(case.model, case.samples, list(tensors.values()), case.limits).tensors
        results = run_module(case.engine, case.target, copy, case.inputs, case.options, case.limits)
    except EngineError as error:
        return error
    return results if isinstance(results, EngineError) else measure_floats(tensors, results, reference)


def inner_values(case: Case) -> dict[str, list[Array]] | EngineError:
    """Return the quantized tensors of the source that the file holds, from end to end, one array for each sample."""
    return segments_of(case).inner_values(case)


def _bisected(case: Case, segments: Segments | None) -> tuple[tuple[str, ...], str | None]:
    """Return the names of all tensors, and the first that differs."""
    case.progress("looking for the first difference")
    found = segments.inner_values(case) if segments else inner_values(case)
    if isinstance(found, EngineError):
        raise found
    return tuple(found), first_difference(found, case.reference.tensors)
