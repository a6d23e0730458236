"""``qconvert quantize``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qconvert.api import convert
from qconvert.api.quantizing import Quantized, export_format
from qconvert.api.quantizing import quantize as quantize_model
from qconvert.api.saving import save
from qconvert.cli.messages import say, show
from qconvert.cli.options import DimOption, FormatOptions, OutputOption, ToOption, format_options
from qconvert.cli.progress import counted
from qconvert.cli.reading import load
from qconvert.formats import FORMATS, Format, output_format
from qconvert.quantization.annotations import read_annotations
from qconvert.quantization.calibration.method import Method
from qconvert.quantization.calibration.statistics import read_statistics
from qconvert.quantization.export_codegen import CodegenReport
from qconvert.quantization.report import Report
from qconvert.quantization.target import Fallback
from qconvert.quantization.targets import find
from qconvert.support.errors import UsageError
from qconvert.support.files import write_text
from qconvert.support.json_text import json_text

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


@format_options("quantized_io")
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
    dim: DimOption = [],
) -> None:
    """Quantize a float model for a target, and convert it."""
    found = find(target)
    exported = export_format(found)
    written = output_format(output, to, plain=exported)
    _check_holds(found.name, exported, written)
    # A target that generates code quantizes arguments and results itself: the conversion has nothing left to do.
    generates = FORMATS[exported].lowered_ways is not None
    backend = None if generates else options.of(written)
    _check_files(output, report, calibration, stats_in, stats_out)
    with counted("calibrating") as progress:
        quantized = quantize_model(
            load(model, dim),
            found,
            calibration if stats_in is None else read_statistics(stats_in),
            annotations=None if annotations is None else read_annotations(annotations),
            method=Method.parse(method),
            exclude=exclude,
            fallback=fallback,
            quantized_io="quantized_io" in options.given,
            progress=progress,
        )
    converted = convert(quantized.model, written, backend)
    if stats_out is not None and quantized.statistics is not None:
        quantized.statistics.save(stats_out)
    if report is not None and report != "-":
        _write_report(quantized, Path(report))
    save(converted, output)
    _show(quantized, whole=report == "-")


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
    raise UsageError(f"{target} generates code, which {written} does not hold: give {formats}")


def _write_report(quantized: Quantized, path: Path) -> None:

    text = _json(quantized) if path.suffix == ".json" else "\n".join(map(str, _reports(quantized)))
    write_text(path, f"{text}\n")


def _show(quantized: Quantized, *, whole: bool) -> None:
    """Print the reports on standard output, or their first lines on standard error."""
    for report in _reports(quantized):
        if whole:
            show(str(report))
        else:
            say(next(report.lines()))


def _reports(quantized: Quantized) -> list[Report | CodegenReport]:
    return [report for report in (quantized.report, quantized.rescales) if report is not None]


def _json(quantized: Quantized) -> str:

    codegen = {} if quantized.rescales is None else {"codegen": quantized.rescales.to_json()}
    return json_text({**quantized.report.to_json(), **codegen}, indent=1)
