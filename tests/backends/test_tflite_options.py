"""Options of TFLite's operators from TFLite to TFLite: kept, or refused by the operator's node; none is lost."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import Any

import flatbuffers
import numpy as np
import pytest
import tflite

from qconvert.api import convert, load
from qconvert.engines import litert
from qconvert.formats import Format
from qconvert.frontends.tflite.context import OPERATORS
from qconvert.support.errors import ConversionError
from tests.frontends.test_tflite_operators import JUDGES
from tests.support.onnx_cases import random
from tests.support.tflite_cases import Case, Tensor, constant

pytestmark = pytest.mark.litert

_NAMES = {number: name for name, number in vars(tflite.BuiltinOperator).items() if isinstance(number, int)}
_TABLES = {number: name for name, number in vars(tflite.BuiltinOptions).items() if isinstance(number, int)}
RELU = tflite.ActivationFunctionType.RELU
INT32 = tflite.TensorType.INT32


def floats(*sizes: int) -> Tensor:
    return Tensor(sizes, kind="FLOAT32")


def shorts(*sizes: int, scale: float = 2.0**-10) -> Tensor:
    return Tensor(sizes, scale, kind="INT16")


def held(*sizes: int, scale: float | list[float] = 0.02) -> Tensor:
    return constant(random(*sizes, dtype=np.int8, seed=3), "INT8", scale)


def bias(count: int, scale: float) -> Tensor:
    return constant(np.arange(count) * 900 - 1000, "INT32", scale)


_FINE = shorts(4, 5, scale=0.0003)
_MATRIX = constant(random(4, 9, seed=1), "FLOAT32")
_WIDE = {"Padding": tflite.Padding.VALID, "StrideH": 1, "StrideW": 1, "QuantizedBiasType": INT32}

CASES: dict[str, Case] = {
    "ADD PotScaleInt16": Case(
        "ADD", [shorts(4, 5), _FINE], [shorts(4, 5, scale=0.0017)], "AddOptions", {"PotScaleInt16": False}, 3
    ),
    "SUB PotScaleInt16": Case(
        "SUB", [shorts(4, 5), _FINE], [shorts(4, 5, scale=0.0017)], "SubOptions", {"PotScaleInt16": False}, 5
    ),
    "BATCH_MATMUL AsymmetricQuantizeInputs": Case(
        "BATCH_MATMUL",
        [floats(3, 5, 9), held(3, 9, 6)],
        [floats(3, 5, 6)],
        "BatchMatMulOptions",
        {"AsymmetricQuantizeInputs": True},
        4,
    ),
    "FULLY_CONNECTED AsymmetricQuantizeInputs": Case(
        "FULLY_CONNECTED",
        [floats(5, 9), held(4, 9), constant(np.arange(4.0), "FLOAT32")],
        [floats(5, 4)],
        "FullyConnectedOptions",
        {"AsymmetricQuantizeInputs": True},
        9,
    ),
    "FULLY_CONNECTED AsymmetricQuantizeInputs of channels": Case(
        "FULLY_CONNECTED",
        [floats(5, 9), held(4, 9, scale=[0.01, 0.02, 0.03, 0.04])],
        [floats(5, 4)],
        "FullyConnectedOptions",
        {"AsymmetricQuantizeInputs": True},
        9,
    ),
    "FULLY_CONNECTED WeightsFormat": Case(
        "FULLY_CONNECTED",
        [floats(5, 9), _MATRIX],
        [floats(5, 4)],
        "FullyConnectedOptions",
        {"WeightsFormat": tflite.FullyConnectedOptionsWeightsFormat.SHUFFLED4x16INT8},
    ),
    "FULLY_CONNECTED QuantizedBiasType": Case(
        "FULLY_CONNECTED",
        [shorts(5, 9), held(4, 9), bias(4, 0.02 * 2.0**-10)],
        [shorts(5, 4, scale=0.004)],
        "FullyConnectedOptions",
        {"QuantizedBiasType": INT32},
        11,
    ),
    "CONV_2D QuantizedBiasType": Case(
        "CONV_2D",
        [shorts(1, 5, 6, 3), held(4, 2, 2, 3), bias(4, 0.02 * 2.0**-10)],
        [shorts(1, 4, 5, 4, scale=0.004)],
        "Conv2DOptions",
        _WIDE,
        8,
    ),
    "TRANSPOSE_CONV QuantizedBiasType": Case(
        "TRANSPOSE_CONV",
        [constant([1, 6, 7, 4]), held(4, 2, 2, 3), shorts(1, 5, 6, 3), bias(4, 0.02 * 2.0**-10)],
        [shorts(1, 6, 7, 4, scale=0.004)],
        "TransposeConvOptions",
        _WIDE,
        5,
    ),
    "TRANSPOSE_CONV FusedActivationFunction": Case(
        "TRANSPOSE_CONV",
        [constant([1, 6, 7, 4]), held(4, 2, 2, 3), Tensor((1, 5, 6, 3), 0.05, 3), bias(4, 0.001)],
        [Tensor((1, 6, 7, 4), 0.2, -7)],
        "TransposeConvOptions",
        {"Padding": tflite.Padding.VALID, "StrideH": 1, "StrideW": 1, "FusedActivationFunction": RELU},
        4,
    ),
    "DIV FusedActivationFunction": Case(
        "DIV", [floats(3, 4)] * 2, [floats(3, 4)], "DivOptions", {"FusedActivationFunction": RELU}, 1
    ),
    "MAX_POOL_2D FusedActivationFunction": Case(
        "MAX_POOL_2D",
        [Tensor((1, 4, 4, 3), 0.05, 3)],
        [Tensor((1, 2, 2, 3), 0.05, 3)],
        "Pool2DOptions",
        {"StrideH": 2, "StrideW": 2, "FilterHeight": 2, "FilterWidth": 2, "FusedActivationFunction": RELU},
    ),
    "L2_NORMALIZATION FusedActivationFunction": Case(
        "L2_NORMALIZATION", [floats(3, 4)], [floats(3, 4)], "L2NormOptions", {"FusedActivationFunction": RELU}, 1
    ),
    "GATHER BatchDims": Case(
        "GATHER",
        [Tensor((3, 4), 0.05, 3), constant([[1, 0], [2, 3], [3, 3]])],
        [Tensor((3, 2), 0.05, 3)],
        "GatherOptions",
        {"Axis": 1, "BatchDims": 1},
        5,
    ),
    "GELU Approximate": Case("GELU", [floats(3, 4)], [floats(3, 4)], "GeluOptions", {"Approximate": True}, 1),
    "LEAKY_RELU Alpha": Case("LEAKY_RELU", [floats(3, 4)], [floats(3, 4)], "LeakyReluOptions", {"Alpha": 0.3}, 1),
    "SOFTMAX Beta": Case(
        "SOFTMAX", [Tensor((3, 4), 0.05, 3)], [Tensor((3, 4), 2.0**-8, -128)], "SoftmaxOptions", {"Beta": 0.5}
    ),
    "STRIDED_SLICE EllipsisMask": Case(
        "STRIDED_SLICE",
        [floats(3, 4, 5), constant([0, 1]), constant([0, 3]), constant([1, 1])],
        [floats(3, 4, 2)],
        "StridedSliceOptions",
        {"EllipsisMask": 1},
        1,
    ),
    "STRIDED_SLICE NewAxisMask": Case(
        "STRIDED_SLICE",
        [floats(3, 4), constant([0, 1]), constant([0, 3]), constant([1, 1])],
        [floats(1, 2, 4)],
        "StridedSliceOptions",
        {"NewAxisMask": 1},
        1,
    ),
    "STRIDED_SLICE Offset": Case(
        "STRIDED_SLICE",
        [floats(3, 4), constant([0, 1]), constant([2, 2]), constant([1, 1])],
        [floats(2, 2)],
        "StridedSliceOptions",
        {"Offset": True},
        8,
    ),
}
"""Options that the table of operators has with their default value only."""

WITHOUT_EFFECT = {
    "RESHAPE": {"NewShape"},  # the tensors have the shape
    "CALL": {"Subgraph"},
    "IF": {"ThenSubgraphIndex", "ElseSubgraphIndex"},
}
TESTED_ELSEWHERE = {
    "FAKE_QUANT": {"Max", "Min", "NarrowRange", "NumBits"},
    "STABLEHLO_COMPOSITE": set[str](),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": {"AsymmetricQuantizeInputs", "DiagonalRecurrentTensors", "ProjClip"},
    "SVDF": {"AsymmetricQuantizeInputs"},
    "CONCATENATION": {"FusedActivationFunction"},
}
"""Options that the reader or LiteRT refuses, or that other tests set."""


REFUSED = {
    "FULLY_CONNECTED WeightsFormat": "shuffled weights are not supported",
    "FULLY_CONNECTED QuantizedBiasType": "a bias of int32 for 16-bit activations is not supported",
    "L2_NORMALIZATION FusedActivationFunction": "an activation fused into L2_NORMALIZATION is not supported",
    "GATHER BatchDims": "indices for each batch are not supported",
    "GELU Approximate": "this operator is not supported",
    "SOFTMAX Beta": "a softmax with beta 0.5 is not supported",
    "STRIDED_SLICE EllipsisMask": "slices with an ellipsis or a new axis are not supported",
    "STRIDED_SLICE NewAxisMask": "slices with an ellipsis or a new axis are not supported",
    "STRIDED_SLICE Offset": "slices whose ends are offsets are not supported",
}
"""Options that the reader refuses, with the reason."""


@pytest.mark.parametrize("name", CASES)
def test_an_option_is_kept_or_refused(name: str) -> None:
    case = CASES[name]
    if name in REFUSED:
        with pytest.raises(ConversionError, match=f"'out0'.*{REFUSED[name]}"):
            convert(load(case.model()), Format.TFLITE)
        return
    content = convert(load(case.model()), Format.TFLITE).content
    assert content is not None
    for seed in range(3):
        feeds = {key: _drawn(tensor, seed) for key, tensor in case.fed.items()}
        [expected], [found] = (litert.run(model, feeds).values() for model in (case.model(), content))
        np.testing.assert_array_equal(found, expected)


def _drawn(tensor: Tensor, seed: int) -> Any:
    return random(*tensor.shape, dtype=np.dtype(tensor.kind.lower()).type, seed=seed)


def test_every_option_has_a_case() -> None:
    """An option that no case sets is one that a conversion may lose."""
    tried, tables = _tried()
    for name, table in tables.items():
        listed = WITHOUT_EFFECT.get(name, set()) | TESTED_ELSEWHERE.get(name, set())
        assert (name, _fields(table) - tried[name] - listed) == (name, set())
    named = {name for name in OPERATORS if name in vars(tflite.BuiltinOperator)}
    assert named - set(tables) - WITHOUT_OPTIONS == set()


WITHOUT_OPTIONS = frozenset(
    "ABS CALL CEIL DEQUANTIZE ELU EXP FAKE_QUANT FLOOR HARD_SWISH IF LOG LOGISTIC NEG PADV2 PRELU QUANTIZE RELU RELU6 "  # noqa: SIM905
    "RELU_0_TO_1 RELU_N1_TO_1 ROUND RSQRT SIN SQRT STABLEHLO_COMPOSITE TANH".split()
)
"""Operators whose table of options has no fields, or whose options other tests read."""


@cache
def _tried() -> tuple[defaultdict[str, set[str]], dict[str, str]]:
    """Return the options with other values than the default, and the tables, by operator."""
    tried, tables = defaultdict[str, set[str]](set), dict[str, str]()
    cases = [case for judge in JUDGES.values() for case in judge.cases.values()] + list(CASES.values())
    for case in cases:
        model = tflite.Model.GetRootAs(case.model(), 0)
        for graph in map(model.Subgraphs, range(model.SubgraphsLength())):
            for operator in map(graph.Operators, range(graph.OperatorsLength())):
                table = _TABLES[operator.BuiltinOptionsType()]
                if table != "NONE":
                    code = model.OperatorCodes(operator.OpcodeIndex())
                    name = _NAMES[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]
                    tables[name] = table
                    tried[name] |= _set_fields(table, operator)
    return tried, tables


def _fields(table: str) -> set[str]:
    start = f"{table}Add"
    return {name.removeprefix(start) for name in dir(tflite) if name.startswith(start)}


def _set_fields(table: str, operator: Any) -> set[str]:
    options, place = getattr(tflite, table)(), operator.BuiltinOptions()
    options.Init(place.Bytes, place.Pos)
    build = flatbuffers.Builder(0)
    getattr(tflite, f"{table}Start")(build)
    build.Finish(getattr(tflite, f"{table}End")(build))
    default = getattr(tflite, table).GetRootAs(bytes(build.Output()), 0)
    return {field for field in _fields(table) if _value(options, field) != _value(default, field)}


def _value(options: Any, field: str) -> Any:
    is_list = hasattr(options, f"{field}Length")
    return getattr(options, f"{field}Length")() if is_list else getattr(options, field)()


@pytest.mark.parametrize(
    ("op", "result"),
    [("RELU", (1.0, -128)), ("RELU6", (0.02, -128)), ("RELU_N1_TO_1", (0.005, 3)), ("RELU_N1_TO_1", (0.1, -128))],
)
def test_an_activation_of_another_scale_stays_one(op: str, result: tuple[float, int]) -> None:
    """Its bounds limit nothing in the result's type, but QUANTIZE rounds in another way in the default kernels."""
    case = Case(op, [Tensor((2, 8, 8, 3), 1.1868, -113)], [Tensor((2, 8, 8, 3), *result)], version=1)
    content = convert(load(case.model()), Format.TFLITE).content
    assert content is not None
    assert tflite.Model.GetRootAs(content, 0).Subgraphs(0).OperatorsLength() == 1
    feeds = {"in0": random(2, 8, 8, 3, dtype=np.int8)}
    for resolver in litert.Resolver:
        [expected], [found] = (litert.run(each, feeds, resolver=resolver).values() for each in (case.model(), content))
        np.testing.assert_array_equal(found, expected)
