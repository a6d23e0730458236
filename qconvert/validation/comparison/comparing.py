"""``compare``: run two models on the same inputs, and compare outputs and the layers that both have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

from qconvert.api import Model
from qconvert.support.arrays import Array
from qconvert.support.counting import counted
from qconvert.support.errors import EngineError, UsageError
from qconvert.support.version import installed_version
from qconvert.validation.comparison.inputs import InputPair, drawn_domains, fed, paired_inputs, ports
from qconvert.validation.comparison.judged import is_quantized, judge, judged_pair
from qconvert.validation.comparison.matching import matches, observed_values
from qconvert.validation.comparison.numbers import PairMeasure
from qconvert.validation.comparison.oracles import PIECEWISE, Arrays, Oracle
from qconvert.validation.comparison.pair import OutputPair, Pair, paired_outputs, told_classes
from qconvert.validation.comparison.settings import ComparisonSettings
from qconvert.validation.comparison.sides import Side, open_sides
from qconvert.validation.comparison.undefined_values import Undefined, settled
from qconvert.validation.comparison.value_details import details_of, grid_of
from qconvert.validation.comparison.value_verdicts import (
    higher_precision,
    lasting_noise,
    output_failures,
    place_of,
    value_report,
)
from qconvert.validation.comparison.values import observed
from qconvert.validation.figures.measures import OutputMeasure, added
from qconvert.validation.figures.report import SCHEMA, Place, SharesRight, ValueReport
from qconvert.validation.measuring.outputs_and_layers import output_report, undefined_failures, undefined_notes
from qconvert.validation.rendering.result import Report
from qconvert.validation.rendering.rows import accuracy_line
from qconvert.validation.runner import USUAL_SAMPLES
from qconvert.validation.sampling.labels import Labels, labels_of
from qconvert.validation.sampling.samples import Sample, clamped, drawn_samples, given_samples, guesses

_BLOCK_BYTES = 1 << 26
"""The size of the tensors of the samples that are compared at once."""

Progress: TypeAlias = Callable[[str], None]


def compare(
    first: Model | str | Path,
    second: Model | str | Path,
    *,
    inputs: Mapping[str, Array] | None = None,
    labels: Array | None = None,
    settings: ComparisonSettings | None = None,
    progress: Progress = lambda _: None,
) -> Report:
    """Compare two models of any formats that take the same inputs: outputs, and the layers that both have.

    One model is judged against the other as a conversion against its source: each layer alone, from the other model's
    tensors on. Where that cannot be (:func:`judged_pair`), the values of both are compared from the inputs on.

    ``inputs`` are arrays as in an .npz file, by the first model's names; without them samples are drawn over the
    ranges of the first model's inputs. ``labels`` has the class of each given sample. ``progress`` is called with the
    name of each step. Layers are matched by name, by shape and quantization, then by their numbers. Raises UsageError
    if inputs or outputs do not fit each other, ConversionError if a file cannot be read, EngineError if a runtime
    refuses a model.
    """
    settings = settings or ComparisonSettings()
    one, other = open_sides(first, second, (settings.reference, settings.engine), settings.dims)
    judged = None if settings.by_values else judged_pair(one, other, settings.reference, settings.engine)
    if judged is not None:
        return judge(judged, inputs, labels, settings, progress)
    if settings.bisect or settings.reduce is not None:
        raise UsageError(_UNJUDGED)
    for side in (one, other):
        if side.oracle in PIECEWISE:
            raise UsageError(f"{side.oracle} tells no inner values of {side.file}: compare it with the model it is of")
    return _by_values(one, other, inputs, labels, settings, progress)


_UNJUDGED = (
    "--bisect and --reduce run layers alone, which needs an ONNX or TFLite model whose ops can be imported, and its "
    "conversion: not a float original, two files of MLIR, optimised runs, or --by-values"
)


def _by_values(
    one: Side,
    other: Side,
    inputs: Mapping[str, Array] | None,
    labels: Array | None,
    settings: ComparisonSettings,
    progress: Progress,
) -> Report:
    """Compare the values that both models compute from their inputs on, which are matched by names and numbers."""
    pairs = paired_inputs(one, other)
    arguments = ports(one, other, pairs)
    given = None if inputs is None else given_samples(inputs, arguments)
    samples: Iterator[Sample]
    if given is None:
        known = drawn_domains(one, other, pairs, arguments)
        samples = islice(drawn_samples(arguments, settings.seed, known=known), settings.samples or USUAL_SAMPLES)
        notes = guesses(known)
    else:
        samples, notes = iter(given), clamped(given, arguments)
    pair, outputs, samples = _matched(one, other, pairs, samples, settings, progress)
    outputs, more = told_classes(one, other, outputs, settings.classes)
    right = _labels(labels, None if given is None else len(given), outputs, settings.classes)
    undefined = Undefined.of(pair.first)
    measured = _measured(pair, outputs, samples, right, settings, progress, undefined)
    report = _report(pair, outputs, measured, settings, undefined, drawn=inputs is None)
    return replace(report, notes=(*notes, *more, *report.notes))


def _labels(
    labels: Array | None, given: int | None, outputs: Sequence[OutputPair], chosen: Sequence[str]
) -> Labels | None:
    """Return the labels of given samples for the only output, or for the only one that is chosen."""
    classes = {output.first: output.classes for output in outputs if output.classes is not None}
    return labels_of(labels, given, chosen or [output.first for output in outputs], classes)


def _matched(
    one: Side,
    other: Side,
    inputs: Sequence[InputPair],
    samples: Iterator[Sample],
    settings: ComparisonSettings,
    progress: Progress,
) -> tuple[Pair, list[OutputPair], Iterator[Sample]]:
    """Match the values of both models by their numbers for the first sample; return all samples again, too."""
    sample = next(samples)
    one, mine, why = _first_run(one, sample, settings.reference, settings, progress)
    other, theirs, also = _first_run(other, fed(inputs, sample), settings.engine, settings, progress)
    outputs = paired_outputs(one, other, (mine, theirs))
    progress("matching layers")
    values = (
        observed_values(one.values, mine, one.outline.parameters),
        observed_values(other.values, theirs, other.outline.parameters),
    )
    notes = (*why, *also, *one.doubts(), *other.doubts())
    pair = Pair(one, other, inputs, values, matches(*values), tuple(dict.fromkeys(notes)))
    return pair, outputs, chain([sample], samples)


def _first_run(
    side: Side, sample: Sample, asked: Oracle | None, settings: ComparisonSettings, progress: Progress
) -> tuple[Side, Arrays, tuple[str, ...]]:
    """Run a model on one sample: return it, its values and the notes on what ran it.

    The interpreter takes the place of a runtime that lacks an operator, unless the runtime was ``asked`` for.
    """
    progress(f"running {side.oracle}")
    try:
        ran = side.run([sample], observed(side.values), settings.timeout)
    except EngineError as error:
        if asked is not None:
            raise
        side, why = side.interpreted(error)
        ran = side.run([sample], observed(side.values), settings.timeout)._replace(note=why)
    return side, ran.samples[0], (f"{side.file}: {ran.note}",) if ran.note else ()


@dataclass(frozen=True)
class _Measured:
    """The measures of some samples: of each output, and of each match."""

    samples: int
    outputs: tuple[OutputMeasure, ...]
    layers: tuple[PairMeasure, ...]
    right: SharesRight | None = None

    def __add__(self, other: _Measured) -> _Measured:
        return _Measured(
            self.samples + other.samples,
            tuple(a + b for a, b in zip(self.outputs, other.outputs, strict=True)),
            tuple(a + b for a, b in zip(self.layers, other.layers, strict=True)),
            added(self.right, other.right),
        )


def _measured(
    pair: Pair,
    outputs: Sequence[OutputPair],
    samples: Iterator[Sample],
    labels: Labels | None,
    settings: ComparisonSettings,
    progress: Progress,
    undefined: Undefined,
) -> _Measured:
    """Compare the samples in blocks."""
    held = sum(value.array.nbytes for values in pair.values for value in values if value)
    size = max(1, _BLOCK_BYTES // max(1, held))
    measured = None
    grids = [grid_of(pair, match) if settings.details else None for match in pair.matches]
    for block in iter(lambda: list(islice(samples, size)), []):
        progress(f"comparing {counted(len(block), 'sample')}")
        runs = list(zip(*pair.run(block, settings.timeout), strict=True))
        masks = [undefined.masks(sample, pair.first.outline.inputs) for sample in block]
        runs = [settled(pair, each, run) if each else run for each, run in zip(masks, runs, strict=True)]
        found = _Measured(
            len(block),
            tuple(output.measure(runs, masks) for output in outputs),
            tuple(pair.measure(match, runs, each) for match, each in zip(pair.matches, grids, strict=True)),
            None if labels is None else _right(labels, outputs, 0 if measured is None else measured.samples, runs),
        )
        measured = found if measured is None else measured + found
    assert measured is not None, "there is a sample"
    return measured


def _right(
    labels: Labels, outputs: Sequence[OutputPair], start: int, runs: Sequence[tuple[Arrays, Arrays]]
) -> SharesRight:
    """Return how many samples both models classify right in some runs; ``start`` runs precede them."""
    [name] = [(output.first, output.second) for output in outputs if output.first == labels.output]
    first, second = ([run[side][name[side]] for run in runs] for side in (0, 1))
    return labels.right(start, first, second)


def _report(
    pair: Pair,
    outputs: Sequence[OutputPair],
    measured: _Measured,
    settings: ComparisonSettings,
    undefined: Undefined,
    *,
    drawn: bool,
) -> Report:
    limits, is_cost = settings.limits, _is_cost(pair)
    lasting = lasting_noise(pair, measured.layers) if is_cost else [0.0] * len(pair.matches)
    values = tuple(
        value_report(pair, match, measure, limits, ratio)
        for match, measure, ratio in zip(pair.matches, measured.layers, lasting, strict=True)
    )
    reports, failures = [], list[str]()
    for output, measure in zip(outputs, measured.outputs, strict=True):
        one, disagreements = output_report(output.first, measure, output.lsb)
        reports.append(one)
        failures += undefined_failures(output.first, measure)
        if not is_cost or limits.given():
            failures += output_failures(one, disagreements, limits)
    left_out = filter(None, [undefined.note, *undefined_notes([one.name for one in reports], measured.outputs)])
    unmatched = _unmatched(pair)
    report = Report(
        schema=SCHEMA,
        qconvert=installed_version(),
        model=pair.first.model_file,
        reference=pair.first.engine,
        engine=pair.second.engine,
        to=pair.second.format,
        samples=measured.samples,
        seed=settings.seed if drawn else None,
        limits=limits.given(),
        outputs=tuple(reports),
        layers=(),
        passed=not failures,
        failures=tuple(failures),
        values=values,
        file=pair.second.file,
        file_sha256=pair.second.model_file.sha256,
        accuracy=measured.right,
        higher_precision=higher_precision(pair, lasting) if is_cost else (),
        unmatched=unmatched,
        details=details_of(pair, measured.layers) if settings.details else None,
    )
    return _with_sentences(report, [*left_out, *_notes(pair, outputs, unmatched)])


def _with_sentences(report: Report, notes: Sequence[str]) -> Report:
    """Return a report with notes, and sentences on the values: the first that differs, costs, and accuracy."""
    sentences = [] if report.first_difference is None else [_first(report.first_difference)]
    costs = ", ".join(f"'{name}'" for name in report.higher_precision)
    advice = [f"quantization costs most in {costs}: leave these in higher precision first"] if costs else []
    right = [] if report.accuracy is None else [accuracy_line(report.accuracy)]
    if report.passed:
        return replace(report, notes=(*advice, *right, *notes, *sentences))
    return replace(report, notes=(*advice, *right, *notes), failures=(*report.failures, *sentences))


def _is_cost(pair: Pair) -> bool:
    """Return True if the first model is the float original of the second, so that all layers differ.

    Integers without scales, as TOSA has them, are no float original.
    """
    if pair.first.oracle is Oracle.FLOAT:
        return True
    source = pair.first.source
    has_integers = pair.first.is_quantized or (isinstance(source, Model) and is_quantized(source))
    return pair.second.is_quantized and not has_integers


def _first(value: ValueReport) -> str:
    equal, largest = f"{value.exact:.6f} of its elements are equal", f"{value.max_abs:.3g}"
    apart = f"{value.max_lsb:.0f} LSB" if value.max_lsb is not None else largest
    return f"layer '{value.node}' ({value.op}) is the first that differs: {equal}, it is {apart} off"


def _unmatched(pair: Pair) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
    """Return the values of each model that were computed and not matched."""
    matched = ({match.first for match in pair.matches}, {match.second for match in pair.matches})
    first, second = (
        tuple(place_of(value) for place, value in enumerate(values) if value is not None and place not in known)
        for values, known in zip(pair.values, matched, strict=True)
    )
    return first, second


def _notes(pair: Pair, outputs: Sequence[OutputPair], unmatched: tuple[tuple[Place, ...], ...]) -> list[str]:
    sides = (pair.first, pair.second)
    found = [*pair.notes]
    found += [
        f"{side.file}: dimension '{name}' is set to 1. --dim {name}=SIZE changes it."
        for side in sides
        for name in side.assumed
    ]
    ports = [(each.first, each.second) for each in pair.inputs] + [(each.first, each.second) for each in outputs]
    found += [f"'{a}' and '{b}' are taken for the same port, by their order" for a, b in ports if a != b]
    if any(unmatched):
        missing = zip(sides, map(len, unmatched), strict=True)
        counts = (f"{counted(number, 'value')} of {side.file}" for side, number in missing)
        found.append(f"{' and '.join(counts)} have no counterpart by name, shape or numbers, and are not compared")
    return found
