"""DynamicQuantizeLinear and contractions of integers of ONNX, and the differences allowed to onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.support.onnx_cases import Array, Known, one_op, random
from tests.support.operator_rows import EXACT, Row, Within, spelled

U8, I8 = np.uint8, np.int8
SIGNS = ((U8, U8), (U8, I8), (I8, I8), (I8, U8))
WINDOWS: tuple[Mapping[str, Any], ...] = (
    {},
    {"pads": [1, 0, 2, 1]},
    {"pads": [1, 1, 1, 1], "strides": [2, 3]},
    {"strides": [2, 1], "dilations": [1, 2]},
    {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
)
SHAPES = (((5,), (5,)), ((5,), (5, 4)), ((2, 5), (5,)), ((3, 2, 5), (3, 5, 4)), ((3, 2, 5), (5, 4)))
NEAR = Within(1e-6, 1.0, 0.001)
"""TOSA multiplies by a reciprocal where onnxruntime divides: integers beside a tie may be one step off."""


def integers(op_type: str, *inputs: Any, is_one_of_many: bool = False, **options: Any) -> Row:
    """Return a contraction of integers, whose sums are exact everywhere."""
    return Row(one_op(op_type, inputs, opset=10, **options), EXACT, tosa=EXACT, is_one_of_many=is_one_of_many)


def points(lhs: type, rhs: type, columns: int = 0) -> list[Array]:
    """Return a zero point for each operand; with ``columns`` one for each column of the right-hand side."""
    return [np.asarray(100, lhs), np.asarray(np.arange(columns) if columns else 7, rhs)]


def drawn(*sizes: int, seed: int = 0, dtype: type = U8) -> Array:
    return random(*sizes, seed=seed, dtype=dtype)


def to_float(op_type: str, lhs: Array, rhs: Array, *others: Any) -> Row:
    """Return one of onnxruntime's products of integers with scales, whose last bits differ by its fused additions."""
    case = one_op(op_type, [lhs, rhs, *others], opset=17, domain="com.microsoft")
    return Row(case, SCALED, tosa=SCALED)


SCALED = Within(2e-6, 2e-6)
_SCALE, _COLUMNS, _BIAS = np.float32([0.02]), np.linspace(0.01, 0.03, 5, dtype=np.float32), random(5, seed=3)
ONNX: dict[str, Row] = {
    **{
        f"MatMulIntegerToFloat {name}": to_float(
            "MatMulIntegerToFloat", drawn(4, 9), drawn(9, 5, dtype=I8, seed=1), *more
        )
        for name, more in (
            ("of one scale", (_SCALE[0], _SCALE)),
            ("of columns", (_SCALE, Known(_COLUMNS), np.asarray(100, U8), Known(np.arange(5, dtype=I8)))),
            ("with a bias", (_SCALE, _COLUMNS, np.asarray(100, U8), None, _BIAS)),
        )
    },
    **{
        f"DynamicQuantizeMatMul {name}": to_float("DynamicQuantizeMatMul", random(2, 4, 9), weights, *more)
        for name, weights, more in (
            ("of signed bytes", Known(drawn(9, 5, dtype=I8, seed=1)), (_SCALE,)),
            ("of unsigned bytes", Known(drawn(9, 5, seed=1)), (_SCALE, np.asarray([130], U8))),
            ("with a bias", Known(drawn(9, 5, dtype=I8, seed=1)), (_COLUMNS, np.arange(5, dtype=I8), _BIAS)),
        )
    },
    "DynamicQuantizeLinear": Row(one_op("DynamicQuantizeLinear", [random(30, 41)], opset=11, outputs=3), tosa=NEAR),
    **{
        f"DynamicQuantizeLinear {name}": Row(
            one_op("DynamicQuantizeLinear", [(random(2, 3, 4, 5) + shift).astype(np.float32)], opset=11, outputs=3),
            tosa=NEAR,
        )
        for name, shift in (("above 0", 9), ("below 0", -9), ("of rank 4", 0))
    },
    "DynamicQuantizeLinear of zeros": Row(
        one_op("DynamicQuantizeLinear", [np.zeros((2, 3), np.float32)], opset=11, outputs=3), tosa=EXACT
    ),
    "DynamicQuantizeLinear with ties": Row(
        one_op("DynamicQuantizeLinear", [np.float32([-127.5, -0.5, 0.5, 1.5, 2.5, 127.5])], opset=11, outputs=3),
        tosa=EXACT,
    ),
    **{
        f"MatMulInteger {lhs.__name__} {rhs.__name__}{' columns' * bool(columns)}{' known' * known}": integers(
            "MatMulInteger",
            drawn(4, 9, dtype=lhs),
            Known(drawn(9, 5, dtype=rhs, seed=1)) if known else drawn(9, 5, dtype=rhs, seed=1),
            points(lhs, rhs)[0],
            Known(points(lhs, rhs, columns)[1]) if known else points(lhs, rhs, columns)[1],
            is_one_of_many=lhs is not U8,
        )
        for lhs, rhs in SIGNS
        for columns in (0, 5)
        for known in (False, True)
    },
    **{
        f"MatMulInteger of {lhs} {rhs}": integers("MatMulInteger", drawn(*lhs), drawn(*rhs, seed=1), *points(U8, U8))
        for lhs, rhs in SHAPES
    },
    "MatMulInteger without zero points": integers("MatMulInteger", drawn(4, 9), drawn(9, 5, dtype=I8, seed=1)),
    "MatMulInteger with a zero point of the weights": integers(
        "MatMulInteger", drawn(4, 9), drawn(9, 5, dtype=I8, seed=1), None, Known(np.asarray(3, I8))
    ),
    "MatMulInteger with a zero point of the activations": integers(
        "MatMulInteger", drawn(4, 9), drawn(9, 5, dtype=I8, seed=1), Known(np.asarray([3], U8))
    ),
    "MatMulInteger of the largest integers": integers(
        "MatMulInteger", np.full((1, 64), 255, U8), np.full((64, 1), -128, I8), np.asarray(0, U8), np.asarray(127, I8)
    ),
    **{
        f"{spelled(f'ConvInteger {lhs.__name__} {rhs.__name__}', window)}{' known' * known}": integers(
            "ConvInteger",
            drawn(2, 4, 7, 6, dtype=lhs),
            Known(drawn(6, 4, 3, 2, dtype=rhs, seed=1)) if known else drawn(6, 4, 3, 2, dtype=rhs, seed=1),
            points(lhs, rhs)[0],
            Known(points(lhs, rhs)[1]) if known else points(lhs, rhs)[1],
            is_one_of_many=(lhs, rhs) != (U8, I8),
            **window,
        )
        for lhs, rhs in SIGNS
        for window in WINDOWS
        for known in (False, True)
    },
    **{
        f"ConvInteger of rank {rank} in {groups} groups": Row(
            one_op(
                "ConvInteger",
                [
                    drawn(2, 4, *[5] * rank),
                    Known(drawn(8, 4 // groups, *[3] * rank, dtype=I8, seed=1)),
                    np.asarray(131, U8),
                ],
                opset=10,
                group=groups,
                pads=[1] * 2 * rank,
            ),
            tosa=EXACT if rank < 3 or groups == 1 else None,
        )
        for rank in (1, 2, 3)
        for groups in (1, 2, 4)
    },
    "ConvInteger in groups by computed weights": integers(
        "ConvInteger",
        drawn(1, 4, 5, 5),
        drawn(6, 2, 3, 3, seed=1),
        *points(U8, U8),
        group=2,
        pads=[1, 1, 0, 2],
    ),
}
