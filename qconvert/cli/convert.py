"""``qconvert convert``: one model to a file, or several to a folder."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from qconvert.api import convert as convert_model
from qconvert.api.saving import save
from qconvert.cli.messages import EXIT_BAD_INPUT, is_debugging, say
from qconvert.cli.options import DimOption, FormatOptions, OutputOption, ToOption, VersionOption, format_options
from qconvert.cli.reading import load
from qconvert.formats import DEFAULT, FORMATS, Format, output_format, stem
from qconvert.support.errors import QConvertError, UsageError

Jobs = dict[str, str]
"""The file to write for each model."""


@format_options()
def convert(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL...",
            help="An .onnx, .tflite, .mlir, .mlirbc or .tosa file; - is standard input. "
            "With several models OUT is a folder and --to is needed.",
        ),
    ],
    output: OutputOption,
    options: FormatOptions,
    to: ToOption = None,
    dim: DimOption = [],  # noqa: B006 - typer copies it
    inputs: Annotated[
        str, typer.Option("--inputs", metavar="T,..", help="Cut the model: tensors that become inputs.")
    ] = "",
    outputs: Annotated[
        str, typer.Option("--outputs", metavar="T,..", help="Cut the model: tensors that are outputs.")
    ] = "",
    artifact_version: VersionOption = None,
) -> None:
    """Convert a model to another format, or several models into a folder."""
    if len(models) == 1:
        jobs, target = {models[0]: output}, to or DEFAULT if output == "-" else output_format(output, to)
    else:
        jobs, target = _jobs(models, output, to, artifact_version)
    backend = options.of(target)
    failed = False
    for model, file in jobs.items():
        try:
            converted = convert_model(load(model, dim, inputs, outputs), target, backend)
            save(converted, file, artifact_version=artifact_version)
        except QConvertError as error:
            if len(jobs) == 1 or is_debugging():
                raise
            failed = True
            text = str(error)
            say(f"error: {text if text.startswith(model) else f'{model}: {text}'}")
            continue
        for note in converted.notes(model):
            say(note)
    if failed:
        raise typer.Exit(EXIT_BAD_INPUT)


def _jobs(models: list[str], output: str, to: Format | None, artifact_version: str | None) -> tuple[Jobs, Format]:
    """Return the file to write for each of several models, and the format.

    Makes the folder. Raises UsageError before any work where OUT is no folder, the format is not said, two models would
    be written to one file, or a model or an option goes with a single model only.
    """
    folder = Path(output)
    if not output.endswith("/") and not folder.is_dir():
        raise UsageError(f"{len(models)} models are written into a folder: '{output}' is none. Make it, or end it in /")
    if to is None:
        raise UsageError("several models need --to, which says what to write")
    if "-" in models:
        raise UsageError("standard input can be converted only alone, not as one of several models")
    if artifact_version is not None:
        raise UsageError("--artifact-version is an option of a single .mlirbc file")
    target = output_format(output, to)
    jobs = {model: str(folder / f"{stem(model)}{FORMATS[target].suffix}") for model in models}
    for file, count in Counter(str(folder / f"{stem(model)}{FORMATS[target].suffix}") for model in models).items():
        if count > 1:
            same = [model for model in models if jobs[model] == file]
            raise UsageError(f"{' and '.join(same)} would both be written to {file}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{output}: cannot be made: {error.strerror}") from error
    return jobs, target
