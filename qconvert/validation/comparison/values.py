"""The values that a model computes, each under all the names that it has before and after it is quantized."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from qconvert.frontends.base import NodeKind, Outline, OutlineNode

_SUFFIXES = ("_quantized", "_QuantizeLinear_Output", "_DequantizeLinear_Output", "_QuantizeLinear_Input")
"""The ends of names that onnxruntime's quantizer gives to the tensors of a value (``quantization/quant_utils.py``)."""


@dataclass(frozen=True)
class Value:
    """A value: ``tensor`` has it in the file, as integers if it is quantized.

    ``tensors`` are all tensors of the value, ``nodes`` the nodes that make them. ``node`` and ``op`` are the node that
    computes it; a model's input has the node that quantizes it, or its own name. ``inputs`` are the values, by their
    places among all, that the node reads.
    """

    tensor: str
    tensors: tuple[str, ...]
    node: str
    op: str
    nodes: tuple[str, ...] = ()
    inputs: tuple[int, ...] = ()
    is_quantized: bool = False

    @property
    def own_names(self) -> frozenset[str]:
        """The names of the tensors from the quantized one on, without the ends that a quantizer adds."""
        return frozenset(map(_without_suffix, self.tensors[self.tensors.index(self.tensor) :]))

    @property
    def own_nodes(self) -> tuple[str, ...]:
        """The nodes that quantize and dequantize a quantized value, else its own node."""
        return self.nodes[1:] if self.is_quantized and len(self.nodes) > 1 else (self.node,)

    @property
    def names(self) -> frozenset[str]:
        """The names of all tensors of the value: an optimiser may keep the one before it is quantized."""
        return self.own_names.union(self.tensors)


def _without_suffix(name: str) -> str:
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def values_of(outline: Outline) -> list[Value]:
    """Return the values of a model in its order, inputs first; values that depend on no input are left out."""
    found = [Value(name, (name,), name, "") for name in outline.inputs]
    places = {name: place for place, name in enumerate(outline.inputs)}
    for node in outline.nodes:
        inputs = tuple(dict.fromkeys(places[name] for name in node.inputs if name in places))
        if not inputs:
            continue
        source = found[inputs[0]]
        if node.kind is NodeKind.DEQUANTIZE or (node.kind is NodeKind.QUANTIZE and not source.is_quantized):
            found[inputs[0]] = _with_tensors(source, node)
            places |= dict.fromkeys(node.outputs, inputs[0])
            continue
        is_quantized = node.kind is NodeKind.QUANTIZE or bool(outline.parameters.keys() & set(node.outputs))
        for name in node.outputs:
            places[name] = len(found)
            found.append(Value(name, (name,), node.name, node.op, (node.name,), inputs, is_quantized))
    return found


def _with_tensors(value: Value, node: OutlineNode) -> Value:
    """Return a value with the tensors of a node that quantizes or dequantizes it."""
    quantizes = node.kind is NodeKind.QUANTIZE
    return replace(
        value,
        tensor=node.outputs[0] if quantizes else value.tensor,
        tensors=(*value.tensors, *node.outputs),
        node=node.name if quantizes and not value.op else value.node,
        op=node.op if quantizes and not value.op else value.op,
        nodes=(*value.nodes, node.name),
        is_quantized=value.is_quantized or quantizes,
    )


def observed(values: Iterable[Value]) -> list[str]:
    """Return the tensors that have the values, each once."""
    return list(dict.fromkeys(value.tensor for value in values))
