"""Pools of TFLite and of ONNX, and the differences allowed to LiteRT and to onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import tflite

from tests.support.onnx_cases import Quantization, Quantized, one_op, random
from tests.support.operator_rows import EXACT, Row, Within, spelled
from tests.support.tflite_cases import Case, Tensor

CASES: dict[str, Case] = {}
KINDS = (("INT8", 0.037, 5), ("UINT8", 0.037, 120), ("INT16", 0.037, 0), ("FLOAT32", 0.0, 0))


def pool(op: str, source: Tensor, kernel: tuple[int, int], strides: tuple[int, int], padding: int, **more: int) -> Case:
    """Return a pool over the two spatial dimensions."""
    height, width = (
        -(-size // stride) if padding == tflite.Padding.SAME else (size - extent) // stride + 1
        for size, extent, stride in zip(source.shape[1:3], kernel, strides, strict=True)
    )
    fields = {"Padding": padding, "StrideH": strides[0], "StrideW": strides[1]}
    fields |= {"FilterHeight": kernel[0], "FilterWidth": kernel[1], **more}
    result = replace(source, shape=(source.shape[0], height, width, source.shape[3]))
    return Case(op, [source], [result], "Pool2DOptions", fields)


for _kind, _scale, _point in KINDS:
    for _op in ("MAX_POOL_2D", "AVERAGE_POOL_2D"):
        for _kernel, _stride in (((2, 2), 2), ((3, 3), 1), ((7, 9), 1)):
            CASES[f"{_op} {_kind} {_kernel}"] = pool(
                _op, Tensor((1, 7, 9, 4), _scale, _point, _kind), _kernel, (_stride, _stride), tflite.Padding.VALID
            )
    for _kernel, _strides in (((3, 3), (1, 1)), ((3, 3), (2, 2)), ((2, 2), (2, 2)), ((5, 2), (3, 1))):
        for _activation in (tflite.ActivationFunctionType.NONE, tflite.ActivationFunctionType.RELU6):
            CASES[f"AVERAGE_POOL_2D {_kind} {_kernel} {_strides} {_activation}"] = pool(
                "AVERAGE_POOL_2D",
                Tensor((2, 7, 9, 16), _scale, _point, _kind),
                _kernel,
                _strides,
                tflite.Padding.SAME,
                FusedActivationFunction=_activation,
            )
        CASES[f"MAX_POOL_2D {_kind} {_kernel} {_strides}"] = pool(
            "MAX_POOL_2D", Tensor((2, 7, 9, 16), _scale, _point, _kind), _kernel, _strides, tflite.Padding.SAME
        )

# Operators of ONNX.

WINDOWS: tuple[Mapping[str, Any], ...] = (
    {"kernel_shape": [3, 3]},
    {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]},
    {"kernel_shape": [3, 2], "pads": [1, 0, 0, 1], "strides": [3, 3]},
    {"kernel_shape": [2, 2], "pads": [0, 0, 1, 1], "strides": [3, 3]},
    {"kernel_shape": [1, 1], "strides": [3, 4]},
    {"kernel_shape": [4, 2], "auto_pad": "SAME_UPPER", "strides": [3, 2]},
    {"kernel_shape": [4, 2], "auto_pad": "SAME_LOWER", "strides": [3, 2]},
    {"kernel_shape": [4, 2], "auto_pad": "VALID", "strides": [3, 2]},
    {"kernel_shape": [3, 2], "dilations": [2, 3], "pads": [1, 1, 0, 0], "strides": [2, 1]},
)
NEAR = Within(1e-6, 1e-6)
IN_TOSA = Within(1e-5, 1e-5)
BYTES, OTHER = Quantization(0.037137, 3), Quantization(0.021391, -7)


def of_bytes(op_type: str, dtype: type[np.generic]) -> Row:
    """Return a pool between quantizers whose scales make no exact ties.

    Those fall as onnxruntime's order of float32 sums has it.
    """
    window = {} if op_type.startswith("Global") else {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}
    source = Quantized(random(8, 16, 7, 7, dtype=dtype), Quantization(0.05, 3, dtype))
    return Row(one_op(op_type, [source], result=Quantization(0.0317, 5, dtype), **window))


ONNX: dict[str, Row] = {
    **{
        f"{spelled('MaxPool', window)} {ceil_mode} of opset {opset}": Row(
            one_op("MaxPool", [random(2, 3, 10, 11)], opset=opset, ceil_mode=ceil_mode, **window),
            tosa=None if "dilations" in window else EXACT,
        )
        for window in WINDOWS
        for ceil_mode in (0, 1)
        for opset in (11, 21)
    },
    **{
        f"{spelled('AveragePool', window)} {ceil_mode} {counted} of opset {opset}": Row(
            one_op(
                "AveragePool",
                [random(2, 3, 10, 11)],
                opset=opset,
                ceil_mode=ceil_mode,
                count_include_pad=counted,
                **window,
            ),
            EXACT if opset == 21 else NEAR,
            NEAR,
            None if "dilations" in window else IN_TOSA,
        )
        for window in WINDOWS
        for ceil_mode in (0, 1)
        for counted in (0, 1)
        for opset in (11, 21)
        if opset == 21 or "dilations" not in window
    },
    **{
        f"{op_type} of {size} by {stride} with {pads} and {ceil_mode}": Row(
            one_op(
                op_type,
                [random(1, 2, size)],
                kernel_shape=[3],
                strides=[stride],
                pads=pads,
                ceil_mode=ceil_mode,
                **({"count_include_pad": 1} if op_type == "AveragePool" else {}),
            ),
            written=NEAR if op_type == "AveragePool" else EXACT,
            is_one_of_many=size not in (4, 9),
        )
        for size in range(4, 12)
        for ceil_mode in (0, 1)
        for stride in (1, 2, 3, 4)
        for pads in ((0, 0), (0, 1), (1, 0), (1, 1), (2, 2))
        for op_type in ("MaxPool", "AveragePool")
    },
    **{
        f"{op_type} of rank {rank}": Row(
            one_op(
                op_type,
                [random(2, 3, *[9] * rank)],
                kernel_shape=[3] * rank,
                strides=[2] * rank,
                pads=[1] * 2 * rank,
                ceil_mode=1,
            )
        )
        for op_type in ("MaxPool", "AveragePool")
        for rank in (1, 3)
    },
    **{
        f"MaxPool of {np.dtype(dtype)}": Row(
            one_op(
                "MaxPool",
                [random(2, 3, 9, 9, dtype=dtype)],
                kernel_shape=[3, 3],
                pads=[1, 1, 1, 1],
                strides=[2, 2],
            )
        )
        for dtype in (np.int8, np.uint8)
    },
    **{
        f"{op_type} of quantized {np.dtype(dtype)}": of_bytes(op_type, dtype)
        for op_type in ("MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool")
        for dtype in (np.int8, np.uint8)
    },
    **{
        f"AveragePool of bytes as {result.scale}": Row(
            one_op(
                "AveragePool",
                [Quantized(random(1, 4, 11, 11, dtype=np.int8), BYTES)],
                result=result,
                kernel_shape=[3, 3],
            ),
            tosa=EXACT,
        )
        for result in (BYTES, OTHER)
    },
    **{
        f"GlobalMaxPool {sizes}": Row(one_op("GlobalMaxPool", [random(*sizes)]), tosa=EXACT)
        for sizes in ((2, 3, 7), (2, 3, 7, 7), (2, 3, 2, 4, 5))
    },
    **{
        f"GlobalAveragePool {sizes}": Row(one_op("GlobalAveragePool", [random(*sizes)]), NEAR, tosa=IN_TOSA)
        for sizes in ((2, 3, 7), (2, 3, 7, 7), (2, 3, 2, 4, 5))
    },
}
