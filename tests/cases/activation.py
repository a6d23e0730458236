"""Activations of TFLite and of ONNX, and the differences allowed to LiteRT and to onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.onnx_cases import Array, Input, Known, Quantization, Quantized, one_op, random
from tests.support.onnx_cases import Case as OnnxCase
from tests.support.operator_rows import Row, Within, spelled
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

# Operators of ONNX.

EXACT_FUNCTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Relu", {}),
    ("LeakyRelu", {}),
    ("LeakyRelu", {"alpha": 0.3}),
    ("HardSigmoid", {}),
    ("HardSigmoid", {"alpha": 0.7, "beta": 0.1}),
    ("HardSwish", {}),
    ("Reciprocal", {}),
    ("Softsign", {}),
    ("ThresholdedRelu", {}),
    ("ThresholdedRelu", {"alpha": 0.4}),
)
"""Made of operations that IEEE rounds correctly: every float32 result is onnxruntime's."""

CLOSE_FUNCTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Celu", {}),
    ("Celu", {"alpha": 0.7}),
    ("Elu", {}),
    ("Elu", {"alpha": 0.3}),
    ("Erf", {}),
    ("Gelu", {}),
    ("Gelu", {"approximate": "tanh"}),
    ("Mish", {}),
    ("Selu", {}),
    ("Selu", {"alpha": 1.1, "gamma": 0.9}),
    ("Softplus", {}),
    ("Swish", {}),
    ("Swish", {"alpha": 1.7}),
)
"""Through exp, log, tanh or erf, which libraries round differently in the last places."""

CLOSE, IN_TOSA = Within(1e-6, 1e-6), Within(1e-5, 1e-5)
BOUNDS = ((-1.0, 1.5), (None, 1.5), (-1.0, None), (None, None), (2.0, 1.0))


def function(op_type: str, source: Input, attributes: dict[str, Any], result: Quantization | None = None) -> OnnxCase:
    """Return a model of one activation, of an opset that has it."""
    return one_op(op_type, [source], opset=24 if op_type == "Swish" else 21, result=result, **attributes)


def every(dtype: Any) -> Array:
    """Return all integers of an 8-bit type."""
    limits = np.iinfo(dtype)
    return np.arange(limits.min, limits.max + 1).astype(dtype)


def of_every_byte(op_type: str, attributes: dict[str, Any], dtype: Any) -> dict[str, Row]:
    """Return models of several scales, odd and extreme zero points; a result scale of its own and the operand's."""
    lowest = int(np.iinfo(dtype).min)
    return {
        f"{spelled(op_type, attributes)} of every {np.dtype(dtype)} {scale} {result}": Row(
            function(
                op_type,
                Quantized(every(dtype), Quantization(scale, point, dtype)),
                attributes,
                Quantization(result, point, dtype),
            ),
            is_one_of_many=(scale, result) not in ((0.1, 0.1), (0.0371, 0.013)),
        )
        for scale, point in ((0.1, lowest + 131), (0.0371, lowest), (1 / 16, lowest + 127))
        for result in (scale, 0.013)
    }


def clip(source: Input, *bounds: float | None, known: bool = True, result: Quantization | None = None) -> Row:
    """Return a Clip whose bounds are constants or inputs, or are left out."""
    given = [None if value is None else Known(np.float32(value)) if known else np.float32(value) for value in bounds]
    return Row(one_op("Clip", [source, *given], result=result))


ONNX: dict[str, Row] = {
    **{spelled(op, given): Row(function(op, random(1000), given), tosa=IN_TOSA) for op, given in EXACT_FUNCTIONS},
    **{
        spelled(op, given): Row(function(op, random(1000), given), CLOSE, tosa=IN_TOSA) for op, given in CLOSE_FUNCTIONS
    },
    **{
        name: row
        for op, given in (*EXACT_FUNCTIONS, *CLOSE_FUNCTIONS)
        for dtype in (np.int8, np.uint8)
        for name, row in of_every_byte(op, given, dtype).items()
    },
    **{f"Relu {np.dtype(dtype)}": Row(one_op("Relu", [random(100, dtype=dtype)])) for dtype in (np.int32, np.int8)},
    **{
        f"Clip {low} {high}{' constant' if known else ''}": clip(random(4, 9), low, high, known=known)
        for low, high in BOUNDS
        for known in (False, True)
    },
    **{
        f"Clip {np.dtype(dtype)}": Row(one_op("Clip", [random(50, dtype=dtype), Known(dtype(3)), Known(dtype(100))]))
        for dtype in (np.int32, np.int64, np.int8, np.uint8)
    },
    **{
        f"Clip of opset 10 {attributes}": Row(
            one_op("Clip", [np.float32([-np.inf, *random(20), np.inf])], opset=10, **attributes)
        )
        for attributes in ({"min": -1.0, "max": 1.5}, {"max": 6.0}, {"min": 0.0}, {})
    },
    **{
        f"Clip of every {np.dtype(dtype)} {low} {high}": clip(
            Quantized(every(dtype), Quantization(0.021, 77, dtype)), low, high, result=Quantization(0.0173, 31, dtype)
        )
        for dtype in (np.int8, np.uint8)
        for low, high in BOUNDS
    },
    **{
        f"PRelu {shape}": Row(one_op("PRelu", [random(3, 4, 5), random(*shape, seed=1)]))
        for shape in ((5,), (1,), (), (4, 1), (3, 1, 1))
    },
    **{
        f"PRelu of every {np.dtype(dtype)}": Row(
            one_op(
                "PRelu",
                [
                    Quantized(np.stack([every(dtype)] * 3), Quantization(0.05, 101, dtype)),
                    Quantized(np.asarray([[30], [3], [90]]), Quantization(0.01, 9, dtype), known=True),
                ],
                result=Quantization(0.031, 101, dtype),
            )
        )
        for dtype in (np.int8, np.uint8)
    },
}
