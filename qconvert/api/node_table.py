"""The nodes of a model as a table of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qconvert.api.nodes import NodeInfo
from qconvert.api.tensors import TensorInfo

COLUMNS = ("MACs", "weights", "memory", "numbers", "inputs", "result", "scale", "zero point", "node")
"""The columns: multiply-accumulates; bytes of constants; bytes of activations while the node runs; what it computes
with; shapes and types of the activations; scale and zero point of the results; names and operators."""

_NUMBERS = 3
"""The number of the first columns, which are aligned to the right."""


def node_table(nodes: Sequence[NodeInfo]) -> Iterator[str]:
    """Yield the lines of the table, without lines for a model without nodes."""
    if not nodes:
        return
    rows = [COLUMNS, *map(cells, nodes)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    for row in rows:
        numbers = [row[i].rjust(widths[i]) for i in range(_NUMBERS)]
        words = [row[i].ljust(widths[i]) for i in range(_NUMBERS, len(COLUMNS))]
        yield f"  {'  '.join([*numbers, *words])}".rstrip()


def cells(node: NodeInfo) -> tuple[str, ...]:
    """Return a node's cells, one for each of the columns."""
    return (
        f"{node.macs:,}",
        f"{node.weights_bytes:,}",
        "unknown" if node.live_bytes is None else f"{node.live_bytes:,}",
        str(node.arithmetic),
        _listed(node.inputs),
        _listed(node.outputs),
        ", ".join(tensor.scale for tensor in node.outputs if tensor.scales),
        ", ".join(tensor.zero_point for tensor in node.outputs if tensor.scales),
        node.title,
    )


def _listed(tensors: Sequence[TensorInfo]) -> str:
    return ", ".join(map(str, tensors))
