"""Two models with what they have in common: inputs, outputs and values, and the measures of their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add

from qconvert.ir import UniformQuantizedType
from qconvert.support.arrays import Array
from qconvert.validation.comparison.inputs import InputPair, fed
from qconvert.validation.comparison.matching import Match, Observed
from qconvert.validation.comparison.numbers import Grid, PairMeasure
from qconvert.validation.comparison.oracles import Arrays
from qconvert.validation.comparison.sides import Side, imported
from qconvert.validation.comparison.values import observed
from qconvert.validation.figures.measures import OutputMeasure
from qconvert.validation.limits.undefined import UNDEFINED, Mask
from qconvert.validation.measuring.outputs_and_layers import measure_output
from qconvert.validation.ports import paired
from qconvert.validation.representation import Layout, carried, laid_out, real, stored_type
from qconvert.validation.sampling.classes import Classes, check_names, class_outputs
from qconvert.validation.sampling.samples import Sample


@dataclass(frozen=True)
class Pair:
    """Two models, their inputs in pairs, the values of the first sample, and which of them are the same layer.

    ``notes`` tell where an engine does not run as usual.
    """

    first: Side
    second: Side
    inputs: Sequence[InputPair]
    values: tuple[Sequence[Observed | None], Sequence[Observed | None]]
    matches: Sequence[Match]
    notes: tuple[str, ...] = ()

    def of(self, match: Match) -> tuple[Observed, Observed]:
        """Return the value of a match in both models."""
        first, second = self.values[0][match.first], self.values[1][match.second]
        assert first is not None
        assert second is not None
        return first, second

    @cached_property
    def tensors(self) -> tuple[list[str], list[str]]:
        """The tensors of both models that have the matched values."""
        firsts, seconds = zip(*map(self.of, self.matches), strict=True) if self.matches else ((), ())
        return observed(value.value for value in firsts), observed(value.value for value in seconds)

    def run(self, samples: Sequence[Sample], timeout: float | None) -> tuple[list[Arrays], list[Arrays]]:
        """Return the tensors of the matched values, and the outputs, for each sample in both models."""
        others = [fed(self.inputs, sample) for sample in samples]
        mine, theirs = self.tensors
        return self.first.run(samples, mine, timeout).samples, self.second.run(others, theirs, timeout).samples

    def lsb(self, match: Match) -> float | None:
        """Return the size of 1 LSB of a matched value: of the first model, else of the second, None for floats."""
        elements = [value.element for value in self.of(match)]
        integers = all(value.array.dtype.kind in "iu" for value in self.of(match))
        return next((element.scale for element in elements if element is not None), 1.0 if integers else None)

    def numbers(self, match: Match, runs: tuple[Arrays, Arrays]) -> tuple[Array, Array]:
        """Return the real numbers of a matched value in one run of both models, in the second model's layout.

        Channels in blocks are taken apart.
        """
        (first, second), shape = self.of(match), self.of(match)[1].array.shape
        theirs = match.alignment.of_second(runs[1][second.value.tensor])
        mine = match.alignment.of_first(runs[0][first.value.tensor], shape)
        if None in (first.element, second.element) and theirs.dtype.kind in "iu" and mine.dtype.kind in "iu":
            return mine, theirs.view(mine.dtype) if theirs.itemsize == mine.itemsize else theirs
        return real(mine, first.element), real(theirs, second.element)

    def second_value(self, match: Match, run: tuple[Arrays, Arrays]) -> Array:
        """Return the first model's value of a match as the second model holds it."""
        first, second = self.of(match)
        moved = match.alignment.held(run[0][first.value.tensor], second.array.shape)
        is_same = first.element == second.element or None in (first.element, second.element)
        if moved.dtype == second.array.dtype and is_same:
            return moved
        return carried(moved, first.element, second.element, second.array.dtype)

    def measure(self, match: Match, runs: Sequence[tuple[Arrays, Arrays]], grid: Grid | None = None) -> PairMeasure:
        """Return the differences of a matched value over some runs of both models, with details on ``grid``."""
        lsb = self.unit(match)
        return reduce(add, (PairMeasure.of(*self.numbers(match, run), lsb, grid) for run in runs))

    def unit(self, match: Match) -> float | None:
        """Return 1 LSB in the numbers that are compared, which are integers where one model states no scale."""
        first, second = self.of(match)
        kinds = {value.array.dtype.kind for value in (first, second)}
        is_plain = None in (first.element, second.element) and kinds <= set("iu")
        return 1.0 if is_plain else self.lsb(match)


