"""``qconvert opt``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qconvert.api import Model, transform
from qconvert.api.saving import save
from qconvert.cli.messages import say
from qconvert.cli.options import DimOption, ModelArgument, VersionOption
from qconvert.cli.reading import load, names
from qconvert.interpreter.observation import observe_ranges
from qconvert.passes import PASSES
from qconvert.passes.casts.materialize_stats import MaterializeStats
from qconvert.quantization.stages import Propagate
from qconvert.quantization.targets import find
from qconvert.rewriting import Pass
from qconvert.support.counting import counted
from qconvert.support.files import read_arrays
from qconvert.validation.samples import arguments, given_samples


def _list_passes(requested: bool) -> None:
    if requested:
        typer.echo("\n".join(PASSES))
        raise typer.Exit


def opt(
    model: ModelArgument,
    passes: Annotated[str, typer.Option("--passes", "-p", metavar="PASS,..", help="The passes to run, in this order.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="The file to write; by default standard output.")
    ] = "-",
    why: Annotated[bool, typer.Option("--why", help="List what the passes left alone, with the reasons.")] = False,
    samples: Annotated[
        Path | None, typer.Option("--samples", metavar="IN.npz", help="Samples for the pass materialize-stats.")
    ] = None,
    target: Annotated[
        str, typer.Option("--target", metavar="T", help="The target, or a .toml file, for fuse-kernels and propagate.")
    ] = "",
    artifact_version: VersionOption = None,
    dim: DimOption = [],
    _: Annotated[
        bool, typer.Option("--list", callback=_list_passes, is_eager=True, help="List the passes and exit.")
    ] = False,
) -> None:
    """Run passes over a model and write the module as text."""
    loaded = load(model, dim)
    transformed = transform(loaded, _steps(names(passes), loaded, samples, target))
    save(transformed, output, artifact_version=artifact_version)
    if why:
        for refusal in transformed.refusals:
            say(str(refusal))
    elif transformed.refusals:
        left = counted(len(transformed.refusals), "op")
        say(f"note: {left} left alone. --why lists the reasons.")


def _steps(asked: list[str], model: Model, samples: Path | None, target: str) -> list[str | Pass]:
    """Return the passes.

    With samples ``materialize-stats`` knows the ranges of the model's values on them. With a target ``fuse-kernels``
    and ``propagate`` know its kernels.
    """
    made: list[Pass] = []
    if samples is not None:
        given = given_samples(read_arrays(samples), arguments(model.module, model.input_names))
        made.append(MaterializeStats(observe_ranges(model.module, [list(sample.values()) for sample in given])))
    if target:
        found = find(target)
        made += [found.fusion, Propagate(found)]
    by_name = {step.name: step for step in made}
    return [by_name.get(name, name) for name in asked]
