"""An ONNX graph indexed by inputs and outputs, with the integers of each DequantizeLinear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, helper

from qconvert.backends.onnx.builder import OnnxBuilder
from qconvert.backends.onnx.model_file import Initializer
from qconvert.numerics import dequantize
from qconvert.support.registry import Registry

BYTES = (np.dtype(np.int8), np.dtype(np.uint8))

ORDERED = (
    "Expand",
    "Flatten",
    "Gather",
    "GatherElements",
    "Identity",
    "MaxPool",
    "ReduceMax",
    "ReduceMin",
    "Reshape",
    "Slice",
    "Squeeze",
    "Transpose",
    "Unsqueeze",
)
"""Operators that move elements of their first input or choose among them by order; they also take integers."""


@dataclass(frozen=True)
class QuantizedTensor:
    """A tensor of 8-bit integers with the names of its scale and zero point; ``axis`` is the quantization dimension."""

    name: str
    scale: str
    zero_point: str
    axis: int | None = None

    @property
    def inputs(self) -> list[str]:
        """Return the three inputs of a QLinear operator."""
        return [self.name, self.scale, self.zero_point]


@dataclass(frozen=True)
class Reason:
    """The reason why an operator stays between DequantizeLinear and QuantizeLinear."""

    text: str


class Graph:
    """The nodes of a builder while they are rewritten."""

    def __init__(self, write: OnnxBuilder, outputs: Iterable[str]) -> None:
        self.write = write
        self._makers = {name: node for node in write.nodes for name in node.output}
        self._uses = Counter([*outputs, *(name for node in write.nodes for name in node.input)])
        self._constants: dict[str, Initializer] = {}
        self._ports: dict[str, QuantizedTensor | None] = {}

    def maker(self, name: str) -> NodeProto | None:
        """Return the node that computes a tensor, or None for inputs and constants."""
        return self._makers.get(name)

    def is_used_once(self, name: str) -> bool:
        """Return True if a tensor has exactly one use."""
        return self._uses[name] == 1

    def constant(self, name: str) -> Initializer | None:
        """Return a constant, or None if the tensor is computed."""
        if len(self._constants) != len(self.write.initializers):
            self._constants = {constant.name: constant for constant in self.write.initializers}
        return self._constants.get(name)

    def array(self, name: str) -> NDArray[Any] | None:
        """Return a constant's elements, or None if the tensor is computed."""
        found = self.constant(name)
        return None if found is None else found.array

    def known(self, name: str) -> NDArray[Any]:
        """Return the elements of a tensor that must be a constant."""
        array = self.array(name)
        assert array is not None
        return array

    def reals(self, name: str) -> NDArray[np.float64] | None:
        """Return the real numbers of a constant, dequantized if necessary, or None if the tensor is computed."""
        node = self.maker(name)
        if node is None or node.op_type != "DequantizeLinear":
            array = self.array(name)
            return None if array is None else array.astype(np.float64)
        array, attributes = self.array(node.input[0]), attributes_of(node)
        if array is None or "block_size" in attributes:
            return None
        parameters = [self.known(parameter) for parameter in node.input[1:]]
        if parameters[0].ndim:
            along = [-1 if i == attributes.get("axis", 1) else 1 for i in range(array.ndim)]
            parameters = [parameter.reshape(along) for parameter in parameters]
        return dequantize(array, parameters[0].astype(np.float64), parameters[1], np.float64).astype(np.float64)

    def linear(self, node: NodeProto, name: str) -> QuantizedTensor | None:
        """Return a tensor with a QuantizeLinear's or DequantizeLinear's parameters, or None if it has not 8 bits."""
        attributes, scale, zero_point = attributes_of(node), self.known(node.input[1]), self.known(node.input[2])
        if zero_point.dtype not in BYTES or scale.dtype != np.float32 or "block_size" in attributes:
            return None
        axis = attributes.get("axis", 1) if scale.ndim else None
        return QuantizedTensor(name, node.input[1], node.input[2], axis)

    def port(self, name: str) -> QuantizedTensor | None:
        """Return the 8-bit integers of a dequantized tensor, or None.

        Operators that only move elements after a DequantizeLinear are applied to the integers instead.
        """
        if name not in self._ports:
            self._ports[name] = self._find_port(name)
        return self._ports[name]

    def _find_port(self, name: str) -> QuantizedTensor | None:
        node = self.maker(name)
        if node is None:
            return None
        if node.op_type == "DequantizeLinear":
            return self.linear(node, node.input[0])
        port = self.port(node.input[0]) if node.op_type in ORDERED else None
        if port is None or port.axis is not None:
            return None
        inputs = [port.name, *node.input[1:]]
        label = f"{node.name}_quantized"
        return replace(port, name=self.write.node(node.op_type, inputs, name=label, **attributes_of(node)))

    def dtype(self, port: QuantizedTensor) -> np.dtype[Any]:
        """Return the dtype of a port's integers."""
        return self.known(port.zero_point).dtype

    def are_equal(self, *ports: QuantizedTensor) -> bool:
        """Return True if ports have the same scale, zero point and dtype, with one scale each."""
        values = [(self.known(port.scale), self.known(port.zero_point)) for port in ports]
        (scale, zero_point), *rest = values
        return all(port.axis is None for port in ports) and all(
            other[0] == scale and other[1] == zero_point and other[1].dtype == zero_point.dtype for other in rest
        )


def attributes_of(node: NodeProto) -> dict[str, Any]:
    """Return a node's attributes by name."""
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


@dataclass(frozen=True)
class Between:
    """A float node whose result is quantized in 8 bits.

    ``result`` has the name of the integers to be computed, ``name`` is the name of the new node.
    """

    node: NodeProto
    result: QuantizedTensor
    graph: Graph
    name: str

    def operands(self, *indices: int) -> list[QuantizedTensor] | Reason:
        """Return the integers of the inputs."""
        ports = [self.graph.port(self.node.input[i]) for i in indices]
        found = [port for port in ports if port is not None]
        return found if len(found) == len(ports) else Reason("an operand is not quantized in 8 bits")

    def operands_alike(self, *indices: int) -> list[QuantizedTensor] | Reason:
        """Return the integers of the inputs; all must have the result's dtype and one scale each."""
        ports = self.operands(*indices)
        if isinstance(ports, Reason):
            return ports
        if any(port.axis is not None for port in ports):
            return Reason("an operand has several scales")
        if any(self.graph.dtype(port) != self.graph.dtype(self.result) for port in ports):
            return Reason("its operands and its result have different signedness")
        return ports

    def operands_equal(self, *indices: int) -> list[QuantizedTensor] | Reason:
        """Return the integers of the inputs; all must have the result's scale and zero point, one each."""
        ports = self.operands_alike(*indices)
        if isinstance(ports, Reason) or self.graph.are_equal(self.result, *ports):
            return ports
        return Reason("its operand and its result have different scales")

    @property
    def result_parameters(self) -> list[str]:
        """Return the names of the result's scale and zero point."""
        return [self.result.scale, self.result.zero_point]

    @property
    def attributes(self) -> dict[str, Any]:
        """Return the node's attributes."""
        return attributes_of(self.node)

    def made(self, kind: str, inputs: list[str], *, domain: str = "", **attributes: Any) -> NodeProto:
        """Return the integer node."""
        return helper.make_node(kind, inputs, [self.result.name], name=self.name, domain=domain, **attributes)


Rewritten: TypeAlias = NodeProto | Reason
Rule: TypeAlias = Callable[[Between], Rewritten]

RULES: Registry[str, Rule] = Registry("ONNX QOperator", __name__, ("at",))
rewrites = RULES.register
