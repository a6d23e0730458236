"""Comparison of a conversion with its source: outputs end to end, layers in isolation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.engines.modules import Results
from qconvert.interpreter.core import main_function, returned
from qconvert.ir import numpy_dtype, quantized, tensor
from qconvert.support.arrays import Array
from qconvert.support.counting import counted
from qconvert.validation.causes import CauseMeasure, Compared
from qconvert.validation.figures.details import DetailMeasure
from qconvert.validation.figures.measures import Differences, LayerMeasure, OutputMeasure, total
from qconvert.validation.figures.metrics import difference, finite
from qconvert.validation.figures.report import FloatError, InputReport, LayerReport, OutputReport
from qconvert.validation.layers import Layer
from qconvert.validation.limits.limits import apart_of, off_grid
from qconvert.validation.limits.ties import NEAR, Rounded, TieCounter
from qconvert.validation.limits.undefined import Mask, UndefinedResults, compared
from qconvert.validation.reference import ReferenceRun
from qconvert.validation.sampling.classes import Classes, votes
from qconvert.validation.sampling.samples import Sample


def output_lsbs(fused: ModuleOp) -> list[float | None]:
    """Return the size of 1 LSB of each output: the scale of its quantized tensor, 1 for integers, else None."""
    return [_lsb(value) for value in returned(fused)]


def _lsb(value: SSAValue) -> float | None:
    element = quantized(value)
    if element is not None or numpy_dtype(tensor(value).element_type).kind in "iub":
        return 1.0
    owner = value.owner
    source = quantized(owner.operand) if isinstance(owner, stablehlo.UniformDequantizeOp) else None
    return source.scale if source is not None and source.is_per_tensor else None


def measure_output(
    reference: Sequence[Array],
    found: Sequence[Array],
    optimised: Sequence[Array],
    lsb: float | None,
    undefined: Sequence[Mask] = (),
    classes: Classes | None = None,
) -> OutputMeasure:
    """Return the measure of one output over some samples; the ``undefined`` elements of each are left out.

    ``classes`` is given for an output that tells classes.
    """
    count = sum(int(mask.sum()) for mask in undefined)
    if count:
        found, optimised = _defined(found, reference, undefined), _defined(optimised, reference, undefined)
        whole = measure_output(reference, found, optimised, lsb, classes=classes)
        rest = None if whole.optimised is None else whole.optimised.without(count)
        return replace(whole, found=whole.found.without(count), optimised=rest, undefined=count)
    a, b = (np.stack([np.asarray(array) for array in arrays]) for arrays in (reference, found))
    pairs = [] if classes is None else zip(a, b, strict=True)
    return OutputMeasure(
        reference[0].dtype,
        Differences.of(a, b),
        Differences.of(a, np.stack([*map(np.asarray, optimised)])) if optimised else None,
        tuple(float(np.square(difference(x, y)).sum()) for x, y in zip(a, b, strict=True)),
        tuple(float(np.square(x.astype(np.float64)).sum()) for x in a),
        tuple(vote for x, y in pairs for vote in votes(x, y, lsb or 0.0, classes or Classes.SCORES)),
        np.unique(a),
        sum(int((~(difference(x, y) <= apart_of(x, lsb))).sum()) for x, y in zip(a, b, strict=True)),
        sum(off_grid(x, y, lsb) for x, y in zip(a, b, strict=True)),
    )


def _defined(found: Sequence[Array], reference: Sequence[Array], undefined: Sequence[Mask]) -> list[Array]:
    """Return the arrays of samples, which agree with the reference in elements that are not defined; maybe of none."""
    return [compared(np.asarray(array), *rest) for array, *rest in zip(found, reference, undefined, strict=bool(found))]


def output_report(name: str, measure: OutputMeasure, lsb: float | None) -> tuple[OutputReport, int]:
    """Return the report on an output, and the number of samples with a clearly different best class."""
    largest, agreeing = measure.found.largest, [agrees for agrees, _ in measure.votes]
    report = OutputReport(
        name=name,
        dtype=str(measure.dtype),
        exact=measure.found.exact,
        max_lsb=None if lsb is None or not np.isfinite(largest) else round(largest / lsb),
        max_abs=finite(largest),
        sqnr_db=measure.sqnr_db,
        top1=float(np.mean(agreeing)) if agreeing else None,
        exact_reference_optimised=None if measure.optimised is None else measure.optimised.exact,
        max_rel=None if measure.dtype.kind in "iub" else finite(measure.found.relative),
        distinct=len(measure.values),
    )
    return report, sum(counts for _, counts in measure.votes)


def undefined_notes(names: Sequence[str], measures: Sequence[OutputMeasure]) -> Iterator[str]:
    """Yield a note on each output of which elements are not compared."""
    for name, measure in zip(names, measures, strict=True):
        if measure.undefined:
            yield f"{counted(measure.undefined, 'element')} of output '{name}' not compared: {measure.why}"


def undefined_failures(name: str, measure: OutputMeasure) -> Iterator[str]:
    """Yield a sentence on an output without an element that can be compared."""
    if measure.undefined and not measure.found.elements:
        yield f"no element of output '{name}' can be compared: {measure.why}. Give other --inputs"


def equal_shares(results: Results, others: Results) -> tuple[tuple[float, ...], ...]:
    """Return, for each sample, the share of each output's elements that two runs have alike."""
    return tuple(
        tuple(Differences.of(x, y).exact for x, y in zip(a, b, strict=True))
        for a, b in zip(results, others, strict=True)
    )


