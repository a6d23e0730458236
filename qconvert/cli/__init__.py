"""The command line: parse, call the API, print. The one place that turns an error into text."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qconvert.cli.console import load as _load
from qconvert.cli.console import names as _names
from qconvert.cli.console import say as _say
from qconvert.cli.options import (
    DimOption,
    EngineOption,
    ExactOption,
    FormOption,
    InputsCut,
    KeepOption,
    MaxRelOption,
    MinExactOption,
    ModelArgument,
    NhwcOption,
    OpsetOption,
    OutputsCut,
    ProfileOption,
    QuantizedOption,
    RoundingOption,
    SamplesOption,
    StyleOption,
    ToOption,
    VersionOption,
    Wanted,
)
from qconvert.cli.quantize import quantize
from qconvert.engines.base import EngineName
from qconvert.formats import Format, output_format
from qconvert.passes import PASSES
from qconvert.support.errors import CheckFailedError, QConvertError, UsageError

if TYPE_CHECKING:
    from qconvert.api import Converted, Model
    from qconvert.rewriting.base import Pass
    from qconvert.validation import Report

EXIT_FAILED, EXIT_BAD_INPUT = 1, 2
_RUN_BY = {EngineName.ONNXRUNTIME: Format.ONNX, EngineName.TOSA: Format.TOSA}
"""What validate converts to where an engine runs one format only."""

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Moves quantized neural networks between ecosystems without changing what they compute.",
)


@app.command()
def convert(
    model: ModelArgument,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="The file to write; - is standard output.")
    ],
    to: ToOption = None,
    dim: DimOption = [],  # noqa: B006 - typer copies it
    inputs: InputsCut = "",
    outputs: OutputsCut = "",
    reduction_form: FormOption = None,
    exact_rounding: ExactOption = False,
    quantized_io: QuantizedOption = False,
    keep_composites: KeepOption = False,
    profile: ProfileOption = None,
    rounding: RoundingOption = None,
    nhwc_io: NhwcOption = False,
    artifact_version: VersionOption = None,
    opset: OpsetOption = None,
    style: StyleOption = None,
) -> None:
    """Convert a model to another format."""
    from qconvert import api
    from qconvert.api import saving

    target = to or Format.STABLEHLO if output == "-" else output_format(output, to)
    wanted = Wanted(
        reduction_form, exact_rounding, quantized_io, profile, keep_composites, rounding, nhwc_io, opset, style
    )
    options = wanted.options(target)
    converted = api.convert(_load(model, dim, inputs, outputs), target, options)
    saving.save(converted, output, artifact_version=artifact_version)
    _tell(converted, model)


def _tell(converted: Converted, model: str) -> None:
    """What a conversion has to say: scales at the edges, what rounds otherwise, what is not as asked for."""
    for port in converted.quantized_ports:
        _say(str(port))
    target = converted.format
    if converted.lost_arithmetic and target is Format.ONNX:
        _say(f"{converted.lost_arithmetic} ops round exact ties in ONNX's order, not StableHLO's")
    elif converted.lost_arithmetic:
        _say(
            f"{converted.lost_arithmetic} ops round exact ties in StableHLO's order, not ONNX's; "
            "--exact-rounding spells ONNX's out"
        )
    if lost := converted.lost_litert:
        is_plain = target is Format.ONNX and not converted.spelled_litert
        hint = "; --exact-rounding spells most of it out" if is_plain else ""
        far = f"docs/tflite.md has how far it is{hint}"
        _say(f"{lost} ops follow LiteRT's arithmetic, which {target} does not say: {far}")
    if converted.refusals and target is Format.ONNX:
        kinds = Counter((refusal.op, refusal.reason) for refusal in converted.refusals)
        _say(f"{len(converted.refusals)} ops stay between DequantizeLinear and QuantizeLinear:")
        for (op, reason), count in kinds.most_common():
            _say(f"  {count} {op}: {reason}")
    elif converted.refusals:
        _say(f"{len(converted.refusals)} ops stay in float; qconvert inspect {model} --why says which and why")


@app.command()
def run(
    model: ModelArgument,
    inputs: Annotated[
        Path | None, typer.Option("--inputs", metavar="IN.npz", help="One array for each input, by name.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT.npz", help="The outputs, by name.")
    ] = None,
    engine: EngineOption = EngineName.REFERENCE,
    dim: DimOption = [],  # noqa: B006
    exact_rounding: ExactOption = False,
) -> None:
    """Run a model on given inputs; without inputs and outputs, the checks of MLIR text."""
    from qconvert.api import running
    from qconvert.support.files import read_arrays, write_whole

    if inputs is None and output is None:
        _run_checks(model)
        return
    if output is None:
        raise UsageError("run needs -o OUT.npz for the outputs")
    import numpy as np

    loaded = _load(model, dim)
    options = Wanted(exact_rounding=exact_rounding).options(running.format_run(loaded, engine))
    arrays = {} if inputs is None else read_arrays(inputs)
    results = running.run(loaded, arrays, engine=engine, options=options)
    write_whole(output, lambda stream: np.savez(stream, **results))


def _run_checks(model: str) -> None:
    """Evaluate the checks of MLIR text; exit with 1 where one fails."""
    from qconvert.api.running import run_checks

    checked = run_checks(model)
    for failure in checked.failures:
        _say(f"failed: {failure}")
    typer.echo(f"{checked.passed} of {checked.passed + len(checked.failures)} functions passed")
    if checked.failures:
        raise typer.Exit(EXIT_FAILED)


@app.command()
def validate(
    model: ModelArgument,
    converted: Annotated[str | None, typer.Argument(metavar="[CONVERTED]", help="A file converted before.")] = None,
    to: ToOption = None,
    engine: EngineOption = EngineName.REFERENCE,
    inputs: SamplesOption = None,
    samples: Annotated[int, typer.Option("--samples", min=1, help="How many random samples.")] = 16,
    seed: Annotated[int, typer.Option("--seed", min=0, help="What they are drawn with.")] = 0,
    dim: DimOption = [],  # noqa: B006
    reduction_form: FormOption = None,
    exact_rounding: ExactOption = False,
    quantized_io: QuantizedOption = False,
    profile: ProfileOption = None,
    rounding: RoundingOption = None,
    nhwc_io: NhwcOption = False,
    opset: OpsetOption = None,
    style: StyleOption = None,
    per_layer: Annotated[bool, typer.Option("--per-layer", help="Print every layer.")] = False,
    bisect: Annotated[bool, typer.Option("--bisect", help="Say where the first difference arises.")] = False,
    max_lsb: Annotated[int | None, typer.Option("--max-lsb", min=0, metavar="K", help="Fail beyond K steps.")] = None,
    min_exact: MinExactOption = None,
    min_sqnr: Annotated[float | None, typer.Option("--min-sqnr", metavar="DB", help="Fail below this SQNR.")] = None,
    max_rel: MaxRelOption = None,
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - prints it.")] = None,
    junit_file: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML.")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write an HTML page.")] = None,
) -> None:
    """Compare a conversion with the source's runtime: outputs end to end, every layer in isolation."""
    from qconvert.support.files import read_arrays
    from qconvert.validation import Limits, Settings
    from qconvert.validation import validate as compare

    target = to or _RUN_BY.get(engine, Format.STABLEHLO)
    limits = Limits(max_lsb, min_exact, min_sqnr, max_rel)
    form = (reduction_form, exact_rounding, quantized_io, profile)
    wanted = Wanted(*form, rounding=rounding, nhwc_io=nhwc_io, opset=opset, style=style)
    settings = Settings(target, engine, wanted.options(target), samples, seed, limits, bisect)
    arrays = None if inputs is None else read_arrays(inputs)
    with _progress() as progress:
        report = compare(_load(model, dim), converted, inputs=arrays, settings=settings, progress=progress)
    _publish(report, per_layer, json_file, junit_file, html_file)
    if not report.passed:
        raise typer.Exit(EXIT_FAILED)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Shows what is going on where standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield status.update


