"""The details of a layer as JSON, for the page's script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from qconvert.support.printable import printable
from qconvert.validation.figures.details import Distances, Histogram, LayerDetails, Port, StatedOp
from qconvert.validation.parameters.words import by_channel


def layer_data(layer: LayerDetails, facts: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return an object for a layer with facts, each with its name; all texts are printable."""
    sides = (layer.ports, layer.ops), ((), ()) if layer.file is None else (layer.file.ports, layer.file.ops)
    data: dict[str, Any] = {
        "node": printable(layer.node),
        "op": printable(layer.op),
        "tensor": printable(layer.tensor),
        "facts": [[printable(name), printable(value)] for name, value in facts if value],
        "nodes": [[printable(node.name), printable(node.op)] for node in layer.nodes],
        "tensors": [*_tensors(*(ports for ports, _ in sides))],
        "ops": [[_op(op) for op in ops] for _, ops in sides],
        "weights": _weights(*(ports for ports, _ in sides)),
    }
    if layer.file is not None and layer.file.why:
        data["why"] = printable(layer.file.why)
    if layer.channels is not None:
        data["channels"] = layer.channels
    return data if layer.distances is None else {**data, **_distances(layer.distances)}


def _tensors(first: Sequence[Port], second: Sequence[Port]) -> Iterator[list[str | int]]:
    """Yield a row for each tensor of both sides, those of one role and name together; the last cell: scales differ.

    The second cell is the side, 0 or 1.
    """
    rest = list(second)
    for port in first:
        other = next((each for each in rest if (each.role, each.name) == (port.role, port.name)), None)
        differs = "" if other is None else _differing(port, other)
        yield [*_port(port), 0, ""]
        if other is not None:
            rest.remove(other)
            yield [*_port(other), 1, differs]
    for port in rest:
        yield [*_port(port), 1, ""]


def _differing(first: Port, second: Port) -> str:
    """Return how the scales of both sides differ, empty where they do not or one side states none."""
    one, other = (np.array(port.every_scale).astype(np.float32).astype(np.float64) for port in (first, second))
    return (one.size and other.size and by_channel("scale", one, other)) or ""


def _op(op: StatedOp) -> list[str]:
    return [printable(op.op), ", ".join(f"{printable(name)} {printable(text)}" for name, text in op.facts)]


def _weights(*sides: Sequence[Port]) -> list[list[Any]]:
    """Return the histograms of constants, each with its name and the sides that have it, 0, 1 or both."""
    found: dict[tuple[str, Histogram], list[int]] = {}
    for side, ports in enumerate(sides):
        for port in ports:
            if port.elements is not None:
                found.setdefault((port.name, port.elements), []).append(side)
    return [[printable(name), h.low, h.width, h.counts, sorted({*where})] for (name, h), where in found.items()]


def _port(port: Port) -> list[str | int]:
    shape = "x".join(map(str, port.shape)) or "scalar"
    scale, zero_point = (_range(values) for values in (port.scales, port.zero_points))
    if port.count > 1:
        scale += f" ({port.count} along axis {port.axis})" if port.axis is not None else f" ({port.count} blocks)"
    return list(map(printable, (port.role, port.name, f"{port.type} {shape}", scale, zero_point)))


def _range(values: tuple[float, float] | None) -> str:
    if values is None:
        return "-"
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
