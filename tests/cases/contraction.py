"""Convolutions and matrix products of TFLite and of ONNX, and the differences allowed to LiteRT and to onnxruntime."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import tflite

from tests.cases import matmul
from tests.support.contraction_forms import SHAPES, TRANSPOSED, WINDOWS
from tests.support.onnx_cases import Input, Known, Quantization, Quantized, one_op, random
from tests.support.operator_rows import EXACT, TIES, Row, Within, spelled
from tests.support.tflite_cases import Array, Case, Tensor, constant

RNG = np.random.default_rng(11)
SHAPE = (1, 7, 9, 4)
_TRANSPOSED = np.random.default_rng(7).integers(-127, 128, (5, 3, 3, 4))
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
    for _padding, _strides, _sizes in (
        (tflite.Padding.SAME, (2, 2), (14, 18)),
        (tflite.Padding.SAME, (1, 3), (7, 27)),
        (tflite.Padding.VALID, (2, 1), (15, 11)),
        (tflite.Padding.VALID, (4, 4), (27, 35)),
    ):
        _filters = constant(_TRANSPOSED, "INT8", np.linspace(0.002, 0.02, 5 if _per_channel else 1).tolist())
        CASES[f"TRANSPOSE_CONV {_per_channel} {_padding} {_strides}"] = Case(
            "TRANSPOSE_CONV",
            [constant((1, *_sizes, 5)), _filters, Tensor(SHAPE, 0.04, -5)],
            [Tensor((1, *_sizes, 5), 0.07, 3)],
            "TransposeConvOptions",
            {"Padding": _padding, "StrideH": _strides[0], "StrideW": _strides[1]},
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
for _keeps, _sizes in ((True, (2, 8, 5)), (False, (16, 5))):
    CASES[f"FULLY_CONNECTED of rank 3 {_keeps}"] = Case(
        "FULLY_CONNECTED",
        [Tensor((2, 8, 36), 0.04, -5), _matrix, None],
        [Tensor(_sizes, 0.07, 9)],
        "FullyConnectedOptions",
        {"KeepNumDims": _keeps},
        version=5,
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
for _per_channel in (True, False):
    _scales = np.linspace(0.01, 0.2, 6 if _per_channel else 1).tolist()
    _filters, _rows = (constant(integers(*sizes, low=-8, high=8), "INT4", _scales) for sizes in ((6, 3, 3, 4), (6, 37)))
    CASES[f"CONV_2D INT4 {_per_channel}"] = Case(
        "CONV_2D",
        [Tensor(SHAPE, 0.04, -5), _filters, bias(6, 0.04, _filters)],
        [Tensor((1, 7, 9, 6), 0.5, 3)],
        "Conv2DOptions",
        {"StrideH": 1, "StrideW": 1},
        version=7,
    )
    CASES[f"FULLY_CONNECTED INT4 {_per_channel}"] = Case(
        "FULLY_CONNECTED",
        [Tensor((16, 37), 0.04, -5), _rows, bias(6, 0.04, _rows)],
        [Tensor((16, 6), 0.6, 3)],
        "FullyConnectedOptions",
        version=12,
    )
for _kind, _point in (("INT8", 3), ("UINT8", 118), ("INT16", 0)):
    for _scale in (1.0, 0.375):
        _rows = constant(
            integers(6, 3, low=-3, high=4) + _point * (_kind == "UINT8"),
            "UINT8" if _kind == "UINT8" else "INT8",
            _scale,
            zero_point=_point * (_kind == "UINT8"),
        )
        _sums = constant([0, 1, -1, 2, -7, 8], "INT64" if _kind == "INT16" else "INT32", 0.25 * _scale)
        CASES[f"FULLY_CONNECTED {_kind} halves {_scale}"] = Case(
            "FULLY_CONNECTED",
            [Tensor((64, 3), 0.25, _point, _kind), _rows, _sums],
            [Tensor((64, 6), 1.0 if _kind == "INT16" else 8.0, _point, _kind)],
            "FullyConnectedOptions",
            version=4,
            low=_point - 100,
            high=_point + 100,
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
    _strided = _window | {"StrideH": 2, "StrideW": 3}
    HYBRIDS[f"CONV_2D {_per_channel} strided"] = Case(
        "CONV_2D", [_image, _filters, _zeros], [replace(_made, shape=(2, 4, 3, 6))], "Conv2DOptions", _strided, 5
    )
_filters = weights((1, 3, 3, 8), 3, per_channel=True)
HYBRIDS["DEPTHWISE_CONV_2D"] = Case(
    "DEPTHWISE_CONV_2D",
    [_image, _filters, constant(np.zeros(8), "FLOAT32")],
    [replace(_made, shape=(2, 7, 9, 8))],
    "DepthwiseConv2DOptions",
    _window | {"DepthMultiplier": 2},
    6,
)
CASES |= matmul.CASES
HYBRIDS |= matmul.HYBRIDS

# Operators of ONNX.

BYTES, UNSIGNED = Quantization(0.05, 3), Quantization(0.05, 131, np.uint8)
RESULT = Quantization(0.7391, 11)
NEAR = Within(1e-5, 1e-4)
"""Products are added up in another order than onnxruntime's."""

