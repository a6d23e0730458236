"""Random cases whose source is TFLite: networks, and chains of the rows of ``tests/cases``.

Between two rows of a chain stand a RESHAPE, a GATHER and a RESHAPE that give the values the next row's shape, and a
QUANTIZE that gives them its type and scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import prod

import numpy as np

from tests.graphs.case import Case
from tests.graphs.network import Array
from tests.graphs.source import Source
from tests.support.tflite_cases import Case as Row
from tests.support.tflite_cases import Graph, Node, Tensor, constant, write
from tests.support.tflite_families import WITHOUT_STATE
from tests.support.tflite_networks import network

SAMPLES = 2
_NUMBERS = ("INT8", "UINT8", "INT16", "FLOAT32")
_MOST_ELEMENTS = 2100
_PARTIAL = {"SQRT", "RSQRT", "LOG", "POW", "DIV"}
"""Operators whose floats may be NaN, which no runtime defines as integers."""


@dataclass(frozen=True)
class TfliteSource(Source):
    """A graph of TFLite operators."""

    label: str
    graph: Graph
    seed: int
    suffix: str = ".tflite"

    def case(self) -> Case:
        """Return the file and its samples."""
        graph, rng = self.graph, np.random.default_rng([self.seed, 7])
        samples = tuple({name: drawn(graph.tensors[name], rng) for name in graph.inputs} for _ in range(SAMPLES))
        kinds = sorted({tensor.kind for tensor in graph.tensors.values() if tensor.data is None})
        per_axis = any(len(tensor.scales) > 1 for tensor in graph.tensors.values())
        facts = {"activations": "+".join(kinds).lower(), "granularity": "per axis" if per_axis else "per tensor"}
        op_types = tuple(node.op for node in graph.nodes)
        return Case(self.label, write(graph), samples, "tflite", op_types, (), facts)

    def smaller(self) -> Iterator[TfliteSource]:
        """Yield parts of the graph: what one tensor needs, and what is behind one."""
        made = [name for node in self.graph.nodes for name in node.outputs]
        parts = [cut(self.graph, (), (name,)) for name in made]
        parts += [cut(self.graph, (name,), self.graph.outputs) for name in made]
        fewer = [part for part in parts if 0 < len(part.nodes) < len(self.graph.nodes)]
        for part in sorted(fewer, key=lambda part: len(part.nodes)):
            yield replace(self, graph=part)
        if len(self.graph.outputs) > 1:
            yield from (replace(self, graph=replace(self.graph, outputs=[name])) for name in self.graph.outputs)


def drawn(tensor: Tensor, rng: np.random.Generator) -> Array:
    """Return integers of the whole range, small ones of 32 and 64 bits, and floats around 0."""
    if tensor.kind == "FLOAT32":
        return rng.normal(0, 3, tensor.shape).astype(np.float32)
    if tensor.kind == "BOOL":
        return rng.integers(0, 2, tensor.shape).astype(np.bool_)
    dtype = np.dtype(tensor.kind.lower())
    low, high = (-(1 << 20), 1 << 20) if dtype.itemsize > 2 else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return rng.integers(low, high, tensor.shape, endpoint=True).astype(dtype)


def cut(graph: Graph, starts: tuple[str, ...], outputs: tuple[str, ...] | list[str]) -> Graph:
    """Return the part of a graph that some tensors need; ``starts`` become inputs."""
    needed, kept = set(outputs) - set(starts), list[Node]()
    for node in reversed(graph.nodes):
        if needed & set(node.outputs):
            kept.append(node)
            needed |= {name for name in node.inputs if name is not None} - set(starts)
    nodes = kept[::-1]
    taken = {name for node in nodes for name in node.inputs if name is not None}
    made = {name for node in nodes for name in node.outputs}
    tensors = {name: tensor for name, tensor in graph.tensors.items() if name in taken | made}
    inputs = [name for name in (*graph.inputs, *starts) if name in taken and graph.tensors[name].data is None]
    return Graph(tensors, nodes, list(dict.fromkeys(inputs)), [name for name in outputs if name in made])


def tflite_source(seed: int) -> TfliteSource:
    """Return the graph of a seed: a network of frequent operators, or a chain of rows of all operators."""
    if seed % 2:
        graph = network(seed)
        return TfliteSource(f"tflite network seed {seed}", graph, seed)
    return TfliteSource(f"tflite rows seed {seed}", _chain(np.random.default_rng([seed, 5])), seed)


@cache
def rows() -> dict[str, list[Row]]:
    """Return the rows of all tables by operator: those whose integers are LiteRT's in every format."""
    found: dict[str, list[Row]] = {}
    for table in WITHOUT_STATE:
        for row in filter(_is_plain, table.CASES.values()):
            if sum(prod(tensor.shape) for tensor in row.fed.values()) <= _MOST_ELEMENTS:
                found.setdefault(row.op, []).append(row)
    return dict(sorted(found.items()))


