"""Faults in TFLite files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from tests.planted.kinds import (
    FACTOR,
    Array,
    NoPlaceError,
    transposed,
    window_of_stride_1,
    with_moved_bias,
    with_other_weight,
    with_scaled_channel,
    with_swapped_channels,
)

_WEIGHTED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
_CODES = {code: name for name, code in vars(schema.BuiltinOperator).items() if isinstance(code, int)}
_DTYPES = {schema.TensorType.INT8: np.int8, schema.TensorType.UINT8: np.uint8, schema.TensorType.INT32: np.int32}
_NO_ACTIVATION, _RELU_N1_TO_1 = schema.ActivationFunctionType.NONE, schema.ActivationFunctionType.RELU_N1_TO_1


class TfliteFile:
    """A .tflite file as its schema's objects. ``same`` has other names of a layer: those of its tensors."""

    def __init__(self, content: bytes, same: Callable[[str], frozenset[str]]) -> None:
        self._model = schema.ModelT.InitFromPackedBuf(content, 0)
        [self._graph] = self._model.subgraphs
        self._same = same

    def content(self) -> bytes:
        builder = flatbuffers.Builder(1 << 16)
        builder.Finish(self._model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def _code(self, operator: Any) -> str:
        code = self._model.operatorCodes[operator.opcodeIndex]
        return _CODES[max(code.builtinCode, code.deprecatedBuiltinCode)]

    def _tensors(self, places: Any) -> list[Any]:
        return [self._graph.tensors[place] for place in places if place >= 0]

    def _operator(self, layer: str, *codes: str) -> Any:
        """Return the operator of a layer: that whose result, or whose constants, are named after it."""
        names = self._same(layer)
        for operator in self._graph.operators:
            results = {tensor.name.decode() for tensor in self._tensors(operator.outputs)}
            parts = {tensor.name.decode().partition("_bias")[0] for tensor in self._tensors(operator.inputs[2:])}
            numbered = {name.rpartition("_")[0] for name in results if name.rpartition("_")[2].isdecimal()}
            if self._code(operator) in codes and names & (results | parts | numbered):
                return operator
        raise NoPlaceError(f"{layer} is no {' or '.join(codes)}")

    def _results(self, operator: Any) -> tuple[str, ...]:
        return tuple(tensor.name.decode() for tensor in self._tensors(operator.outputs))

    def _change(self, operator: Any, place: int, change: Callable[[Array], Array]) -> tuple[str, ...]:
        tensor = self._graph.tensors[operator.inputs[place]]
        array = np.frombuffer(bytes(self._model.buffers[tensor.buffer].data), _DTYPES[tensor.type])
        changed = change(array.reshape(tensor.shape).copy())
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(np.asarray(changed, order="C").tobytes(), np.uint8)
        self._model.buffers.append(buffer)
        tensor.buffer = len(self._model.buffers) - 1
        return self._results(operator)

    def channel_scale(self, layer: str) -> tuple[str, ...]:
        operator = self._operator(layer, *_WEIGHTED)
        for tensor in self._tensors(operator.inputs[1:]):
            tensor.quantization.scale = with_scaled_channel(np.asarray(tensor.quantization.scale, np.float32))
        return self._results(operator)

    def _made(self, layer: str) -> Any:
        return self._operator(layer, *_WEIGHTED, "ADD", "MUL", "CONCATENATION", "LOGISTIC", "QUANTIZE", "BATCH_MATMUL")

    def tensor_scale(self, layer: str) -> tuple[str, ...]:
        operator = self._made(layer)
        quantization = self._tensors(operator.outputs)[0].quantization
        quantization.scale = np.asarray(quantization.scale, np.float32) * np.float32(FACTOR)
        return self._results(operator)

    def zero_point(self, layer: str) -> tuple[str, ...]:
        operator = self._made(layer)
        quantization = self._tensors(operator.outputs)[0].quantization
        quantization.zeroPoint = [int(point) + (9 if point < 100 else -9) for point in quantization.zeroPoint]
        return self._results(operator)

    def bias(self, layer: str) -> tuple[str, ...]:
        return self._change(self._operator(layer, *_WEIGHTED), 2, with_moved_bias)

    def one_weight(self, layer: str) -> tuple[str, ...]:
        return self._change(self._operator(layer, *_WEIGHTED), 1, with_other_weight)

    def swapped_channels(self, layer: str) -> tuple[str, ...]:
        operator = self._operator(layer, *_WEIGHTED)
        axis = 3 if self._code(operator) == "DEPTHWISE_CONV_2D" else 0
        return self._change(operator, 1, lambda weights: with_swapped_channels(weights, axis))

    def transposed_weights(self, layer: str) -> tuple[str, ...]:
        operator = self._operator(layer, *_WEIGHTED)
        axes = (0, 1) if self._code(operator) == "FULLY_CONNECTED" else (1, 2)
        return self._change(operator, 1, lambda weights: transposed(weights, axes))

    def pads(self, layer: str) -> tuple[str, ...]:
        """Move the pads of the PAD in front of a convolution, or pad it at the end alone."""
        operator = self._operator(layer, *_WEIGHTED)
        [pad] = [
            each
            for each in self._graph.operators
            if self._code(each) in ("PAD", "PADV2") and each.outputs[0] == operator.inputs[0]
        ] or [None]
        if pad is None:
            raise NoPlaceError(f"nothing pads in front of {layer}")
        return (*self._change(pad, 1, lambda pads: pads[:, ::-1]), *self._results(operator))

    def pool_stride(self, layer: str) -> tuple[str, ...]:
        operator = self._operator(layer, "MAX_POOL_2D", "AVERAGE_POOL_2D")
        [source], [result] = self._tensors(operator.inputs), self._tensors(operator.outputs)
        options = operator.builtinOptions
        options.strideH, options.filterHeight = 1, window_of_stride_1(source.shape[1], result.shape[1])
        options.padding = schema.Padding.VALID
        return self._results(operator)

    def clamp_bound(self, layer: str) -> tuple[str, ...]:
        return self._activation(layer, _RELU_N1_TO_1)

    def dropped_relu(self, layer: str) -> tuple[str, ...]:
        return self._activation(layer, _NO_ACTIVATION)

    def _activation(self, layer: str, function: int) -> tuple[str, ...]:
        operator = self._operator(layer, *_WEIGHTED)
        if operator.builtinOptions.fusedActivationFunction == _NO_ACTIVATION:
            raise NoPlaceError(f"{layer} has no activation function")
        operator.builtinOptions.fusedActivationFunction = function
        return self._results(operator)

    def swapped_operands(self, layer: str) -> tuple[str, ...]:
        operator = self._operator(layer, "CONCATENATION", "SUB", "DIV")
        operator.inputs = [operator.inputs[1], operator.inputs[0], *operator.inputs[2:]]
        return self._results(operator)
