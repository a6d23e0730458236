"""The description of a model as a page, and its network as a drawing in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qconvert.api.inspection import Inspection
from qconvert.api.node_table import COLUMNS, cells
from qconvert.api.nodes import NodeInfo
from qconvert.support.layered import Point, layered
from qconvert.support.printable import escaped
from qconvert.validation.page.markup import document, table
from qconvert.validation.page.network import GAP, HEIGHT, LETTERS, PITCH, WIDTH, curve, pixels

_MARGIN = 20
_STYLE = (
    "svg{background:#fbfbfa;font:12px system-ui,sans-serif}path{fill:none;stroke:#9aa4b0}rect{fill:#fff;stroke-width:2}"
    ".integer rect{stroke:#3a9d6c}.float rect{stroke:#e58a35}.mixed rect{stroke:#e5b93c}.port rect{stroke:#b4bac2}"
    "text{fill:#1d2126}.kind{font-weight:650}"
)
_LEGEND = (
    "Frames: green computes in integers, orange in floats, yellow multiplies integers and has other ops in floats."
)


def page(inspection: Inspection) -> str:
    """Return one self-contained page: totals, what each format refuses, the drawing, the nodes."""
    name = Path(inspection.file).name
    totals = [
        ("multiply-accumulates", f"{inspection.macs:,}"),
        ("of them in integers", f"{inspection.quantized_macs:,}"),
        ("bytes of weights", f"{inspection.weights_bytes:,}"),
        ("bytes of activations at most", _known(inspection.peak_activation_bytes)),
        ("ops in float", f"{inspection.float_ops:,}"),
    ]
    cards = "".join(f"<div><dt>{what}</dt><dd>{figure}</dd></div>" for what, figure in totals)
    ports = [("input", port.name, port.type) for port in inspection.inputs]
    ports += [("output", port.name, port.type) for port in inspection.outputs]
    targets = [(each.title, each.outcome) for each in inspection.targets]
    refused = [(each.title, str(refusal)) for each in inspection.targets for refusal in each.refused]
    body = (
        f"<main class=report><header><h1>{escaped(name)}</h1>"
        f"<p>{escaped(inspection.file)}, {inspection.format}</p></header>"
        f"<dl class=cards>{cards}</dl>{table(('', 'name', 'type'), ports)}"
        f"{'<h2>Formats</h2>' if targets else ''}{table(('conversion', 'outcome'), targets)}"
        f"{table(('conversion', 'refused'), refused)}"
        f"<h2>Network</h2><p>{_LEGEND}</p><div class=wide>{drawing(inspection.nodes)}</div>"
        f"<h2>Nodes</h2>{table(_moved(COLUMNS), (_moved(cells(node)) for node in inspection.nodes))}</main>"
    )
    return document(name, body)


def _known(size: int | None) -> str:
    return "unknown" if size is None else f"{size:,}"


def _moved(row: Sequence[str]) -> tuple[str, ...]:
    """Return a row with its last cell, the node, in front."""
    return (row[-1], *row[:-1])


def drawing(nodes: Sequence[NodeInfo]) -> str:
    """Return the network as an SVG file: inputs above, outputs below, a frame in the colour of each node's numbers."""
    inputs = list(dict.fromkeys(name for node in nodes for name in node.model_inputs))
    boxes = [_box("port", "input", name, name) for name in inputs]
    edges: list[tuple[int, int]] = []
    for i, node in enumerate(nodes):
        edges += [(inputs.index(name), len(inputs) + i) for name in node.model_inputs]
        edges += [(len(inputs) + source, len(inputs) + i) for source in node.sources]
        boxes.append(
            _box(str(node.arithmetic), ", ".join(node.operators or node.ops), ", ".join(node.nodes), _tip(node))
        )
    for i, node in enumerate(nodes):
        for name in node.model_outputs:
            edges.append((len(inputs) + i, len(boxes)))
            boxes.append(_box("port", "output", name, name))
    # A node of several ops may take the result of a later node: its edge is drawn as if it led down.
    drawn = layered(len(boxes), [(min(edge), max(edge)) for edge in edges])
    lines = "".join(f'<path d="{curve(line)}"/>' for line in drawn.edges)
    placed = "".join(_placed(box, point) for box, point in zip(boxes, drawn.points, strict=True))
    right, bottom = (max((point[i] for point in drawn.points), default=0.0) for i in (0, 1))
    width, height = (right + 0.5) * (WIDTH + GAP) + 2 * _MARGIN, bottom * PITCH + HEIGHT + 2 * _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" role="img" '
        f'aria-label="the network"><style>{_STYLE}</style><g transform="translate({_MARGIN} {_MARGIN})">'
        f"{lines}{placed}</g></svg>\n"
    )


def _tip(node: NodeInfo) -> str:
    """Return the text that appears over a node: its name, shapes and figures."""
    taken, made = (", ".join(map(str, tensors)) for tensors in (node.inputs, node.outputs))
    return f"{node.title}: {taken} to {made}; {node.macs:,} MACs, {node.weights_bytes:,} bytes of weights"


def _box(style: str, kind: str, name: str, tip: str) -> str:
    """Return a node in XML, its corner at the origin; ``tip`` appears over it."""
    short = name if len(name) <= LETTERS else f"…{name[1 - LETTERS :]}"
    shown = kind if len(kind) <= LETTERS else f"{kind[: LETTERS - 1]}…"
    return (
        f'class="{style}"><title>{escaped(tip)}</title><rect width="{WIDTH}" height="{HEIGHT}" rx="9"/>'
        f'<text class="kind" x="12" y="23">{escaped(shown)}</text><text x="12" y="42">{escaped(short)}</text>'
    )


def _placed(box: str, point: Point) -> str:
    x, y = pixels(point)
    return f'<g transform="translate({x - WIDTH / 2:.0f} {y - HEIGHT / 2:.0f})" {box}</g>'
