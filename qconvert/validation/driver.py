"""``validate``: compare a conversion with its source, end to end and layer by layer."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from pathlib import Path

from xdsl.ir import BlockArgument

from qconvert.api import Converted, Model, convert, load
from qconvert.api.conversion import unwritten
from qconvert.api.macs import estimate
from qconvert.backends.base import WriteOptions
from qconvert.engines.base import EngineName, require
from qconvert.formats import DEFAULT, FORMATS, Format, engine_format
from qconvert.interpreter.core import main_function, returned
from qconvert.ir import numpy_dtype, tensor
from qconvert.support.arrays import Array
from qconvert.support.counting import counted
from qconvert.support.errors import ConversionError, EngineError, UsageError
from qconvert.validation.case import Case, Settings
from qconvert.validation.judging import judged
from qconvert.validation.layers import Layer, split_layers, tagged
from qconvert.validation.limits.limits import rounds
from qconvert.validation.measuring.blocks import Measured, measure
from qconvert.validation.measuring.floats import tag_floats
from qconvert.validation.parameters import diff
from qconvert.validation.ports import ConvertedPorts, GivenPorts, Ports
from qconvert.validation.reference import ReferenceRun, reference_of, run_reference, usual
from qconvert.validation.rendering.result import Report
from qconvert.validation.runner import runner_of
from qconvert.validation.sampling.classes import class_outputs
from qconvert.validation.sampling.labels import labels_of
from qconvert.validation.sampling.samples import (
    InOrder,
    Sample,
    arguments,
    clamped,
    domains,
    drawn_samples,
    given_samples,
    guesses,
)
from qconvert.validation.segments import Segments, looked_at, segments_of, write_smallest
from qconvert.validation.steps import Steps
from qconvert.validation.written import Written, given_file, is_what_converts, written

__all__ = ["Settings", "prepared", "target_of", "validate"]

_REDUCED_SAMPLES = 4
"""The number of samples on which the smallest piece that differs is written."""

_DEVIATIONS = "the documentation's page 'Engines' lists what each engine gets wrong"

_AS_SPECIFIED = (Format.STABLEHLO_INT, Format.TOSA)
"""The forms of which IREE computes most as specified."""

_BLOCK_BYTES = 1 << 25
"""The size of the tensors of the samples that are compared at once; they are held a few times."""


def target_of(to: Format | None, engine: EngineName | None, given: Format | None) -> Format:
    """Return the target of a validation: the requested one, else the given file's format, else what the engine runs."""
    return to or given or (DEFAULT if engine is None else engine_format(engine))


def validate(
    model: Model | str | Path,
    converted: Model | str | Path | None = None,
    *,
    inputs: Mapping[str, Array] | None = None,
    labels: Array | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] = lambda _: None,
    notice: Callable[[str], None] = lambda _: None,
) -> Report:
    """Compare a model with its conversion, or with an already ``converted`` file.

    ``inputs`` are arrays as in an .npz file (see ``given_samples``); without them ``settings.samples`` are drawn.
    ``labels`` has the class of each given sample. ``progress`` is called with the name of each step, ``notice`` with
    notes before slow work. Layers are compared in isolation: each is fed the reference's own integers. Raises
    UsageError or ConversionError if the comparison cannot be made, EngineError if a runtime refuses the whole model or
    dies.
    """
    return prepared(
        model, converted, inputs=inputs, labels=labels, settings=settings, progress=progress, notice=notice
    ).report()


