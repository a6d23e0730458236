"""``qconvert convert``: one model to a file, or several to a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from qconvert.api import Converted, Model
from qconvert.api import convert as convert_model
from qconvert.api.loading import STANDARD_INPUT, open_source
from qconvert.api.open_dimension import convert_open
from qconvert.api.saving import check_target, check_weights, memory_note, save, save_bytes
from qconvert.backends.base import WriteOptions
from qconvert.backends.ethos_u.npu import PROGRAM_SUFFIX
from qconvert.backends.tosa import TosaOptions
from qconvert.cli.messages import EXIT_BAD_INPUT, inform, step
from qconvert.cli.npu_program import npu_program
from qconvert.cli.options import (
    CutInputsOption,
    CutOutputsOption,
    DimOption,
    FormatOptions,
    JobsOption,
    OutputOption,
    ToOption,
    VersionOption,
    format_options,
)
from qconvert.cli.pass_reports import ModulePrints, PrintAfterOption
from qconvert.cli.reading import load, open_dimensions
from qconvert.formats import DEFAULT, FORMATS, Format, output_format, stem
from qconvert.passes.dynamism.open_size import SIZES
from qconvert.support.errors import UsageError
from qconvert.support.files import make_folder


@format_options()
def convert(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL...",
            help="An .onnx, .tflite, .mlir, .mlirbc or .tosa file; - is standard input. "
            "Several models need --to, and a folder as OUT.",
        ),
    ],
    output: OutputOption,
    options: FormatOptions,
    to: ToOption = None,
    dim: DimOption = [],
    inputs: CutInputsOption = "",
    outputs: CutOutputsOption = "",
    artifact_version: VersionOption = None,
    weights: Annotated[
        Path | None,
        typer.Option("--weights", metavar="FILE", help="Write the weights of StableHLO to this .safetensors file."),
    ] = None,
    jobs: JobsOption = None,
    print_after: PrintAfterOption = "",
) -> None:
    """Convert a model to another format, or several models into a folder."""
    if "npu" in options.given and output.endswith(PROGRAM_SUFFIX) and weights is None:
        if print_after:
            raise UsageError(f"--print-after shows qconvert's passes: let OUT be TOSA, not '{output}'")
        _compile(models, dim, (inputs, outputs), options.of(to or Format.TOSA), output)
        return
    if len(models) == 1:
        if "npu" in options.given and output.endswith(".tflite"):
            raise UsageError(f"'{output}': let the name of a program for an NPU end in {PROGRAM_SUFFIX}")
        target = to or DEFAULT if output == "-" else output_format(output, to)
        prints = ModulePrints(print_after) if print_after else None
        cut = (inputs, outputs)
        _Conversion({models[0]: output}, target, options, dim, cut, artifact_version, weights, prints)(models[0])
        return
    if artifact_version is not None or weights is not None:
        given = "--artifact-version" if weights is None else "--weights"
        raise UsageError(f"{given} is for one model and StableHLO")
    if print_after:
        raise UsageError("--print-after is for one model")
    _convert_all(models, output, to, options, dim, (inputs, outputs), jobs or 1)


def _convert_all(
    models: list[str],
    output: str,
    to: Format | None,
    options: FormatOptions,
    dim: list[str],
    cut: tuple[str, str],
    jobs: int,
) -> None:
    """Convert several models into a folder; exit with EXIT_BAD_INPUT if one of them failed."""
    if to is None:
        raise UsageError(f"{len(models)} models need --to FORMAT: a folder's name does not choose a format")
    options.of(to)  # refuses what is wrong for all models
    from qconvert.cli.jobs import results_of  # brings rich and multiprocessing

    files = _files(models, output, to)
    make_folder(output)
    done = results_of(_Conversion(files, to, options, dim, cut), list(files), jobs, "converted")
    if None in done:
        raise typer.Exit(EXIT_BAD_INPUT)


@dataclass(frozen=True, eq=False)
class _Conversion:
    """The conversion of each model to its file in ``files``."""

    files: Mapping[str, str]
    to: Format
    options: FormatOptions
    dim: list[str]
    cut: tuple[str, str]
    artifact_version: str | None = None
    weights: Path | None = None
    prints: ModulePrints | None = None

    def __call__(self, model: str) -> str:
        """Write a model's file and return its name; print the notes."""
        file = self.files[model]
        if self.weights is not None:
            check_weights(self.weights, file, self.to)
        converted = self._converted(model, file)
        step(f"writing {file}")
        memory = memory_note(converted, file, self.weights)
        if memory is not None:
            inform(memory)
        save(converted, file, artifact_version=self.artifact_version, weights=self.weights)
        for note in converted.notes(model):
            inform(note)
        return file

    def _converted(self, model: str, file: str) -> Converted:
        """Convert a model for a file; dimensions of one size may stay open, and notes on the model are printed once."""
        kept, sized = open_dimensions(self.dim)
        prints, options = self.prints, self.options.of(self.to)
        if not kept:
            read = load(model, sized, *self.cut)
            check_target(read, file)
            step(f"converting to {self.to}")
            converted = convert_model(read, self.to, options, after=prints)
            if prints is not None:
                prints.check()
            return converted
        if prints is not None:
            raise UsageError(f"--print-after needs the size of '{kept[0]}': its modules at three sizes become one")
        source = open_source(model)

        def load_at(size: int) -> Model:
            return load(source, [*sized, *(f"{name}={size}" for name in kept)], *self.cut, quiet=size != SIZES[0])

        return convert_open(load_at, kept[0], self.to, options)


def _compile(models: list[str], dim: list[str], cut: tuple[str, str], options: WriteOptions, output: str) -> None:
    """Write the program that Vela makes for an NPU of a model in integers."""
    if len(models) > 1:
        raise UsageError(f"{output} can hold one model only, {len(models)} are given: convert them one after the other")
    assert isinstance(options, TosaOptions)
    program = npu_program(load(models[0], dim, *cut), options)
    save_bytes(program.content, output)
    for note in (*program.converted.notes(models[0]), str(program)):
        inform(note)


def _files(models: list[str], output: str, to: Format) -> Mapping[str, str]:
    """Return the file to write for each of several models.

    Raises UsageError if OUT is not a folder, or two models would be written to one file.
    """
    if not output.endswith("/") and not Path(output).is_dir():
        raise UsageError(f"{len(models)} models need a folder to be written to: end '{output}' in /, or make it")
    files: dict[str, str] = {}
    for model in models:
        if model == STANDARD_INPUT:
            raise UsageError("standard input is converted alone, not with other models")
        file = str(Path(output) / f"{stem(model)}{FORMATS[to].suffix}")
        for other, taken in files.items():
            if taken == file:
                raise UsageError(f"{other} and {model} would both be written to {file}")
        files[model] = file
    return files
