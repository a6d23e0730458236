"""Faults in texts of StableHLO's quantized types."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from qconvert.dialects.stablehlo import ConstantOp, ConvolutionOp, as_tuple, counts
from qconvert.dialects.traits import MovesElements
from qconvert.ir import ElementsAttr, UniformQuantizedType, quantized, shape, tensor, with_element
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
from tests.planted.mlir_edits import MlirFile

_CONV, _DOT, _ADD, _QUANTIZE = (
    "stablehlo.convolution",
    "stablehlo.dot_general",
    "stablehlo.add",
    "stablehlo.uniform_quantize",
)
_CLAMP = "stablehlo.clamp"


class StablehloFile(MlirFile):
    """A module of StableHLO."""

    def constant(self, array: Array, like: Operation) -> Operation:
        made = ConstantOp.of(array, tensor(like.results[0]).element_type)
        made.location = like.location
        return made

    def _contraction(self, layer: str) -> Operation:
        return self.named(layer, _CONV, _DOT)[-1]

    def _bias(self, layer: str) -> Operation:
        """Return the op that reads a bias: its broadcast."""
        contraction = self._contraction(layer)
        for use in contraction.results[0].uses:
            if use.operation.name == _ADD:
                bias = use.operation.operands[1 - use.index].owner
                if isinstance(bias, Operation) and isinstance(bias.operands[0].owner, ConstantOp):
                    return bias
        raise NoPlaceError(f"{layer} has no bias")

    def channel_scale(self, layer: str) -> tuple[str, ...]:
        """Change the scale of weights, of the sums and of the bias."""
        contraction, bias = self._contraction(layer), self._bias(layer)
        for use in contraction.results[0].uses:
            _retype(use.operation.results[0])
        for value in (contraction.operands[1], contraction.results[0], bias.operands[0], bias.results[0]):
            _retype(value)
        return self.names(contraction)

    def tensor_scale(self, layer: str) -> tuple[str, ...]:
        return self._result(layer, FACTOR, 0)

    def zero_point(self, layer: str) -> tuple[str, ...]:
        return self._result(layer, 1.0, 9)

    def _result(self, layer: str, factor: float, offset: int) -> tuple[str, ...]:
        """Change the type of a layer's result, and of what is a movement of it."""
        op = [op for op in self.named(layer) if _is_result(op)][-1]
        element = quantized(op.results[0])
        assert element is not None
        _retype_moved(op.results[0], factor, offset if element.zero_point < 100 else -offset)
        return self.names(op)

    def bias(self, layer: str) -> tuple[str, ...]:
        return self.change(self._bias(layer), 0, with_moved_bias)

    def one_weight(self, layer: str) -> tuple[str, ...]:
        return self.change(self._contraction(layer), 1, with_other_weight)

    def swapped_channels(self, layer: str) -> tuple[str, ...]:
        op = self._contraction(layer)
        numbers = op.dimension_numbers.data if isinstance(op, ConvolutionOp) else None
        axis = -1 if numbers is None else numbers.kernel_output_feature
        return self.change(op, 1, lambda weights: with_swapped_channels(weights, axis % weights.ndim))

    def transposed_weights(self, layer: str) -> tuple[str, ...]:
        op = self._contraction(layer)
        axes = op.dimension_numbers.data.kernel_spatial if isinstance(op, ConvolutionOp) else (0, 1)
        return self.change(op, 1, lambda weights: transposed(weights, (axes[0], axes[1])))

    def pads(self, layer: str) -> tuple[str, ...]:
        op = self._contraction(layer)
        if not isinstance(op, ConvolutionOp) or op.padding is None:
            raise NoPlaceError(f"{layer} has no pads")
        pads = op.padding.array.astype(np.int64).copy()
        pads[0] += (1, -1)
        op.properties["padding"] = ElementsAttr.of(pads, i64)
        return self.names(op)

    def pool_stride(self, layer: str) -> tuple[str, ...]:
        op = self.named(layer, "stablehlo.reduce_window")[0]
        sizes, strides = (list(as_tuple(op.properties[name])) for name in ("window_dimensions", "window_strides"))
        place = next(place for place, stride in enumerate(strides) if stride > 1)
        source, result = shape(op.operands[0])[place], shape(op.results[0])[place]
        sizes[place], strides[place] = window_of_stride_1(source, result), 1
        for name, values in (("window_dimensions", sizes), ("window_strides", strides)):
            attribute = counts(values)
            assert attribute is not None
            op.properties[name] = attribute
        return self.names(op)

    def clamp_bound(self, layer: str) -> tuple[str, ...]:
        return self.change(self.named(layer, _CLAMP)[0], 2, lambda bound: bound // 2)

    def dropped_relu(self, layer: str) -> tuple[str, ...]:
        op = self.named(layer, _CLAMP, "stablehlo.maximum")[0]
        if op.name == _CLAMP:
            return self.change(op, 0, lambda bound: np.full_like(bound, -128))
        constant = next(place for place, value in enumerate(op.operands) if isinstance(self._root(value), ConstantOp))
        op.results[0].replace_all_uses_with(op.operands[1 - constant])
        return self.names(op)

    def _root(self, value: SSAValue) -> Operation | None:
        return self.read_through(value, "stablehlo.broadcast_in_dim")

    def swapped_operands(self, layer: str) -> tuple[str, ...]:
        op = self.named(layer, "stablehlo.concatenate", "stablehlo.subtract")[0]
        op.operands = [op.operands[1], op.operands[0], *op.operands[2:]]
        return self.names(op)


def _is_result(op: Operation) -> bool:
    """Return True for an op that makes integers of 8 bits, and does not only move elements."""
    element = quantized(op.results[0]) if op.results else None
    is_made = not op.has_trait(MovesElements) and not isinstance(op, ConstantOp)
    return element is not None and element.storage.width == 8 and is_made


def _retype(value: SSAValue) -> None:
    """Change the scale of one channel in the type of a value."""
    element = quantized(value)
    assert element is not None
    _set_type(value, _with(element, with_scaled_channel(element.scales), element.zero_points))


def _retype_moved(value: SSAValue, factor: float, offset: int) -> None:
    element = quantized(value)
    assert element is not None
    _set_type(value, _with(element, element.scales * factor, element.zero_points + offset))
    for use in list(value.uses):
        op = use.operation
        if op.results and quantized(op.results[0]) == element:
            _retype_moved(op.results[0], factor, offset)


def _with(element: UniformQuantizedType, scales: Array, points: Array) -> UniformQuantizedType:
    if element.is_per_axis:
        assert element.quantization_dimension is not None
        return UniformQuantizedType.per_axis(element.storage, scales, points, element.quantization_dimension)
    return UniformQuantizedType.per_tensor(element.storage, float(scales[0]), int(points[0]))


def _set_type(value: SSAValue, element: UniformQuantizedType) -> None:
    Rewriter.replace_value_with_new_type(value, with_element(tensor(value), element))
