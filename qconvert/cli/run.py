"""``qconvert run``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from qconvert.api import running
from qconvert.cli.messages import EXIT_FAILED, say, show
from qconvert.cli.options import (
    DimOption,
    EngineOption,
    FormatOptions,
    MaxStepsOption,
    ModelArgument,
    TimeoutOption,
    WeightsOption,
    format_options,
)
from qconvert.cli.reading import load
from qconvert.engines.base import EngineName
from qconvert.interpreter.schedule import Schedule, scheduled
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import UsageError
from qconvert.support.files import write_whole
from qconvert.support.limits import allowing


@format_options("exact_rounding")
def run(
    model: ModelArgument,
    options: FormatOptions,
    inputs: Annotated[
        Path | None, typer.Option("--inputs", metavar="IN.npz", help="One array for each input, by name.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT.npz", help="The outputs; - is standard output."),
    ] = None,
    engine: EngineOption = EngineName.REFERENCE,
    timeout: TimeoutOption = None,
    max_steps: MaxStepsOption = None,
    dim: DimOption = [],
    weights: WeightsOption = None,
    schedule: Annotated[
        str | None,
        typer.Option(
            "--schedule",
            metavar="left|balanced|random:SEED",
            help="The order in which reductions combine elements; by default from first to last.",
        ),
    ] = None,
) -> None:
    """Run a model on given inputs; without inputs and outputs, the checks of MLIR text."""
    order = None if schedule is None else Schedule.parse(schedule)
    if inputs is None and output is None:
        with scheduled(order), allowing(steps=max_steps):
            _run_checks(model)
        return
    if output is None:
        raise UsageError("run needs -o OUT.npz for the outputs")
    arrays = None if inputs is None else read_arrays(inputs)
    shapes = {} if arrays is None else arrays.shapes()
    loaded = load(model, dim, arguments=shapes, weights=weights)
    backend = options.of(running.run_format(loaded, engine))
    with allowing(steps=max_steps):
        results = running.run(loaded, arrays or {}, engine=engine, options=backend, schedule=order, timeout=timeout)
    if str(output) == "-":
        np.savez(sys.stdout.buffer, **results)
    else:
        write_whole(output, lambda stream: np.savez(stream, **results))


def _run_checks(model: str) -> None:
    """Evaluate the checks of MLIR text; exit with 1 where one fails."""
    checked = running.run_checks(model)
    for failure in checked.failures:
        say(f"failed: {failure}")
    show(f"{checked.passed} of {checked.passed + len(checked.failures)} functions passed")
    if checked.failures:
        raise typer.Exit(EXIT_FAILED)
