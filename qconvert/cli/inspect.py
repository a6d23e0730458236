"""``qconvert inspect``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qconvert.api import Model, convert, unsupported
from qconvert.api.conversion import floats_in
from qconvert.api.inspection import inspect_model
from qconvert.api.loading import OpenedSource, open_source
from qconvert.backends.base import WriteOptions
from qconvert.backends.tosa import TosaOptions
from qconvert.cli.messages import EXIT_FAILED, show
from qconvert.cli.options import (
    DimOption,
    FormatOptions,
    InspectedOption,
    ModelArgument,
    TargetOption,
    WeightsOption,
    format_options,
)
from qconvert.cli.reading import load
from qconvert.formats import FORMATS, Format
from qconvert.support.counting import counted
from qconvert.support.errors import ConversionError, FloatsRemainError, UsageError


@format_options()
def inspect(
    model: ModelArgument,
    options: FormatOptions,
    why: Annotated[bool, typer.Option("--why", help="List the ops that stay in float, with the reasons.")] = False,
    target: TargetOption = None,
    to: InspectedOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    dim: DimOption = [],
    weights: WeightsOption = None,
) -> None:
    """Describe a model: inputs, outputs, ops, which of them compute in integers; with --npu what each node costs."""
    chosen = target or to
    if chosen is None and "npu" in options.given:
        _inspect_npu(load(model, dim, weights=weights), options, as_json=as_json)
        return
    if chosen is None and options.given:
        raise UsageError("options of a format need --to FORMAT or --target FORMAT")
    backend = None if chosen is None else options.of(chosen)
    if target is not None:
        _list_unsupported(model, target, backend, dim, weights)
        return
    inspection = inspect_model(load(model, dim, weights=weights), to, backend)
    show(inspection.json() if as_json else inspection.text(why=why))


def _inspect_npu(model: Model, options: FormatOptions, *, as_json: bool) -> None:
    """Print what a model costs on an NPU; exit with 1 where it does not run wholly there."""
    from qconvert.api.npu import inspect_npu

    written_with = options.of(Format.TOSA)
    assert isinstance(written_with, TosaOptions)
    inspection = inspect_npu(model, written_with)
    show(inspection.json() if as_json else inspection.text())
    if inspection.cost is None:
        raise typer.Exit(EXIT_FAILED)


def _list_unsupported(
    model: str, target: Format, options: WriteOptions | None, dim: list[str], weights: Path | None
) -> None:
    """Print every node that cannot be converted; exit with 1 where there are any.

    A conversion ends at the first node that the format cannot express.
    """
    FORMATS[target].checked_options()
    source = open_source(model)
    unreadable = [str(error) for error in unsupported(source)]
    found, least, floats = (unreadable, "", 0) if unreadable else _refused(source, target, options, dim, weights)
    for reason in found:
        show(reason)
    stay = f"; {counted(floats, 'op')} in float in the file" if floats else ""
    show(f"{source.file}: {least}{counted(len(found), 'node')} cannot be converted to {target}{stay}")
    if found:
        raise typer.Exit(EXIT_FAILED)


def _refused(
    source: OpenedSource, target: Format, options: WriteOptions | None, dim: list[str], weights: Path | None
) -> tuple[list[str], str, int]:
    """Return the errors of converting a model whose operators can all be read, "at least " if there may be more.

    The last item is the number of ops in float in the file of a conversion without errors.
    """
    loaded = load(source, dim, weights=weights)
    try:
        return [], "", len(convert(loaded, target, options).floats)
    except FloatsRemainError:
        return [f"{source.file}: {refusal}" for refusal in floats_in(loaded, target, options)[0]], "", 0
    except ConversionError as error:
        return [str(error)], "at least ", 0
