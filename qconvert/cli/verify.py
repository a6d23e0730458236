"""``qconvert verify``."""

from __future__ import annotations

from typing import Annotated

import typer

from qconvert.api.verification import verify as verify_file
from qconvert.cli.messages import EXIT_FAILED, show
from qconvert.cli.options import DimOption, WeightsOption
from qconvert.cli.reading import sizes


def verify(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="An .mlir, .mlirbc, .tosa, .tflite or .onnx file; - is standard input."),
    ],
    dim: DimOption = [],
    weights: WeightsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check a module against its specification, or a file against its runtime's kernels; exit with 1 where it fails."""
    found = verify_file(file, dims=sizes(dim), weights=weights)
    show(found.json() if as_json else found.text())
    if found.violations:
        raise typer.Exit(EXIT_FAILED)
