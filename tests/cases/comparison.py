"""Comparisons, choices and positions of extremes of ONNX, and the differences allowed to onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.onnx_cases import Known, Quantization, Quantized, one_op, random
from tests.support.operator_rows import EXACT, Row

BYTES = Quantization(0.05, 131, np.uint8)
OPERATORS = (("Equal", 7), ("Greater", 7), ("Less", 7), ("GreaterOrEqual", 12), ("LessOrEqual", 12))
NUMBERS: tuple[Any, ...] = (np.float32, np.int32, np.int64, np.uint8, np.int8)


def compared(op_type: str, dtype: Any, opset: int) -> Row:
    """Return a comparison in which some elements are equal."""
    lhs, rhs = random(4, 1, 5, dtype=dtype), random(3, 5, seed=1, dtype=dtype)
    rhs[0] = lhs[0]
    return Row(one_op(op_type, [lhs, rhs], opset=opset), tosa=EXACT)


def extreme(op_type: str, dtype: Any, **options: Any) -> Row:
    """Return the position of an extreme of few values, so that many are equal."""
    data = (random(4, 5, 6, dtype=dtype).astype(np.int64) // 100).astype(dtype)
    return Row(one_op(op_type, [data], opset=13, **options))


_CONDITION, _NAN = random(4, 1, dtype=np.bool_), np.asarray([np.nan, 1, np.inf], np.float32)
ONNX: dict[str, Row] = {
    **{
        f"{op_type} of {np.dtype(dtype)} of opset {max(opset, since)}": compared(op_type, dtype, max(opset, since))
        for op_type, since in OPERATORS
        for opset in (11, 13, 21)
        for dtype in NUMBERS
        if op_type != "Equal" or dtype not in (np.uint8, np.int8)
    },
    "Equal of booleans": Row(one_op("Equal", [random(9, dtype=np.bool_), random(9, seed=1, dtype=np.bool_)])),
    "Equal of NaN": Row(one_op("Equal", [_NAN, _NAN])),
    **{
        f"Where of {np.dtype(dtype)} of opset {opset}": Row(
            one_op(
                "Where",
                [_CONDITION, random(3, dtype=dtype), random(2, 4, 3, seed=1, dtype=dtype)],
                opset=opset,
            ),
            tosa=EXACT,
        )
        for opset in (9, 16)
        for dtype in (np.float32, np.uint8, np.int64)
    },
    "Where of quantized values": Row(
        one_op(
            "Where",
            [random(4, 5, dtype=np.bool_), Quantized(random(4, 5, dtype=np.uint8), BYTES), Known(np.float32(0))],
            result=BYTES,
        )
    ),
    **{
        f"{op_type} {axis} {keepdims} {last} of {np.dtype(dtype)}": extreme(
            op_type, dtype, axis=axis, keepdims=keepdims, select_last_index=last
        )
        for op_type in ("ArgMax", "ArgMin")
        for axis in (0, 1, -1)
        for keepdims in (0, 1)
        for last in (0, 1)
        for dtype in (np.float32, np.uint8, np.int8, np.int32)
    },
    **{f"ArgMax of opset {opset}": Row(one_op("ArgMax", [random(3, 7)], opset=opset, axis=1)) for opset in (7, 11, 12)},
    **{
        f"{op_type} of {value}": Row(one_op(op_type, [np.full((2, 3), value, np.float32)], axis=1))
        for op_type in ("ArgMax", "ArgMin")
        for value in (-np.inf, np.inf)
    },
}
