"""A small quantized network, and faults of ten kinds that are planted in it, each with its layer and parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

_CHANNELS = 8


def network(dtype: type[np.integer] = np.int8) -> ModelProto:
    """Return a network of two convolutions, a pool and a dense layer in QDQ, with activations of 8 bits.

    The zero points leave room below 0, so that relu_1 and clip_1 change the integers.
    """
    rng = np.random.default_rng(0)
    offset = 0 if np.issubdtype(dtype, np.signedinteger) else 128
    made = _Made([], [])
    made.quantized("image", dtype(offset), 0.02)
    made.weighted("conv_1", "image_dq", (_CHANNELS, 3, 3, 3), rng, pads=[1, 1, 1, 1], kernel_shape=[3, 3])
    made.nodes.append(helper.make_node("Relu", ["conv_1"], ["relu_1"], "relu_1"))
    made.quantized("relu_1", dtype(offset - 10), 0.03)
    made.weighted("conv_2", "relu_1_dq", (_CHANNELS, _CHANNELS, 3, 3), rng, pads=[1, 1, 1, 1], kernel_shape=[3, 3])
    for name, bound in (("low", -0.4), ("high", 0.9)):
        made.constant(name, np.asarray(bound, np.float32))
    made.nodes.append(helper.make_node("Clip", ["conv_2", "low", "high"], ["clip_1"], "clip_1"))
    made.quantized("clip_1", dtype(offset + 5), 0.025)
    pool = {"kernel_shape": [2, 2], "strides": [2, 2]}
    made.nodes.append(helper.make_node("MaxPool", ["clip_1_dq"], ["pool_1"], "pool_1", **pool))
    made.quantized("pool_1", dtype(offset + 5), 0.025)
    made.nodes.append(helper.make_node("Flatten", ["pool_1_dq"], ["flat"], "flat"))
    made.quantized("flat", dtype(offset + 5), 0.025)
    made.weighted("gemm_1", "flat_dq", (10, 4 * 4 * _CHANNELS), rng, transB=1)
    made.quantized("gemm_1", dtype(offset), 0.05)
    ports = [("image", (1, 3, 8, 8)), ("gemm_1_dq", (1, 10))]
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in ports]
    graph = helper.make_graph(made.nodes, "network", infos[:1], infos[1:], made.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class _Made(NamedTuple):
    nodes: list[NodeProto]
    constants: list[TensorProto]

    def constant(self, name: str, array: NDArray[np.generic]) -> str:
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def quantized(self, tensor: str, zero_point: np.integer, scale: float) -> None:
        """Add a quantizer and a dequantizer behind a tensor."""
        ends = [self.constant(f"{tensor}_scale", np.asarray(scale, np.float32))]
        ends.append(self.constant(f"{tensor}_zero_point", np.asarray(zero_point)))
        self.nodes.append(helper.make_node("QuantizeLinear", [tensor, *ends], [f"{tensor}_q"], f"{tensor}_quantize"))
        made = [f"{tensor}_dq"]
        self.nodes.append(helper.make_node("DequantizeLinear", [f"{tensor}_q", *ends], made, f"{tensor}_dequantize"))

    def weighted(
        self, name: str, source: str, shape: tuple[int, ...], rng: np.random.Generator, **attributes: object
    ) -> None:
        """Add a convolution or a dense layer with weights and a bias that are quantized by channel."""
        scales = rng.uniform(0.004, 0.009, shape[0]).astype(np.float32)
        of_input = next(each for each in self.constants if each.name == f"{source.removesuffix('_dq')}_scale")
        operands = [source]
        for part, sizes, factor in (("weights", shape, 1.0), ("bias", shape[:1], numpy_helper.to_array(of_input))):
            limit, dtype = (127, np.int8) if part == "weights" else (900, np.int32)
            self.constant(f"{name}_{part}", rng.integers(-limit, limit + 1, sizes).astype(dtype))
            self.constant(f"{name}_{part}_scale", np.asarray(scales * factor, np.float32))
            self.constant(f"{name}_{part}_zero_point", np.zeros(shape[0], dtype))
            inputs = [f"{name}_{part}", f"{name}_{part}_scale", f"{name}_{part}_zero_point"]
            made = f"{name}_{part}_dq"
            self.nodes.append(helper.make_node("DequantizeLinear", inputs, [made], made, axis=0))
            operands.append(made)
        op = "Conv" if len(shape) == 4 else "Gemm"
        self.nodes.append(helper.make_node(op, operands, [name], name, **attributes))


class Fault(NamedTuple):
    """A change of a model, the layers that may be named for it, and the words of its parameter.

    ``in_tosa`` are the words in TOSA, which has rescales in place of scales.
    """

    plant: Callable[[ModelProto], None]
    layers: tuple[str, ...]
    parameter: str
    in_tosa: str


def _edit(name: str, change: Callable[[NDArray[np.generic]], NDArray[np.generic]]) -> Callable[[ModelProto], None]:
    def plant(model: ModelProto) -> None:
        [constant] = [each for each in model.graph.initializer if each.name == name]
        changed = change(numpy_helper.to_array(constant).copy())
        constant.CopyFrom(numpy_helper.from_array(np.asarray(changed, order="C"), name))

    return plant


def _attribute(node: str, name: str, values: list[int]) -> Callable[[ModelProto], None]:
    def plant(model: ModelProto) -> None:
        [found] = [each for each in model.graph.node if each.name == node]
        next(each for each in found.attribute if each.name == name).ints[:] = values

    return plant


def _channel_scale(model: ModelProto) -> None:
    for part in ("weights", "bias"):
        _edit(f"conv_2_{part}_scale", lambda scales: np.where(np.arange(scales.size) == 3, scales * 1.5, scales))(model)
    for part in ("weights", "bias"):
        _edit(f"conv_2_{part}_scale", lambda scales: scales.astype(np.float32))(model)


def _pool(model: ModelProto) -> None:
    _attribute("pool_1", "strides", [1, 1])(model)
    _attribute("pool_1", "kernel_shape", [5, 5])(model)


def _without_relu(model: ModelProto) -> None:
    [relu] = [node for node in model.graph.node if node.op_type == "Relu"]
    model.graph.node.remove(relu)
    for node in model.graph.node:
        node.input[:] = ["conv_1" if name == "relu_1" else name for name in node.input]


def _plus(index: int, number: int) -> Callable[[NDArray[np.generic]], NDArray[np.generic]]:
    return lambda array: np.where(np.arange(array.size).reshape(array.shape) == index, array + number, array).astype(
        array.dtype
    )


def _exchanged(array: NDArray[np.generic]) -> NDArray[np.generic]:
    return array[[0, 1, 5, 3, 4, 2, 6, 7]]


_HALF_MORE = _edit("image_scale", lambda scale: scale * np.float32(1.5))
_LOWER = _edit("high", lambda bound: bound - np.float32(0.25))
_TRANSPOSED = _edit("conv_2_weights", lambda weights: weights.transpose(0, 1, 3, 2))

FAULTS = {
    "scale of a channel": Fault(_channel_scale, ("conv_2",), "weights scale", "RESCALE factor"),
    "bias": Fault(_edit("conv_1_bias", _plus(5, 100)), ("conv_1",), "bias", "bias"),
    "zero point": Fault(_edit("relu_1_zero_point", _plus(0, 3)), ("conv_1", "relu_1"), "zero point", "zero point"),
    "scale of a tensor": Fault(_HALF_MORE, ("image_quantize",), "scale", "constant operand"),
    "swapped channels": Fault(_edit("conv_2_weights", _exchanged), ("conv_2",), "weights", "weights"),
    "pads": Fault(_attribute("conv_2", "pads", [0, 0, 2, 2]), ("conv_2",), "pad", "pads"),
    "stride of a pool": Fault(_pool, ("pool_1",), "window", "window"),
    "bound of a clamp": Fault(_LOWER, ("clip_1",), "against", "upper bound"),
    "transposed weights": Fault(_TRANSPOSED, ("conv_2",), "weights", "weights"),
    "one weight": Fault(_edit("gemm_1_weights", _plus(700, 1)), ("gemm_1",), "weights", "weights"),
    "dropped ReLU": Fault(_without_relu, ("relu_1",), "operator", "operator"),
}
"""The kinds of faults, by name."""


def planted_fault(kind: str, dtype: type[np.integer] = np.int8) -> onnx.ModelProto:
    """Return the network with a fault."""
    model = network(dtype)
    FAULTS[kind].plant(model)
    return model
