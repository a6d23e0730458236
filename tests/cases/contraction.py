"""Convolutions, fully connected layers, pools and softmax of TFLite against LiteRT's reference kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import tflite

from tests.support.tflite_cases import Array, Case, Tensor, constant

RNG = np.random.default_rng(11)
SHAPE = (1, 7, 9, 4)
CASES: dict[str, Case] = {}


def integers(*sizes: int, low: int = -127, high: int = 128) -> Array:
    return RNG.integers(low, high, sizes)


def weights(sizes: tuple[int, ...], dimension: int, *, per_channel: bool) -> Tensor:
    scales = [float(s) for s in RNG.uniform(0.001, 0.02, sizes[dimension])] if per_channel else 0.011
    return constant(integers(*sizes), "INT8", scales, dimension=dimension)


def bias(count: int, lhs: float, rhs: Tensor) -> Tensor:
    scales = [lhs * scale for scale in rhs.scales]
    return constant(integers(count, low=-4000, high=4000), "INT32", scales)


for _per_channel in (True, False):
    for _padding in (tflite.Padding.SAME, tflite.Padding.VALID):
        for _stride, _dilation, _activation in ((1, 1, 0), (2, 1, 1), (1, 2, 3)):
            _window: dict[str, Any] = {"Padding": _padding, "StrideH": _stride, "StrideW": _stride}
            _window |= {"DilationHFactor": _dilation, "DilationWFactor": _dilation}
            _window |= {"FusedActivationFunction": _activation}
            _reach = 2 * _dilation + 1
            _sizes = [
                -(-size // _stride) if _padding == tflite.Padding.SAME else (size - _reach) // _stride + 1
                for size in SHAPE[1:3]
            ]
            _name = f"{_per_channel} {_padding} {_stride} {_dilation} {_activation}"
            _filters = weights((6, 3, 3, 4), 0, per_channel=_per_channel)
            CASES[f"CONV_2D {_name}"] = Case(
                "CONV_2D",
                [Tensor(SHAPE, 0.04, -5), _filters, bias(6, 0.04, _filters)],
                [Tensor((1, *_sizes, 6), 0.09, 3)],
                "Conv2DOptions",
                _window,
            )
            _filters = weights((1, 3, 3, 8), 3, per_channel=_per_channel)
            CASES[f"DEPTHWISE_CONV_2D {_name}"] = Case(
                "DEPTHWISE_CONV_2D",
                [Tensor(SHAPE, 0.04, -5), _filters, bias(8, 0.04, _filters)],
                [Tensor((1, *_sizes, 8), 0.05, 3)],
                "DepthwiseConv2DOptions",
                _window | {"DepthMultiplier": 2},
            )
_matrix = weights((5, 36), 0, per_channel=False)
for _activation in (0, 1, 3):
    CASES[f"FULLY_CONNECTED {_activation}"] = Case(
        "FULLY_CONNECTED",
        [Tensor((16, 36), 0.04, -5), _matrix, bias(5, 0.04, _matrix)],
        [Tensor((16, 5), 0.07, 9)],
        "FullyConnectedOptions",
        {"FusedActivationFunction": _activation},
        version=4,
    )
CASES["FULLY_CONNECTED without a bias"] = Case(
    "FULLY_CONNECTED",
    [Tensor((16, 36), 0.04, -5), _matrix, None],
    [Tensor((16, 5), 0.07, 9)],
    "FullyConnectedOptions",
    version=4,
)
for _per_channel in (True, False):
    for _scale in (0.001, 0.01):
        _rows = weights((6, 36), 0, per_channel=_per_channel)
        _sums = constant(integers(6, low=-4000, high=4000), "INT64", [0.0004 * scale for scale in _rows.scales])
        CASES[f"FULLY_CONNECTED INT16 {_per_channel} {_scale}"] = Case(
            "FULLY_CONNECTED",
            [Tensor((16, 36), 0.0004, 0, "INT16"), _rows, _sums],
            [Tensor((16, 6), _scale, 0, "INT16")],
            "FullyConnectedOptions",
            version=11,
        )
for _kind, _point in (("INT8", 0), ("UINT8", 118)):
    _rows = constant(integers(6, 36) + _point, _kind, 0.01, zero_point=_point)
    CASES[f"FULLY_CONNECTED {_kind} by one scale"] = Case(
        "FULLY_CONNECTED",
        [Tensor((16, 36), 0.04, _point, _kind), _rows, bias(6, 0.04, _rows)],
        [Tensor((16, 6), 0.07, _point, _kind)],
        "FullyConnectedOptions",
    )
for _op in ("MAX_POOL_2D", "AVERAGE_POOL_2D"):
    for _kind, _point in (("INT8", 5), ("UINT8", 120), ("INT16", 0), ("FLOAT32", 0)):
        _scale = 0.0 if _kind == "FLOAT32" else 0.037
        for _kernel, _stride in (((2, 2), 2), ((3, 3), 1), ((7, 9), 1)):
            _sizes = [(size - extent) // _stride + 1 for size, extent in zip(SHAPE[1:3], _kernel, strict=True)]
            CASES[f"{_op} {_kind} {_kernel}"] = Case(
                _op,
                [Tensor(SHAPE, _scale, _point, _kind)],
                [Tensor((1, *_sizes, 4), _scale, _point, _kind)],
                "Pool2DOptions",
                {
                    "Padding": tflite.Padding.VALID,
                    "StrideH": _stride,
                    "StrideW": _stride,
                    "FilterHeight": _kernel[0],
                    "FilterWidth": _kernel[1],
                },
            )
for _scale in (0.05, 0.3, 0.007):
    CASES[f"SOFTMAX INT8 {_scale}"] = Case(
        "SOFTMAX", [Tensor((8, 17), _scale, 4)], [Tensor((8, 17), 1 / 256, -128)], "SoftmaxOptions", {"Beta": 1.0}
    )
for _scale in (0.0004, 0.00007, 0.003, 2.0**-12):
    for _shape in ((8, 17), (2, 3, 5, 40)):
        CASES[f"SOFTMAX INT16 {_scale} {len(_shape)}"] = Case(
            "SOFTMAX",
            [Tensor(_shape, _scale, 0, "INT16")],
            [Tensor(_shape, 2.0**-15, 0, "INT16")],
            "SoftmaxOptions",
            {"Beta": 1.0},
            version=3,
            apart=77,
        )
    CASES[f"SOFTMAX INT8 INT16 {_scale}"] = Case(
        "SOFTMAX",
        [Tensor((8, 17), 100 * _scale, 4)],
        [Tensor((8, 17), 2.0**-16, -32768, "INT16")],
        "SoftmaxOptions",
        {"Beta": 1.0},
    )
_FLOATS = [Tensor(sizes, kind="FLOAT32") for sizes in ((16, 36), (16, 5))]
HYBRIDS = {
    f"FULLY_CONNECTED {_asymmetric}": Case(
        "FULLY_CONNECTED",
        [_FLOATS[0], _matrix, None],
        _FLOATS[1:],
        "FullyConnectedOptions",
        {"AsymmetricQuantizeInputs": _asymmetric},
        version=9,
    )
    for _asymmetric in (True, False)
}
for _per_channel in (True, False):
    _window = {"StrideH": 1, "StrideW": 1, "DilationHFactor": 1, "DilationWFactor": 1}
    _filters = weights((6, 3, 3, 4), 0, per_channel=_per_channel)
    _image, _made = (Tensor((2, *SHAPE[1:3], features), kind="FLOAT32") for features in (4, 6))
    _zeros = constant(np.zeros(6), "FLOAT32")
    HYBRIDS[f"CONV_2D {_per_channel}"] = Case(
        "CONV_2D", [_image, _filters, _zeros], [_made], "Conv2DOptions", _window, 5
    )
