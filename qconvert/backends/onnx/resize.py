"""Resize with linear interpolation."""

from __future__ import annotations

from math import floor

import numpy as np

from qconvert.backends.onnx.lowering import ComputedTensor, Tensor, Writer, emits
from qconvert.dialects import composite, stablehlo
from qconvert.ir import element_type, expressed, f32, shape

_SINCE = {composite.Coordinates.HALF_PIXEL_SYMMETRIC: 19, composite.Coordinates.TF_HALF_PIXEL_FOR_NN: 99}


def has_resize(op: composite.ResizeOp, opset: int) -> bool:
    """Return True if Resize gives the sizes and positions, from the scales or from the sizes."""
    is_wide = expressed(element_type(op.operand)) == f32
    return is_wide and opset >= _SINCE.get(op.coordinates.data, 11) and (_by_scales(op) or _by_sizes(op))


def _pairs(op: composite.ResizeOp) -> list[tuple[int, int, float]]:
    """Return the size before, the size after and the scale of each axis."""
    sizes, target = shape(op.operand), shape(op.result)
    return [
        (sizes[axis], target[axis], scale) for axis, scale in zip(stablehlo.as_tuple(op.axes), op.factors, strict=True)
    ]


def _by_scales(op: composite.ResizeOp) -> bool:
    return all(floor(np.float32(before) * np.float32(scale)) == size for before, size, scale in _pairs(op))


def _by_sizes(op: composite.ResizeOp) -> bool:
    return all(np.float32(size) / np.float32(before) == np.float32(scale) for before, size, scale in _pairs(op))


@emits(composite.ResizeOp)
def resize(op: composite.ResizeOp, write: Writer) -> Tensor:
    """Write Resize with sizes if they give the scales, else with scales."""
    own, named = write.own_layout(op.operand), dict(zip(stablehlo.as_tuple(op.axes), op.factors, strict=True))
    name = write.floats(op.operand)
    if _by_sizes(op):
        inputs = [name, "", "", write.integers(shape(op.result), "sizes")]
    else:
        scales = np.asarray([named.get(i, 1.0) for i in own], np.float32)
        inputs = [name, "", write.initializer(scales, write.constant_name("scales"))]
    mode = str(op.coordinates.data)
    return ComputedTensor(write.node("Resize", inputs, mode="linear", coordinate_transformation_mode=mode), own)
