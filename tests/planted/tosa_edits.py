"""Faults in TOSA, as text and as flatbuffer."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Operation

from qconvert.dialects.tosa import ClampOp, ConstOp
from qconvert.ir import shape, tensor
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

_CONV, _DEPTHWISE, _RESCALE, _CLAMP = "tosa.conv2d", "tosa.depthwise_conv2d", "tosa.rescale", "tosa.clamp"
_MULTIPLIER, _SHIFT, _OUTPUT_ZERO_POINT = 1, 2, 4


class TosaFile(MlirFile):
    """A module of TOSA."""

    def constant(self, array: Array, like: Operation) -> Operation:
        made = ConstOp.of(array, tensor(like.results[0]).element_type)
        made.location = like.location
        return made

    def _contraction(self, layer: str) -> Operation:
        """Return the contraction of a layer; what else a layer contracts stands in front, and moves elements."""
        return self.named(layer, _CONV, _DEPTHWISE)[-1]

    def _rescale(self, layer: str) -> Operation:
        return self.named(layer, _RESCALE)[-1]

    def channel_scale(self, layer: str) -> tuple[str, ...]:
        self._contraction(layer)
        rescale = self._rescale(layer)
        factors = with_scaled_channel(_array(rescale, _MULTIPLIER).astype(np.float64))
        is_large = factors >= 1 << 31
        self.change(rescale, _MULTIPLIER, lambda _: np.where(is_large, factors / 2, factors))
        return self.change(rescale, _SHIFT, lambda shift: shift - is_large)

    def shift(self, layer: str) -> tuple[str, ...]:
        return self.change(self._rescale(layer), _SHIFT, lambda shift: shift + 1)

    def tensor_scale(self, layer: str) -> tuple[str, ...]:
        """Change the factor of the floats that are quantized."""
        return self.change(self.named(layer, "tosa.mul")[0], 1, lambda factor: factor / FACTOR)

    def zero_point(self, layer: str) -> tuple[str, ...]:
        return self.change(self._rescale(layer), _OUTPUT_ZERO_POINT, lambda point: point + (7 if point < 100 else -7))

    def bias(self, layer: str) -> tuple[str, ...]:
        return self.change(self._contraction(layer), 2, with_moved_bias)

    def one_weight(self, layer: str) -> tuple[str, ...]:
        return self.change(self._contraction(layer), 1, with_other_weight)

    def swapped_channels(self, layer: str) -> tuple[str, ...]:
        op = self._contraction(layer)
        axis = 2 if op.name == _DEPTHWISE else 0
        return self.change(op, 1, lambda weights: with_swapped_channels(weights, axis))

    def transposed_weights(self, layer: str) -> tuple[str, ...]:
        op = self._contraction(layer)
        height, width = shape(op.operands[1])[1:3]
        axes = (0, 1) if op.name == _DEPTHWISE else (0, 3) if height == width == 1 else (1, 2)
        return self.change(op, 1, lambda weights: transposed(weights, axes))

    def pads(self, layer: str) -> tuple[str, ...]:
        op = self._contraction(layer)
        top, bottom, left, right = _integers(op, "pad")
        if not top:
            raise NoPlaceError(f"{layer} has no pads")
        return _set(self, op, pad=(top - 1, bottom + 1, left, right))

    def pool_stride(self, layer: str) -> tuple[str, ...]:
        op = self.named(layer, "tosa.max_pool2d", "tosa.avg_pool2d")[0]
        window = window_of_stride_1(shape(op.operands[0])[1], shape(op.results[0])[1])
        return _set(self, op, kernel=(window, _integers(op, "kernel")[1]), stride=(1, _integers(op, "stride")[1]))

    def clamp_bound(self, layer: str) -> tuple[str, ...]:
        return self._clamp(layer, lambda low, high: (low, (low + high) // 2))

    def dropped_relu(self, layer: str) -> tuple[str, ...]:
        return self._clamp(layer, lambda _, high: (-128, high))

    def _clamp(self, layer: str, change: Any) -> tuple[str, ...]:
        [op] = self.named(layer, _CLAMP)
        assert isinstance(op, ClampOp)
        changed = ClampOp(op.input, *change(*op.limits))
        op.properties.update(changed.properties)
        changed.erase()
        return self.names(op)

    def swapped_operands(self, layer: str) -> tuple[str, ...]:
        op = self.named(layer, "tosa.concat", "tosa.sub")[0]
        op.operands = [op.operands[1], op.operands[0], *op.operands[2:]]
        return self.names(op)

    def table(self, layer: str) -> tuple[str, ...]:
        return self.change(self.named(layer, "tosa.table")[0], 1, lambda entries: np.roll(entries, 1))


def _array(op: Operation, place: int) -> Array:
    constant = op.operands[place].owner
    assert isinstance(constant, ConstOp)
    return constant.array


def _integers(op: Operation, name: str) -> tuple[int, ...]:
    found = op.properties[name]
    assert isinstance(found, DenseArrayBase)
    return tuple(int(value) for value in found.get_values())


def _set(file: TosaFile, op: Operation, **attributes: tuple[int, ...]) -> tuple[str, ...]:
    for name, values in attributes.items():
        op.properties[name] = DenseArrayBase.from_list(i64, list(values))
    return file.names(op)
