"""RESIZE as sums of gathered rows and columns with weights, bit by bit for integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qconvert.backends.onnx.builder import held_dtype
from qconvert.backends.onnx.lowering import ComputedTensor, Tensor, Writer, emits_tosa
from qconvert.backends.onnx.tosa.fixed_point import cast
from qconvert.dialects import tosa
from qconvert.ir import element_type, is_float


@emits_tosa(tosa.ResizeOp)
def resize(op: tosa.ResizeOp, write: Writer) -> Tensor:
    """Resize the height, then the width.

    Each position takes one neighbour, or the sum of two with weights. For floats the weights add up to 1.
    """
    layout, element = write.layout_of(op.input), element_type(op.output)
    name = cast(write.floats(op.input, layout), element_type(op.input), element, write)
    for axis, places in zip((1, 2), op.neighbours, strict=True):
        if op.mode.data is tosa.ResizeMode.NEAREST_NEIGHBOR:
            name = _picked(name, places.nearest, layout.index(axis), write)
            continue
        parts = []
        for positions, weights in ((places.low, places.unit - places.part), (places.high, places.part)):
            shares = weights / places.unit if is_float(element) else weights
            sizes = [-1 if i == axis else 1 for i in layout]
            factor = write.initializer(shares.astype(held_dtype(element)).reshape(sizes), write.constant_name("share"))
            parts.append(write.node("Mul", [_picked(name, positions, layout.index(axis), write), factor]))
        name = write.node("Add", parts)
    return ComputedTensor(name, layout)


def _picked(name: str, positions: NDArray[np.int64], axis: int, write: Writer) -> str:
    """Write Gather of constant positions along an axis."""
    return write.node("Gather", [name, write.integers(positions.tolist(), "positions")], axis=axis)
