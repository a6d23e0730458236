"""``qconvert opt``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from qconvert.api import Model, transform
from qconvert.api.saving import save
from qconvert.cli.messages import note, say, show
from qconvert.cli.options import DimOption, ModelArgument, VersionOption, WeightsOption
from qconvert.cli.reading import load, names
from qconvert.interpreter.observation import observe_ranges
from qconvert.passes import PASSES
from qconvert.passes.casts.materialize_stats import MaterializeStats
from qconvert.quantization.stages import ExportFixed, Propagate
from qconvert.quantization.targets import find
from qconvert.rewriting import Pass
from qconvert.support.arrays import read_arrays
from qconvert.support.counting import counted
from qconvert.support.errors import UsageError
from qconvert.validation.sampling.samples import arguments, given_samples


def _list_passes(requested: bool) -> None:
    if requested:
        show("\n".join(PASSES))
        raise typer.Exit


def opt(
    model: ModelArgument,
    passes: Annotated[str, typer.Option("--passes", "-p", metavar="PASS,..", help="The passes to run, in this order.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="The file to write; by default standard output.")
    ] = "-",
    why: Annotated[bool, typer.Option("--why", help="List the ops that the passes leave as they are.")] = False,
    samples: Annotated[
        Path | None, typer.Option("--samples", metavar="IN.npz", help="Samples for the pass materialize-stats.")
    ] = None,
    target: Annotated[
        str,
        typer.Option(
            "--target", metavar="T", help="The target, or a .toml file, for fuse-kernels, propagate, export-fixed."
        ),
    ] = "",
    artifact_version: VersionOption = None,
    dim: DimOption = [],
    weights: WeightsOption = None,
    _: Annotated[
        bool, typer.Option("--list", callback=_list_passes, is_eager=True, help="List the passes and exit.")
    ] = False,
) -> None:
    """Run passes over a model and write the module as text."""
    loaded = load(model, dim, weights=weights)
    transformed = transform(loaded, _steps(names(passes), loaded, samples, target))
    save(transformed, output, artifact_version=artifact_version)
    if why:
        for refusal in transformed.refusals:
            say(str(refusal))
    elif transformed.refusals:
        left = counted(len(transformed.refusals), "op")
        note(f"the passes left {left} unchanged. --why lists the reasons.")


def _steps(asked: list[str], model: Model, samples: Path | None, target: str) -> list[str | Pass]:
    """Return the passes; raises UsageError for samples or a target that none of them uses.

    With samples ``materialize-stats`` knows the ranges of the model's values on them. With a target ``fuse-kernels``,
    ``propagate`` and ``export-fixed`` know its kernels.
    """
    made: dict[str, Pass] = {}
    if samples is not None:
        given = given_samples(read_arrays(samples), arguments(model.module, model.input_names))
        ranges = observe_ranges(model.module, [list(sample.values()) for sample in given])
        made |= _used("--samples", [MaterializeStats(ranges)], asked)
    if target:
        found = find(target)
        made |= _used("--target", [found.fusion, Propagate(found), ExportFixed(found)], asked)
    return [made.get(name, name) for name in asked]


def _used(option: str, steps: Sequence[Pass], asked: list[str]) -> dict[str, Pass]:
    """Return passes by name; raises UsageError if none of them is asked for."""
    by_name = {step.name: step for step in steps}
    if by_name.keys().isdisjoint(asked):
        raise UsageError(f"{option} is for {', '.join(by_name)}, and -p names none of these passes")
    return by_name
