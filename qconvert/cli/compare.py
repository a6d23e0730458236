"""``qconvert compare``."""

from __future__ import annotations

from dataclasses import replace
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
from qconvert.cli.options import DimOption, MaxStepsOption, SeedOption, TimeoutOption
from qconvert.cli.progress import status
from qconvert.cli.reading import sizes
from qconvert.cli.report_files import ReportFiles, publish
from qconvert.support.arrays import read_arrays
from qconvert.support.limits import allowing
from qconvert.validation import Limits
from qconvert.validation.comparison import ComparisonSettings, Oracle
from qconvert.validation.comparison import compare as compare_models

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
    settings = ComparisonSettings(
        reference,
        engine,
        sizes(dim),
        reduce,
        by_values=by_values,
        samples=samples,
        seed=seed,
        limits=Limits(max_lsb, min_exact, min_sqnr, max_rel),
        bisect=bisect,
        timeout=timeout,
        details=html_file is not None,
        classes=tuple(classes),
    )
    arrays = None if inputs is None else read_arrays(inputs)
    with status() as progress, allowing(steps=max_steps):
        right = labels_in(arrays, labels)
        found = compare_models(first, second, inputs=arrays, labels=right, settings=settings, progress=progress)
    report = replace(found, details=with_command(found.details))
    publish(report, ReportFiles(json_file, junit_file, html_file, markdown_file, form), per_layer=per_layer)
