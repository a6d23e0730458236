"""Options of the commands that compare two models: samples, limits and reports."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qconvert.support.arrays import Array
from qconvert.support.errors import UsageError

if TYPE_CHECKING:
    from qconvert.validation.figures.details import Details


class ReportForm(StrEnum):
    """The form of the output: a table, or GitHub's annotations in front of it."""

    TABLE = "table"
    GITHUB = "github"


SamplesOption = Annotated[
    Path | None, typer.Option("--inputs", metavar="IN.npz", help="Run on these samples instead of random ones.")
]
LabelsOption = Annotated[
    str | None, typer.Option("--labels", metavar="NAME", help="The array of IN.npz with the class of each sample.")
]
ClassesOption = Annotated[
    list[str],
    typer.Option(
        "--classes",
        metavar="OUTPUT",
        help="An output that tells classes, by default each softmax, arg max or last matrix product. Can be repeated.",
    ),
]
SampleCountOption = Annotated[
    int | None,
    typer.Option("--samples", min=1, help="The number of random samples, by default 16, fewer on a slow runtime."),
]
PerLayerOption = Annotated[bool, typer.Option("--per-layer", help="Print every layer.")]
MaxLsbOption = Annotated[int | None, typer.Option("--max-lsb", min=0, metavar="K", help="Fail beyond K LSB.")]
MinExactOption = Annotated[
    float | None,
    typer.Option("--min-exact", min=0, max=1, metavar="S", help="Fail below this share of equal elements."),
]
MinSqnrOption = Annotated[float | None, typer.Option("--min-sqnr", metavar="DB", help="Fail below this SQNR.")]
MaxRelOption = Annotated[
    float | None, typer.Option("--max-rel", min=0, metavar="R", help="Fail beyond this relative difference.")
]
JsonOption = Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - prints it.")]
JUnitOption = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML.")]
MarkdownOption = Annotated[
    Path | None,
    typer.Option("--markdown", metavar="FILE", help="Write Markdown, for example to $GITHUB_STEP_SUMMARY."),
]
HtmlOption = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write an HTML page.")]
FormOption = Annotated[
    ReportForm, typer.Option("--format", help="Print a table, or GitHub's annotations and then the table.")
]


def labels_in(arrays: Mapping[str, Array] | None, name: str | None) -> Array | None:
    """Return the array of labels; raises UsageError if the file with the inputs has none of that name."""
    if name is None:
        return None
    if arrays is None or name not in arrays:
        known = "no --inputs are given" if arrays is None else f"the file has {', '.join(arrays)}"
        raise UsageError(f"there is no array '{name}' with labels: {known}")
    return arrays[name]


def with_command(details: Details | None) -> Details | None:
    """Return details for a page with the command line that makes the report again."""
    return None if details is None else replace(details, command=shlex.join(["qconvert", *sys.argv[1:]]))
