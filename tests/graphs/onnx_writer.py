"""Writes a network as ONNX: in floats, in QDQ form, or with weights alone quantized."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tests.graphs.network import MICROSOFT, Array, Bias, Input, Network, Raw, Step, port
from tests.graphs.style import Parameters, Style

Ranges = Mapping[str, tuple[float, float]]
_PACKED = {"int4": TensorProto.INT4, "uint4": TensorProto.UINT4}


class Writer:
    """Writes a network; ``style`` is None for floats. ``every_value`` makes all values outputs."""

    def __init__(
        self, network: Network, style: Style | None = None, ranges: Ranges | None = None, *, every_value: bool = False
    ) -> None:
        self.network, self.style, self.ranges = network, style, ranges or {}
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []
        self.names: dict[str, str] = {}
        self.parameters: dict[str, Parameters] = {}
        self.origins: Mapping[str, str] = {}
        self._every_value = every_value

    @property
    def quantizes(self) -> bool:
        """True if activations are quantized."""
        return self.style is not None and not self.style.weight_only

    def model(self, open_batch: str = "") -> ModelProto:
        """Return the whole model; ``open_batch`` names the first dimension of the inputs."""
        inputs = [port(name, self.network, open_batch) for name in self.network.inputs]
        for value in inputs:
            self._take_input(value)
        for step in self.network.steps:
            self.write(step)
        made = [name for step in self.network.steps for name in step.outputs]
        outputs = [self.result(name) for name in (made if self._every_value else self.network.outputs)]
        ports = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph(self.nodes, "random", inputs, ports, self.initializers)
        opsets = [helper.make_opsetid("", self.network.opset)]
        if any(node.domain for node in self.nodes):
            opsets.append(helper.make_opsetid(MICROSOFT, 1))
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def _take_input(self, value: Any) -> None:
        name = value.name
        if self.quantizes and self.network.kinds[name] == "real":
            assert self.style is not None
            parameters = self.activation(name)
            if self.style.integer_input:
                value.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(parameters.zero_point.dtype)
            self.quantize(name, name, parameters, is_quantized=self.style.integer_input)

    def activation(self, name: str) -> Parameters:
        """Return the parameters for a value by the range of the one whose parameters it has: its own by default."""
        assert self.style is not None
        name = self.origins.get(name, name)
        return self.style.of_value(name).activation(*self.ranges[name])

    def result(self, name: str) -> str:
        """Return the name under which a value is an output: of its integers where the style says so."""
        is_integer = self.quantizes and self.style is not None and self.style.integer_output
        return f"{name}_q" if is_integer and name in self.parameters else self.names.get(name, name)

    def write(self, step: Step) -> None:
        """Append an operator with quantizers behind its results."""
        inputs = [self.operand(step, i, value) for i, value in enumerate(step.inputs)]
        self.nodes.append(_node(step, inputs, step.outputs))
        if self.quantizes and step.is_quantized:
            for name in step.outputs:
                if self.network.kinds[name] == "real":
                    self.quantize(name, name, self.parameters_behind(step, name))

    def parameters_behind(self, step: Step, name: str) -> Parameters:
        """Return the parameters of an operator's result: its first input's if it keeps them."""
        first = step.inputs[0]
        if step.keeps and isinstance(first, str) and first in self.parameters:
            return self.parameters[first]
        return self.activation(name)

    def quantize(self, name: str, source: str, parameters: Parameters, *, is_quantized: bool = False) -> None:
        """Put a quantizer (unless the source is integers already) and a dequantizer behind a value."""
        self.parameters[name] = parameters
        if not is_quantized:
            self.linear("QuantizeLinear", source, f"{name}_q", parameters)
            source = f"{name}_q"
        self.names[name] = f"{name}_dq"
        self.linear("DequantizeLinear", source, f"{name}_dq", parameters)

    def linear(self, op_type: str, source: str, target: str, parameters: Parameters) -> None:
        """Append a quantizer or dequantizer."""
        scale = self.constant(f"{target}_scale", parameters.scale)
        zero_point = self.constant(f"{target}_zero_point", parameters.zero_point)
        axis: dict[str, Any] = {} if parameters.axis is None else {"axis": parameters.axis}
        if parameters.block:
            axis["block_size"] = parameters.block
        assert self.style is not None
        domain = MICROSOFT if self.style.microsoft and not parameters.block else ""
        inputs = [source, scale, zero_point]
        self.nodes.append(helper.make_node(op_type, inputs, [target], target, domain=domain, **axis))

    def constant(self, name: str, array: Array) -> str:
        """Append an initializer."""
        array = np.asarray(array)
        if array.dtype.name in _PACKED:
            values = array.astype(np.int32).ravel()
            tensor = helper.make_tensor(name, _PACKED[array.dtype.name], array.shape, values)
        else:
            tensor = numpy_helper.from_array(array, name)
        self.initializers.append(tensor)
        return name

    def operand(self, step: Step, index: int, value: Input) -> str:
        """Return the name of an operator's input."""
        name = f"{step.outputs[0]}_in{index}"
        if value is None:
            return ""
        if isinstance(value, str):
            return self.names.get(value, value)
        parameters = None if isinstance(value, Raw) else self._constant_parameters(step, value)
        if parameters is None:
            return self.constant(name, value.array)
        self.parameters[name] = parameters
        self.constant(f"{name}_q", parameters.integers(value.array))
        self.linear("DequantizeLinear", f"{name}_q", name, parameters)
        return name

    def _constant_parameters(self, step: Step, value: Input) -> Parameters | None:
        """Return how a constant is quantized; None if it stays float."""
        if self.style is None or value is None or isinstance(value, str | Raw):
            return None
        if not isinstance(value, Bias):
            return self.style.weight(value)
        return self._bias(step) if self.quantizes else None

    def _bias(self, step: Step) -> Parameters | None:
        """Return int32 at the product of the first input's scale and the weight's, None if either has none."""
        first, weight = step.inputs[0], self.parameters.get(f"{step.outputs[0]}_in1")
        if not isinstance(first, str) or first not in self.parameters or weight is None:
            return None
        scale = (self.parameters[first].scale * weight.scale).astype(np.float32)
        return Parameters(scale, np.zeros(scale.shape, np.int32), None if weight.axis is None else 0)


def _node(step: Step, inputs: Sequence[str], outputs: Sequence[str]) -> NodeProto:
    return helper.make_node(step.op_type, inputs, outputs, step.outputs[0], domain=step.domain, **step.attributes)
