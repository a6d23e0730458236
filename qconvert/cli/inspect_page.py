"""The description of a model as a page, and its network as a drawing in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qconvert.api.inspection import Inspection
from qconvert.api.node_table import COLUMNS, cells
from qconvert.api.nodes import Arithmetic, NodeInfo
from qconvert.api.tensors import TensorInfo
from qconvert.support.layered import Point, layered
from qconvert.support.printable import escaped, printable
from qconvert.validation.figures.details import Role
from qconvert.validation.rendering.page import sections
from qconvert.validation.rendering.page.content import Cell, Drawing, LayerNode
from qconvert.validation.rendering.page.markup import asset, document, embedded, table
from qconvert.validation.rendering.page.network import HEIGHT, LETTERS, WIDTH, curve, extent, pixels

_MARGIN = 20
_STYLE = (
    "svg{background:#fbfbfa;font:12px system-ui,sans-serif}path{fill:none;stroke:#9aa4b0}rect{fill:#fff;stroke-width:2}"
    ".integer rect{stroke:#3a9d6c}.float rect{stroke:#e58a35}.mixed rect{stroke:#e5b93c}.port rect{stroke:#b4bac2}"
    "text{fill:#1d2126}.kind{font-weight:650}"
)
_KINDS = {Arithmetic.INTEGER: "integers", Arithmetic.FLOAT: "floats", Arithmetic.MIXED: "integers and floats"}
_MEANINGS = (
    "Names and operators of the source.",
    "Multiply-accumulates.",
    "Bytes of the constants.",
    "Bytes of all activations that are in memory while the node runs.",
    "The numbers that the node computes with.",
    "Shapes and types of the activations that it takes.",
    "Shape and type of the result.",
    "Scale of the result.",
    "Zero point of the result.",
)
"""The meaning of each column of the nodes' table, the node first."""

_NO_ZERO_POINT = -1e9
"""The number by which a result without a zero point is sorted."""

_PREFIX = "r0"
"""The beginning of the addresses of rows and layers in the page."""

_HINT = "The figure in the corner is the number of multiply-accumulates. Choose a node in the drawing or in the table."
_NUMBERS = {
    Arithmetic.INTEGER: "computes in integers",
    Arithmetic.FLOAT: "computes in floats",
    Arithmetic.MIXED: "multiplies integers, and has other ops in floats",
}


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
    data = f"<script type=application/json>{embedded([_data(node) for node in inspection.nodes])}</script>"
    body = (
        f"<main class=report data-prefix={_PREFIX}><header><h1>{escaped(name)}</h1>"
        f"<p>{escaped(inspection.file)}, {inspection.format}</p></header>"
        f"<dl class=cards>{cards}</dl>{table(('', 'name', 'type'), ports, 'texts')}"
        f"{'<h2>Formats</h2>' if targets else ''}{table(('conversion', 'outcome'), targets, 'texts told')}"
        f"{table(('conversion', 'refused'), refused, 'texts told')}"
        f"{_network(inspection.nodes)}{_nodes(inspection.nodes)}{data}</main>"
    )
    return document(name, body, asset("vendor/panzoom.min.js"), asset("report.js"))


def _network(nodes: Sequence[NodeInfo]) -> str:
    """Return the drawing of reports, whose layers are the nodes; nothing for a model without nodes."""
    if not nodes:
        return ""
    layers = [
        LayerNode(
            _tensor(number),
            ", ".join(node.nodes),
            ", ".join(node.operators or node.ops),
            (*node.model_inputs, *map(_tensor, node.sources)),
            node.arithmetic,
            _tip(node),
            f"{node.macs:,}" if node.macs else "",
        )
        for number, node in enumerate(nodes)
    ]
    outputs = {name: (_tensor(number),) for number, node in enumerate(nodes) for name in node.model_outputs}
    found = {node.arithmetic for node in nodes}
    legend = {str(kind): text for kind, text in _NUMBERS.items() if kind in found}
    return sections.explorer(Drawing(_HINT, tuple(layers), outputs, ()), legend, {}, _PREFIX)


def _tensor(number: int) -> str:
    """Return the name by which the drawing connects a node's results; no input of a model has it."""
    return f"\n{number}"


