"""``qconvert validate``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from qconvert.cli.messages import EXIT_FAILED, note, show
from qconvert.cli.options import (
    DimOption,
    FormatOptions,
    MaxStepsOption,
    ModelArgument,
    TimeoutOption,
    ToOption,
    format_options,
)
from qconvert.cli.progress import status
from qconvert.cli.reading import load
from qconvert.engines.base import EngineName
from qconvert.support.arrays import read_arrays
from qconvert.support.files import write_text
from qconvert.support.limits import allowing
from qconvert.validation import Limits, Report, Settings, chosen, render
from qconvert.validation import validate as compare

SamplesOption = Annotated[
    Path | None, typer.Option("--inputs", metavar="IN.npz", help="Run on these samples instead of random ones.")
]
MinExactOption = Annotated[
    float | None,
    typer.Option("--min-exact", min=0, max=1, metavar="S", help="Fail below this share of equal elements."),
]
MaxRelOption = Annotated[
    float | None, typer.Option("--max-rel", min=0, metavar="R", help="Fail beyond this relative difference.")
]

ValidatingEngineOption = Annotated[
    EngineName | None,
    typer.Option(
        "--engine", help="The engine that runs the conversion; by default the one of CONVERTED, or reference."
    ),
]


@format_options()
def validate(
    model: ModelArgument,
    options: FormatOptions,
    converted: Annotated[str | None, typer.Argument(metavar="[CONVERTED]", help="A converted file to check.")] = None,
    to: ToOption = None,
    engine: ValidatingEngineOption = None,
    inputs: SamplesOption = None,
    samples: Annotated[int, typer.Option("--samples", min=1, help="The number of random samples.")] = 16,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of random samples.")] = 0,
    timeout: TimeoutOption = None,
    max_steps: MaxStepsOption = None,
    dim: DimOption = [],
    per_layer: Annotated[bool, typer.Option("--per-layer", help="Print every layer.")] = False,
    bisect: Annotated[bool, typer.Option("--bisect", help="Name the first tensor that differs.")] = False,
    max_lsb: Annotated[int | None, typer.Option("--max-lsb", min=0, metavar="K", help="Fail beyond K LSB.")] = None,
    min_exact: MinExactOption = None,
    min_sqnr: Annotated[float | None, typer.Option("--min-sqnr", metavar="DB", help="Fail below this SQNR.")] = None,
    max_rel: MaxRelOption = None,
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - prints it.")] = None,
    junit_file: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML.")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write an HTML page.")] = None,
) -> None:
    """Compare a conversion with the source's runtime: outputs end to end, every layer in isolation."""
    given = None if converted is None else load(converted, [])
    target, runs = chosen(to, engine, None if given is None else given.format)
    limits = Limits(max_lsb, min_exact, min_sqnr, max_rel)
    settings = Settings(target, runs, options.of(target), samples, seed, limits, bisect, timeout)
    arrays = None if inputs is None else read_arrays(inputs)
    with status() as progress, allowing(steps=max_steps):
        report = compare(load(model, dim), given, inputs=arrays, settings=settings, progress=progress, notice=note)
    _publish(report, per_layer, json_file, junit_file, html_file)
    if not report.passed:
        raise typer.Exit(EXIT_FAILED)


def _publish(
    report: Report, per_layer: bool, json_file: str | None, junit_file: Path | None, html_file: Path | None
) -> None:
    if json_file == "-":
        show(report.json())
    else:
        console = Console(width=None if sys.stdout.isatty() else render.WIDTH)
        render.print_report(report, console, per_layer=per_layer)
    if json_file not in (None, "-"):
        write_text(Path(json_file), report.json() + "\n")
    if junit_file is not None:
        write_text(junit_file, render.junit(report))
    if html_file is not None:
        write_text(html_file, render.html(report))
