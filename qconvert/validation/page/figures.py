"""The figures that the pages of validations and comparisons share: classes, heights, the drawing, settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from qconvert.validation.details import Details
from qconvert.validation.page.content import Drawing, LayerNode, Mismatch
from qconvert.validation.page.data import layer_data


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
    "ties aside, all of it where each differs"
)
"""The caption of bars whose heights are those of :func:`height`."""


class Told(NamedTuple):
    """A layer in the drawing: the text over its node, the figure in the corner, and its facts with their names."""

    tip: str
    figure: str
    facts: Sequence[tuple[str, str]] = ()


def drawing(hint: str, details: Details, styles: Mapping[str, Mismatch], told: Callable[[str], Told]) -> Drawing:
    """Return the network of all layers; ``styles`` and ``told`` know the layers that were compared by their tensors."""
    nodes, data = [], []
    for layer in details.layers:
        found, style = told(layer.tensor), styles.get(layer.tensor, Mismatch.UNKNOWN)
        tip = f"{layer.node}: {found.tip}"
        nodes.append(LayerNode(layer.tensor, layer.node, layer.op, layer.inputs, style, tip, found.figure))
        data.append(layer_data(layer, found.facts))
    return Drawing(f"{hint}Choose a layer in the drawing or in the table.", tuple(nodes), details.outputs, data)


def settings_lines(seed: int | None, samples: int, limits: Mapping[str, float], version: str) -> list[tuple[str, str]]:
    """Return the settings of a report, each with its name."""
    shown = ", ".join(f"{name} {value:g}" for name, value in limits.items())
    return [
        ("seed", "none: the samples were given" if seed is None else str(seed)),
        ("samples", f"{samples:,}"),
        ("limits", shown or "the defaults"),
        ("qconvert", version),
    ]