def rewriting_notes(names: Sequence[str], shares: Sequence[Sequence[float]], what: str) -> tuple[str, ...]:
    """Return a note for each output that an engine's own rewriting changes; ``what`` names the rewriting."""
    means = [float(np.mean([sample[i] for sample in shares])) for i in range(len(names))]
    return tuple(
        f"with {what}, {share:.4f} of output '{name}' is the same"
        for name, share in zip(names, means, strict=True)
        if share < 1
    )


def layer_inputs(layer: Layer, samples: Sequence[Sample], reference: ReferenceRun) -> list[list[Array]]:
    """Return a layer's inputs, one list for each sample: the reference's integers, or the model's inputs."""
    arguments = main_function(layer.module).body.block.args
    dtypes = [numpy_dtype(tensor(argument).element_type) for argument in arguments]
    return [
        [
            (run[name] if name in run else sample[name]).astype(dtype)
            for name, dtype in zip(layer.inputs, dtypes, strict=True)
        ]
        for sample, run in zip(samples, reference.tensors, strict=True)
    ]


def measure_layer(
    layer: Layer,
    counter: TieCounter,
    inputs: list[list[Array]],
    found: list[list[Array]],
    reference: ReferenceRun,
    *,
    details: bool = False,
) -> LayerMeasure:
    """Compare one layer over some samples, one at a time, and count its ties and, if asked for, its details."""
    measure, casts = LayerMeasure(), UndefinedResults(layer.module)
    for arrays, results, run in zip(inputs, found, reference.tensors, strict=True):
        expected, given = _integers(layer, results, run)
        if casts and not np.array_equal(expected, given):
            given = compared(given, expected, casts.masks(arrays)[0].reshape(-1))
        counted = counter.of(arrays)
        ties, error = counted.ties.reshape(-1), counted.float_error
        every, shape = Differences.of(expected, given), run[layer.tensor].shape
        plain = Differences.of(expected[~ties], given[~ties]) if ties.any() else every
        if every.equal < every.elements:
            every = replace(every, causes=_causes(layer, expected, given, shape, counted))
        measure += LayerMeasure(
            every,
            plain,
            () if error is None else ((float(error.sum()), int(error.size)),),
            0.0 if error is None else float(error.max(initial=0.0)),
            DetailMeasure.of(expected, given, ties, shape, layer.range) if details else None,
        )
    return measure


_ROUNDING = 0.5 + NEAR
"""The distance in LSB of an integer from its real value, with what a kernel's arithmetic adds."""


def _causes(layer: Layer, expected: Array, given: Array, shape: tuple[int, ...], counted: Rounded) -> CauseMeasure:
    """Return what is measured of the elements of a sample that differ; vectors of integers."""
    places = np.flatnonzero(expected != given)
    apart = given[places].astype(np.int64) - expected[places].astype(np.int64)
    error = 0.0 if counted.float_error is None else float(counted.float_error.max(initial=0.0))
    sample = Compared(expected, given, shape, layer.channel, _ROUNDING + error, layer.zero_point, bounds=layer.range)
    return CauseMeasure.of(sample, places, *counted.explained(places, apart))


def layer_report(layer: Layer, op_type: str, measure: LayerMeasure) -> LayerReport:
    """Return the report on a layer."""
    count = sum(number for _, number in measure.errors)
    mean = total(part for part, _ in measure.errors) / count if count else 0.0
    return LayerReport(
        node=layer.node,
        nodes=layer.nodes,
        op=op_type,
        family=layer.family,
        tensor=layer.tensor,
        exact=measure.all.exact,
        exact_non_ties=measure.plain.exact,
        max_lsb=int(measure.all.largest),
        elements=measure.all.elements,
        ties=measure.all.elements - measure.plain.elements,
        inputs=layer.inputs,
        float_error=FloatError(mean, measure.largest_error) if count else None,
        cause=measure.all.cause,
    )


def layer_differences(layer: Layer, found: list[list[Array]], reference: ReferenceRun) -> Differences:
    """Return the differences of a layer's integers over some samples."""
    pairs = (_integers(layer, results, run) for results, run in zip(found, reference.tensors, strict=True))
    return sum((Differences.of(*pair) for pair in pairs), Differences())


def _integers(layer: Layer, results: list[Array], run: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the reference's integers of a layer's tensor, and the integers that were found, as vectors."""
    expected, found = run[layer.tensor], results[0]
    if expected.dtype != found.dtype or expected.dtype.isbuiltin != 1:  # integers of 4 bits are not numpy's own
        expected, found = expected.astype(np.int64), found.astype(np.int64)
    return expected.reshape(-1), found.reshape(expected.shape).reshape(-1)


_MOVING_OR_QUANTIZING = (
    *("QuantizeLinear", "Flatten", "Reshape", "Squeeze", "Transpose", "Unsqueeze"),
    *("QUANTIZE", "EXPAND_DIMS", "RESHAPE", "SQUEEZE", "TRANSPOSE"),
)


def input_reports(
    layers: Sequence[LayerReport], input_names: Sequence[str], bits: Mapping[str, int]
) -> tuple[InputReport, ...]:
    """Return a report for each layer that only quantizes an input of the model, possibly after moving its elements.

    ``bits`` is the width of each quantized tensor.
    """
    firsts = [layer for layer in layers if layer.op in _MOVING_OR_QUANTIZING and layer.inputs[0] in input_names]
    return tuple(InputReport(layer.inputs[0], layer.exact, layer.elements, bits[layer.tensor]) for layer in firsts)
