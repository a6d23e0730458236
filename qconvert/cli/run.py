"""``qconvert run``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from qconvert.api import Model, running
from qconvert.api.loading import OpenedSource, head, open_source
from qconvert.cli.messages import EXIT_FAILED, note, say, show
from qconvert.cli.options import (
    DimOption,
    EngineOption,
    FormatOptions,
    MaxStepsOption,
    ModelArgument,
    SeedOption,
    TimeoutOption,
    WeightsOption,
    format_options,
)
from qconvert.cli.reading import load
from qconvert.engines.base import EngineName
from qconvert.formats import FORMATS, recognise
from qconvert.interpreter.schedule import Schedule, scheduled
from qconvert.support.arrays import Array, read_arrays
from qconvert.support.errors import UsageError
from qconvert.support.files import write_whole
from qconvert.support.limits import allowing

if TYPE_CHECKING:
    from qconvert.validation.sampling.samples import Sample


@format_options("exact_rounding")
def run(
    model: ModelArgument,
    options: FormatOptions,
    inputs: Annotated[
        Path | None,
        typer.Option(
            "--inputs", metavar="IN.npz", help="One array for each input, by name; by default a random sample."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT.npz", help="The outputs; - is standard output."),
    ] = None,
    seed: SeedOption = 0,
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
    """Run a model on given inputs or on a random sample; MLIR text without inputs and outputs has its checks run."""
    order = None if schedule is None else Schedule.parse(schedule)
    file, content = open_source(model)
    if inputs is None and output is None and FORMATS[recognise(head(content), file)].is_mlir:
        with scheduled(order), allowing(steps=max_steps):
            _run_checks(OpenedSource(file, content))
        return
    if inputs is not None and output is None:
        raise UsageError("run needs -o OUT.npz for the outputs")
    given = None if inputs is None else read_arrays(inputs)
    shapes = {} if given is None else given.shapes()
    loaded = load(OpenedSource(file, content), dim, arguments=shapes, weights=weights)
    arrays = _random_sample(loaded, seed) if given is None else given
    backend = options.of(running.run_format(loaded, engine))
    with allowing(steps=max_steps):
        results = running.run(
            loaded, arrays, engine=engine, options=backend, schedule=order, timeout=timeout, notice=say
        )
    _write(results, output)


def _write(results: Mapping[str, Array], output: Path | None) -> None:
    """Write the outputs to a file, or print a line for each."""
    if output is None:
        for name, array in results.items():
            show(_summary(name, array))
    elif str(output) == "-":
        np.savez(sys.stdout.buffer, **results)
    else:
        write_whole(output, lambda stream: np.savez(stream, **results))


def _random_sample(model: Model, seed: int) -> Sample:
    """Return the first random sample that ``validate`` draws for a model, with notes on it."""
    # imported here, as the rooms of a validation take long to import
    from qconvert.validation.sampling.samples import arguments, domains, drawn_samples, guesses

    ports = arguments(model.module, model.input_names)
    known = domains(ports)
    if ports:
        note(f"the inputs are random, with seed {seed}. --inputs IN.npz gives others")
    for guess in guesses(known):
        note(guess)
    return next(drawn_samples(ports, seed, known=known))


def _summary(name: str, array: Array) -> str:
    """Return a line with the type of an output, and its least and largest element."""
    line = f"{name}: {array.dtype} {list(array.shape)}"
    return f"{line}, {array.min():.6g} to {array.max():.6g}" if array.size and array.dtype.kind in "iuf" else line


def _run_checks(model: OpenedSource) -> None:
    """Evaluate the checks of MLIR text; exit with 1 where one fails."""
    checked = running.run_checks(model)
    for failure in checked.failures:
        say(f"failed: {failure}")
    show(f"{checked.passed} of {checked.passed + len(checked.failures)} functions passed")
    if checked.failures:
        raise typer.Exit(EXIT_FAILED)
