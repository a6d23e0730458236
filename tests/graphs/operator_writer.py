"""Writes a network with ONNX's operators on integers (QLinearConv and others); the rest stands between quantizers.

Source: QLinearConv and QLinearMatMul of ai.onnx, opset 10; the other QLinear operators and QGemm of com.microsoft.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from onnx import helper

from tests.graphs.network import MICROSOFT, Bias, Step, Weight
from tests.graphs.onnx_writer import Writer
from tests.graphs.style import Parameters

_PLAIN = {"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Slice", "Gather", "Split", "MaxPool", "Tile"}
_PLAIN |= {"Expand", "GatherElements", "GatherND", "DepthToSpace", "SpaceToDepth", "Identity"}
"""Operators that move or compare elements, and so compute on integers as they are."""

Write: TypeAlias = "Callable[[OperatorWriter, Step, Parameters], bool]"


class OperatorWriter(Writer):
    """Writes operators on integers where there are any, and dequantizes a value when a float operator takes it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._integers: dict[str, str] = {}

    def write(self, step: Step) -> None:
        """Append an operator on integers, or a float one between quantizers."""
        if step.is_quantized and self._writes_integers(step):
            return
        super().write(step)

    def _writes_integers(self, step: Step) -> bool:
        first = step.inputs[1 if step.op_type == "Where" else 0]
        if not isinstance(first, str) or first not in self._integers:
            return False
        if step.op_type in _PLAIN and step.keeps:
            self._write_plain(step, first)
            return True
        write = WRITERS.get(step.op_type)
        return write is not None and len(step.outputs) == 1 and write(self, step, self.activation(step.outputs[0]))

    def _write_plain(self, step: Step, first: str) -> None:
        inputs = [self._integers[first], *(self.operand(step, i, value) for i, value in enumerate(step.inputs[1:], 1))]
        outputs = [f"{name}_q" for name in step.outputs]
        self.nodes.append(helper.make_node(step.op_type, inputs, outputs, step.outputs[0], **step.attributes))
        for name in step.outputs:
            self.take(name, self.parameters[first])

    def take(self, name: str, parameters: Parameters) -> None:
        """Note that ``name_q`` has the integers of a value."""
        self._integers[name], self.parameters[name] = f"{name}_q", parameters

    def quantize(self, name: str, source: str, parameters: Parameters, *, is_quantized: bool = False) -> None:
        """Put a quantizer behind a value unless its source is integers already."""
        self.take(name, parameters)
        if is_quantized:
            self._integers[name] = source
        else:
            self.linear("QuantizeLinear", source, f"{name}_q", parameters)

    def result(self, name: str) -> str:
        """Return the name under which a value is an output."""
        assert self.style is not None
        return self._integers[name] if name in self._integers and self.style.integer_output else self._real(name)

    def _real(self, name: str) -> str:
        if name not in self.names and name in self._integers:
            self.names[name] = f"{name}_dq"
            self.linear("DequantizeLinear", self._integers[name], f"{name}_dq", self.parameters[name])
        return self.names.get(name, name)

    def operand(self, step: Step, index: int, value: Any) -> str:
        """Return the name of an operator's input, as floats."""
        return self._real(value) if isinstance(value, str) else super().operand(step, index, value)

    def triple(self, step: Step, index: int) -> list[str] | None:
        """Return the names of an input's integers, scale and zero point; None if it has none."""
        value, name = step.inputs[index], f"{step.outputs[0]}_in{index}"
        if isinstance(value, str) and value in self._integers:
            held, parameters = self._integers[value], self.parameters[value]
        elif isinstance(value, Weight):
            assert self.style is not None
            parameters = self.style.weight(value)
            held = self.constant(f"{name}_q", parameters.integers(value.array))
            self.parameters[name] = parameters
        else:
            return None
        return [held, *self.pair(name, parameters)]

    def pair(self, name: str, parameters: Parameters) -> list[str]:
        """Return the names of a scale and a zero point."""
        return [self.constant(f"{name}_s", parameters.scale), self.constant(f"{name}_z", parameters.zero_point)]

    def emit(self, op_type: str, step: Step, inputs: list[str], result: Parameters, **attributes: Any) -> bool:
        """Append an operator whose result is integers."""
        domain = "" if op_type in ("QLinearConv", "QLinearMatMul") else MICROSOFT
        name = step.outputs[0]
        self.nodes.append(helper.make_node(op_type, inputs, [f"{name}_q"], name, domain=domain, **attributes))
        self.take(name, result)
        return True

    def int32_bias(self, step: Step) -> list[str]:
        """Return the name of a contraction's bias at the product of the scales, or nothing."""
        if len(step.inputs) < 3 or not isinstance(step.inputs[2], Bias):
            return []
        parameters = self._bias(step)
        assert parameters is not None
        return [self.constant(f"{step.outputs[0]}_b", parameters.integers(step.inputs[2].array))]


