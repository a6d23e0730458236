"""QDQ to QOperator: float operators between DequantizeLinear and QuantizeLinear become integer operators.

::

    DequantizeLinear ─┐
    DequantizeLinear ─┼─ Conv ─ Relu ─ QuantizeLinear   becomes   QLinearConv ─ Clip
    DequantizeLinear ─┘

Operators between the float operator and QuantizeLinear that limit, move or order elements are applied to the integers,
which have the order of the reals. A float operator without an integer operator stays as it is, with a reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from onnx import NodeProto, helper

from qconvert.backends.onnx.builder import OnnxBuilder
from qconvert.backends.onnx.qoperator.graph import ORDERED, RULES, Between, Graph, QuantizedTensor, Reason
from qconvert.numerics import quantize_onnx
from qconvert.rewriting import Refusal


@dataclass(frozen=True)
class LimitedOperator:
    """An operator, and the limits and movements between the operator and QuantizeLinear.

    ``behind`` lists the movements in the graph's order. ``low`` and ``high`` are the intersection of all limits.
    """

    node: NodeProto
    behind: tuple[NodeProto, ...] = ()
    low: float = -np.inf
    high: float = np.inf


def to_qoperator(write: OnnxBuilder, outputs: Iterable[str]) -> tuple[Refusal, ...]:
    """Rewrite a builder's nodes and return the float operators that stay, with reasons.

    ``outputs`` are the outputs of the graph.
    """
    kept = tuple(outputs)
    graph, nodes, refusals = Graph(write, kept), list(write.nodes), []
    write.nodes.clear()
    for node in nodes:
        made = _rewritten(node, graph)
        if isinstance(made, Refusal):
            refusals.append(made)
        write.nodes.extend(made if isinstance(made, list) else [node])
    write.drop_unused(kept)
    return tuple(refusals)


def _rewritten(node: NodeProto, graph: Graph) -> list[NodeProto] | Refusal | None:
    """Return the integer nodes for a QuantizeLinear and the nodes before it, a refusal, or None for other nodes."""
    chain = _chain(node.input[0], graph) if node.op_type == "QuantizeLinear" else None
    if chain is None:
        return None
    made = _integers(node, chain, graph)
    if not isinstance(made, Reason):
        return made
    last = chain.behind[0] if chain.behind and chain.node.op_type == "DequantizeLinear" else chain.node
    return Refusal(last.op_type, last.name, made.text)


def _chain(name: str, graph: Graph) -> LimitedOperator | None:
    """Return the operator that computes a tensor, and the nodes after it that only limit, move or order elements."""
    node, behind, low, high = graph.maker(name), list[NodeProto](), -np.inf, np.inf
    while node is not None and graph.is_used_once(node.output[0]):
        limits = _limits(node, graph)
        if limits is not None:
            low, high = (min(max(limit, low), high) for limit in limits)
        elif node.op_type in ORDERED and graph.port(node.input[0]) is None:
            behind.insert(0, node)
        else:
            break
        node = graph.maker(node.input[0])
    return None if node is None else LimitedOperator(node, tuple(behind), low, high)


def _limits(node: NodeProto, graph: Graph) -> tuple[float, float] | None:
    """Return the range to which a Relu or Clip limits elements, or None for other nodes."""
    if node.op_type == "Relu":
        return 0.0, np.inf
    if node.op_type != "Clip":
        return None
    found = [-np.inf, np.inf]
    for i, name in enumerate(node.input[1:]):
        array = graph.array(name) if name else None
        if name and array is None:
            return None
        found[i] = found[i] if array is None else float(array)
    return found[0], found[1]


def _integers(quantize: NodeProto, chain: LimitedOperator, graph: Graph) -> list[NodeProto] | Reason:
    """Return the integer operator, the nodes after it, and a Clip if the limits are narrower than the storage type."""
    node, result = chain.node, graph.linear(quantize, quantize.output[0])
    if result is None or result.axis is not None:
        return Reason("its result is not quantized in 8 bits with one scale")
    rule, is_dequantized = RULES.get(node.op_type), node.op_type == "DequantizeLinear"
    if rule is None:
        return Reason("there is no integer operator for it")
    if not is_dequantized and not graph.is_used_once(node.output[0]):
        return Reason("other nodes use its float result")
    clip = _clip(chain, result, quantize.name, graph)
    count = len(chain.behind) + len(clip)
    names = [graph.write.unused_tensor(f"{result.name}_{i}") for i in range(count)] + [result.name]
    name = quantize.name if is_dequantized else node.name
    made = rule(Between(node, replace(result, name=names[0]), graph, name))
    if isinstance(made, Reason):
        return made
    behind = [*(_of_integers(each) for each in chain.behind), *clip]
    for each, source, target in zip(behind, names[:-1], names[1:], strict=True):
        each.input[0], each.output[0] = source, target
    if made.op_type != "Identity" or not behind:
        return [made, *behind]
    behind[0].input[0] = made.input[0]
    return behind


def _of_integers(node: NodeProto) -> NodeProto:
    copy = NodeProto()
    copy.CopyFrom(node)
    return copy


def _clip(chain: LimitedOperator, result: QuantizedTensor, name: str, graph: Graph) -> list[NodeProto]:
    """Return a Clip to the quantized limits, or nothing if the limits are the storage type's range."""
    scale, zero_point = graph.known(result.scale), graph.known(result.zero_point)
    held = np.iinfo(zero_point.dtype)
    limits = np.asarray([chain.low, chain.high], np.float32)
    low, high = quantize_onnx(limits, scale, zero_point, held.min, held.max, zero_point.dtype)
    if low == held.min and high == held.max:
        return []
    ends = [graph.write.initializer(limit, f"{result.name}_{end}") for limit, end in ((low, "min"), (high, "max"))]
    return [helper.make_node("Clip", ["", *ends], [""], name=name)]