IN_TOSA = Within(1e-5, 1e-4)


def floats(op_type: str, *inputs: Input, in_tosa: bool = True, **options: Any) -> Row:
    """Return a contraction of floats."""
    return Row(one_op(op_type, inputs, **options), NEAR, tosa=IN_TOSA if in_tosa else None)


def quantized(op_type: str, *inputs: Input, result: Quantization = RESULT, in_tosa: bool = True, **options: Any) -> Row:
    """Return a contraction between quantizers, with scales that make few exact ties."""
    return Row(one_op(op_type, inputs, result=result, **options), TIES, tosa=TIES if in_tosa else None)


def drawn(*sizes: int, seed: int = 0, quantization: Quantization = BYTES, known: bool = False) -> Quantized:
    """Return all values of a quantized type."""
    return Quantized(random(*sizes, seed=seed, dtype=quantization.dtype), quantization, known)


def by_channel(count: int, axis: int) -> Quantization:
    return Quantization([0.01 * (i + 1) for i in range(count)], [0] * count, axis=axis)


_KERNEL = random(4, 3, 3, 2, seed=1)
_ONE_SCALE, _ASYMMETRIC = Quantization(0.013), Quantization(0.013, -9)
_WIDE_BYTES, _FOUR_BITS = Quantization(0.0005, 0, np.int16), Quantization(0.05, 0, ml_dtypes.int4)
ONNX: dict[str, Row] = {
    **{
        f"{spelled('Conv', window)}{' biased' if biased else ''}": floats(
            "Conv", random(2, 4, 9, 8), random(6, 4, 3, 2, seed=1), *[random(6, seed=2)] * biased, **window
        )
        for window in WINDOWS
        for biased in (False, True)
    },
    **{
        f"Conv of rank {rank} in {groups} groups": floats(
            "Conv",
            random(2, 4, *[7] * rank),
            Known(random(8, 4 // groups, *[3] * rank, seed=1)),
            random(8, seed=2),
            in_tosa=rank < 3 or groups == 1,
            group=groups,
            strides=[2] * rank,
            pads=[1] * 2 * rank,
        )
        for rank in (1, 2, 3)
        for groups in (1, 2, 4)
    },
    **{
        f"Conv of {np.dtype(data.dtype)} by {name} in {groups} groups": quantized(
            "Conv",
            drawn(2, 4, 9, 9, quantization=data),
            drawn(8, 4 // groups, 3, 3, seed=1, quantization=weights_of, known=True),
            result=replace(RESULT, dtype=data.dtype),
            group=groups,
            pads=[1, 1, 1, 1],
        )
        for data in (BYTES, UNSIGNED)
        for name, weights_of in (
            ("one scale", _ONE_SCALE),
            ("asymmetric ones", _ASYMMETRIC),
            ("channel", by_channel(8, 0)),
        )
        for groups in (1, 4)
    },
    "Conv of 16 bits": quantized(
        "Conv",
        drawn(1, 4, 9, 9, quantization=_WIDE_BYTES),
        drawn(6, 4, 3, 3, seed=1, quantization=by_channel(6, 0), known=True),
        result=Quantization(0.01, 0, np.int16),
    ),
    "Conv by 4 bits": replace(
        quantized(
            "Conv",
            drawn(1, 4, 7, 6),
            Quantized(np.random.default_rng(1).integers(-8, 8, (5, 4, 3, 3)), _FOUR_BITS, known=True),
        ),
        tosa=EXACT,
    ),
    "Conv of bytes over three dimensions": replace(
        quantized(
            "Conv",
            drawn(1, 4, 5, 7, 6, quantization=Quantization(0.037137, 3)),
            drawn(5, 4, 3, 3, 3, seed=1, quantization=Quantization(0.011), known=True),
            pads=[1, 0, 1, 0, 1, 1],
            strides=[1, 2, 1],
        ),
        tosa=EXACT,
    ),
    **{
        f"{spelled('ConvTranspose', window)}{' biased' if biased else ''}": floats(
            "ConvTranspose",
            random(2, 4, 5, 6),
            *((Known(_KERNEL), random(3, seed=2)) if biased else (_KERNEL,)),
            in_tosa=biased and "dilations" not in window,
            opset=21 if biased else 11,
            **window,
        )
        for window in TRANSPOSED
        for biased in (False, True)
    },
    **{
        f"ConvTranspose of rank {rank} in {groups} groups": floats(
            "ConvTranspose",
            random(2, 4, *[5] * rank),
            Known(random(4, 3, *[3] * rank, seed=1)),
            random(3 * groups, seed=2),
            in_tosa=rank < 3 and groups == 1,
            group=groups,
            strides=[2] * rank,
            pads=[1] * 2 * rank,
        )
        for rank in (1, 2, 3)
        for groups in (1, 2, 4)
    },
    **{
        f"ConvTranspose of bytes in {groups} groups": quantized(
            "ConvTranspose",
            drawn(2, 4, 5, 6),
            drawn(4, 3, 3, 2, seed=1, quantization=by_channel(3, 1), known=True),
            result=Quantization(0.391, 11),
            in_tosa=groups == 1,
            group=groups,
            strides=[2, 2],
        )
        for groups in (1, 2)
    },
    **{
        f"{spelled(f'Gemm {lhs} {rhs} {bias_shape}', factors)}": floats(
            "Gemm",
            random(4, 5) if lhs else random(5, 4),
            random(6, 4) if rhs else random(4, 6),
            *([] if bias_shape is None else [random(*bias_shape, seed=2)]),
            transA=lhs,
            transB=rhs,
            **factors,
        )
        for lhs in (0, 1)
        for rhs in (0, 1)
        for bias_shape in (None, (), (1,), (6,), (1, 6), (5, 1), (5, 6))
        for factors in ({}, {"alpha": 0.5, "beta": 2.0})
    },
    "Gemm without its bias": floats("Gemm", random(5, 4), random(4, 6), random(6), beta=0.0),
    **{
        f"Gemm of {np.dtype(data.dtype)}": quantized(
            "Gemm",
            drawn(50, 40, quantization=data),
            drawn(6, 40, seed=1, quantization=by_channel(6, 0), known=True),
            Known(random(6, seed=2)),
            transB=1,
            result=Quantization(0.6391, 11, data.dtype),
        )
        for data in (BYTES, UNSIGNED)
    },
    **{f"MatMul {left} {right}": floats("MatMul", random(*left), random(*right, seed=1)) for left, right in SHAPES},
    "MatMul of int64": Row(one_op("MatMul", [random(3, 4, dtype=np.int64), random(4, 2, seed=1, dtype=np.int64)])),
    **{
        f"MatMul of bytes {left} {right}": quantized(
            "MatMul",
            drawn(*left, quantization=UNSIGNED),
            drawn(*right, seed=1, quantization=Quantization(0.021, -8)),
            result=Quantization(0.1391, 131, np.uint8),
        )
        for left, right in SHAPES[:5]
    },
    "MatMul of 16 bits": quantized(
        "MatMul",
        drawn(8, 40, quantization=_WIDE_BYTES),
        drawn(40, 6, seed=1, quantization=_ONE_SCALE, known=True),
        result=Quantization(0.01, 0, np.int16),
    ),
}

_PIXEL, _WEIGHT = float.fromhex("0x1.817d96p-6"), float.fromhex("0x1.36d384p-7")
"""Scales of bytes whose product, rounded to f32, gives another integer than the exact product for some biases."""
for _name, _sizes, _kernel, _kind in (
    ("CONV_2D", (1, 4, 4, 1), (2, 1, 1, 1), "Conv2DOptions"),
    ("DEPTHWISE_CONV_2D", (1, 4, 4, 2), (1, 1, 1, 2), "DepthwiseConv2DOptions"),
):
    CASES[f"{_name} UINT8 product of scales"] = Case(
        _name,
        [
            Tensor(_sizes, _PIXEL, 128, "UINT8"),
            constant(np.full(_kernel, 128), "UINT8", _WEIGHT, zero_point=128),
            constant([-5323, 5323], "INT32", _PIXEL * _WEIGHT),
        ],
        [Tensor((1, 4, 4, 2), _PIXEL, 128, "UINT8")],
        _kind,
        {"StrideH": 1, "StrideW": 1},
        version=1,
    )
