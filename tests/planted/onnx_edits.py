"""Faults in ONNX files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

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


class OnnxFile:
    """An ONNX file in QDQ."""

    def __init__(self, content: bytes) -> None:
        self._model = onnx.load_from_string(content)
        self._graph = self._model.graph
        self._made = 0

    def content(self) -> bytes:
        return self._model.SerializeToString()

    def _node(self, layer: str, *ops: str) -> NodeProto:
        found = [node for node in self._graph.node if node.name == layer and (not ops or node.op_type in ops)]
        if not found:
            raise NoPlaceError(f"{layer} is no {' or '.join(ops)}")
        return found[0]

    def _maker(self, tensor: str) -> NodeProto | None:
        return next((node for node in self._graph.node if tensor in node.output), None)

    def _readers(self, tensor: str, op: str) -> list[NodeProto]:
        return [node for node in self._graph.node if tensor in node.input and node.op_type == op]

    def _constant(self, name: str) -> TensorProto:
        return next(each for each in self._graph.initializer if each.name == name)

    def _replace(self, node: NodeProto, place: int, change: Callable[[Array], Array]) -> tuple[str, ...]:
        """Give a node a changed copy of a constant that others may read, too."""
        array = numpy_helper.to_array(self._constant(node.input[place]))
        changed = np.asarray(change(array.copy()), array.dtype, order="C")
        self._made += 1
        name = f"{node.input[place]}_planted_{self._made}"
        self._graph.initializer.append(numpy_helper.from_array(changed, name))
        node.input[place] = name
        return (node.name,)

    def _parameter(self, layer: str, place: int) -> NodeProto:
        """Return the dequantizer of a constant operand."""
        node = self._node(layer)
        maker = self._maker(node.input[place]) if len(node.input) > place else None
        if maker is None:
            raise NoPlaceError(f"operand {place} of {layer} is not dequantized")
        return maker

    def _quantizer(self, layer: str) -> NodeProto:
        node = self._node(layer)
        if node.op_type == "QuantizeLinear":
            return node
        found = self._readers(node.output[0], "QuantizeLinear")
        if not found:
            raise NoPlaceError(f"the result of {layer} is not quantized")
        return found[0]

    def channel_scale(self, layer: str) -> tuple[str, ...]:
        return self._replace(self._parameter(layer, 1), 1, with_scaled_channel)

    def tensor_scale(self, layer: str) -> tuple[str, ...]:
        return self._replace(self._quantizer(layer), 1, lambda scale: scale * FACTOR)

    def zero_point(self, layer: str) -> tuple[str, ...]:
        return self._replace(self._quantizer(layer), 2, lambda point: point + (7 if point < 100 else -7))

    def bias(self, layer: str) -> tuple[str, ...]:
        return self._replace(self._parameter(layer, 2), 0, with_moved_bias)

    def one_weight(self, layer: str) -> tuple[str, ...]:
        return self._replace(self._parameter(layer, 1), 0, with_other_weight)

    def swapped_channels(self, layer: str) -> tuple[str, ...]:
        axis = 1 if self._node(layer).op_type in ("MatMul", "Gemm") and not self._is_transposed(layer) else 0
        return self._replace(self._parameter(layer, 1), 0, lambda weights: with_swapped_channels(weights, axis))

    def _is_transposed(self, layer: str) -> bool:
        return any(each.name == "transB" and each.i for each in self._node(layer).attribute)

    def transposed_weights(self, layer: str) -> tuple[str, ...]:
        return self._replace(self._parameter(layer, 1), 0, lambda weights: transposed(weights, (-2, -1)))

    def pads(self, layer: str) -> tuple[str, ...]:
        node = self._node(layer, "Conv")
        found = next(each for each in node.attribute if each.name == "pads")
        top, left, bottom, right = found.ints
        if not bottom:
            raise NoPlaceError(f"{layer} has no pads")
        found.ints[:] = [top + 1, left, bottom - 1, right]
        return (layer,)

    def pool_stride(self, layer: str) -> tuple[str, ...]:
        node = self._node(layer, "MaxPool", "AveragePool")
        shapes = onnx.shape_inference.infer_shapes(self._model).graph.value_info
        images = {each.name: each.type.tensor_type.shape.dim for each in shapes}
        window = window_of_stride_1(*(images[name][2].dim_value for name in (node.input[0], node.output[0])))
        for attribute in node.attribute:
            if attribute.name == "strides":
                attribute.ints[0] = 1
            elif attribute.name == "kernel_shape":
                attribute.ints[0] = window
        return (layer,)

    def clamp_bound(self, layer: str) -> tuple[str, ...]:
        return self._replace(self._node(layer, "Clip"), 2, lambda bound: bound / 2)

    def dropped_relu(self, layer: str) -> tuple[str, ...]:
        node = self._node(layer, "Relu", "Clip")
        self._graph.node.insert(0, helper.make_node("Identity", [node.input[0]], [node.output[0]], node.name))
        place = next(place for place, each in enumerate(self._graph.node) if place and each.name == node.name)
        identity = self._graph.node[0]
        self._graph.node[place].CopyFrom(identity)
        del self._graph.node[0]
        return (layer,)

    def swapped_operands(self, layer: str) -> tuple[str, ...]:
        node = self._node(layer, "Concat", "Sub", "Div")
        node.input[0], node.input[1] = node.input[1], node.input[0]
        return (layer,)
