"""Activations of TFLite against LiteRT's reference kernels, integer by integer."""

from __future__ import annotations

import numpy as np

from tests.support.tflite_cases import Case, Tensor, constant

SHAPE, WIDE = (1, 4, 4, 16), (1, 16, 16, 64)
CASES: dict[str, Case] = {}
_FLOATS = Tensor(SHAPE, kind="FLOAT32")
for _op in ("RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1"):
    CASES |= {
        f"{_op} INT8": Case(_op, [Tensor(SHAPE, 0.05, 3)], [Tensor(SHAPE, 0.031, -100)], version=1),
        f"{_op} INT8 same": Case(_op, [Tensor(SHAPE, 0.05, 3)], [Tensor(SHAPE, 0.05, 3)], version=1),
        f"{_op} UINT8": Case(_op, [Tensor(SHAPE, 0.05, 131, "UINT8")], [Tensor(SHAPE, 0.04, 7, "UINT8")], version=1),
        f"{_op} FLOAT32": Case(_op, [_FLOATS], [_FLOATS], version=1),
    }
for _alpha in (0.1, 0.3, -0.2, 1.7, 0.0):
    _fields = {"Alpha": _alpha}
    CASES |= {
        f"LEAKY_RELU INT8 {_alpha}": Case(
            "LEAKY_RELU", [Tensor(SHAPE, 0.05, 3)], [Tensor(SHAPE, 0.031, -11)], "LeakyReluOptions", _fields
        ),
        f"LEAKY_RELU INT16 {_alpha}": Case(
            "LEAKY_RELU",
            [Tensor(WIDE, 0.00071, 0, "INT16")],
            [Tensor(WIDE, 0.00053, 0, "INT16")],
            "LeakyReluOptions",
            _fields,
        ),
        f"LEAKY_RELU FLOAT32 {_alpha}": Case("LEAKY_RELU", [_FLOATS], [_FLOATS], "LeakyReluOptions", _fields),
    }
for _scale, _result in ((0.05, 0.031), (0.0123, 0.017), (0.21, 0.1), (1.3, 0.9), (0.00391, 0.00391)):
    CASES[f"HARD_SWISH INT8 {_scale}"] = Case(
        "HARD_SWISH", [Tensor(SHAPE, _scale, 3)], [Tensor(SHAPE, _result, -11)], version=1
    )
for _scale, _result in ((0.05, 0.031), (0.0123, 0.017), (1.3, 0.9), (0.00391, 0.00391)):
    CASES[f"ELU INT8 {_scale}"] = Case(
        "ELU", [Tensor(SHAPE, _scale, 3)], [Tensor(SHAPE, _result, -11)], version=1, resolver="default"
    )
CASES["HARD_SWISH UINT8"] = Case(
    "HARD_SWISH", [Tensor(SHAPE, 0.05, 131, "UINT8")], [Tensor(SHAPE, 0.031, 7, "UINT8")], version=1
)
CASES["HARD_SWISH FLOAT32"] = Case("HARD_SWISH", [_FLOATS], [_FLOATS], version=1)
CASES["ELU FLOAT32"] = Case("ELU", [_FLOATS], [_FLOATS], version=1, resolver="default")
_SLOPES = np.random.default_rng(3).integers(-128, 128, (1, 1, 16))
for _slope in (constant(_SLOPES, "INT8", 0.013, zero_point=5), constant(_SLOPES[0], "INT8", 0.013, zero_point=-9)):
    CASES[f"PRELU INT8 {_slope.shape}"] = Case(
        "PRELU", [Tensor(SHAPE, 0.05, 3), _slope], [Tensor(SHAPE, 0.061, -11)], version=1
    )
CASES["PRELU INT8 computed"] = Case(
    "PRELU", [Tensor(SHAPE, 0.05, 3), Tensor((1, 4, 16), 0.01, 4)], [Tensor(SHAPE, 0.061, -11)], version=1
)
CASES["PRELU UINT8"] = Case(
    "PRELU",
    [Tensor(SHAPE, 0.05, 130, "UINT8"), constant(_SLOPES + 128, "UINT8", 0.02, zero_point=99)],
    [Tensor(SHAPE, 0.061, 120, "UINT8")],
    version=1,
)
CASES["PRELU INT16"] = Case(
    "PRELU", [Tensor(SHAPE, 0.0005, 0, "INT16"), _slope], [Tensor(SHAPE, 0.0006, 0, "INT16")], version=1
)
CASES["PRELU FLOAT32"] = Case("PRELU", [_FLOATS, constant(_SLOPES * 0.01, "FLOAT32")], [_FLOATS], version=1)

# ELU is none of the reference kernels; XNNPACK, the default, rounds a half of the scale 0.21 the other way.
