"""``qconvert quantize``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qconvert.api import Converted, Model, convert
from qconvert.api.quantizing import Quantized, export_format
from qconvert.api.quantizing import quantize as quantize_model
from qconvert.api.saving import save, save_bytes
from qconvert.backends.base import WriteOptions
from qconvert.backends.ethos_u.accelerator import find_npu
from qconvert.backends.ethos_u.npu import PROGRAM_SUFFIX
from qconvert.backends.tosa import TosaOptions
from qconvert.cli.messages import inform, show
from qconvert.cli.npu_program import npu_program
from qconvert.cli.options import DimOption, FormatOptions, OutputOption, ToOption, format_options
from qconvert.cli.progress import counted
from qconvert.cli.reading import load
from qconvert.formats import FORMATS, Format, output_format
from qconvert.quantization.annotations import read_annotations
from qconvert.quantization.calibration.method import Method
from qconvert.quantization.calibration.statistics import read_statistics
from qconvert.quantization.export_codegen import CodegenReport
from qconvert.quantization.report import Report
from qconvert.quantization.target import Fallback, Target
from qconvert.quantization.targets import find
from qconvert.support.errors import ConversionError, FloatsRemainError, UsageError
from qconvert.support.files import write_text
from qconvert.support.json_text import json_text

if TYPE_CHECKING:
    from qconvert.api.npu import NpuProgram
    from qconvert.validation.measuring.accuracy import Accuracy, Labelled

FloatModel = Annotated[
    str, typer.Argument(metavar="MODEL", help="A float .onnx, .tflite, .mlir or .mlirbc file; - is standard input.")
]
TargetOption = Annotated[
    str,
    typer.Option("--target", metavar="T", help="A target by its name (tflite-int8, tosa-int8, ...), or a .toml file."),
]
CalibrationOption = Annotated[
    Path | None,
    typer.Option("--calibration", metavar="DATA", help="Samples: an .npz file, or a folder of .npy files."),
]
MethodOption = Annotated[
    str,
    typer.Option(
        "--method", metavar="M", help="minmax, moving-average, percentile, mse or entropy; NAME=VALUE gives its number."
    ),
]
StatsInOption = Annotated[
    Path | None, typer.Option("--stats-in", metavar="F.json", help="Statistics of an earlier run, in place of samples.")
]
StatsOutOption = Annotated[Path | None, typer.Option("--stats-out", metavar="F.json", help="Write the statistics.")]
AnnotationsOption = Annotated[
    Path | None, typer.Option("--annotations", metavar="F", help="TOML or JSON: types and ranges of values, by name.")
]
ExcludeOption = Annotated[list[str], typer.Option("--exclude", metavar="NODE", help="A node that stays float.")]
FallbackOption = Annotated[
    Fallback | None,
    typer.Option("--fallback", help="Leave kernels that the target lacks in float, or refuse them."),
]
ReportOption = Annotated[
    str | None,
    typer.Option("--report", metavar="FILE", help="A report: text, JSON if FILE ends in .json; - prints text."),
]


TestOption = Annotated[
    Path | None,
    typer.Option("--test", metavar="IN.npz", help="Samples with labels, to count what is right."),
]


@format_options("quantized_io", "npu")
def quantize(
    model: FloatModel,
    target: TargetOption,
    output: OutputOption,
    options: FormatOptions,
    calibration: CalibrationOption = None,
    to: ToOption = None,
    method: MethodOption = "minmax",
    stats_in: StatsInOption = None,
    stats_out: StatsOutOption = None,
    annotations: AnnotationsOption = None,
    exclude: ExcludeOption = [],
    fallback: FallbackOption = None,
    report: ReportOption = None,
    test: TestOption = None,
    dim: DimOption = [],
) -> None:
    """Quantize a float model for a target, and convert it."""
    found = find(target)
    exported = export_format(found)
    compiles = output.endswith(PROGRAM_SUFFIX) and (found.integers_only or "npu" in options.given)
    written = Format.TOSA if compiles else output_format(output, to, plain=exported)
    _check_holds(found.name, exported, written)
    backend = _write_options(found, written, options)
    _check_files(output, report, calibration, stats_in, stats_out)
    loaded = load(model, dim)
    labelled = _labelled(loaded, test, calibration)
    with counted("calibrating") as progress:
        quantized = quantize_model(
            loaded,
            found,
            calibration if stats_in is None else read_statistics(stats_in),
            annotations=None if annotations is None else read_annotations(annotations),
            method=Method.parse(method),
            exclude=exclude,
            fallback=fallback,
            quantized_io="quantized_io" in options.given,
            progress=progress,
        )
    program = _compiled(quantized, backend) if compiles else None
    converted = _converted(quantized, found, written, backend) if program is None else program.converted
    accuracy = None if labelled is None or backend is None else labelled.accuracy(loaded, converted, backend)
    if stats_out is not None and quantized.statistics is not None:
        quantized.statistics.save(stats_out)
    if report is not None and report != "-":
        _write_report(quantized, accuracy, Path(report))
    _save(program, converted, output)
    _show(quantized, [str(result) for result in (program, accuracy) if result is not None], whole=report == "-")


def _write_options(target: Target, written: Format, options: FormatOptions) -> WriteOptions | None:
    """Return the options to convert with; None for a target that generates code.

    Such a target quantizes arguments and results itself: the conversion has nothing left to do.
    """
    if FORMATS[export_format(target)].lowered_ways is not None:
        return None
    given = options.of(written)
    return given.in_integers(target.accelerator) if target.integers_only else given


def _converted(quantized: Quantized, target: Target, to: Format, options: WriteOptions | None) -> Converted:
    """Convert a quantized model; raises ConversionError where floats remain that the target does not compute."""
    try:
        return convert(quantized.model, to, options)
    except FloatsRemainError as error:
        hint = f"{target.name} has no floats: nothing can be excluded or fall back for it"
        raise ConversionError(error.found, hint=hint, file=error.file) from error


def _compiled(quantized: Quantized, options: WriteOptions | None) -> NpuProgram:
    """Compile a quantized model for the NPU of the options, by default the largest one."""
    assert isinstance(options, TosaOptions)
    is_open = options.npu == find_npu("ethos-u")
    return npu_program(quantized.model, replace(options, npu=find_npu("ethos-u85")) if is_open else options)


def _labelled(model: Model, test: Path | None, calibration: Path | None) -> Labelled | None:
    """Return the samples with labels; raises UsageError if those that were given for that have none."""
    from qconvert.validation.measuring.accuracy import labelled

    path = test or calibration
    found = None if path is None else labelled(path, model)
    if found is None and test is not None:
        raise UsageError(f"{test}: it has no array 'label' with the class of each sample, for a model of one output")
    return found


def _check_files(
    output: str, report: str | None, calibration: Path | None, stats_in: Path | None, stats_out: Path | None
) -> None:
    """Raise UsageError for files that cannot be given together, or not without another."""
    if report == "-" and output == "-":
        raise UsageError("only one of --output and --report can be standard output")
    if stats_in is not None and calibration is not None:
        raise UsageError("give samples with --calibration or statistics with --stats-in, not both")
    if stats_out is not None and stats_in is None and calibration is None:
        raise UsageError("--stats-out: there are no statistics without --calibration")


def _check_holds(target: str, exported: Format, written: Format) -> None:
    """Raise UsageError where a target's code cannot be written in a format."""
    ways = FORMATS[exported].lowered_ways
    if ways is None or written in (exported, *ways):
        return
    formats = " or ".join(f"--to {name}" for name in (exported, *ways))
    raise UsageError(f"{target} is for code generation, {written} cannot express its result: give {formats}")


def _save(program: NpuProgram | None, converted: Converted, output: str) -> None:
    """Write the program for an NPU if there is one, else the conversion."""
    if program is None:
        save(converted, output)
    else:
        save_bytes(program.content, output)


def _write_report(quantized: Quantized, accuracy: Accuracy | None, path: Path) -> None:
    text = _json(quantized, accuracy) if path.suffix == ".json" else "\n".join(map(str, _reports(quantized)))
    write_text(path, f"{text}\n")


def _show(quantized: Quantized, results: Sequence[str], *, whole: bool) -> None:
    """Print the reports on standard output, or their first lines on standard error; then what else was found."""
    for report in _reports(quantized):
        if whole:
            show(str(report))
        else:
            inform(next(report.lines()))
    for result in results:
        inform(result)


def _reports(quantized: Quantized) -> list[Report | CodegenReport]:
    return [report for report in (quantized.report, quantized.rescales) if report is not None]


def _json(quantized: Quantized, accuracy: Accuracy | None) -> str:
    measured = {} if accuracy is None else {"accuracy": asdict(accuracy)}
    codegen = {} if quantized.rescales is None else {"codegen": quantized.rescales.to_json()}
    return json_text({**quantized.report.to_json(), **codegen, **measured}, indent=1)
