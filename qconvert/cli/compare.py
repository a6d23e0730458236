"""``qconvert compare``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

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
from qconvert.validation import Limits
from qconvert.validation.comparison import Comparison, ComparisonSettings, Oracle, page, render
from qconvert.validation.comparison import compare as compare_models
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
    typer.Option("--reduce", metavar="OUT.onnx", help="Write the smallest piece of B that differs, and its inputs."),
]


def compare(
    first: FirstArgument,
    second: SecondArgument,
    reference: ReferenceOption = None,
    engine: ComputingEngineOption = None,
    inputs: SamplesOption = None,
    labels: LabelsOption = None,
    classes: ClassesOption = [],
    samples: SampleCountOption = 16,
    seed: SeedOption = 0,
    timeout: TimeoutOption = None,
    max_steps: MaxStepsOption = None,
    dim: DimOption = [],
    per_layer: PerLayerOption = False,
    bisect: Annotated[bool, typer.Option("--bisect", help="Run each layer of B alone, on A's values.")] = False,
    reduce: ReduceOption = None,
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
    """Compare any two models with the same inputs, and name the first layer that differs."""
    limits = Limits(max_lsb, min_exact, min_sqnr, max_rel)
    settings = ComparisonSettings(
        reference, engine, samples, seed, limits, sizes(dim), timeout, bisect, reduce, classes=tuple(classes)
    )
    settings = replace(settings, details=html_file is not None)
    arrays = None if inputs is None else read_arrays(inputs)
    with status() as progress, allowing(steps=max_steps):
        right = labels_in(arrays, labels)
        found = compare_models(first, second, inputs=arrays, labels=right, settings=settings, progress=progress)
    report = replace(found, details=with_command(found.details))
    for file, text in ((junit_file, render.junit), (html_file, page.html), (markdown_file, render.markdown)):
        if file is not None:
            write_text(file, text(report))
    _show(report, json_file, form, per_layer=per_layer)
    if not report.passed:
        raise typer.Exit(EXIT_FAILED)


def _show(report: Comparison, json_file: str | None, form: ReportForm, *, per_layer: bool) -> None:
    """Print JSON in place of ``-``, else the annotations that are asked for and the tables."""
    if json_file is not None and json_file != "-":
        write_text(Path(json_file), report.json() + "\n")
    if form is ReportForm.GITHUB:
        for line in render.workflow_commands(report):
            show(line)
    if json_file == "-":
        show(report.json())
    else:
        console = Console(width=None if sys.stdout.isatty() else WIDTH)
        render.print_comparison(report, console, per_layer=per_layer)