def prepared(
    model: Model | str | Path,
    converted: Model | str | Path | None = None,
    *,
    inputs: Mapping[str, Array] | None = None,
    labels: Array | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] = lambda _: None,
    notice: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Return the comparison of :func:`validate` before a sample is compared; raises its errors."""
    settings = settings or Settings()
    given = load(converted) if isinstance(converted, str | Path) else converted
    to = target_of(settings.to, settings.engine, None if given is None else given.format)
    asked = FORMATS[to].checked_options(settings.options)
    require(settings.engine or EngineName.REFERENCE)
    _check_given(given, to)
    loaded = model if isinstance(model, Model) else load(model)
    options = asked.following(loaded.opset)
    runtime = reference_of(loaded)
    require(runtime.engine)
    progress("converting")
    own, fresh, unwritable = _conversion(loaded, to, options, given)
    is_own = given is None or (fresh is not None and is_what_converts(given, own, fresh))
    file_ports: Ports = ConvertedPorts.of(own.fused, options, FORMATS[to])
    ports = arguments(loaded.module, loaded.input_names)
    if given is not None and not is_own:
        file_ports = GivenPorts.of(loaded, given)
        ports = _read_by_either(ports, given, file_ports)
    found = None if inputs is None else given_samples(inputs, ports)
    count = None if found is None else len(found if settings.part is None else settings.part)
    runner = runner_of(FORMATS[to], settings.engine, own.fused, settings.samples, count)
    numbers, samples, notes = _samples(found, ports, settings, runner.samples)
    classes = class_outputs(loaded, settings.classes)
    names = settings.classes or loaded.output_names
    known = labels_of(labels, None if found is None else len(found), names, classes)
    split, nothing = _split(own, loaded), ReferenceRun([], [], usual(loaded))
    steps = Steps(progress, len(numbers))
    file = fresh if given is None else given_file(given, FORMATS[to])
    assert file is not None, "a source without a given file is written"
    case = Case(to, runner, loaded, own, given, file, file_ports, is_own, split, [], nothing, settings, options, steps)
    notes = (*unwritable, *notes)
    case = replace(case, notes=notes, classes=classes, labels=known, fresh=None if is_own else fresh)
    slow = estimate(runner.engine, own.fused, len(numbers), settings.timeout)
    if slow is not None:
        notice(slow)
    tensors = [name for name, _ in tagged(own.fused)]
    return Comparison(case, steps, numbers, samples, tensors, is_drawn=inputs is None)


def _conversion(
    loaded: Model, to: Format, options: WriteOptions, given: Model | None
) -> tuple[Converted, Written | None, tuple[str, ...]]:
    """Return a conversion, the file that it gives, and notes.

    A source that cannot be written, while a ``given`` file was, is only fused; a note says why. Raises ConversionError
    as both do.
    """
    try:
        own = convert(loaded, to, options)
    except ConversionError as error:
        if given is None:
            raise
        return unwritten(loaded, to), None, (f"{given.file} is not compared with a new conversion: {error}",)
    return own, written(loaded, own, FORMATS[to]), ()


def _split(own: Converted, loaded: Model) -> tuple[Layer, ...]:
    """Return the layers of a conversion; those of its floats for a model that rounds nothing."""
    split = split_layers(own.fused, loaded.input_names, loaded.op_types)
    if not split and not rounds(own.fused):
        tag_floats(own.fused, loaded.op_types, loaded.node_tensors)
        split = split_layers(own.fused, loaded.input_names, loaded.op_types)
    return split


def _read_by_either(
    ports: Mapping[str, BlockArgument], given: Model, file_ports: GivenPorts
) -> dict[str, BlockArgument]:
    """Return the source's inputs; for one that it does not read the file's, whose readers tell what values it takes."""
    theirs = main_function(given.module).body.block.args
    pairs = [(mine, theirs[port.place]) for mine, port in zip(ports.values(), file_ports.inputs, strict=True)]
    chosen = [other if not list(mine.uses) and other.type == mine.type else mine for mine, other in pairs]
    return dict(zip(ports, chosen, strict=True))


def _samples(
    found: list[Sample] | None, ports: Mapping[str, BlockArgument], settings: Settings, drawn: int
) -> tuple[range, Callable[[range], list[Sample]], tuple[str, ...]]:
    """Return the numbers of the samples to compare, a function that gives samples by their numbers, and notes.

    ``found`` are given samples; without them so many are ``drawn``.
    Raises UsageError where the given ones are fewer than ``settings.part`` needs.
    """
    part = settings.part
    if found is None:
        known = domains(ports)
        draw = InOrder(partial(drawn_samples, ports, settings.seed, known=known))
        return part or range(drawn), draw, tuple(guesses(known))
    if part is not None and part.stop > len(found):
        raise UsageError(f"the file has {counted(len(found), 'sample')}, {part.stop} are needed")
    numbers = part or range(len(found))
    notes = clamped(found[numbers.start : numbers.stop], ports)
    return numbers, lambda asked: found[asked.start : asked.stop], tuple(notes)


@dataclass(frozen=True)
class Comparison:
    """A validation whose samples are still to be compared, a block at a time.

    The blocks follow from the model alone, so that the figures are the same whichever process compares which block.
    ``cut`` has the file in segments after the first block.
    """

    case: Case
    steps: Steps
    numbers: range
    samples: Callable[[range], list[Sample]]
    tensors: list[str]
    is_drawn: bool
    cut: list[Segments | str] = field(default_factory=list)

    @cached_property
    def blocks(self) -> list[range]:
        """The numbers of the samples of each block."""
        size = max(1, _BLOCK_BYTES // _sample_bytes(self.case))
        return [self.numbers[start : start + size] for start in range(0, len(self.numbers), size)]

    def measured(self, block: range) -> Measured:
        """Compare the samples of a block. Raises EngineError if a runtime refuses the whole model or dies."""
        case, samples = self.case, self.samples(block)
        case.progress(f"running {reference_of(case.model).engine}")
        reference = self._reference(case, samples)
        case = replace(case, samples=samples, reference=reference, start=block.start)
        return measure(case, self._segments(case, block))

    def _reference(self, case: Case, samples: list[Sample]) -> ReferenceRun:
        """Run the reference on samples; raises EngineError as :func:`run_reference` does."""
        fused, asked = case.converted.fused, case.settings.reference
        return run_reference(case.model, fused, samples, self.tensors, case.limits, asked=asked)

    def _segments(self, case: Case, block: range) -> Segments | str:
        """Return the file in segments, which are cut once, by the first samples; or why a given file cannot be cut."""
        if not self.cut:
            count = looked_at(_sample_bytes(case))
            if block[:count] != self.numbers[:count]:
                samples = self.samples(self.numbers[:count])
                reference = self._reference(case, samples)
                case = replace(case, samples=samples, reference=reference)
            try:
                self.cut.append(segments_of(case, count))
            except (ConversionError, EngineError) as error:
                if case.is_own:
                    raise
                self.cut.append(f"the layers of the file cannot be compared: {error}")
        return self.cut[0]

    def report(
        self, share: Callable[[Sequence[range]], Iterable[Measured]] | None = None, processes: int = 1
    ) -> Report:
        """Compare all samples and judge them. Raises EngineError as :meth:`measured` does.

        ``share`` gives what is measured on each of several blocks, in their order, by several ``processes``.
        """
        is_shared = share is not None and len(self.blocks) > 1
        self.steps.begin(min(processes, len(self.blocks)) if is_shared else 1)
        found = share(self.blocks) if share is not None and is_shared else map(self.measured, self.blocks)
        measured = reduce(operator.add, map(self.steps.counted, found))
        segments = next((each for each in self.cut if isinstance(each, Segments)), None)
        case = _with_parameters(self.case)
        report = judged(case, measured, self._sample, is_drawn=self.is_drawn, segments=segments)
        return report if report.passed else replace(report, failures=(*report.failures, *self._engine_failure()))

    def _engine_failure(self) -> list[str]:
        """Return a sentence if another runtime of the format passes what IREE failed, on the same samples."""
        case = self.case
        other = next((each for each in case.target.runs if each is not case.engine), None)
        if case.engine is not EngineName.IREE or other is None:
            return []
        runner = case.runner._replace(engine=other)
        try:
            is_right = replace(self, case=replace(case, runner=runner), cut=[]).report().passed
        except (EngineError, UsageError) as error:
            return [f"whether the file or {case.engine} is wrong is not known: {error}"]
        if not is_right:
            return []
        what = f"{other} {require(other).version} passes this file: {case.engine} computes it otherwise"
        ways = [f"--to {each}" for each in _AS_SPECIFIED if each is not case.to]
        return [f"{what}. {_DEVIATIONS}; try {' or '.join(ways)}"]

    def reduce(self, report: Report, path: Path) -> None:
        """Write the smallest piece of the file that a report blames, with its inputs on a few samples.

        Raises UsageError if the report blames no layer, or the file could not be cut.
        """
        [cut, *_] = [*self.cut, "no layer was compared"]
        if isinstance(cut, str):
            raise UsageError(f"{self.case.file.file}: {cut}: nothing to reduce")
        blamed = [each.tensor for each in report.layers if not each.passed]
        samples = self.samples(self.numbers[:_REDUCED_SAMPLES])
        case = replace(self.case, samples=samples, reference=self._reference(self.case, samples))
        write_smallest(cut, case, blamed, path)

    def _sample(self, place: int) -> Sample:
        """Return a sample by its place among those that are compared."""
        number = self.numbers.start + place
        return self.samples(range(number, number + 1))[0]


def _with_parameters(case: Case) -> Case:
    """Return a case with the parameters in which a given file differs from its source, or why they are not compared."""
    if case.given is None or case.is_own:
        return case
    case.progress("comparing parameters")
    try:
        return replace(case, parameters=diff(case.model, case.given).findings)
    except (ConversionError, UsageError) as error:
        return replace(case, notes=(*case.notes, f"the files' parameters are not compared: {error}"))


def _sample_bytes(case: Case) -> int:
    """Return the size of the tensors of one sample: inputs, outputs and what the reference is asked for."""
    fused = case.converted.fused
    values = (*main_function(fused).args, *returned(fused), *(value for _, value in tagged(fused)))
    types = [tensor(value) for value in values]
    return sum(type.element_count() * numpy_dtype(type.element_type).itemsize for type in types) or 1


def _check_given(given: Model | None, to: Format) -> None:
    """Raise UsageError if the given file's format is not the target."""
    if given is not None and given.format is not to and not (FORMATS[given.format].is_mlir and FORMATS[to].is_mlir):
        raise UsageError(f"{given.file} is {given.format}, not {to}")
