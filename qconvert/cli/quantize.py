"""``qconvert quantize``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qconvert.cli.console import counted, load, say
from qconvert.cli.options import DimOption, QuantizedOption, ToOption, Wanted
from qconvert.formats import Format, output_format
from qconvert.support.errors import UsageError

if TYPE_CHECKING:
    from qconvert.api.quantizing import Quantized
    from qconvert.quantization.export_codegen import CodegenReport
    from qconvert.quantization.report import Report
    from qconvert.quantization.target import Fallback

FloatModel = Annotated[
    str, typer.Argument(metavar="MODEL", help="A float .onnx, .tflite or .mlir file; - is standard input.")
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
        "--method", metavar="M", help="minmax, moving-average, percentile, mse or entropy; NAME=VALUE sets its number."
    ),
]
StatsInOption = Annotated[
    Path | None, typer.Option("--stats-in", metavar="F.json", help="Statistics of an earlier run, in place of samples.")
]
StatsOutOption = Annotated[Path | None, typer.Option("--stats-out", metavar="F.json", help="Keep the statistics.")]
AnnotationsOption = Annotated[
    Path | None, typer.Option("--annotations", metavar="F", help="TOML or JSON: what you know of values, by name.")
]
ExcludeOption = Annotated[list[str], typer.Option("--exclude", metavar="NODE", help="A node that stays float.")]
FallbackOption = Annotated[
    str | None,
    typer.Option("--fallback", metavar="float|error", help="What becomes of kernels that the target does not have."),
]
ReportOption = Annotated[
    str | None,
    typer.Option("--report", metavar="FILE", help="What was done: text, JSON if FILE ends in .json; - prints text."),
]


def quantize(
    model: FloatModel,
    target: TargetOption,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="The file to write; - is standard output.")
    ],
    calibration: CalibrationOption = None,
    to: ToOption = None,
    method: MethodOption = "minmax",
    stats_in: StatsInOption = None,
    stats_out: StatsOutOption = None,
    annotations: AnnotationsOption = None,
    exclude: ExcludeOption = [],  # noqa: B006 - typer copies it
    fallback: FallbackOption = None,
    report: ReportOption = None,
    dim: DimOption = [],  # noqa: B006
    quantized_io: QuantizedOption = False,
) -> None:
    """Quantize a float model for a target, and convert it."""
    from qconvert import api
    from qconvert.api import quantizing, saving
    from qconvert.quantization.annotations import read_annotations
    from qconvert.quantization.calibration.method import Method
    from qconvert.quantization.calibration.statistics import read_statistics
    from qconvert.quantization.target import Export
    from qconvert.quantization.targets import find

    found = find(target)
    generates = found.export is Export.CODEGEN
    wanted = _codegen_format(found.name, output, to) if generates else output_format(output, to)
    options = Wanted(quantized_io=quantized_io and not generates).options(wanted)
    _check_files(output, report, calibration, stats_in, stats_out)
    with counted("calibrating") as progress:
        quantized = quantizing.quantize(
            load(model, dim),
            found,
            calibration if stats_in is None else read_statistics(stats_in),
            annotations=None if annotations is None else read_annotations(annotations),
            method=Method.parse(method),
            exclude=exclude,
            fallback=None if fallback is None else _fallback(fallback),
            quantized_io=quantized_io,
            progress=progress,
        )
    converted = api.convert(quantized.model, wanted, options)
    if stats_out is not None and quantized.statistics is not None:
        quantized.statistics.save(stats_out)
    if report is not None and report != "-":
        _write_report(quantized, Path(report))
    saving.save(converted, output)
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


def _codegen_format(target: str, output: str, to: Format | None) -> Format:
    """The format of a target that generates code: what is asked for, else rescales; raises UsageError for others."""
    named = output_format(output, to)
    if to is None and named is Format.STABLEHLO:
        return Format.TOSA_RESCALE
    if named not in (Format.TOSA_RESCALE, Format.STABLEHLO_INT):
        raise UsageError(
            f"{target} generates code, which {named} does not hold: give --to tosa-rescale or --to stablehlo-int"
        )
    return named


def _fallback(word: str) -> Fallback:
    from qconvert.quantization.target import Fallback

    words = [entry.value for entry in Fallback]
    if word not in words:
        raise UsageError(f"--fallback {word}: there are {', '.join(words)}")
    return Fallback(word)


def _write_report(quantized: Quantized, path: Path) -> None:
    from qconvert.support.files import write_text

    lines = (line for report in _reports(quantized) for line in report.lines())
    write_text(path, (_json(quantized) if path.suffix == ".json" else "\n".join(lines)) + "\n")


def _show(quantized: Quantized, *, whole: bool) -> None:
    """The reports on standard output, or their first lines on standard error."""
    for report in _reports(quantized):
        if whole:
            typer.echo("\n".join(report.lines()))
        else:
            say(next(report.lines()))


def _reports(quantized: Quantized) -> list[Report | CodegenReport]:
    return [report for report in (quantized.report, quantized.rescales) if report is not None]


def _json(quantized: Quantized) -> str:
    import json

    codegen = {} if quantized.rescales is None else {"codegen": quantized.rescales.to_json()}
    return json.dumps({**quantized.report.to_json(), **codegen}, indent=1)
