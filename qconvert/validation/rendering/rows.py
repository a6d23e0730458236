"""The cells of a report's tables, as text: outputs, layers, values that are compared where no layer is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qconvert.engines.base import EngineName
from qconvert.support.counting import counted
from qconvert.validation.figures.report import (
    Engine,
    InputReport,
    JudgedOps,
    LayerReport,
    OutputReport,
    ReportFields,
    SharesRight,
    ValueReport,
    WholeOutput,
)
from qconvert.validation.rendering.conclusion import verdict_line

_LAYER_COLUMNS = ("layer", "op", "family", "exact", "needed", "max LSB", "elements", "ties")


def output_columns(report: ReportFields) -> tuple[str, ...]:
    """Return the heads of the outputs' table; the last column is the reference's own optimised run.

    Values that are matched have no such run.
    """
    columns = ("output", "exact", "max LSB", "max abs", "SQNR dB", "top-1", "distinct")
    if report.is_matched:
        return columns
    engine = report.reference.name
    return (*columns, "optimised" if engine == EngineName.REFERENCE else f"optimised {engine}")


def share(value: float | None) -> str:
    """Format a share with enough digits to distinguish it from 1."""
    if value is None:
        return "-"
    return f"{value:.4f}" if value in (0.0, 1.0) or value < 0.9999 else f"{value:.7f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def output_row(output: OutputReport) -> tuple[str, ...]:
    """Return the cells of one output's row."""
    return (
        output.name,
        share(output.exact),
        "-" if output.max_lsb is None else str(output.max_lsb),
        f"{output.max_abs:.3g}",
        _number(output.sqnr_db) if output.exact < 1.0 else "inf",
        share(output.top1),
        f"{output.distinct:,}",
        share(output.exact_reference_optimised),
    )


def layer_row(layer: LayerReport) -> tuple[str, ...]:
    """Return the cells of one layer's row."""
    shares = (share(layer.exact), _needed(layer.needed))
    numbers = (str(layer.max_lsb), f"{layer.elements:,}", f"{layer.ties:,}", _proved(layer) or _rewritten([layer]))
    return (layer.node, layer.op, layer.family, *shares, *numbers)


def _rewritten(layers: Sequence[LayerReport]) -> str:
    """Return the share of equal elements and the largest LSB in the engine's other kernels, if they ran."""
    found = [(layer.rewritten, layer.elements) for layer in layers if layer.rewritten is not None]
    if not found:
        return ""
    elements = sum(count for _, count in found)
    equal = sum(round(part.exact * count) for part, count in found)
    return f"{share(equal / elements if elements else 1.0)}, {max(part.max_lsb for part, _ in found)} LSB"


def _needed(least: float) -> str:
    return f"{least:.4f}" if least else "non-ties"


def _proved(layer: LayerReport) -> str:
    """Return the number of inputs for which a layer is proved, or the distance from ties beyond which it is."""
    proof = layer.proof
    if proof is None and layer.measured is not None:
        return f"measured {layer.measured:.2g} LSB"
    if proof is None:
        return "" if layer.bound is None else f"{layer.bound:.2g} LSB from ties"
    return f"all {proof.inputs:,}" if proof.holds else f"{proof.inputs - proof.differing:,} of {proof.inputs:,}"


def value_columns(report: ReportFields) -> tuple[str, ...]:
    """Return the heads of the values' table, without figures that no value has."""
    return (
        *("node", "op"),
        *(("in the file", "matched by") if report.is_matched else ()),
        "exact",
        *(("max LSB",) if any(value.max_lsb is not None for value in report.values) else ()),
        *("max abs", "max rel"),
        *(("SQNR dB",) if report.is_matched else ()),
        "elements",
        *(("lasting dB",) if report.is_cost else ()),
    )


def value_cells(value: ValueReport) -> dict[str, str]:
    """Return the cells of one value's row by their columns."""
    second, correlation = value.second, value.correlation
    other = "" if second is None or second.node == value.node else f"{second.node} ({second.op})"
    is_undefined = value.sqnr_db is None and value.max_abs > 0  # of values that are not finite, or zeros
    return {
        "node": value.node,
        "op": value.op,
        "in the file": other or ("" if second is None else second.op),
        "matched by": f"{value.matched}" if correlation is None else f"{value.matched} {correlation:.4f}",
        "exact": share(value.exact),
        "max LSB": "-" if value.max_lsb is None else f"{value.max_lsb:.0f}",
        "max abs": f"{value.max_abs:.3g}",
        "max rel": f"{value.max_rel:.3g}",
        "SQNR dB": "-" if is_undefined else _decibels(value.sqnr_db),
        "elements": f"{value.elements:,}",
        "lasting dB": _decibels(value.lasting_db),
    }


def _decibels(value: float | None) -> str:
    return "inf" if value is None else f"{value:.1f}"


