"""The verdict on a whole network: each output of the file against the worst of the reference's own moved runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.ir import SSAValue

from qconvert.interpreter.core import returned
from qconvert.ir import numpy_dtype, quantized, tensor
from qconvert.support.arrays import Array
from qconvert.validation.case import Case
from qconvert.validation.figures.measures import OutputMeasure, total
from qconvert.validation.figures.report import WholeOutput
from qconvert.validation.layers import Layer, split_layers
from qconvert.validation.limits.limits import NEAR, FamilyLimit, apart_of, float_tolerance
from qconvert.validation.measuring.outputs_and_layers import output_lsbs
from qconvert.validation.sampling.samples import Sample
from qconvert.validation.whole.bounds import Network, bounds_of
from qconvert.validation.whole.chain import chain
from qconvert.validation.whole.distance import Distance, decibels
from qconvert.validation.whole.moves import Moves


class Whole:
    """The bounds of a network's outputs and of its quantized tensors, from runs on some samples."""

    def __init__(
        self,
        case: Case,
        limit: Callable[[Layer], FamilyLimit],
        samples: Callable[[int], Sample],
        count: int,
    ) -> None:
        """``limit`` gives the limit of a layer, ``samples`` one of ``count`` samples."""
        fused, names = case.converted.fused, case.model.input_names
        self._case, self._lsbs = case, output_lsbs(fused)
        self._chain = chain(fused, names, keeps_hybrid=case.computes_hybrids_alike)
        layers = {layer.tensor: layer for layer in split_layers(fused, names, case.model.op_types)}
        moves = {name: Moves.of(layer, limit(layer)) for name, layer in layers.items()}
        self._network = Network(
            self._chain, layers, {name: each for name, each in moves.items() if each}, case.tie_counter
        )
        self._samples, self._count = samples, count
        self.bounds: dict[str, Distance] = {}

    def measure(self) -> None:
        """Run the network with moved integers, unless none may move."""
        if self._network.may_differ:
            self.bounds = bounds_of(self._network, self._samples, self._count, self._apart)

    def of_rounded_floats(self) -> dict[str, float]:
        """Return the largest difference of each output, by name, if only floats move that are rounded on the way."""
        if not self._chain.floats:
            return {}
        network = Network(self._chain, {}, {}, self._case.tie_counter)
        bounds = bounds_of(network, self._samples, self._count, self._apart)
        names = zip(self._case.model.output_names, self._chain.outputs, strict=True)
        return {name: bounds.get(known, Distance()).largest for name, known in names}

    def _apart(self, name: str, array: Array) -> float:
        lsbs = dict(zip(self._chain.outputs, self._lsbs, strict=True))
        return apart_of(array, lsbs.get(name))

    def outputs(self, measures: Sequence[OutputMeasure]) -> tuple[WholeOutput, ...]:
        """Return the verdict on each output of the file."""
        results = returned(self._case.converted.fused)
        values = zip(self._case.model.output_names, self._chain.outputs, results, strict=True)
        return tuple(
            _verdict(name, self.bounds.get(known, Distance()), measure, lsb, is_label=_is_label(value))
            for (name, known, value), measure, lsb in zip(values, measures, self._lsbs, strict=True)
        )

    def departing(self, found: Mapping[str, Sequence[Array]], reference: Sequence[Mapping[str, Array]]) -> str | None:
        """Return the first quantized tensor, in the network's order, that is farther from the reference than its bound.

        ``found`` has the tensors of the file, one array for each sample.
        """
        for part in self._chain.parts:
            if part.name in found and all(part.name in run for run in reference):
                expected = np.concatenate([run[part.name].reshape(-1) for run in reference]).astype(np.int64)
                given = np.concatenate([array.reshape(-1) for array in found[part.name]]).astype(np.int64)
                bound = self.bounds.get(part.name, Distance())
                most = Distance(bound.share + 1 / max(1, expected.size), math.inf, math.ceil(bound.largest))
                if expected.size != given.size or not most.admits(Distance.of(expected, given)):
                    return part.name
        return None


def _is_label(value: SSAValue) -> bool:
    """Return True for integers that are no quantized numbers, such as the index of a class: steps have no size."""
    return quantized(value) is None and numpy_dtype(tensor(value).element_type).kind in "iub"


def _verdict(name: str, bound: Distance, measure: OutputMeasure, lsb: float | None, *, is_label: bool) -> WholeOutput:
    """Return the verdict on an output; floats may differ by what float arithmetic explains besides."""
    elements = measure.found.elements or 1
    is_float = measure.dtype.kind not in "iub"
    share = NEAR if lsb is not None else float_tolerance(str(measure.dtype))
    error = share * measure.found.magnitude if is_float else 0.0
    noise, signal = total(measure.noise) / elements, total(measure.signal) / elements
    most_noise = bound.square + error**2
    unit = lsb if lsb is not None else 1.0
    most = math.ceil(bound.largest / unit - 1e-6) * unit if lsb is not None else bound.largest
    found = Distance(measure.apart / elements, noise, measure.found.largest)
    allowed = Distance(bound.share, most_noise, most + error)
    if is_label:
        allowed = Distance(bound.share + (1 / elements if bound.share < 1.0 else 0.0), math.inf, math.inf)
    return WholeOutput(
        name=name,
        differing=found.share,
        most_differing=min(1.0, allowed.share),
        sqnr_db=decibels(signal, noise),
        least_sqnr_db=decibels(signal, most_noise),
        max_abs=found.largest if math.isfinite(found.largest) else float(np.finfo(np.float64).max),
        most_abs=None if is_label else allowed.largest,
        off_grid=measure.off_grid,
        passed=allowed.admits(found) and not measure.off_grid,
    )


def failure_of(output: WholeOutput) -> str | None:
    """Return a sentence on an output that is farther from the reference than rounding explains, or None."""
    if output.passed:
        return None
    if output.off_grid:
        return f"{output.off_grid:,} elements of output '{output.name}' are no whole number of LSB from the reference's"
    found = f"{output.differing:.4%} of output '{output.name}' differs"
    if output.sqnr_db is not None:
        found += f", with {output.sqnr_db:.1f} dB"
    limit = f"{output.most_differing:.4%}"
    if output.least_sqnr_db is not None:
        limit += f" and {output.least_sqnr_db:.1f} dB"
    if output.most_abs is not None:
        found, limit = f"{found} and {output.max_abs:.3g} at most", f"{limit} and {output.most_abs:.3g}"
    return f"from end to end, {found}; what rounding explains ends at {limit}"
