"""``qconvert diff``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from qconvert.api import Model
from qconvert.cli.comparison_options import FormOption, HtmlOption, JsonOption, MarkdownOption, ReportForm
from qconvert.cli.messages import EXIT_FAILED, show
from qconvert.cli.options import DimOption, FormatOptions, format_options
from qconvert.cli.reading import load, sizes
from qconvert.frontends.dimensions import with_known_sizes
from qconvert.support.files import write_text
from qconvert.validation.parameters import Difference
from qconvert.validation.parameters import diff as difference_of
from qconvert.validation.parameters.listing import print_difference
from qconvert.validation.tables import WIDTH

_FILE = "An .onnx, .tflite, .mlir, .mlirbc or .tosa file"


@format_options()
def diff(
    first: Annotated[str, typer.Argument(metavar="A", help=f"{_FILE}.")],
    second: Annotated[str, typer.Argument(metavar="B", help=f"{_FILE}.")],
    options: FormatOptions,
    dim: DimOption = [],
    json_file: JsonOption = None,
    html_file: HtmlOption = None,
    markdown_file: MarkdownOption = None,
    form: FormOption = ReportForm.TABLE,
) -> None:
    """List what differs between the parameters of two models; nothing is run, and status 1 means a difference."""
    models = with_known_sizes(sizes(dim), *(partial(_loaded, file) for file in (first, second)))
    found = difference_of(models[0], models[1], options.of if options.given else None)
    if html_file is not None:
        from qconvert.cli import diff_page  # needed for the page alone

        write_text(html_file, diff_page.page(found))
    if markdown_file is not None:
        from qconvert.cli import diff_reports  # needed for these reports alone

        write_text(markdown_file, diff_reports.markdown(found))
    _show(found, json_file, form)
    if not found.equal:
        raise typer.Exit(EXIT_FAILED)


def _loaded(file: str, dims: Mapping[str, int]) -> Model:
    return load(file, [f"{name}={size}" for name, size in dims.items()])


def _show(found: Difference, json_file: str | None, form: ReportForm) -> None:
    """Print JSON in place of ``-``, else the annotations that are asked for and the table."""
    if json_file is not None and json_file != "-":
        write_text(Path(json_file), found.json() + "\n")
    if form is ReportForm.GITHUB:
        from qconvert.cli import diff_reports

        for line in diff_reports.workflow_commands(found):
            show(line)
    if json_file == "-":
        show(found.json())
    else:
        print_difference(found, Console(width=None if sys.stdout.isatty() else WIDTH))
