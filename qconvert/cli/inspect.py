"""``qconvert inspect``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qconvert.api import Model, unsupported
from qconvert.api.fitness import Fitness, fitness
from qconvert.api.inspection import Inspection, inspect_model
from qconvert.api.loading import open_source
from qconvert.backends.base import WriteOptions
from qconvert.backends.tosa import TosaOptions
from qconvert.cli.messages import EXIT_FAILED, show, step
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
from qconvert.support.errors import UsageError
from qconvert.support.files import write_text


@format_options()
def inspect(
    model: ModelArgument,
    options: FormatOptions,
    why: Annotated[bool, typer.Option("--why", help="List the ops that stay in float, with the reasons.")] = False,
    target: TargetOption = None,
    to: InspectedOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    brief: Annotated[
        bool, typer.Option("--brief", help="Print the totals alone: no table of nodes, no formats tried.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the description as a page.")
    ] = None,
    graph: Annotated[
        Path | None, typer.Option("--graph", metavar="OUT.svg", help="Write a drawing of the network.")
    ] = None,
    dim: DimOption = [],
    weights: WeightsOption = None,
) -> None:
    """Describe a model: its nodes with shapes, scales and MACs, totals, and what each format would refuse.

    With --npu print what each node costs on an NPU.
    """
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
    loaded = load(model, dim, weights=weights)
    step("inspecting" if brief else "inspecting, and trying each format")
    inspection = inspect_model(loaded, to, backend, targets=not brief)
    if html is not None or graph is not None:
        _draw(inspection, html, graph)
    show(inspection.json() if as_json else inspection.text(why=why, brief=brief))


def _draw(inspection: Inspection, html: Path | None, graph: Path | None) -> None:
    """Write the page and the drawing that were asked for."""
    from qconvert.cli import inspect_page  # brings the parts of reports

    if html is not None:
        write_text(html, inspect_page.page(inspection))
    if graph is not None:
        write_text(graph, inspect_page.drawing(inspection.nodes))


def _inspect_npu(model: Model, options: FormatOptions, *, as_json: bool) -> None:
    """Print what a model costs on an NPU; exit with 1 where it does not run wholly there."""
    from qconvert.api.npu import inspect_npu

    written_with = options.of(Format.TOSA)
    assert isinstance(written_with, TosaOptions)
    inspection = inspect_npu(model, written_with)
    show(inspection.json() if as_json else inspection.text())
    if inspection.cost is None:
        raise typer.Exit(EXIT_FAILED)


def _in_file(file: str, refusal: str) -> str:
    """Return a refusal with the file's name, unless it begins with a place in the file."""
    return refusal if refusal.startswith(f"{file}:") else f"{file}: {refusal}"


def _list_unsupported(
    model: str, target: Format, options: WriteOptions | None, dim: list[str], weights: Path | None
) -> None:
    """Print every node that cannot be converted; exit with 1 where there are any.

    A conversion ends at the first node that the format cannot express.
    """
    FORMATS[target].checked_options()
    source = open_source(model)
    unreadable = [str(error) for error in unsupported(source)]
    fit = Fitness(target) if unreadable else fitness(load(source, dim, weights=weights), target, options)
    found = unreadable or [fit.error or _in_file(source.file, str(refusal)) for refusal in fit.refused]
    for reason in found:
        show(reason)
    count = counted(len(found), "node") if unreadable else fit.count
    stay = f"; {counted(fit.floats, 'op')} in float in the file" if fit.floats else ""
    show(f"{source.file}: {count} cannot be converted to {target}{stay}")
    if found:
        raise typer.Exit(EXIT_FAILED)
