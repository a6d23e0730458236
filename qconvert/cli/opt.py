"""``qconvert opt``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from qconvert.api import Model, Transformed, transform
from qconvert.api.conversion import transform_for
from qconvert.api.saving import save
from qconvert.cli.messages import inform, note, say, show
from qconvert.cli.options import (
    CutInputsOption,
    CutOutputsOption,
    DimOption,
    FormatOptions,
    ModelArgument,
    PipelineOption,
    VersionOption,
    WeightsOption,
    format_options,
)
from qconvert.cli.pass_reports import AfterAll, ModulePrints, PrintAfterOption
from qconvert.cli.reading import load, names
from qconvert.formats import Format
from qconvert.interpreter.observation import observe_ranges
from qconvert.passes import listing
from qconvert.passes.casts.materialize_stats import MaterializeStats
from qconvert.quantization.stages import ExportFixed, Propagate
from qconvert.quantization.targets import find
from qconvert.rewriting import Pass
from qconvert.support.arrays import read_arrays
from qconvert.support.counting import counted
from qconvert.support.errors import UsageError
from qconvert.validation.pass_by_pass import PassByPass
from qconvert.validation.sampling.samples import Sample, arguments, given_samples

_CompareEachOption = Annotated[
    Path | None,
    typer.Option(
        "--compare-each",
        metavar="IN.npz",
        help="Run the module after each pass on these samples, and count the elements that the pass changed.",
    ),
]


def _list_passes(requested: bool) -> None:
    if requested:
        show(listing())
        raise typer.Exit


@format_options()
def opt(
    model: ModelArgument,
    options: FormatOptions,
    passes: Annotated[
        str, typer.Option("--passes", "-p", metavar="PASS,..", help="The passes to run, in this order.")
    ] = "",
    pipeline: PipelineOption = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="The file to write; by default standard output.")
    ] = "-",
    why: Annotated[bool, typer.Option("--why", help="List the ops that the passes leave as they are.")] = False,
    print_after: PrintAfterOption = "",
    compare_each: _CompareEachOption = None,
    samples: Annotated[
        Path | None, typer.Option("--samples", metavar="IN.npz", help="Samples for the pass materialize-stats.")
    ] = None,
    target: Annotated[
        str,
        typer.Option(
            "--target", metavar="T", help="The target, or a .toml file, for fuse-kernels, propagate, export-fixed."
        ),
    ] = "",
    inputs: CutInputsOption = "",
    outputs: CutOutputsOption = "",
    artifact_version: VersionOption = None,
    dim: DimOption = [],
    weights: WeightsOption = None,
    _: Annotated[
        bool,
        typer.Option("--list", callback=_list_passes, is_eager=True, help="List the passes by folder, and exit."),
    ] = False,
) -> None:
    """Run passes over a model, or those of a conversion, and write the module as text."""
    _check(passes, pipeline, options, samples, target)
    loaded = load(model, dim, inputs, outputs, weights=weights)
    prints = ModulePrints(print_after) if print_after else None
    effects = None
    if pipeline is not None or compare_each is not None:
        effects = PassByPass(loaded, _samples(compare_each, loaded), lambda effect: inform(str(effect)))
    after = AfterAll(tuple(function for function in (effects, prints) if function is not None))
    if pipeline is None:
        transformed = transform(loaded, _steps(names(passes), loaded, samples, target), after=after)
    else:
        transformed = transform_for(loaded, pipeline, options.of(pipeline), after=after)
    if prints is not None:
        prints.check()
    save(transformed, output, artifact_version=artifact_version)
    _say_refusals(transformed, why=why)


def _check(passes: str, pipeline: Format | None, options: FormatOptions, samples: Path | None, target: str) -> None:
    """Raise UsageError for options of the one way to name passes that stand beside the other."""
    if bool(passes) == (pipeline is not None):
        raise UsageError("give either -p PASS,.. or --pipeline FORMAT")
    if pipeline is None and options.given:
        raise UsageError("options of a format need --pipeline FORMAT")
    if pipeline is not None and (samples is not None or target):
        raise UsageError(f"{'--target' if target else '--samples'} is for passes of -p")


def _say_refusals(transformed: Transformed, *, why: bool) -> None:
    """Print the ops that the passes left unchanged with the reasons, or their number."""
    if why:
        for refusal in transformed.refusals:
            say(refusal.with_pass)
    elif transformed.refusals:
        left = counted(len(transformed.refusals), "op")
        note(f"the passes left {left} unchanged. --why lists the reasons.")


def _samples(file: Path | None, model: Model) -> list[Sample]:
    """Return the samples of a file for a model, none without a file."""
    return [] if file is None else given_samples(read_arrays(file), arguments(model.module, model.input_names))


def _steps(asked: list[str], model: Model, samples: Path | None, target: str) -> list[str | Pass]:
    """Return the passes; raises UsageError for samples or a target that none of them uses.

    With samples ``materialize-stats`` knows the ranges of the model's values on them. With a target ``fuse-kernels``,
    ``propagate`` and ``export-fixed`` know its kernels.
    """
    made: dict[str, Pass] = {}
    if samples is not None:
        ranges = observe_ranges(model.module, [list(sample.values()) for sample in _samples(samples, model)])
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