def _convolution(writer: OperatorWriter, step: Step, result: Parameters) -> bool:
    x, weight = writer.triple(step, 0), writer.triple(step, 1)
    if x is None or weight is None:
        return False
    inputs = [*x, *weight, *writer.pair(f"{step.outputs[0]}_y", result), *writer.int32_bias(step)]
    return writer.emit("QLinearConv", step, inputs, result, **step.attributes)


def _product(writer: OperatorWriter, step: Step, result: Parameters) -> bool:
    if isinstance(step.inputs[0], Weight) or (isinstance(step.inputs[1], Weight) and step.inputs[1].array.ndim > 2):
        return False
    x, y = writer.triple(step, 0), writer.triple(step, 1)
    if x is None or y is None:
        return False
    return writer.emit("QLinearMatMul", step, [*x, *y, *writer.pair(f"{step.outputs[0]}_y", result)], result)


def _gemm(writer: OperatorWriter, step: Step, result: Parameters) -> bool:
    x, weight = writer.triple(step, 0), writer.triple(step, 1)
    if x is None or weight is None:
        return False
    inputs = [*x, *weight, *(writer.int32_bias(step) or [""]), *writer.pair(f"{step.outputs[0]}_y", result)]
    return writer.emit("QGemm", step, inputs, result, **step.attributes)


def _pairwise(op_type: str) -> Write:
    def write(writer: OperatorWriter, step: Step, result: Parameters) -> bool:
        if any(isinstance(value, Weight) for value in step.inputs):
            return False
        x, y = writer.triple(step, 0), writer.triple(step, 1)
        if x is None or y is None:
            return False
        return writer.emit(op_type, step, [*x, *y, *writer.pair(f"{step.outputs[0]}_y", result)], result)

    return write


def _single(op_type: str, **more: Any) -> Write:
    def write(writer: OperatorWriter, step: Step, result: Parameters) -> bool:
        x = writer.triple(step, 0)
        if x is None or len(step.inputs) > 1 or _is_alone(writer, step):
            return False
        if op_type == "QLinearSoftmax":
            result = _share(result)
        inputs = [*x, *writer.pair(f"{step.outputs[0]}_y", result)]
        return writer.emit(op_type, step, inputs, result, **step.attributes, **more)

    return write


def _share(result: Parameters) -> Parameters:
    """Return a scale for numbers up to 1: onnxruntime's QLinearSoftmax wraps around beyond the largest integer."""
    dtype = result.zero_point.dtype
    scale = np.maximum(result.scale, np.float32(1 / 256))
    return Parameters(np.asarray(scale, np.float32), np.asarray(np.iinfo(dtype).min, dtype))


def _is_alone(writer: OperatorWriter, step: Step) -> bool:
    """Return True for a Softmax along one element: onnxruntime's QLinearSoftmax gives 0 there, where 1 is right."""
    axis, shape = step.attributes.get("axis", -1), writer.network.shapes[step.outputs[0]]
    return step.op_type == "Softmax" and bool(shape) and shape[axis] == 1


def _concat(writer: OperatorWriter, step: Step, result: Parameters) -> bool:
    parts = [writer.triple(step, i) for i in range(len(step.inputs))]
    inputs = writer.pair(f"{step.outputs[0]}_y", result)
    for part in parts:
        if part is None:
            return False
        inputs += part
    return writer.emit("QLinearConcat", step, inputs, result, **step.attributes)


def _where(writer: OperatorWriter, step: Step, result: Parameters) -> bool:
    x, y = writer.triple(step, 1), writer.triple(step, 2)
    if x is None or y is None:
        return False
    inputs = [writer.operand(step, 0, step.inputs[0]), *x, *y, *writer.pair(f"{step.outputs[0]}_y", result)]
    return writer.emit("QLinearWhere", step, inputs, result)


WRITERS: dict[str, Write] = {
    "Conv": _convolution,
    "MatMul": _product,
    "Gemm": _gemm,
    "Add": _pairwise("QLinearAdd"),
    "Mul": _pairwise("QLinearMul"),
    "Sigmoid": _single("QLinearSigmoid"),
    "LeakyRelu": _single("QLinearLeakyRelu"),
    "GlobalAveragePool": _single("QLinearGlobalAveragePool", channels_last=0),
    "AveragePool": _single("QLinearAveragePool", channels_last=0),
    "Softmax": _single("QLinearSoftmax", opset=21),
    "Concat": _concat,
    "Where": _where,
}
