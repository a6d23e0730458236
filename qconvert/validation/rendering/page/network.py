"""The network as a drawing in SVG: a node for each layer, each input and each output of the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qconvert.support.layered import Drawing as Layered
from qconvert.support.layered import Point, layered
from qconvert.validation.rendering.page.content import Drawing
from qconvert.validation.rendering.page.markup import escaped

WIDTH, HEIGHT = 176, 56
PITCH = 92
"""The distance of ranks; sizes are in CSS pixels."""

GAP = 24
LETTERS = 22
"""The number of letters of a name that fit into a node."""


@dataclass(frozen=True)
class _Box:
    """A node of the drawing; ``number`` is the layer's, None for inputs and outputs of the model."""

    title: str
    kind: str
    text: str
    figure: str
    style: str
    number: int | None = None
    badge: str = ""


def network(drawing: Drawing, marked: Mapping[str, str], prefix: str) -> str:
    """Return the drawing; links lead to ``#PREFIX-lNUMBER``, the layer of that number.

    ``marked`` has the badge of some layers, by their tensors.
    """
    makers = {layer.tensor for layer in drawing.nodes}
    inputs = dict.fromkeys(name for layer in drawing.nodes for name in layer.inputs if name not in makers)
    inputs.update((name, None) for names in drawing.outputs.values() for name in names if name not in makers)
    boxes = [_Box(f"input {name}", "input", name, "", "port") for name in inputs]
    places = {name: i for i, name in enumerate((*inputs, *(layer.tensor for layer in drawing.nodes)))}
    edges: list[tuple[int, int]] = []
    for number, layer in enumerate(drawing.nodes):
        edges += [(places[name], len(boxes)) for name in dict.fromkeys(layer.inputs)]
        badge = marked.get(layer.tensor, "")
        style = f"{layer.style} marked" if badge else str(layer.style)
        boxes.append(_Box(layer.tip, layer.op or "op", layer.node, layer.figure, style, number, badge))
    for name, sources in drawing.outputs.items():
        edges += [(places[source], len(boxes)) for source in dict.fromkeys(sources)]
        boxes.append(_Box(f"output {name}", "output", name, "", "port"))
    return _svg(boxes, edges, prefix)


def _svg(boxes: list[_Box], edges: list[tuple[int, int]], prefix: str) -> str:
    # A node of several ops may take the result of a later node: its edge is drawn as if it led down.
    drawing = layered(len(boxes), [(min(edge), max(edge)) for edge in edges])
    lines = "".join(f'<path d="{curve(line)}"/>' for line in drawing.edges)
    nodes = "".join(_node(box, pixels(point), prefix) for box, point in zip(boxes, drawing.points, strict=True))
    width, height = extent(drawing)
    return (
        f'<svg class=network data-width="{width:.0f}" data-height="{height:.0f}" role=img aria-label="the network">'
        f"<g class=scene><g class=edges>{lines}</g>{nodes}</g></svg>"
    )


def extent(drawing: Layered) -> tuple[float, float]:
    """Return the width and the height of a drawing, with the bends of edges that lead around nodes."""
    points = [*drawing.points, *(point for line in drawing.edges for point in line)]
    right, bottom = (max((point[i] for point in points), default=0.0) for i in (0, 1))
    return (right + 0.5) * (WIDTH + GAP), bottom * PITCH + HEIGHT


def pixels(point: Point) -> Point:
    """Return the middle of a node, or the bend of an edge."""
    return point[0] * (WIDTH + GAP), point[1] * PITCH + HEIGHT / 2


def curve(line: tuple[Point, ...]) -> str:
    """Return a path from the lower end of the first node to the upper end of the last, vertical at each point."""
    (x, y), *bends, (right, bottom) = map(pixels, line)
    y += HEIGHT / 2
    path = f"M{x:.0f} {y:.0f}"
    for to_x, to_y in [*bends, (right, bottom - HEIGHT / 2)]:
        middle = (y + to_y) / 2
        path += f"C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}"
        x, y = to_x, to_y
    return path


def _node(box: _Box, middle: Point, prefix: str) -> str:
    x, y = middle[0] - WIDTH / 2, middle[1] - HEIGHT / 2
    name = box.text if len(box.text) <= LETTERS else f"…{box.text[1 - LETTERS :]}"
    letters = LETTERS - len(box.figure)
    kind = box.kind if len(box.kind) <= letters else f"{box.kind[: letters - 1]}…"
    inside = (
        f"<title>{escaped(box.title)}</title><rect width={WIDTH} height={HEIGHT} rx=9 />"
        f"<text class=kind x=12 y=23>{escaped(kind)}</text><text class=name x=12 y=42>{escaped(name)}</text>"
        f"<text class=figure x={WIDTH - 12} y=23>{escaped(box.figure)}</text>"
        + (f"<text class=badge x={WIDTH / 2:.0f} y=-7>{escaped(box.badge)}</text>" if box.badge else "")
    )
    place = f'transform="translate({x:.0f} {y:.0f})"'
    if box.number is None:
        return f'<g class="node {box.style}" {place}>{inside}</g>'
    link = f'href="#{prefix}-l{box.number}" data-layer={box.number}'
    return f'<a class="node {box.style}" tabindex=-1 {link} {place}>{inside}</a>'
