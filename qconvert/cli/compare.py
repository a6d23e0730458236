"""``qconvert compare``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple, Protocol

import typer
from rich.console import Console

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
from qconvert.cli.messages import EXIT_FAILED, show
from qconvert.cli.options import DimOption, MaxStepsOption, SeedOption, TimeoutOption
from qconvert.cli.progress import status
from qconvert.cli.reading import sizes
from qconvert.support.arrays import read_arrays
from qconvert.support.files import write_text
from qconvert.support.limits import allowing
from qconvert.validation import Limits, Report, github, page, render
from qconvert.validation.comparison import Comparison, ComparisonSettings, Oracle
from qconvert.validation.comparison import compare as compare_models
from qconvert.validation.comparison import value_forms as render_values
from qconvert.validation.comparison import value_page as page_of_values
from qconvert.validation.tables import WIDTH

_FILE = "An .onnx, .tflite, .mlir, .mlirbc or .tosa file"
FirstArgument = Annotated[str, typer.Argument(metavar="A", help=f"{_FILE}: the reference.")]
SecondArgument = Annotated[str, typer.Argument(metavar="B", help=f"{_FILE} with the same inputs.")]
ReferenceOption = Annotated[
    Oracle | None,
    typer.Option("--reference", help="How A is computed; float: A is the float original of B. By default A's runtime."),
]
ComputingEngineOption = Annotated[
    Oracle | None, typer.Option("--engine", help="How B is computed, by default in its format's own runtime.")
]
ReduceOption = Annotated[
    Path | None,
    typer.Option("--reduce", metavar="OUT", help="Write the smallest piece that differs, and its inputs."),
]


def compare(
    first: FirstArgument,
    second: SecondArgument,
    reference: ReferenceOption = None,
    engine: ComputingEngineOption = None,
    inputs: SamplesOption = None,
    labels: LabelsOption = None,
    classes: ClassesOption = [],
    samples: SampleCountOption = None,
    seed: SeedOption = 0,
    timeout: TimeoutOption = None,
    max_steps: MaxStepsOption = None,
    dim: DimOption = [],
    per_layer: PerLayerOption = False,
    bisect: Annotated[bool, typer.Option("--bisect", help="Name the first tensor that differs.")] = False,
    reduce: ReduceOption = None,
    by_values: Annotated[
        bool, typer.Option("--by-values", help="Compare the values from the inputs on, not each layer alone.")
    ] = False,
    max_lsb: MaxLsbOption = None,
    min_exact: MinExactOption = None,
    min_sqnr: MinSqnrOption = None,
    max_rel: MaxRelOption = None,
    json_file: JsonOption = None,
    junit_file: JUnitOption = None,
    html_file: HtmlOption = None,
    markdown_file: MarkdownOption = None,
    form: FormOption = ReportForm.TABLE,
) -> None:
    """Compare any two models with the same inputs, and name the layer that is wrong alone."""
    limits = Limits(max_lsb, min_exact, min_sqnr, max_rel)
    settings = ComparisonSettings(
        reference, engine, samples, seed, limits, sizes(dim), timeout, bisect, reduce, classes=tuple(classes)
    )
    settings = replace(settings, details=html_file is not None, by_values=by_values)
    arrays = None if inputs is None else read_arrays(inputs)
    with status() as progress, allowing(steps=max_steps):
        right = labels_in(arrays, labels)
        found = compare_models(first, second, inputs=arrays, labels=right, settings=settings, progress=progress)
    report: Report | Comparison = replace(found, details=with_command(found.details))
    views = _of_values(report) if isinstance(report, Comparison) else _judged(report)
    for file, text in ((junit_file, views.junit), (html_file, views.html), (markdown_file, views.markdown)):
        if file is not None:
            write_text(file, text())
    _show(report, views, json_file, form, per_layer=per_layer)
    if not report.passed:
        raise typer.Exit(EXIT_FAILED)


def _show(
    report: Report | Comparison, views: _Views, json_file: str | None, form: ReportForm, *, per_layer: bool
) -> None:
    """Print JSON in place of ``-``, else the annotations that are asked for and the tables."""
    if json_file is not None and json_file != "-":
        write_text(Path(json_file), report.json() + "\n")
    if form is ReportForm.GITHUB:
        for line in views.annotations():
            show(line)
    if json_file == "-":
        show(report.json())
    else:
        views.show(Console(width=None if sys.stdout.isatty() else WIDTH), per_layer=per_layer)


class _Views(NamedTuple):
    """The forms of a report: files, GitHub's annotations, and tables on a console."""

    junit: Callable[[], str]
    html: Callable[[], str]
    markdown: Callable[[], str]
    annotations: Callable[[], Sequence[str]]
    show: _Show


class _Show(Protocol):
    def __call__(self, console: Console, *, per_layer: bool) -> None: ...


def _judged(report: Report) -> _Views:
    """Return the forms of a report on a model that was judged against the other, layer by layer."""
    return _Views(
        partial(render.junit, report),
        partial(page.html, report),
        partial(github.markdown, [report]),
        partial(github.workflow_commands, [report]),
        partial(render.print_report, report),
    )


def _of_values(report: Comparison) -> _Views:
    """Return the forms of a report on values."""
    return _Views(
        partial(render_values.junit, report),
        partial(page_of_values.html, report),
        partial(render_values.markdown, report),
        partial(render_values.workflow_commands, report),
        partial(render_values.print_comparison, report),
    )