def value_row(value: ValueReport, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the cells of one value's row, in the order of the columns."""
    cells = value_cells(value)
    return tuple(cells[column] for column in columns)


def lasting(value: ValueReport) -> float:
    """Return the SQNR in dB that lasts, infinite without noise: values are ranked by it against a float original."""
    return float("inf") if value.lasting_db is None else value.lasting_db


def input_line(first: InputReport, engine: str) -> str:
    """Return a line with the share of an input's elements that are quantized as in the reference ``engine``."""
    return f"input '{first.name}': {share(first.exact)} of {first.elements:,} elements quantized as by {engine}"


def accuracy_line(labelled: SharesRight) -> str:
    """Return a line with the shares of labelled samples that the file and the source classify right."""
    source, file = shares_right(labelled)
    return f"accuracy: {file} of {labelled.samples:,} labelled samples, {source} in the source"


def shares_right(labelled: SharesRight) -> tuple[str, str]:
    """Return the shares of labelled samples that the source and the file classify right, in percent."""
    first, second = (f"{right / labelled.samples:.2%}" for right in (labelled.first, labelled.second))
    return first, second


def judged_line(ops: JudgedOps) -> str:
    """Return a line with the ops of the file that were judged, from the reference's integers, and the merged layers."""
    line = f"{ops.judged:,} of {ops.ops:,} ops of the file judged"
    merged = counted(ops.merged_layers, "layer")
    return f"{line}; the file has {merged} only as part of others" if ops.merged_layers else line


def ran_by(engine: Engine) -> str:
    """Return the name and the version of what ran a model, and its graph optimisation or its kernels, if any."""
    kind = "kernels" if engine.name == EngineName.LITERT else "graph optimisation"
    setting = f", {kind} {engine.optimisation}" if engine.optimisation else ""
    return f"{engine.name} {engine.version}{setting}"


def summary(report: ReportFields) -> str:
    """Return one line on the model, the engine, the reference and the samples."""
    engine, against = ran_by(report.engine), ran_by(report.reference)
    if report.file:
        ran, against = f"{report.file} on {engine}", f"{report.model.file} on {against}"
    else:
        ran = f"{report.model.file} as {report.to} on {engine} (the file that convert writes)"
    found = f"{ran}, against {against}; {counted(report.samples, 'sample')}"
    return found if report.engine.name != EngineName.REFERENCE else f"{found}. {_no_judge(report)}"


def _no_judge(report: ReportFields) -> str:
    """Return a sentence that says that the engine is no independent judge."""
    line = "The engine is qconvert's own interpreter, which is no independent judge"
    return f"{line}: {report.engine.why}" if report.engine.why else line


WHOLE_COLUMNS = ("from end to end", "differ", "at most", "SQNR dB", "at least", "max abs", "at most")
"""The heads of the table of whole outputs."""


def whole_row(output: WholeOutput) -> tuple[str, ...]:
    """Return the cells of one output's row: what was measured, and the limits by the reference's own moved runs."""
    most = "-" if output.most_abs is None else f"{output.most_abs:.3g}"
    return (
        output.name,
        f"{output.differing:.3%}",
        f"{output.most_differing:.3%}",
        _number(output.sqnr_db),
        _number(output.least_sqnr_db),
        f"{output.max_abs:.3g}",
        most,
    )


def moved(report: ReportFields) -> bool:
    """Return True if the limits of whole outputs were measured, which equal outputs do not need."""
    return any(output.differing or output.max_abs for output in report.whole)


def family_rows(report: ReportFields) -> list[tuple[str, ...]]:
    """Return one row for the layers of each family."""
    rows: list[tuple[str, ...]] = []
    for family in dict.fromkeys(layer.family for layer in report.layers):
        layers = [layer for layer in report.layers if layer.family == family]
        elements = sum(layer.elements for layer in layers)
        equal = sum(round(layer.exact * layer.elements) for layer in layers)
        largest = max(layer.max_lsb for layer in layers)
        ties = sum(layer.ties for layer in layers)
        shares = (share(equal / elements if elements else 1.0), _needed(min(layer.needed for layer in layers)))
        numbers = (str(largest), f"{elements:,}", f"{ties:,}")
        proofs = [layer.proof for layer in layers if layer.proof is not None]
        proved = counted(sum(proof.holds for proof in proofs), "layer") if proofs else ""
        rows.append((counted(len(layers), "layer"), "", family, *shares, *numbers, proved or _rewritten(layers)))
    return rows


def layer_columns(report: ReportFields) -> tuple[str, ...]:
    """Return the heads of the layers' table.

    ``proved`` counts the inputs for which a layer's integers were proved during the conversion. Only ``tosa`` and
    ``tosa-rescale`` have proofs. Only LiteRT has ``default kernels`` besides those that the other columns are of.
    """
    if any(layer.rewritten is not None for layer in report.layers):
        return (*_LAYER_COLUMNS, "default kernels")
    return (*_LAYER_COLUMNS, "proved") if any(map(_proved, report.layers)) else _LAYER_COLUMNS


MODEL_COLUMNS = ("model", "outputs exact", "max LSB", "layers", "layers exact", "max LSB", "")
"""The heads of the table of models. ``exact`` is the least share of equal elements, ``max LSB`` the largest difference.
"""


def model_row(report: ReportFields) -> tuple[str, ...]:
    """Return the cells of one report's row among several."""
    return (
        report.model.file,
        share(min((output.exact for output in report.outputs), default=None)),
        _largest(output.max_lsb for output in report.outputs),
        str(len(report.compared)),
        share(min((each.exact for each in report.compared), default=None)),
        _largest(each.max_lsb for each in report.compared),
        verdict_line(report),
    )


def _largest(lsbs: Iterable[float | None]) -> str:
    found = max((lsb for lsb in lsbs if lsb is not None), default=None)
    return "-" if found is None else f"{found:.0f}"
