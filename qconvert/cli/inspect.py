"""``qconvert inspect``."""

from __future__ import annotations

from typing import Annotated

import typer

from qconvert.api import unsupported
from qconvert.api.inspection import inspect_model
from qconvert.cli.messages import EXIT_FAILED
from qconvert.cli.options import DimOption, ModelArgument, TargetOption
from qconvert.cli.reading import load
from qconvert.formats import FORMATS, Format


def inspect(
    model: ModelArgument,
    why: Annotated[bool, typer.Option("--why", help="List the ops that stay in float, with the reasons.")] = False,
    target: TargetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    dim: DimOption = [],
) -> None:
    """Describe a model: inputs, outputs, ops, and which of them compute in integers."""
    if target is not None:
        _list_unsupported(model, target)
        return
    inspection = inspect_model(load(model, dim))
    typer.echo(inspection.json() if as_json else inspection.text(why=why))


def _list_unsupported(model: str, target: Format) -> None:
    """Print every node that cannot be converted; exit with 1 where there are any."""
    FORMATS[target].checked_options()
    found = unsupported(model)
    for error in found:
        typer.echo(str(error))
    typer.echo(f"{model}: {len(found)} nodes cannot be converted to {target}")
    if found:
        raise typer.Exit(EXIT_FAILED)
