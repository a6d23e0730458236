"""Elementwise operators of TFLite and of ONNX, and the differences allowed to LiteRT and to onnxruntime."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import tflite

from tests.support.onnx_cases import Array, Known, Quantization, Quantized, one_op, random
from tests.support.operator_rows import EXACT, Row, Within
from tests.support.tflite_cases import Case, Tensor, constant

RELU, RELU6, RELU_N1 = (
    tflite.ActivationFunctionType.RELU,
    tflite.ActivationFunctionType.RELU6,
    tflite.ActivationFunctionType.RELU_N1_TO_1,
)
OPTIONS = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions", "DIV": "DivOptions"}
OPTIONS |= {"SQUARED_DIFFERENCE": "SquaredDifferenceOptions", "MINIMUM": "MaximumMinimumOptions"}
OPTIONS["MAXIMUM"] = "MaximumMinimumOptions"


def binary(op: str, lhs: Tensor, rhs: Tensor, result: Tensor, activation: int = 0) -> Case:
    fields = {"FusedActivationFunction": activation} if activation else {}
    return Case(op, [lhs, rhs], [result], OPTIONS[op], fields)


def unary(op: str, source: Tensor, result: Tensor, low: int | None = None) -> Case:
    return Case(op, [source], [result], low=low, version=1 if op == "NEG" else 2)


SHAPE = (2, 8, 5, 16)
CASES: dict[str, Case] = {}
for _op in ("ADD", "SUB", "MUL"):
    for _kind, _points in (("INT8", (-3, 7, 5)), ("UINT8", (3, 120, 255)), ("INT16", (0, 0, 0))):
        _a = Tensor(SHAPE, 0.037, _points[0], _kind)
        _b = Tensor(SHAPE, 0.081, _points[1], _kind)
        _c = Tensor(SHAPE, 0.1 if _kind != "INT16" else 0.07, _points[2], _kind)
        _row = Tensor((16,), 0.081, _points[1], _kind)
        _column = Tensor((8, 1, 1), 0.021, _points[1], _kind)
        CASES |= {
            f"{_op} {_kind}": binary(_op, _a, _b, _c),
            f"{_op} {_kind} relu": binary(_op, _a, _b, _c, RELU),
            f"{_op} {_kind} relu6": binary(_op, _a, _b, _c, RELU6),
            f"{_op} {_kind} relu_n1_to_1": binary(_op, _a, _b, _c, RELU_N1),
            f"{_op} {_kind} row": binary(_op, _a, _row, _c),
            f"{_op} {_kind} column first": binary(_op, _column, _a, _c),
            f"{_op} {_kind} same scales": binary(_op, _a, _a, _a),
        }
    CASES[f"{_op} FLOAT32"] = binary(_op, *(Tensor(SHAPE, kind="FLOAT32"),) * 3, RELU6)
    CASES[f"{_op} INT32"] = binary(_op, *(Tensor(SHAPE, kind="INT32"),) * 3)
CASES["ADD INT16 powers of two"] = binary("ADD", *(Tensor(SHAPE, 2.0**-11, 0, "INT16"),) * 3)
for _near in (1.0005, 0.9995):  # LiteRT takes scales for powers of two if their logarithms are a thousandth off
    _ports = (Tensor(SHAPE, _near * 2.0**-13, 0, "INT16"), *(Tensor(SHAPE, _near * 2.0**-11, 0, "INT16"),) * 2)
    CASES[f"ADD INT16 nearly powers of two {_near}"] = binary("ADD", *_ports)
CASES["ADD INT16 small left"] = binary(
    "ADD", Tensor(SHAPE, 2.0**-13, 0, "INT16"), *(Tensor(SHAPE, 2.0**-11, 0, "INT16"),) * 2
)

_X8, _X16 = Tensor((1, 16, 16), 0.045, 11), Tensor((1, 64, 1024), 0.00031, 0, "INT16")
for _op in ("ABS", "RSQRT", "SQRT", "LOG", "EXP", "LOGISTIC", "TANH"):
    _low = {"RSQRT": 11, "SQRT": 11, "LOG": None}.get(_op)
    _scale = {"LOGISTIC": 1 / 256, "TANH": 1 / 128}.get(_op, 0.03)
    _point = {"LOGISTIC": -128, "TANH": 0}.get(_op, -7)
    CASES[f"{_op} INT8"] = unary(_op, _X8, Tensor(_X8.shape, _scale, _point), _low)
    _scale = {"LOGISTIC": 2.0**-15, "TANH": 2.0**-15}.get(_op, 0.00047)
    CASES[f"{_op} INT16"] = unary(_op, _X16, Tensor(_X16.shape, _scale, 0, "INT16"), _low and 0)
    CASES[f"{_op} FLOAT32"] = unary(_op, Tensor((4, 5), kind="FLOAT32"), Tensor((4, 5), kind="FLOAT32"))
for _op in ("LOGISTIC", "TANH"):
    _source = Tensor(_X16.shape, 2.0**-12, 0, "INT16")
    CASES[f"{_op} INT16 power of two"] = unary(_op, _source, Tensor(_X16.shape, 2.0**-15, 0, "INT16"))
    for _near in (1.0005, 0.9995, 1.0008):
        _source = Tensor(_X16.shape, _near * 2.0**-12, 0, "INT16")
        CASES[f"{_op} INT16 {_near} * 2^-12"] = unary(_op, _source, Tensor(_X16.shape, 2.0**-15, 0, "INT16"))
    _source = Tensor(_X8.shape, 0.045, 140, "UINT8")
    _result = Tensor(_X8.shape, 1 / 256 if _op == "LOGISTIC" else 1 / 128, 0 if _op == "LOGISTIC" else 128, "UINT8")
    CASES[f"{_op} UINT8"] = unary(_op, _source, _result)
for _op, _scale, _point, _result in (  # an entry of the table hangs on the last bit of the C library's function
    ("LOGISTIC", 0.09530800580978394, 34, (1 / 256, -128)),
    ("LOGISTIC", 0.10386230796575546, -18, (1 / 256, -128)),
    ("EXP", 0.05057845637202263, -105, (0.02, -128)),
    ("TANH", 0.09594957530498505, 38, (1 / 128, 0)),
    ("LOG", 0.07653700560331345, -128, (0.02, 0)),
):
    _source = Tensor(_X8.shape, _scale, _point)
    CASES[f"{_op} INT8 {_scale:.4f} last bit"] = unary(_op, _source, Tensor(_X8.shape, *_result))
# LiteRT's table has neighbours that are further apart than 16 bits.
CASES["LOG INT16 steep"] = unary("LOG", replace(_X16, scale=0.1), Tensor(_X16.shape, 2e-5, 0, "INT16"))
CASES["ABS INT8 same scale"] = unary("ABS", _X8, Tensor(_X8.shape, 0.045, -5))
CASES["ADD INT8 constant"] = binary("ADD", _X8, constant([[3, -4] * 8], "INT8", 0.02), Tensor(_X8.shape, 0.05, 3))
for _op in ("ABS", "NEG"):
    CASES[f"{_op} INT32"] = unary(_op, Tensor((4, 5), kind="INT32"), Tensor((4, 5), kind="INT32"))
CASES["NEG INT8"] = unary("NEG", *(Tensor(_X8.shape, 0.045, 0),) * 2, -127)
CASES["NEG INT8 from the lowest integer on"] = unary("NEG", *(Tensor(_X8.shape, 0.045, 0),) * 2)
CASES["NEG FLOAT32"] = unary("NEG", *(Tensor((4, 5), kind="FLOAT32"),) * 2)
_FLOATS, _WHOLE = Tensor((16, 5), kind="FLOAT32"), Tensor((4, 5), kind="INT32")
for _op, _options in (
    ("CEIL", ""),
    ("COS", "CosOptions"),
    ("FLOOR", ""),
    ("ROUND", ""),
    ("SIGN", "SignOptions"),
    ("SIN", ""),
):
    _resolver = "default" if _op in ("CEIL", "ROUND") else "reference"  # LiteRT has no reference kernels of these
    _version = 2 if _op == "SIGN" else 1
    CASES[f"{_op} FLOAT32"] = Case(_op, [_FLOATS], [_FLOATS], _options, version=_version, resolver=_resolver)
# TOSA has no sign of integers, no angle, and floats alone to a power, of bases above 0.
CASES["SIGN INT32"] = Case("SIGN", [_WHOLE], [_WHOLE], "SignOptions", in_tosa=False)
CASES["ATAN2 FLOAT32"] = Case("ATAN2", [_FLOATS, _FLOATS], [_FLOATS], "ATan2Options", version=1, in_tosa=False)
_square = constant([2, 3, 1, 0, 4], "FLOAT32")
CASES["POW FLOAT32"] = Case("POW", [_FLOATS, _square], [_FLOATS], "PowOptions", version=1, in_tosa=False)
CASES["POW INT32"] = Case("POW", [_WHOLE, _WHOLE], [_WHOLE], "PowOptions", version=1, in_tosa=False, low=0, high=6)
for _scale in (0.11, 0.019, 0.0037):
    CASES[f"RSQRT INT8 {_scale}"] = unary("RSQRT", Tensor(_X8.shape, _scale, -128), Tensor(_X8.shape, 0.04, -128), -128)

for _op, _kind, _points in (
    ("DIV", "INT8", (-3, -128, 5)),
    ("SQUARED_DIFFERENCE", "INT8", (-3, 7, -128)),
    ("MAXIMUM", "INT8", (4, 4, 4)),
    ("MINIMUM", "INT8", (4, 4, 4)),
    ("MAXIMUM", "UINT8", (4, 4, 4)),
    ("MINIMUM", "INT16", (0, 0, 0)),
):
    _scales = (0.037, 0.081, 0.3) if "M" not in _op else (0.05, 0.05, 0.05)
    _a, _b, _c = (Tensor(SHAPE, scale, point, _kind) for scale, point in zip(_scales, _points, strict=True))
    _row = replace(_b, shape=(16,))
    _low = -127 if _op == "DIV" else None
    CASES[f"{_op} {_kind}"] = replace(binary(_op, _a, _b, _c), low=_low)
    CASES[f"{_op} {_kind} row"] = replace(binary(_op, _a, _row, _c), low=_low)
    _floats = replace(binary(_op, *(Tensor(SHAPE, kind="FLOAT32"),) * 3))
    CASES[f"{_op} FLOAT32"] = _floats
for _factor in (0.01, 1.0, 0.0001):
    for _b in (Tensor(SHAPE, 0.0007, 0, "INT16"), Tensor((16,), 0.0007, 0, "INT16")):
        CASES[f"DIV INT16 {_factor} {len(_b.shape)}"] = replace(
            binary("DIV", Tensor(SHAPE, 0.001, 0, "INT16"), _b, Tensor(SHAPE, _factor, 0, "INT16")), low=1
        )
_a, _b, _c = (Tensor(SHAPE, scale, point, "UINT8") for scale, point in ((0.037, 3), (0.081, 0), (0.3, 5)))
CASES["DIV UINT8"] = replace(binary("DIV", _a, _b, _c), low=1)
CASES["DIV INT8 by a constant"] = binary("DIV", _X8, constant([[3]], "INT8", 0.1), Tensor(_X8.shape, 0.2, 3))
CASES["MAXIMUM INT8 constant"] = binary("MAXIMUM", _X8, constant([[3]], "INT8", 0.045, zero_point=11), _X8)

# LiteRT gives the least of the results' range for logarithms of what is not positive, the largest for roots of 0, and
# interpolates 16-bit functions between 513 values of them. Its quotients near 0 shift by too many places, and
# -128 is its own negative.
_APART: dict[str, int | None] = {
    "NEG INT8 from the lowest integer on": 255,
    "EXP INT16": 103,
    "TANH INT16": 2,
    "TANH INT16 1.0008 * 2^-12": 3,
}
for _near in (1.0005, 0.9995):  # scales that LiteRT takes for powers of two
    _APART |= {f"LOGISTIC INT16 {_near} * 2^-12": 5, f"TANH INT16 {_near} * 2^-12": 9}
_APART |= dict.fromkeys(name for name in CASES if name.startswith(("DIV INT16", "DIV UINT8")))
_APART |= dict.fromkeys(("DIV INT8", "DIV INT8 row", "LOG INT8", "LOG INT16", "LOG INT16 steep", "RSQRT INT16"))
CASES |= {name: replace(CASES[name], apart=apart) for name, apart in _APART.items()}

# Operators of ONNX.

EXACT_UNARY = ("Abs", "Ceil", "Floor", "Neg", "Round", "Sign", "Sqrt")
CLOSE_UNARY = ("Cos", "Exp", "Log", "Sigmoid", "Sin", "Tan", "Tanh")
ARITHMETIC = ("Add", "Sub", "Mul", "Div")
NUMBERS = (np.float32, np.float64, np.float16, np.int32, np.int64, np.int8, np.uint8, np.uint32)
BROADCASTS = (((3, 4), (4,)), ((4,), (3, 4)), ((3, 1, 5), (1, 4, 1)), ((), (2, 3)), ((2, 3, 4), (3, 4)), ((1,), (1,)))
LAST_PLACE = Within(2e-6, 1e-7)
"""Functions that libraries round differently in the last place."""

IN_TOSA = Within(1e-5, 1e-5)


def positive(*shape: int, seed: int = 0) -> Array:
    """Return floats of at least 0.1."""
    return np.abs(random(*shape, seed=seed)) + np.float32(0.1)


def operand(op_type: str, *shape: int) -> Array:
    """Return floats that the operator is defined on."""
    return positive(*shape) if op_type in ("Sqrt", "Log") else random(*shape)


def every(dtype: Any) -> Array:
    """Return all integers of an 8-bit type."""
    limits = np.iinfo(dtype)
    return np.arange(limits.min, limits.max + 1).astype(dtype)


def divisible(values: Array) -> Array:
    """Return integers without 0."""
    return np.where(values == 0, 1, values).astype(values.dtype) if values.dtype.kind in "iu" else values


def named(dtype: Any) -> str:
    return str(np.dtype(dtype).name)


def unary_of_floats(op_type: str, read: Within, *shape: int) -> Row:
    source = operand(op_type, *shape)
    return Row(one_op(op_type, [source]), read, tosa=IN_TOSA)


def of_every_byte(op_type: str, dtype: Any, scale: float, zero_point: int, result_scale: float) -> Row:
    """Return an operator of one input on all integers of an 8-bit type."""
    integers = every(dtype)
    used = integers[integers.astype(int) > zero_point] if op_type in ("Sqrt", "Log") else integers
    source = Quantized(used, Quantization(scale, zero_point, dtype))
    case = one_op(op_type, [source], result=Quantization(result_scale, zero_point, dtype))
    return Row(case, is_one_of_many=(scale, result_scale) not in ((0.031, 1 / 256), (0.0172, 0.0137)))


def of_all_pairs(op_type: str, dtype: Any) -> Row:
    """Return an operator of two inputs on all 65,536 pairs of 8-bit integers, with scales without exact ties."""
    integers, least = every(dtype), int(np.iinfo(dtype).min)
    divisors = integers[integers != integers[77]] if op_type == "Div" else integers
    lhs = Quantized(integers[:, None], Quantization(0.0371, least + 101, dtype))
    rhs = Quantized(divisors, Quantization(0.0213, int(integers[77]), dtype))
    return Row(one_op(op_type, [lhs, rhs], result=Quantization(0.0619, least + 97, dtype)))


def power(base: Array, exponent: Any, read: Within = EXACT, tosa: Within | None = None) -> Row:
    return Row(one_op("Pow", [base, exponent]), read, tosa=tosa)


ONNX: dict[str, Row] = {
    **{f"{op} {shape}": unary_of_floats(op, EXACT, *shape) for op in EXACT_UNARY for shape in ((200,), (3, 4, 5), ())},
    **{f"{op} (200,)": unary_of_floats(op, LAST_PLACE, 200) for op in CLOSE_UNARY},
    "Round of ties": Row(
        one_op("Round", [np.float32([-2.5, -1.5, -0.5, 0.3, 0.5, 1.5, 2.4, 2.5, 2**24 - 1.0, 1e30, np.inf])]),
        tosa=EXACT,
    ),
    "Round of NaN": Row(one_op("Round", [np.float32([np.nan])])),
    **{
        f"{op} {named(dtype)}": Row(one_op(op, [random(100, dtype=dtype)]))
        for op in ("Abs", "Neg", "Sign")
        for dtype in (np.int32, np.int64, np.int8)
    },
    **{
        f"{op} {named(dtype)}": Row(one_op(op, [random(100, dtype=dtype)]))
        for op in ("Abs", "Sign")
        for dtype in (np.uint8, np.uint32, np.uint64)
    },
    **{
        f"{op} of every {named(dtype)} {scale} {result}": of_every_byte(
            op, dtype, scale, int(np.iinfo(dtype).min) + point, result
        )
        for op in (*EXACT_UNARY, *CLOSE_UNARY)
        for dtype in (np.int8, np.uint8)
        for scale, point in ((0.031, 101), (0.0172, 0))
        for result in (1 / 256, 0.0137)
    },
    **{
        f"{op} {named(dtype)} broadcast": Row(
            one_op(
                op,
                [random(3, 1, 40, dtype=dtype), (divisible if op == "Div" else np.asarray)(random(5, 1, dtype=dtype))],
            )
        )
        for op in (*ARITHMETIC, "Max", "Min")
        for dtype in NUMBERS
    },
    **{
        f"{op} {left} {right}{' constant' if known else ''}": Row(
            one_op(op, [random(*left), Known(random(*right, seed=1)) if known else random(*right, seed=1)]),
            tosa=IN_TOSA,
        )
        for op in ARITHMETIC
        for left, right in BROADCASTS
        for known in (False, True)
    },
    **{
        f"{op} of all pairs of {named(dtype)}": of_all_pairs(op, dtype)
        for op in ARITHMETIC
        for dtype in (np.int8, np.uint8)
    },
    **{
        f"Div by {divisor:g}": Row(
            one_op("Div", [random(100), Known(np.float32(divisor))]), tosa=Within(2e-7, 0.0, 0.02)
        )
        for divisor in (255.0, 127.0, 129.0)
    },
    **{
        f"Div by {divisor:g}, exactly": Row(
            one_op("Div", [np.arange(-50, 50, dtype=np.float32) * np.float32(divisor), Known(np.float32(divisor))]),
            tosa=EXACT,
        )
        for divisor in (255.0, 127.0, 0.25, 64.0)
    },
    "Div of infinity by 255": Row(one_op("Div", [np.float32([np.inf, 3e38]), Known(np.float32(255))]), tosa=EXACT),
    "Div of integers to zero": Row(one_op("Div", [np.int32([7, -7, 7, -7, 0]), np.int32([2, 2, -2, -2, 3])])),
    "Div of bytes to zero": Row(one_op("Div", [np.int8([-128, -128, 127, -127]), np.int8([1, 3, -128, -128])])),
    **{
        f"{op} of {count}": Row(one_op(op, [random(*((3, 4), (4,), (2, 1, 1), ())[i], seed=i) for i in range(count)]))
        for op in ("Max", "Min", "Sum", "Mean")
        for count in (1, 2, 4)
    },
    **{f"{op} of NaN": Row(one_op(op, [np.float32([np.nan, 1, -np.inf]), np.float32(0)])) for op in ("Max", "Min")},
    **{
        op: Row(one_op(op, [random(9, 8, dtype=np.bool_), random(8, seed=1, dtype=np.bool_)]))
        for op in ("And", "Or", "Xor")
    },
    "Not": Row(one_op("Not", [random(8, dtype=np.bool_)])),
    **{
        f"{op} {named(dtype)}": Row(one_op(op, [random(9, 8, dtype=dtype), random(8, seed=1, dtype=dtype)]))
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")
        for dtype in (np.int32, np.uint8, np.int64)
    },
    **{
        f"BitShift {named(dtype)} {direction}": Row(
            one_op("BitShift", [random(9, 8, dtype=dtype), np.arange(8, dtype=dtype)], direction=direction)
        )
        for dtype in (np.uint8, np.uint32, np.uint64)
        for direction in ("LEFT", "RIGHT")
    },
    **{
        f"BitwiseNot {named(dtype)}": Row(one_op("BitwiseNot", [random(8, dtype=dtype)]))
        for dtype in (np.int32, np.uint8, np.int64)
    },
    **{
        f"Mod {named(dtype)} {fmod}": Row(
            one_op("Mod", [random(30, 40, dtype=dtype), divisible(random(40, seed=1, dtype=dtype))], fmod=fmod)
        )
        for dtype in (np.int32, np.int64, np.int8, np.uint8, np.uint32)
        for fmod in (0, 1)
    },
    **{
        f"Mod {named(dtype)}": Row(
            one_op("Mod", [random(30, 40, dtype=dtype), random(40, seed=1, dtype=dtype)], fmod=1)
        )
        for dtype in (np.float32, np.float64)
    },
    **{
        f"Pow {exponent!r} constant": power(random(5, 40), Known(exponent))
        for exponent in (np.int32(2), np.int64(3), np.float32(2), np.float32(3), np.float64(2))
    },
    **{
        f"Pow {exponent!r}": power(random(5, 40), exponent, LAST_PLACE)
        for exponent in (np.int32(2), np.int64(3), np.float32(2), np.float32(3), np.float64(2))
    },
    **{
        f"Pow {exponent!r} of positive": power(np.abs(random(5, 40)), exponent, LAST_PLACE)
        for exponent in (np.float32(0.5), np.float32(-1.5), np.float64(0.1), np.int32(-2), np.int64(7))
    },
    **{
        f"Pow {exponent!r} of {named(dtype)}": power(np.arange(0, 9).astype(dtype), exponent)
        for dtype in (np.int32, np.int64)
        for exponent in (np.int32(3), np.int64(2), np.float32(2), np.float32(0.5))
    },
    "Pow broadcast both ways": power(np.abs(random(4)), random(3, 1, seed=1), LAST_PLACE, IN_TOSA),
    "Pow of a column": power(random(4), Known(np.full((3, 1), 2, np.float32))),
    "Pow of one": power(random(4), Known(np.full((1, 1), 2, np.float32))),
    **{
        f"Pow {exponent} of every {named(dtype)}": Row(
            one_op(
                "Pow",
                [
                    Quantized(every(dtype), Quantization(0.0173, int(np.iinfo(dtype).min), dtype)),
                    Known(np.float32(exponent)),
                ],
                result=Quantization(0.0371, int(np.iinfo(dtype).min), dtype),
            )
        )
        for dtype in (np.int8, np.uint8)
        for exponent in (2.0, 3.0, 0.5, 1.7)
    },
}
