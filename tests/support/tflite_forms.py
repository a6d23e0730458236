"""Operators of ONNX whose form in TFLite depends on zero points, padding or a table.

Each case has the operators that it is written in, and the least shares of elements that are onnxruntime's: in LiteRT's
reference kernels and in its default ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.onnx_cases import Case, Quantization, Quantized, one_op, random

_FINE, _ODD, _SUMS = Quantization(0.05, 3), Quantization(0.083, 5), Quantization(0.3, -7)
_HIGH = Quantization(0.05, 100)
"""Most values are negative: zeros would be the largest."""

_U8, _U8_SUMS = Quantization(0.05, 131, np.uint8), Quantization(0.3, 120, np.uint8)
_IMAGE = (1, 4, 9, 10)
_SCALES, _POINTS = [0.01, 0.02, 0.005, 0.01, 0.011, 0.013], [3, -5, 0, 7, 1, -128]


def _x(quantization: Quantization, *sizes: int) -> Quantized:
    return Quantized(random(*sizes, dtype=quantization.dtype, seed=sum(sizes)), quantization)


def _unsigned(*sizes: int) -> Quantized:
    return Quantized(random(*sizes, dtype=np.uint8, seed=7), Quantization(0.01, 119, np.uint8), known=True)


def _channels(*sizes: int, axis: int = 0, points: list[int] = _POINTS, largest: int = 128) -> Quantized:
    quantization = Quantization(_SCALES[: sizes[axis]], points[: sizes[axis]], axis=axis)
    return Quantized(random(*sizes, dtype=np.int8, seed=7) // (128 // largest), quantization, known=True)


def _pool(op: str, **fields: Any) -> Case:
    return one_op(op, [_x(_HIGH, *_IMAGE)], result=_HIGH, kernel_shape=[3, 3], **fields)


_UNSIGNED = {"QUANTIZE": 4}
_EXACT, _ROUNDED = (1.0, 1.0), (0.99, 0.99)
_TABLE = {"CAST": 1, "ADD": 1, "GATHER": 1}
_IN_FLOATS = {"DEQUANTIZE": 2, "QUANTIZE": 1}
_CONV = one_op("Conv", [_x(_U8, *_IMAGE), _unsigned(6, 4, 3, 3)], result=_U8_SUMS)

FORMS: dict[str, tuple[Case, dict[str, int], tuple[float, float]]] = {
    "u8 by u8": (_CONV, {**_UNSIGNED, "CONV_2D": 1}, _ROUNDED),
    "u8 by u8, each channel": (
        one_op("Conv", [_x(_U8, *_IMAGE), _unsigned(4, 1, 3, 3)], result=_U8_SUMS, group=4),
        {**_UNSIGNED, "DEPTHWISE_CONV_2D": 1},
        _ROUNDED,
    ),
    "u8 by u8, transposed": (
        one_op("ConvTranspose", [_x(_U8, *_IMAGE), _unsigned(4, 6, 3, 3)], result=_U8_SUMS, strides=[2, 2]),
        {**_UNSIGNED, "TRANSPOSE_CONV": 1},
        _ROUNDED,
    ),
    "u8 by u8, rows": (
        one_op("MatMul", [_x(_U8, 5, 16), _unsigned(16, 7)], result=_U8_SUMS),
        {"QUANTIZE": 2, "FULLY_CONNECTED": 1},
        _ROUNDED,
    ),
    "zero points of channels": (
        one_op("Conv", [_x(_FINE, *_IMAGE), _channels(6, 4, 3, 3)], result=_SUMS),
        {**_IN_FLOATS, "CONV_2D": 1},
        _EXACT,
    ),
    "zero points of channels that 8 bits can do without": (
        one_op("Conv", [_x(_FINE, *_IMAGE), _channels(4, 4, 3, 3, largest=64)], result=_SUMS),
        {"CONV_2D": 1},
        _ROUNDED,
    ),
    "zero points of channels, transposed": (
        one_op("ConvTranspose", [_x(_FINE, *_IMAGE), _channels(4, 6, 3, 3, axis=1)], result=_SUMS, strides=[2, 2]),
        {**_IN_FLOATS, "TRANSPOSE_CONV": 1},
        _ROUNDED,
    ),
    "zero points of channels, rows": (
        one_op("MatMul", [_x(_FINE, 5, 16), _channels(16, 6, axis=1)], result=_SUMS),
        {"QUANTIZE": 2, "FULLY_CONNECTED": 1},
        _ROUNDED,
    ),
    "padding of a convolution": (
        one_op("Conv", [_x(_FINE, *_IMAGE), _channels(6, 4, 3, 3, points=[0] * 6)], result=_SUMS, pads=[0, 0, 1, 2]),
        {"PAD": 1, "CONV_2D": 1},
        _ROUNDED,
    ),
    "padding of a transposed convolution": (
        one_op(
            "ConvTranspose",
            [_x(_FINE, *_IMAGE), _channels(4, 6, 3, 3, axis=1, points=[0] * 6)],
            result=_SUMS,
            strides=[2, 2],
            pads=[1, 0, 0, 1],
        ),
        {"TRANSPOSE_CONV": 1, "SLICE": 1},
        _ROUNDED,
    ),
    "padding of a maximum": (
        _pool("MaxPool", pads=[1, 1, 1, 1], strides=[2, 2]),
        {"PADV2": 1, "MAX_POOL_2D": 1},
        _EXACT,
    ),
    "padding of a maximum, SAME": (_pool("MaxPool", pads=[1, 1, 1, 1]), {"MAX_POOL_2D": 1}, _EXACT),
    "padding that a mean counts": (
        _pool("AveragePool", pads=[1, 1, 1, 1], count_include_pad=1),
        {"PAD": 1, "AVERAGE_POOL_2D": 1},
        _ROUNDED,
    ),
    "padding that a mean leaves out, SAME": (
        _pool("AveragePool", pads=[1, 1, 1, 1]),
        {"AVERAGE_POOL_2D": 1},
        (0.95, 0.95),  # means of four and six beside the edges are ties
    ),
    "padding that a mean leaves out": (
        _pool("AveragePool", pads=[2, 1, 0, 0]),
        {"DEQUANTIZE": 1, "PAD": 1, "DEPTHWISE_CONV_2D": 1, "DIV": 1, "QUANTIZE": 1},
        (0.95, 0.95),
    ),
    "quotient": (
        one_op("Div", [_x(_FINE, 16, 16), Quantized(np.arange(4, 84, 5, np.int8), _FINE)], result=_ODD),
        {"DEQUANTIZE": 2, "BROADCAST_TO": 1, "DIV": 1, "MAXIMUM": 1, "MINIMUM": 1, "QUANTIZE": 1},
        _ROUNDED,
    ),
    "clamp of unsigned integers": (
        one_op("Relu", [_x(_U8, 16, 16)], result=_U8),
        {"QUANTIZE": 2, "RELU": 1},
        _EXACT,
    ),
    "logarithm of a softmax below -16": (
        one_op("LogSoftmax", [_x(_FINE, 16, 16)], result=Quantization(0.073, 127)),
        {"DEQUANTIZE": 1, "REDUCE_MAX": 1, "BROADCAST_TO": 1, "SUB": 2, "EXP": 1, "SUM": 1, "LOG": 1, "QUANTIZE": 1},
        _EXACT,
    ),
    "a table": (one_op("Elu", [_x(_FINE, 16, 16)], result=_ODD), _TABLE, _EXACT),
    "a table of unsigned integers": (
        one_op("Elu", [_x(_U8, 16, 16)], result=Quantization(0.02, 128, np.uint8)),
        {**_TABLE, "QUANTIZE": 2},
        _EXACT,
    ),
}