@dataclass(frozen=True)
class OutputPair:
    """An output of both models, the layout in which the first is the second, and the types of both where known.

    ``classes`` is given for an output that tells classes.
    """

    first: str
    second: str
    layout: Layout
    elements: tuple[UniformQuantizedType | None, UniformQuantizedType | None]
    lsb: float | None
    classes: Classes | None = None

    def measure(self, runs: Sequence[tuple[Arrays, Arrays]], undefined: Sequence[Mapping[str, Mask]]) -> OutputMeasure:
        """Return the differences of the output over some runs of both models, without what is ``undefined``."""
        theirs = [run[1][self.second] for run in runs]
        mine = [laid_out(run[0][self.first], self.layout, theirs[0].shape) for run in runs]
        masks = [laid_out(each[self.first], self.layout, theirs[0].shape) for each in undefined if each]
        first, second = mine, theirs
        if mine[0].dtype.kind != theirs[0].dtype.kind or None not in self.elements:
            first = [real(array, self.elements[0]) for array in mine]
            second = [real(array, self.elements[1]) for array in theirs]
        measure = measure_output(first, second, [], self.lsb, masks, self.classes)
        return replace(measure, dtype=mine[0].dtype, why=UNDEFINED)


def paired_outputs(first: Side, second: Side, runs: tuple[Arrays, Arrays]) -> list[OutputPair]:
    """Return the pairs of outputs: by name, others in order. Raises UsageError where a number or a shape differs."""
    names = [side.outline.outputs for side in (first, second)]
    shapes = [[run[name].shape for name in each] for run, each in zip(runs, names, strict=True)]
    found = paired("output", (first.file, second.file), names, shapes)
    pairs = ((name, names[1][place], layout) for name, (place, layout) in zip(names[0], found, strict=True))
    return [_pair(first, second, *pair, runs) for pair in pairs]


def _pair(first: Side, second: Side, a: str, b: str, layout: Layout, runs: tuple[Arrays, Arrays]) -> OutputPair:
    mine, theirs = runs[0][a], runs[1][b]
    elements = tuple(_quantized_output(side, name) for side, name in ((first, a), (second, b)))
    lsb = next((element.scale for element in elements if element is not None), None)
    stored = tuple(stored_type(array.dtype, element) for array, element in zip((mine, theirs), elements, strict=True))
    is_plain = None in stored and mine.dtype.kind == theirs.dtype.kind in "iub"
    return OutputPair(a, b, layout, (stored[0], stored[1]), 1.0 if is_plain else lsb)


def told_classes(
    first: Side, second: Side, outputs: Sequence[OutputPair], chosen: Sequence[str]
) -> tuple[list[OutputPair], list[str]]:
    """Return the outputs with the classes that the models' ops tell, and a note if no model can be imported.

    ``chosen`` are outputs of the first model. Raises UsageError for a name that is none of them.
    """
    check_names(chosen, [output.first for output in outputs])
    found: list[dict[str, Classes]] = []
    for number, side, source in imported(first, second):
        own = {(output.first, output.second)[number]: output.first for output in outputs}
        names = dict(zip(source.output_names, (own[name] for name in side.outline.outputs), strict=True))
        told = class_outputs(source, [output for output, name in names.items() if name in chosen])
        found.append({names[output]: classes for output, classes in told.items()})
    known = dict.fromkeys(chosen, Classes.SCORES)
    for each in reversed(found):
        known |= each
    notes = [] if found else [_UNREAD]
    return [replace(output, classes=known.get(output.first)) for output in outputs], notes


_UNREAD = (
    "neither model's ops can be imported (qconvert inspect says why), so that random inputs follow their types, and no "
    "output is taken for classes: --inputs and --classes tell them"
)


def _quantized_output(side: Side, name: str) -> UniformQuantizedType | None:
    """Return the type of the quantized value of an output, which the output may be dequantized from."""
    found = (value for value in side.values if name in value.tensors)
    return next((side.outline.parameters.get(value.tensor) for value in found), None)
