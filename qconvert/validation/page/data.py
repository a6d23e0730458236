"""The details of layers as JSON, for the page's script."""

from __future__ import annotations

from typing import Any

from qconvert.support.printable import printable
from qconvert.validation.details import Distances, LayerDetails, Port
from qconvert.validation.report import LayerReport, ReportFields
from qconvert.validation.rows import layer_columns, layer_row


def layers_data(report: ReportFields) -> list[dict[str, Any]]:
    """Return an object for each layer of the details, in their order; all texts are printable."""
    assert report.details is not None
    measured = {layer.tensor: layer for layer in report.layers}
    return [_layer(layer, measured.get(layer.tensor), report) for layer in report.details.layers]


def _layer(layer: LayerDetails, found: LayerReport | None, report: ReportFields) -> dict[str, Any]:
    data: dict[str, Any] = {
        "node": printable(layer.node),
        "op": printable(layer.op),
        "tensor": printable(layer.tensor),
        "facts": [] if found is None else _facts(found, report),
        "nodes": [[printable(node.name), printable(node.op)] for node in layer.nodes],
        "ports": [_port(port) for port in layer.ports],
    }
    return data if layer.distances is None else {**data, **_distances(layer.distances)}


def _facts(found: LayerReport, report: ReportFields) -> list[list[str]]:
    pairs = list(zip(layer_columns(report), layer_row(found), strict=False))[2:]
    facts = [*pairs, ("exact without ties", f"{found.exact_non_ties:.7g}")]
    if found.float_error is not None:
        error = found.float_error
        facts.append(("reference's float error", f"{error.mean:.2g} LSB mean, {error.largest:.2g} LSB largest"))
    return [[printable(name), printable(value)] for name, value in facts if value]


def _port(port: Port) -> list[str]:
    shape = "x".join(map(str, port.shape)) or "scalar"
    scale, zero_point = (_range(values) for values in (port.scales, port.zero_points))
    if port.count > 1:
        scale += f" ({port.count} along axis {port.axis})" if port.axis is not None else f" ({port.count} blocks)"
    return list(map(printable, (port.role, port.name, f"{port.type} {shape}", scale, zero_point)))


def _range(values: tuple[float, float] | None) -> str:
    if values is None:
        return ""
    least, largest = values
    return f"{least:.6g}" if least == largest else f"{least:.6g} to {largest:.6g}"


def _distances(distances: Distances) -> dict[str, Any]:
    return {
        "bars": [[bar.low, bar.high, bar.elements, bar.ties] for bar in distances.bars],
        "points": [[each.reference, each.result, each.elements, each.differing] for each in distances.points],
        "width": distances.width,
        "largest": [
            [each.sample, list(each.index), each.reference, each.result, int(each.is_tie)] for each in distances.largest
        ],
    }
