"""``qconvert validate``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated

import typer

from qconvert.cli.comparison_options import (
    ClassesOption,
    FormOption,
    HtmlOption,
    JsonOption,
    JUnitOption,
    LabelsOption,
    MarkdownOption,
    MaxLsbOption,
    MaxRelOption,
    MinExactOption,
    MinSqnrOption,
    PerLayerOption,
    ReportForm,
    SampleCountOption,
    SamplesOption,
    labels_in,
    with_command,
)
from qconvert.cli.jobs import results_of
from qconvert.cli.messages import EXIT_BAD_INPUT, EXIT_FAILED, is_debugging, note
from qconvert.cli.options import (
    DimOption,
    FormatOptions,
    JobsOption,
    MaxStepsOption,
    SeedOption,
    TimeoutOption,
    ToOption,
    WeightsOption,
    format_options,
)
from qconvert.cli.processes import shared
from qconvert.cli.progress import status
from qconvert.cli.reading import load
from qconvert.cli.report_files import ReportFiles, publish, publish_several
from qconvert.engines.base import EngineName
from qconvert.support.arrays import read_arrays
from qconvert.support.limits import allowing
from qconvert.validation import Comparison, Limits, Measured, Report, Settings, prepared, target_of

ModelsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL [CONVERTED] | MODEL...",
        help="An .onnx or .tflite file, and a converted file to check (.mlir, .mlirbc, .tosa, .onnx or .tflite). "
        "Three files and more, or two with --jobs, are models.",
    ),
]
ValidatingEngineOption = Annotated[
    EngineName | None,
    typer.Option(
        "--engine",
        help="The engine that runs the file; by default the format's own runtime, if it is installed and fast enough.",
    ),
]

NodeDataOption = Annotated[
    Path | None,
    typer.Option("--node-data", metavar="FOLDER", help="Write Model Explorer's node data: mismatch, LSB and ties."),
]


@format_options()
def validate(
    models: ModelsArgument,
    options: FormatOptions,
    to: ToOption = None,
    engine: ValidatingEngineOption = None,
    inputs: SamplesOption = None,
    labels: LabelsOption = None,
    classes: ClassesOption = [],
    samples: SampleCountOption = None,
    seed: SeedOption = 0,
    timeout: TimeoutOption = None,
    max_steps: MaxStepsOption = None,
    dim: DimOption = [],
    weights: WeightsOption = None,
    per_layer: PerLayerOption = False,
    bisect: Annotated[bool, typer.Option("--bisect", help="Name the first tensor that differs.")] = False,
    max_lsb: MaxLsbOption = None,
    min_exact: MinExactOption = None,
    min_sqnr: MinSqnrOption = None,
    max_rel: MaxRelOption = None,
    json_file: JsonOption = None,
    junit_file: JUnitOption = None,
    html_file: HtmlOption = None,
    markdown_file: MarkdownOption = None,
    node_data: NodeDataOption = None,
    form: FormOption = ReportForm.TABLE,
    jobs: JobsOption = None,
) -> None:
    """Compare conversions with the sources' runtime: outputs end to end, every layer in isolation."""
    limits = Limits(max_lsb, min_exact, min_sqnr, max_rel)
    chosen_by = Settings(
        to,
        engine,
        samples=samples,
        seed=seed,
        limits=limits,
        bisect=bisect,
        timeout=timeout,
        details=html_file is not None,
        classes=tuple(classes),
    )
    validation = _Validation(options, chosen_by, inputs, labels, max_steps, tuple(dim), weights)
    files = ReportFiles(json_file, junit_file, html_file, markdown_file, form, node_data)
    if len(models) > 2 or (jobs is not None and len(models) > 1):
        _validate_several(validation, models, jobs or 1, files)
        return
    with status() as progress:
        report = validation(models[0], *models[1:], progress=progress, jobs=1 if is_debugging() else jobs or 1)
    publish(report, files, per_layer=per_layer)


@dataclass(frozen=True)
class _Validation:
    """The comparison of a model with its conversion; ``settings`` lack the options of the format."""

    options: FormatOptions
    settings: Settings
    inputs: Path | None
    labels: str | None
    max_steps: int | None
    dim: tuple[str, ...]
    weights: Path | None

    def __call__(
        self,
        model: str,
        converted: str | None = None,
        *,
        progress: Callable[[str], None] = lambda _: None,
        jobs: int = 1,
    ) -> Report:
        """Return the report on one model, and its ``converted`` file if there is one; print the notes.

        Several ``jobs`` share the samples of a model without such a file.
        """
        share = partial(_shared, self, model, jobs) if jobs > 1 and converted is None else None
        with allowing(steps=self.max_steps):
            report = self.prepared(model, converted, progress=progress).report(share, jobs)
        return replace(report, details=with_command(report.details))

    def prepared(
        self, model: str, converted: str | None = None, *, progress: Callable[[str], None] = lambda _: None
    ) -> Comparison:
        """Return the comparison before a sample is compared."""
        given = None if converted is None else load(converted, [], weights=self.weights)
        to = target_of(self.settings.to, self.settings.engine, None if given is None else given.format)
        settings = replace(self.settings, to=to, options=self.options.of(to))
        arrays = None if self.inputs is None else read_arrays(self.inputs)
        loaded = load(model, list(self.dim), weights=self.weights if converted is None else None)
        right = labels_in(arrays, self.labels)
        return prepared(loaded, given, inputs=arrays, labels=right, settings=settings, progress=progress, notice=note)


def _shared(validation: _Validation, model: str, jobs: int, blocks: Sequence[range]) -> Iterator[Measured]:
    """Yield what is measured on each block of a model's samples, in their order, by several processes."""
    return shared(partial(_measured, validation, model), blocks, min(jobs, len(blocks)), lambda _done, _total: None)


def _measured(validation: _Validation, model: str, block: range) -> Measured:
    """Return what is measured on a block, in a process of ``--jobs``."""
    with allowing(steps=validation.max_steps):
        return _prepared_once(validation, model).measured(block)


@lru_cache(maxsize=1)
def _prepared_once(validation: _Validation, model: str) -> Comparison:
    """Return the comparison that this process takes blocks of: the model is read and converted once."""
    return validation.prepared(model)


def _validate_several(validation: _Validation, models: list[str], jobs: int, files: ReportFiles) -> None:
    """Compare each model with its conversion; exit with 2 where one cannot be compared, else 1 where one fails."""
    validation.options.of(
        target_of(validation.settings.to, validation.settings.engine, None)
    )  # refuses what is wrong for all models
    found = results_of(validation, models, jobs, "compared")
    reports = [report for report in found if report is not None]
    missing = [model for model, report in zip(models, found, strict=True) if report is None]
    publish_several(reports, missing, files)
    if missing:
        raise typer.Exit(EXIT_BAD_INPUT)
    if not all(report.passed for report in reports):
        raise typer.Exit(EXIT_FAILED)
