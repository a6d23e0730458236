"""The figures of a page: classes, heights of bars, the drawing."""

from __future__ import annotations

import math
from collections.abc import Iterable

from qconvert.validation.figures.details import Details
from qconvert.validation.rendering.page.content import Drawing, LayerNode, LayerRow, Mismatch
from qconvert.validation.rendering.page.data import layer_data


def by_share(exact: float) -> Mismatch:
    """Return the class of a layer by its share of equal elements."""
    differing = 1.0 - exact
    if differing <= 0.0:
        return Mismatch.EQUAL
    if differing <= 1e-3:
        return Mismatch.LITTLE
    return Mismatch.SOME if differing <= 1e-2 else Mismatch.MUCH


def height(exact: float) -> float:
    """Return the height of a bar, 0 to 1: the logarithm of the share of elements that differ."""
    differing = 1.0 - exact
    return 0.0 if differing <= 0.0 else 0.2 + 0.8 * min(1.0, max(0.0, (math.log10(differing) + 6.0) / 6.0))


BARS = (
    "from input to output; the height of a bar is logarithmic: a fifth where one element in a million differs, "
    "all of it where each differs"
)
"""The caption of bars whose heights are those of :func:`height`."""


def drawing(hint: str, details: Details, rows: Iterable[LayerRow]) -> Drawing:
    """Return the network of all layers, of which ``rows`` has those that were compared."""
    known, nodes, data = {row.tensor: row for row in rows}, [], []
    for layer in details.layers:
        row = known.get(layer.tensor)
        style, tip = (Mismatch.UNKNOWN, f"{layer.node}: not compared") if row is None else (row.style, row.tip)
        figure, facts = ("not compared", ()) if row is None else (row.figure, row.facts)
        nodes.append(LayerNode(layer.tensor, layer.node, layer.op, layer.inputs, style, tip, figure))
        data.append(layer_data(layer, facts))
    return Drawing(f"{hint}Choose a layer in the drawing or in the table.", tuple(nodes), details.outputs, data)
