"""Elementwise operators of TFLite against LiteRT's reference kernels, integer by integer."""

from __future__ import annotations

from dataclasses import replace

import tflite

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
    _source = Tensor(_X8.shape, 0.045, 140, "UINT8")
    _result = Tensor(_X8.shape, 1 / 256 if _op == "LOGISTIC" else 1 / 128, 0 if _op == "LOGISTIC" else 128, "UINT8")
    CASES[f"{_op} UINT8"] = unary(_op, _source, _result)
CASES["ABS INT8 same scale"] = unary("ABS", _X8, Tensor(_X8.shape, 0.045, -5))
CASES["ADD INT8 constant"] = binary("ADD", _X8, constant([[3, -4] * 8], "INT8", 0.02), Tensor(_X8.shape, 0.05, 3))
for _op in ("ABS", "NEG"):
    CASES[f"{_op} INT32"] = unary(_op, Tensor((4, 5), kind="INT32"), Tensor((4, 5), kind="INT32"))
CASES["NEG INT8"] = unary("NEG", *(Tensor(_X8.shape, 0.045, 0),) * 2, -127)
CASES["NEG FLOAT32"] = unary("NEG", *(Tensor((4, 5), kind="FLOAT32"),) * 2)
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
# interpolates 16-bit functions between 513 values of them. Its quotients near 0 shift by too many places.
_APART: dict[str, int | None] = {"EXP INT16": 103, "TANH INT16": 2}
_APART |= dict.fromkeys(name for name in CASES if name.startswith(("DIV INT16", "DIV UINT8")))
_APART |= dict.fromkeys(("DIV INT8", "DIV INT8 row", "LOG INT8", "LOG INT16", "RSQRT INT16"))
CASES |= {name: replace(CASES[name], apart=apart) for name, apart in _APART.items()}