def _is_plain(row: Row) -> bool:
    """Return True for a row that is exact, defined for all integers, and has a reference kernel."""
    if row.op in _PARTIAL and row.outputs[0].kind == "FLOAT32":
        return False
    return bool(row.fed) and row.most == 0 and row.resolver == "reference" and row.low is None and row.high is None


class _Chain:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.tensors: dict[str, Tensor] = {}
        self.nodes: list[Node] = []
        self.inputs: list[str] = []
        self.live: list[str] = []

    def tensor(self, tensor: Tensor) -> str:
        name = f"t{len(self.tensors)}"
        self.tensors[name] = tensor
        return name

    def emit(self, op: str, inputs: list[str | None], result: Tensor, options: str = "", **fields: int) -> str:
        name = self.tensor(result)
        self.nodes.append(Node(op, inputs, [name], options, fields, 1 if op == "RESHAPE" else 2))
        return name

    def add(self, row: Row) -> None:
        """Append a row; its first operand comes from the newest value that can be given its shape and type."""
        is_joined, names = False, list[str | None]()
        for tensor in row.inputs:
            name = None
            if tensor is not None and tensor.data is None and not is_joined:
                name = self.adapted(tensor)
                is_joined = name is not None
            if tensor is not None and name is None:
                name = self.tensor(tensor)
                self.inputs += [name] if tensor.data is None else []
            names.append(name)
        made = [self.tensor(tensor) for tensor in row.outputs]
        self.nodes.append(Node(row.op, names, made, row.options, row.fields, row.version))
        self.live += made

    def adapted(self, wanted: Tensor) -> str | None:
        """Return a value of the wanted shape and type, computed from a newest one; None if there is none."""
        for name in reversed(self.live[-3:]):
            if _is_number(self.tensors[name]) and _is_number(wanted):
                return self._typed(self._shaped(name, wanted.shape), wanted)
        return None

    def _shaped(self, name: str, shape: tuple[int, ...]) -> str:
        given = self.tensors[name]
        if given.shape == shape:
            return name
        count, needed = prod(given.shape), prod(shape)
        if count != needed:
            flat = replace(given, shape=(count,))
            name = self.emit("RESHAPE", [name, self.tensor(constant([count]))], flat, "ReshapeOptions")
            indices = self.tensor(constant(np.arange(needed) % count))
            name = self.emit("GATHER", [name, indices], replace(given, shape=(needed,)), "GatherOptions", Axis=0)
        sizes = self.tensor(constant(list(shape)))
        return self.emit("RESHAPE", [name, sizes], replace(given, shape=shape), "ReshapeOptions")

    def _typed(self, name: str, wanted: Tensor) -> str:
        given = self.tensors[name]
        if (given.kind, given.scale, given.zero_point) == (wanted.kind, wanted.scale, wanted.zero_point):
            return name
        op = "DEQUANTIZE" if wanted.kind == "FLOAT32" else "QUANTIZE"
        return self.emit(op, [name], wanted)

    def graph(self) -> Graph:
        taken = {name for node in self.nodes for name in node.inputs}
        made = [name for node in self.nodes for name in node.outputs if name not in taken]
        return Graph(self.tensors, self.nodes, self.inputs, made)


def _is_number(tensor: Tensor) -> bool:
    is_quantized = tensor.kind != "FLOAT32" and len(tensor.scales) == 1
    return tensor.kind in _NUMBERS and len(tensor.scales) <= 1 and (is_quantized or tensor.kind == "FLOAT32")


def _chain(rng: np.random.Generator) -> Graph:
    chain, operators = _Chain(rng), list(rows())
    for _ in range(int(rng.integers(2, 5))):
        choices = rows()[operators[int(rng.integers(len(operators)))]]
        chain.add(choices[int(rng.integers(len(choices)))])
    return chain.graph()
