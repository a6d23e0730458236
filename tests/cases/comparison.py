"""Comparisons and choices of TFLite and ONNX, and the differences allowed to LiteRT and onnxruntime."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tests.support.onnx_cases import Known, Quantization, Quantized, one_op, random
from tests.support.operator_rows import EXACT, Row
from tests.support.tflite_cases import Case, Tensor

DIRECTIONS = ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")
PAIRS = (256, 1), (1, 256)
"""Shapes that broadcast to all pairs of 8-bit integers."""

CASES: dict[str, Case] = {}


def against(
    op: str, lhs: Tensor, rhs: Tensor, name: str = "", sizes: tuple[int, ...] = (256, 256), **more: Any
) -> None:
    """A comparison of two tensors."""
    options = f"{op.title().replace('_', '')}Options"
    CASES[f"{op} {lhs.kind}{name}"] = Case(op, [lhs, rhs], [Tensor(sizes, kind="BOOL")], options, **more)


for _op in DIRECTIONS:
    for _kind, _points in (("INT8", (3, -9)), ("UINT8", (130, 7))):
        _a, _b = (Tensor(sizes, 0.05, point, _kind) for sizes, point in zip(PAIRS, _points, strict=True))
        against(_op, _a, replace(_b, zero_point=_points[0]))
        against(_op, _a, replace(_b, scale=0.0712), " scales", apart=None)
    _a, _b = (Tensor(sizes, 0.0021, 0, "INT16") for sizes in PAIRS)
    against(_op, _a, _b)
    against(_op, _a, replace(_b, scale=0.0052), " scales", apart=None)
    against(_op, *(Tensor((3, 4), kind="FLOAT32"), Tensor((4,), kind="FLOAT32")), sizes=(3, 4))
    against(_op, *(Tensor((9, 8), kind="INT32"),) * 2, sizes=(9, 8), low=-2, high=2)
against("LESS", Tensor((256, 1), 0.0004, 3), Tensor((1, 256), 0.0009, -4), " small scales", apart=None)
against("EQUAL", Tensor((256, 1), 2.0**-9, 3), Tensor((1, 256), 2.0**-12, -4), " powers of two", apart=None)
against("EQUAL", *(Tensor((9,), kind="INT64"),) * 2, sizes=(9,), low=-2, high=2)
against("NOT_EQUAL", *(Tensor((9,), kind="BOOL"),) * 2, sizes=(9,))

_ELEMENTS = {"INT8": (0.05, 3), "UINT8": (0.05, 130), "INT16": (0.001, 0), "FLOAT32": (0.0, 0), "INT32": (0.0, 0)}
for _kind, (_scale, _point) in _ELEMENTS.items():
    _value, _truth = Tensor((4, 8), _scale, _point, _kind), Tensor((4, 8), kind="BOOL")
    _row, _column = replace(_value, shape=(8,)), replace(_value, shape=(4, 1))
    CASES[f"SELECT_V2 {_kind}"] = Case("SELECT_V2", [_truth, _row, _column], [_value], "SelectV2Options", version=1)
    CASES[f"SELECT {_kind}"] = Case("SELECT", [_truth, _value, _value], [_value], "SelectOptions", version=1)
_rows = [Tensor((4,), kind="BOOL"), Tensor((4, 8), kind="FLOAT32"), Tensor((4, 8), kind="FLOAT32")]
CASES["SELECT rows"] = Case("SELECT", _rows, _rows[1:2], "SelectOptions", version=1)
_scalar = [Tensor((), kind="BOOL"), *_rows[1:]]
CASES["SELECT_V2 scalar"] = Case("SELECT_V2", _scalar, _rows[1:2], "SelectV2Options", version=1)
for _op, _count in (("LOGICAL_AND", 2), ("LOGICAL_OR", 2), ("LOGICAL_NOT", 1)):
    _truths = [Tensor((4, 8), kind="BOOL"), Tensor((8,), kind="BOOL")][:_count]
    CASES[_op] = Case(_op, _truths, _truths[:1], f"{_op.title().replace('_', '')}Options", version=1)

# Operators of ONNX.

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