def _data(node: NodeInfo) -> dict[str, object]:
    """Return what the page's script shows of a node that is chosen; all texts are printable."""
    parts = {Role.INPUT: node.inputs, Role.CONSTANT: node.weights, Role.RESULT: node.outputs}
    tensors = [(role, tensor) for role, found in parts.items() for tensor in found]
    return {
        "node": printable(", ".join(node.nodes)),
        "op": printable(", ".join(node.operators or node.ops)),
        "tensor": printable(", ".join(each.name for each in node.outputs if each.name)),
        "facts": [
            ["multiply-accumulates", f"{node.macs:,}"],
            ["bytes of weights", f"{node.weights_bytes:,}"],
            ["bytes of activations in memory", _known(node.live_bytes)],
            ["computes with", _KINDS[node.arithmetic]],
        ],
        "nodes": [[printable(name)] for name in node.nodes],
        "tensors": [_row_of(role, tensor) for role, tensor in tensors],
        "ops": [],
        "weights": [],
    }


def _row_of(role: Role, tensor: TensorInfo) -> list[str | int]:
    """Return a row of the table of tensors; the side is the first of two, and nothing differs."""
    return [role, printable(tensor.name or ""), str(tensor), _scale(tensor), tensor.zero_point, 0, ""]


def _scale(tensor: TensorInfo) -> str:
    """Return a tensor's scale, with the number of scales if it has several."""
    count = len(tensor.scales)
    where = "" if tensor.axis is None else f" along axis {tensor.axis}"
    return f"{tensor.scale} ({count:,}{where})" if count > 1 else tensor.scale


def _known(size: int | None) -> str:
    return "unknown" if size is None else f"{size:,}"


def _nodes(nodes: Sequence[NodeInfo]) -> str:
    """Return the table of nodes, which sorts, and the fields that filter it and the drawing."""
    choices = [("all nodes", ()), *((f"that compute in {text}", (kind,)) for kind, text in _KINDS.items())]
    heads = sections.heads(zip(_moved(COLUMNS), _MEANINGS, strict=True))
    body = "".join(_row(number, node) for number, node in enumerate(nodes))
    found = f"<div class=wide><table class='by-layer nodes'>{heads}<tbody>{body}</tbody></table></div>"
    form = sections.filters("Search nodes, operators, shapes", "nodes", choices, len(nodes))
    return f"<section class=layers><h2>Nodes</h2>{form}{found}</section>"


def _row(number: int, node: NodeInfo) -> str:
    scaled = next((tensor for tensor in node.outputs if tensor.scales), None)
    scale, zero_point = (-1.0, _NO_ZERO_POINT) if scaled is None else (scaled.scales[0], scaled.zero_points[0])
    memory = -1 if node.live_bytes is None else node.live_bytes
    keys = (None, node.macs, node.weights_bytes, memory, None, None, None, scale, zero_point)
    name, *found = map(Cell, _moved(cells(node)), keys)
    rest = "".join(map(sections.cell, found))
    title = escaped(name.text)
    shown = f'<a href="#{_PREFIX}-l{number}">{title}</a>'
    mark = f"data-layer={number} id={_PREFIX}-row{number}"
    return f'<tr class={node.arithmetic} {mark}><td title="{title}">{shown}</td>{rest}</tr>'


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
        kind, name = ", ".join(node.operators or node.ops), ", ".join(node.nodes)
        boxes.append(f'data-layer="{i}" {_box(str(node.arithmetic), kind, name, _tip(node))}')
    for i, node in enumerate(nodes):
        for name in node.model_outputs:
            edges.append((len(inputs) + i, len(boxes)))
            boxes.append(_box("port", "output", name, name))
    # A node of several ops may take the result of a later node: its edge is drawn as if it led down.
    drawn = layered(len(boxes), [(min(edge), max(edge)) for edge in edges])
    lines = "".join(f'<path d="{curve(line)}"/>' for line in drawn.edges)
    placed = "".join(_placed(box, point) for box, point in zip(boxes, drawn.points, strict=True))
    width, height = (size + 2 * _MARGIN for size in extent(drawn))
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
