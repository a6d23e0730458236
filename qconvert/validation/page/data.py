"""The details of a layer as JSON, for the page's script."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qconvert.support.printable import printable
from qconvert.validation.details import Distances, LayerDetails, Port


def layer_data(layer: LayerDetails, facts: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return an object for a layer with facts, each with its name; all texts are printable."""
    data: dict[str, Any] = {
        "node": printable(layer.node),
        "op": printable(layer.op),
        "tensor": printable(layer.tensor),
        "facts": [[printable(name), printable(value)] for name, value in facts if value],
        "nodes": [[printable(node.name), printable(node.op)] for node in layer.nodes],
        "ports": [_port(port) for port in layer.ports],
    }
    if layer.channels is not None:
        data["channels"] = layer.channels
    return data if layer.distances is None else {**data, **_distances(layer.distances)}


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
        "places": [
            [each.axis, each.size, each.width, [[g.first, g.elements, g.ties, g.largest] for g in each.groups]]
            for each in distances.dimensions
        ],
        "integers": [[each.low, each.width, each.counts] for each in distances.integers],
        "largest": [
            [each.sample, list(each.index), each.reference, each.result, int(each.is_tie)] for each in distances.largest
        ],
        **({} if distances.unit is None else {"unit": distances.unit}),
    }
