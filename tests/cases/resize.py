"""Resizing of TFLite and of ONNX, and the differences allowed to LiteRT and to onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.support.onnx_cases import Input, Known, Quantization, Quantized, one_op, random
from tests.support.operator_rows import Row
from tests.support.tflite_cases import Case, Tensor, constant

SHAPE = (2, 5, 7, 3)
CASES: dict[str, Case] = {}
# LiteRT's positions are rounded to 1/1024, but for unsigned integers and floats.
for _target in ((10, 14), (9, 4), (3, 20), (5, 7), (1, 1), (13, 11)):
    for _kind, _scale in (("INT8", 0.05), ("INT16", 0.001), ("UINT8", 0.05), ("FLOAT32", 0.0)):
        for _mode in ("", "AlignCorners", "HalfPixelCenters"):
            _value = Tensor(SHAPE, _scale, 3 if "INT8" in _kind else 0, _kind)
            _result = Tensor((2, *_target, 3), _scale, _value.zero_point, _kind)
            for _op, _options in (
                ("RESIZE_BILINEAR", "ResizeBilinearOptions"),
                ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions"),
            ):
                CASES[f"{_op} {_kind} {_target} {_mode}"] = Case(
                    _op,
                    [_value, constant(_target)],
                    [_result],
                    _options,
                    {_mode: True} if _mode else {},
                    version=1,
                    apart=1 if "BILINEAR" in _op else 0,
                )
for _kind, _name, _sizes, _target, _mode in (
    ("INT8", "by 4 ", (1, 6, 5, 3), (24, 20), ""),
    ("INT8", "by 4 HalfPixelCenters", (1, 6, 5, 3), (24, 20), "HalfPixelCenters"),
    ("INT16", "by 4 HalfPixelCenters", (1, 6, 5, 3), (24, 20), "HalfPixelCenters"),
    ("INT8", "of one pixel", (2, 1, 1, 3), (9, 4), "HalfPixelCenters"),
    ("INT16", "of one pixel", (2, 1, 1, 3), (9, 4), "HalfPixelCenters"),
):
    _value = Tensor(_sizes, 0.05, 3 if _kind == "INT8" else 0, _kind)
    CASES[f"RESIZE_BILINEAR {_kind} {_name}"] = Case(
        "RESIZE_BILINEAR",
        [_value, constant(_target)],
        [replace(_value, shape=(_sizes[0], *_target, _sizes[-1]))],
        "ResizeBilinearOptions",
        {_mode: True} if _mode else {},
        version=1,
    )

# Operators of ONNX.

COORDINATES = (
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_half_pixel_for_nn",
)
SCALES = ((1, 1, 2, 2), (1, 1, 2.3, 0.7), (1, 1, 0.5, 3), (1, 1, 0.33, 0.2), (1, 1, 1.1, 1.05))
BYTES = Quantization(0.05, 131, np.uint8)


def by_scales(data: Input, scales: Sequence[float], *, opset: int = 19, **options: Any) -> Row:
    """Return a Resize by scales as an opset has it."""
    given = Known(np.asarray(scales, np.float32))
    inputs = [data, given] if opset == 10 else [data, None if opset >= 13 else Known(np.zeros(0, np.float32)), given]
    return Row(one_op("Resize", inputs, opset=opset, **options))


def by_sizes(data: Input, sizes: Sequence[int], **options: Any) -> Row:
    return Row(one_op("Resize", [data, None, None, Known(np.asarray(sizes, np.int64))], opset=19, **options))


def upsampled(scales: Sequence[float], mode: str) -> dict[str, Row]:
    """Return the operator that Resize replaced, of two opsets."""
    data, given = random(1, 2, 5, 7), Known(np.asarray(scales, np.float32))
    return {
        f"Upsample {mode} {scales} of opset 7": Row(
            one_op("Upsample", [data], opset=7, mode=mode, scales=[float(scale) for scale in scales])
        ),
        f"Upsample {mode} {scales} of opset 9": Row(one_op("Upsample", [data, given], opset=9, mode=mode)),
    }


_DATA = random(1, 2, 5, 7)
ONNX: dict[str, Row] = {
    **{
        f"nearest {coordinates} {nearest} {scales}": by_scales(
            _DATA, scales, coordinate_transformation_mode=coordinates, nearest_mode=nearest
        )
        for coordinates in COORDINATES
        for nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
        for scales in SCALES
    },
    **{
        f"linear {coordinates} {scales}": by_scales(
            random(2, 3, 6, 9), scales, mode="linear", coordinate_transformation_mode=coordinates
        )
        for coordinates in COORDINATES
        for scales in SCALES
    },
    **{
        f"{mode} {coordinates} to {sizes}": by_sizes(
            _DATA, sizes, mode=mode, coordinate_transformation_mode=coordinates
        )
        for coordinates in COORDINATES
        for mode, batches in (("nearest", (2, 3)), ("linear", (1, 2)))
        for sizes in ((1, 2, 10, 14), (1, 2, 3, 15), (1, 2, 1, 1), (*batches, 5, 9), (1, 2, 5, 7))
    },
    **{
        f"nearest of {np.dtype(dtype)}": by_scales(random(1, 2, 5, 7, dtype=dtype), (1, 1, 2, 1.7))
        for dtype in (np.uint8, np.int8, np.int32)
    },
    **{
        f"linear of {np.dtype(dtype)}": by_scales(random(1, 2, 5, 7, dtype=dtype), (1, 1, 2, 1.7), mode="linear")
        for dtype in (np.uint8, np.int8, np.int32)
    },
    **{f"nearest of rank {rank}": by_scales(random(*range(2, 2 + rank)), [1.5] * rank) for rank in (1, 2, 3, 5)},
    **{
        f"linear {sizes} by {scales}": by_scales(random(*sizes), scales, mode="linear")
        for sizes, scales in (
            ((5, 7), (1.7, 2)),
            ((4, 5, 7), (2, 1.7, 0.6)),
            ((2, 4, 7), (1, 1, 2)),
            ((1, 2, 4, 5, 6), (1, 1, 1.5, 2, 0.7)),
            ((1, 5, 7, 3), (1, 2, 1.5, 1)),
        )
    },
    **{
        f"{mode} {scales} of opset {opset}": by_scales(_DATA, scales, opset=opset, mode=mode)
        for mode in ("nearest", "linear")
        for scales in ((1, 1, 2, 2), (1, 1, 1.5, 0.6))
        for opset in (10, 11)
    },
    **upsampled((1, 1, 2, 2), "nearest"),
    **upsampled((1, 1, 2, 2), "linear"),
    **{
        f"{mode} to sizes of some axes, {policy}": by_sizes(
            _DATA, [8, 9], axes=[2, 3], keep_aspect_ratio_policy=policy, mode=mode
        )
        for policy in ("stretch", "not_larger", "not_smaller")
        for mode in ("nearest", "linear")
    },
    "nearest by scales of some axes": by_scales(_DATA, [1.5, 0.5], axes=[3, 2]),
    **{
        f"{mode} between quantized tensors": by_scales(
            Quantized(random(1, 3, 8, 8, dtype=np.uint8), BYTES), (1, 1, 2, 2), mode=mode, result=BYTES
        )
        for mode in ("nearest", "linear")
    },
}
