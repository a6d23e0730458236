"""Graphs of .tflite files with subgraphs, and one whose shapes are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flatbuffers import flexbuffers

from tests.support.tflite_cases import Graph, Node, Tensor, constant, write

HELD = Tensor((2, 3), 0.05, 3)
INNER = Graph({"a": HELD, "b": replace(HELD, scale=0.1)}, [Node("ABS", ["a"], ["b"])], ["a"], ["b"])
COMPOSITE = Node(
    "STABLEHLO_COMPOSITE",
    ["x"],
    ["y"],
    "StableHLOCompositeOptions",
    {"Name": "my.abs", "DecompositionSubgraphIndex": 1, "CompositeAttributes": bytes(flexbuffers.Dumps({}))},
    version=1,
)
CALL = Node("CALL", ["x"], ["y"], "CallOptions", {"Subgraph": 1}, version=1)
OUTER = {"x": HELD, "y": replace(HELD, scale=0.1), "z": replace(HELD, scale=0.2)}
Z = Node("ADD", ["y", "y"], ["z"], "AddOptions")


def outer(*nodes: Node, outputs: Sequence[str] = ("z",), **tensors: Tensor) -> Graph:
    return Graph({**OUTER, **tensors}, nodes, ["x"], outputs)


COMPOSED = write(outer(COMPOSITE, Z), INNER)

IMAGE = Tensor((1, 4, 6, 2), 0.05, 3)
FLATTENED = Graph(
    {
        "x": IMAGE,
        "sizes": Tensor((4,), kind="INT32"),
        "begin": constant([0]),
        "end": constant([1]),
        "one": constant([1]),
        "rest": constant(48),
        "batch": Tensor((), kind="INT32"),
        "target": Tensor((2,), kind="INT32"),
        "y": Tensor((1, 48), 0.05, 3),
    },
    [
        Node("SHAPE", ["x"], ["sizes"], "ShapeOptions", {"OutType": 2}, version=1),
        Node(
            "STRIDED_SLICE",
            ["sizes", "begin", "end", "one"],
            ["batch"],
            "StridedSliceOptions",
            {"ShrinkAxisMask": 1},
            version=1,
        ),
        Node("PACK", ["batch", "rest"], ["target"], "PackOptions", {"ValuesCount": 2}, version=1),
        Node("RESHAPE", ["x", "target"], ["y"], "ReshapeOptions", version=1),
    ],
    ["x"],
    ["y"],
    signatures={"x": (-1, 4, 6, 2)},
)
