"""Rendering of a comparison: tables for a terminal, JUnit XML, Markdown and GitHub's annotations."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.text import Text

from qconvert.support.counting import counted
from qconvert.support.printable import printable
from qconvert.validation import github
from qconvert.validation.comparison.matching import Matched
from qconvert.validation.comparison.report import ComparisonFields, LayerPair
from qconvert.validation.render import WIDTH, suite_of, table, xml
from qconvert.validation.report import Reference
from qconvert.validation.rows import output_row, share

_OUTPUT_COLUMNS = ("output", "exact", "max LSB", "max abs", "SQNR dB", "top-1", "distinct")
_LAYER_COLUMNS = ("layer", "op", "in the second model", "matched by")
_NUMBERS = ("exact", "max LSB", "max abs", "SQNR dB", "elements")
_ALONE_COLUMNS = ("alone exact", "alone LSB", "alone dB", "nodes")
_SHOWN = 10
"""The number of layers around the first difference, or of the worst ones, that are printed unless all are asked for."""


def summary(report: ComparisonFields) -> str:
    """Return one line on both models, their engines and the samples."""
    second = f"{report.second.file} on {_engine(report.engine)}"
    first = f"{report.first.file} on {_engine(report.reference)}"
    return f"{second}, against {first}; {counted(report.samples, 'sample')}"


def _engine(engine: Reference) -> str:
    return " ".join(filter(None, (engine.engine, engine.version, engine.optimisation)))


def layer_row(layer: LayerPair) -> tuple[str, ...]:
    """Return the cells of one layer's row."""
    correlation = "" if layer.correlation is None else f" {layer.correlation:.4f}"
    other = "" if layer.second.node == layer.first.node else f"{layer.second.node} ({layer.second.op})"
    names = (layer.first.node, layer.first.op, other or layer.second.op, f"{layer.matched}{correlation}")
    numbers = _numbers(layer.exact, layer.max_lsb, layer.max_abs, layer.sqnr_db)
    lasting = () if layer.lasting_db is None else (f"{layer.lasting_db:.1f}",)
    return (*names, *numbers, f"{layer.elements:,}", *lasting, *_alone(layer))


def _alone(layer: LayerPair) -> tuple[str, ...]:
    """Return the cells of a layer that was run alone: without the largest difference."""
    if layer.alone is None:
        return ()
    exact, lsb, _, noise = _numbers(layer.alone.exact, layer.alone.max_lsb, layer.alone.max_abs, layer.alone.sqnr_db)
    return (exact, lsb, noise, str(layer.alone.nodes))


def _numbers(exact: float, lsb: float | None, largest: float, decibels: float | None) -> tuple[str, ...]:
    noise = "inf" if decibels is None else f"{decibels:.1f}"
    return (share(exact), "-" if lsb is None else f"{lsb:.0f}", f"{largest:.3g}", noise)


def layer_columns(report: ComparisonFields) -> tuple[str, ...]:
    """Return the heads of the layers' table; the SQNR that lasts is known against a float original."""
    is_cost = any(layer.lasting_db is not None for layer in report.layers)
    is_alone = any(layer.alone is not None for layer in report.layers)
    return (*_LAYER_COLUMNS, *_NUMBERS, *(("lasting dB",) if is_cost else ()), *(_ALONE_COLUMNS if is_alone else ()))


def _shown(report: ComparisonFields, *, per_layer: bool) -> Sequence[LayerPair]:
    """Return the layers to print: all, else the worst ones of a quantized model, else the first that differ."""
    if per_layer:
        return report.layers
    if report.higher_precision:
        return sorted(report.layers, key=lambda layer: layer.lasting_db or float("inf"))[:_SHOWN]
    return [layer for layer in report.layers if layer.differs][:_SHOWN]


def _matched(report: ComparisonFields) -> str:
    """Return how many layers were compared, by the evidence, and how many differ."""
    ways = {by: sum(layer.matched is by for layer in report.layers) for by in Matched}
    listed = ", ".join(f"{count} by {by}" for by, count in ways.items() if count)
    differing = sum(layer.differs for layer in report.layers)
    return f"{counted(len(report.layers), 'layer')} matched ({listed or 'no way'}); {differing} differ"


def print_comparison(report: ComparisonFields, console: Console, *, per_layer: bool) -> None:
    """Print the summary, the outputs, the layers that differ (or each) and the verdict."""
    layers = [layer_row(layer) for layer in _shown(report, per_layer=per_layer)]
    parts: list[RenderableType] = [
        Text(printable(summary(report))),
        Text(),
        table(_OUTPUT_COLUMNS, [output_row(output)[: len(_OUTPUT_COLUMNS)] for output in report.outputs], 1),
        Text(),
        Text(_matched(report)),
        *((table(layer_columns(report), layers, 4), Text()) if layers else ()),
        *(Text(printable(note)) for note in (*_advice(report), *report.notes)),
        *(Text(printable(failure), style="red") for failure in report.failures),
        Text("passed", style="green") if report.passed else Text("failed", style="red"),
    ]
    console.print(Group(*parts))


def _advice(report: ComparisonFields) -> list[str]:
    """Return the sentences on the cost of quantization and on accuracy."""
    found = []
    if report.higher_precision:
        names = ", ".join(f"'{name}'" for name in report.higher_precision)
        found.append(f"quantization costs most in {names}: leave these in higher precision first")
    if report.accuracy is not None:
        labelled = report.accuracy
        shares = [f"{right / labelled.samples:.2%}" for right in (labelled.first, labelled.second)]
        found.append(f"accuracy: {shares[1]} of {labelled.samples:,} labelled samples, {shares[0]} in the first model")
    return found


def text(report: ComparisonFields) -> str:
    """Return what :func:`print_comparison` prints, as text."""
    stream = StringIO()
    print_comparison(report, Console(file=stream, width=WIDTH, color_system=None), per_layer=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def junit(report: ComparisonFields) -> str:
    """Return JUnit XML with a case for each layer and output; the first layer that differs fails with the outputs."""
    cases = [("layer", layer.first.node) for layer in report.layers] + [("output", o.name) for o in report.outputs]
    return xml(suite_of(f"qconvert compare {_files(report)}", report.engine.engine, cases, report.failures))


def _files(report: ComparisonFields) -> str:
    return f"{report.first.file} and {report.second.file}"


def workflow_commands(report: ComparisonFields) -> list[str]:
    """Return an annotation of the second file for each failure, or a notice."""
    file = report.second.file
    if report.passed:
        return [github.annotation("notice", file, f"{file} computes the same as {report.first.file}", summary(report))]
    title = f"{file} differs from {report.first.file}"
    return [github.annotation("error", file, title, failure) for failure in report.failures]


def markdown(report: ComparisonFields) -> str:
    """Return a summary of a job in Markdown: failures, outputs and layers."""
    verdict = "passed" if report.passed else "failed"
    parts = [
        f"## qconvert compare: {verdict}",
        github.bullets([summary(report), *report.failures, *_advice(report), *report.notes]),
        github.table(_OUTPUT_COLUMNS, map(output_row, report.outputs)),
        github.table(layer_columns(report), map(layer_row, report.layers)),
    ]
    return "\n\n".join(parts) + "\n"