def _publish(
    report: Report, per_layer: bool, json_file: str | None, junit_file: Path | None, html_file: Path | None
) -> None:
    from rich.console import Console

    from qconvert.support.files import write_text
    from qconvert.validation import render

    if json_file == "-":
        typer.echo(report.json())
    else:
        console = Console(width=None if sys.stdout.isatty() else 200)
        render.print_report(report, console, per_layer=per_layer)
    if json_file not in (None, "-"):
        write_text(Path(json_file), report.json() + "\n")
    if junit_file is not None:
        write_text(junit_file, render.junit(report))
    if html_file is not None:
        write_text(html_file, render.html(report))


@app.command()
def inspect(
    model: ModelArgument,
    why: Annotated[bool, typer.Option("--why", help="Say what stays in float, and why.")] = False,
    target: Annotated[
        Format | None, typer.Option("--target", help="Only list the nodes that have no way to this format.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    dim: DimOption = [],  # noqa: B006
) -> None:
    """Say what is in a model and what becomes of it."""
    if target is not None:
        _preflight(model, target)
        return
    from qconvert.api.inspection import inspect_model

    inspection = inspect_model(_load(model, dim))
    typer.echo(inspection.json() if as_json else inspection.text(why=why))


def _preflight(model: str, target: Format) -> None:
    """Print every node that cannot be converted; exit with 1 where there are any."""
    from qconvert.api import unsupported

    output_format("-", target)
    found = unsupported(model)
    for error in found:
        typer.echo(str(error))
    typer.echo(f"{model}: {len(found)} nodes have no way to {target}")
    if found:
        raise typer.Exit(EXIT_FAILED)


app.command()(quantize)


def _list_passes(requested: bool) -> None:
    if requested:
        typer.echo("\n".join(PASSES))
        raise typer.Exit


@app.command()
def opt(
    model: ModelArgument,
    passes: Annotated[str, typer.Option("--passes", "-p", metavar="PASS,..", help="What to run, in this order.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="The file to write; by default standard output.")
    ] = "-",
    why: Annotated[bool, typer.Option("--why", help="Say what the passes left alone, and why.")] = False,
    samples: Annotated[
        Path | None, typer.Option("--samples", metavar="IN.npz", help="What materialize-stats runs the model on.")
    ] = None,
    artifact_version: VersionOption = None,
    dim: DimOption = [],  # noqa: B006
    _: Annotated[
        bool, typer.Option("--list", callback=_list_passes, is_eager=True, help="List the passes and exit.")
    ] = False,
) -> None:
    """Run passes over a model and write the module as text."""
    from qconvert import api
    from qconvert.api import saving

    loaded = _load(model, dim)
    transformed = api.transform(loaded, _steps(_names(passes), loaded, samples))
    saving.save(transformed, output, artifact_version=artifact_version)
    if why:
        for refusal in transformed.refusals:
            _say(str(refusal))
    elif transformed.refusals:
        _say(f"{len(transformed.refusals)} ops were left alone; --why says which and why")


def _steps(names: list[str], model: Model, samples: Path | None) -> list[str | Pass]:
    """The passes of ``opt``; with samples ``materialize-stats`` knows the ranges of the model's values on them."""
    if samples is None:
        return [*names]
    from qconvert.interpreter.observation import observe_ranges
    from qconvert.passes.casts.materialize_stats import MaterializeStats
    from qconvert.support.files import read_arrays
    from qconvert.validation.samples import arguments, given_samples

    given = given_samples(read_arrays(samples), arguments(model.module, model.input_names))
    step = MaterializeStats(observe_ranges(model.module, [list(sample.values()) for sample in given]))
    return [step if name == step.name else name for name in names]


@app.command()
def engines() -> None:
    """List the runtimes qconvert can ask, and how to add those that are missing."""
    from qconvert.engines.base import engine_infos

    for info in engine_infos():
        typer.echo(f"{info.name:<12} {info.version or 'missing: ' + info.hint}")


def _version(requested: bool) -> None:
    if not requested:
        return
    from qconvert import __version__
    from qconvert.engines.base import engine_infos

    installed = ", ".join(f"{i.name} {i.version}" for i in engine_infos() if i.version and i.name != "reference")
    typer.echo(f"qconvert {__version__} ({installed})")
    raise typer.Exit


@app.callback()
def _common(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print versions and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line and exit: 0 done and within limits, 1 the comparison failed, 2 bad input or usage.

    An error that qconvert does not raise on purpose is a defect, and alone shows a traceback.
    """
    try:
        app()
    except QConvertError as error:
        if "--debug" in sys.argv[1:]:
            raise
        _say(f"error: {error}")
        sys.exit(EXIT_FAILED if isinstance(error, CheckFailedError) else EXIT_BAD_INPUT)
