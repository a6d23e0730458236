"""Products of 8-bit integers on processors without exact instructions for them.

onnxruntime multiplies unsigned by signed bytes by an instruction that adds two products in 16 bits, with saturation, on
x86 processors without VNNI: 255 * 127 + 255 * 127 becomes 32767. Operands that both have a sign, or both have none, are
widened first. A byte changes its sign together with its zero point: both become less or more by 128, and the product
stays as the operator defines it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count

import numpy as np
import onnxruntime as ort
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, inliner

_MICROSOFT = "com.microsoft"
_UNSIGNED, _SIGNED = "tensor(uint8)", "tensor(int8)"
_HALF = 128


@dataclass(frozen=True)
class _Product:
    """The places of an operator's inputs: activations, and weights, each with its zero point.

    Activations of None become unsigned at run time.
    """

    activations: tuple[int, int] | None
    weights: Sequence[tuple[int, int]]

    @property
    def factors(self) -> list[tuple[int, int]]:
        """Return the places of all operands that have a type of their own."""
        return [*([] if self.activations is None else [self.activations]), *self.weights]


_PRODUCTS: dict[tuple[str, str], _Product] = {
    ("", "ConvInteger"): _Product((0, 2), [(1, 3)]),
    ("", "MatMulInteger"): _Product((0, 2), [(1, 3)]),
    ("", "QLinearConv"): _Product((0, 2), [(3, 5)]),
    ("", "QLinearMatMul"): _Product((0, 2), [(3, 5)]),
    (_MICROSOFT, "DynamicQuantizeLSTM"): _Product(None, [(1, 9), (2, 11)]),
    (_MICROSOFT, "DynamicQuantizeMatMul"): _Product(None, [(1, 3)]),
    (_MICROSOFT, "MatMulIntegerToFloat"): _Product((0, 4), [(1, 5)]),
    (_MICROSOFT, "QGemm"): _Product((0, 2), [(3, 5)]),
}
"""Source: onnxruntime's list of operators, and ONNX's. Convolutions and matrix products have their operands in either
order, so that all operands of two signs are changed."""


@cache
def are_exact() -> bool:
    """Return True if this processor multiplies unsigned by signed bytes exactly."""
    names = [("x", TensorProto.UINT8), ("w", TensorProto.INT8)]
    ports = [helper.make_tensor_value_info(name, kind, [4, 4]) for name, kind in names]
    result = helper.make_tensor_value_info("y", TensorProto.INT32, None)
    graph = helper.make_graph([helper.make_node("MatMulInteger", ["x", "w"], ["y"])], "products", ports, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 10)], ir_version=5)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"x": np.full((4, 4), 255, np.uint8), "w": np.full((4, 4), 127, np.int8)})
    return bool((found == 4 * 255 * 127).all())


def operands(model: ModelProto) -> list[str]:
    """Return the tensors of the main graph that are multiplied as bytes."""
    found = [(node, product) for node in model.graph.node if (product := _PRODUCTS.get(_key(node))) is not None]
    return [name for node, product in found for place, _ in product.factors if (name := node.input[place])]


def may_have(content: bytes) -> bool:
    """Return True if a model may multiply bytes: it has such an operator, or quantizes floats."""
    return any(op.encode() in content for op in (*(op for _, op in _PRODUCTS), "QuantizeLinear"))


def with_functions_inlined(model: ModelProto) -> ModelProto:
    """Return a model whose functions stand in its graphs, if they multiply bytes."""
    if any(_key(node) in _PRODUCTS for function in model.functions for node in function.node):
        return inliner.inline_local_functions(model)
    return model


def has_hidden(content: bytes) -> bool:
    """Return True if a model multiplies bytes in the graphs of its operators, which :func:`make_exact` leaves."""
    if not any(op.encode() in content for _, op in _PRODUCTS):
        return False
    model = ModelProto.FromString(content)
    nodes = [node for owner in (model.graph, *model.functions) for node in owner.node]
    return any(_key(node) in _PRODUCTS for owner in nodes for node in _inner(owner))


def _inner(owner: NodeProto) -> Iterator[NodeProto]:
    """Yield the nodes inside an operator's graphs, inner ones as well."""
    for attribute in owner.attribute:
        for graph in [attribute.g] if attribute.type == AttributeProto.GRAPH else attribute.graphs:
            for node in graph.node:
                yield node
                yield from _inner(node)


def make_exact(graph: GraphProto, types: Mapping[str, str]) -> None:
    """Let both factors of each product have a sign, or neither; ``types`` has onnxruntime's names of element types."""
    names, made = _unused(graph), list[NodeProto]()
    for node in graph.node:
        product = _PRODUCTS.get(_key(node))
        if product is not None:
            made += _changes(node, product, types, names)
        made.append(node)
    del graph.node[:]
    graph.node.extend(made)


def _key(node: NodeProto) -> tuple[str, str]:
    return ("" if node.domain == "ai.onnx" else node.domain, node.op_type)


def _unused(graph: GraphProto) -> Iterator[str]:
    used = {name for node in graph.node for name in (*node.input, *node.output)}
    used |= {value.name for value in (*graph.input, *graph.initializer)}
    return (name for i in count() if (name := f"same_sign_{i}") not in used)


def _changes(node: NodeProto, product: _Product, types: Mapping[str, str], names: Iterator[str]) -> list[NodeProto]:
    """Let a node take weights of the sign that its activations have; return the nodes that make them."""
    wanted = _UNSIGNED if product.activations is None else types.get(node.input[product.activations[0]])
    made = list[NodeProto]()
    for places in product.weights:
        if {wanted, types.get(node.input[places[0]])} == {_UNSIGNED, _SIGNED}:
            while len(node.input) <= max(places):
                node.input.append("")
            for place in places:
                nodes = _with_other_sign(node.input[place], names, is_signed=wanted == _SIGNED)
                node.input[place] = nodes[-1].output[0]
                made += nodes
    return made


def _with_other_sign(name: str, names: Iterator[str], *, is_signed: bool) -> list[NodeProto]:
    """Return the nodes that make a tensor of bytes signed or unsigned; a zero point that is absent is 0."""
    offset, wide, moved, made = (next(names) for _ in range(4))
    number = helper.make_tensor(offset, TensorProto.INT32, [], [-_HALF if is_signed else _HALF])
    nodes = [helper.make_node("Constant", [], [offset], value=number)]
    if name:
        nodes.append(helper.make_node("Cast", [name], [wide], to=TensorProto.INT32))
        nodes.append(helper.make_node("Add", [wide, offset], [moved]))
    kind = TensorProto.INT8 if is_signed else TensorProto.UINT8
    return [*nodes, helper.make_node("Cast", [nodes[-1].output[0]], [made], to=kind)]
