"""Float operators between DEQUANTIZE and QUANTIZE: each format has the integers that LiteRT computes in float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tflite

from qconvert.api import convert, load
from qconvert.backends.base import Profile, WriteOptions
from qconvert.backends.onnx import OnnxOptions
from qconvert.backends.tflite import TfliteOptions
from qconvert.backends.tosa import TosaOptions
from qconvert.engines import litert, modules, onnxruntime, stablehlo, tosa
from qconvert.formats import Format
from qconvert.support.errors import ConversionError, EngineError
from tests.support.litert_reference import signless
from tests.support.tflite_cases import Array, Graph, Node, Tensor, constant, write

pytestmark = pytest.mark.litert

WEIGHTS, BIAS = np.linspace(-1, 1, 16).reshape(4, 4), np.array([0.1, -0.2, 0.3, 0.4])

SHAPE = (1, 4, 4, 4)
Q = Tensor(SHAPE, 0.05, 3)
ROWS: dict[str, tuple[int, list[Tensor], str, dict[str, Any]]] = {
    "ABS": (1, [], "AbsOptions", {}),
    "ADD": (2, [], "AddOptions", {}),
    "AVERAGE_POOL_2D": (1, [], "Pool2DOptions", {"FilterHeight": 1, "FilterWidth": 1, "StrideH": 1, "StrideW": 1}),
    "CEIL": (1, [], "", {}),
    "COS": (1, [], "CosOptions", {}),
    "DIV": (2, [], "DivOptions", {}),
    "ELU": (1, [], "", {}),
    "EXP": (1, [], "ExpOptions", {}),
    "FLOOR": (1, [], "", {}),
    "HARD_SWISH": (1, [], "HardSwishOptions", {}),
    "LEAKY_RELU": (1, [], "LeakyReluOptions", {"Alpha": 0.1}),
    "LOGISTIC": (1, [], "", {}),
    "MAXIMUM": (2, [], "MaximumMinimumOptions", {}),
    "MINIMUM": (2, [], "MaximumMinimumOptions", {}),
    "MUL": (2, [], "MulOptions", {}),
    "NEG": (1, [], "NegOptions", {}),
    "PRELU": (1, [constant([[[0.1, 0.2, 0.3, 0.4]]], "FLOAT32")], "", {}),
    "RELU": (1, [], "", {}),
    "RELU6": (1, [], "", {}),
    "ROUND": (1, [], "", {}),
    "SIGN": (1, [], "SignOptions", {}),
    "SIN": (1, [], "", {}),
    "SQRT": (1, [], "", {}),
    "SQUARED_DIFFERENCE": (2, [], "SquaredDifferenceOptions", {}),
    "SUB": (2, [], "SubOptions", {}),
    "TANH": (1, [], "", {}),
    "FULLY_CONNECTED": (
        1,
        [constant(WEIGHTS, "FLOAT32"), constant(BIAS, "FLOAT32")],
        "FullyConnectedOptions",
        {"KeepNumDims": True},
    ),
    "MEAN": (1, [constant([1, 2])], "ReducerOptions", {"KeepDims": True}),
    "SUM": (1, [constant([3])], "ReducerOptions", {"KeepDims": True}),
    "REDUCE_MAX": (1, [constant([3])], "ReducerOptions", {"KeepDims": True}),
    "SOFTMAX": (1, [], "SoftmaxOptions", {"Beta": 1.0}),
    "TRANSPOSE": (1, [constant([0, 3, 1, 2])], "TransposeOptions", {}),
    "BATCH_MATMUL": (2, [], "BatchMatMulOptions", {}),
    "CONCATENATION": (2, [], "ConcatenationOptions", {"Axis": 3}),
    "CONV_2D": (
        1,
        [constant(WEIGHTS.reshape(4, 1, 1, 4), "FLOAT32"), constant(BIAS, "FLOAT32")],
        "Conv2DOptions",
        {"StrideH": 1, "StrideW": 1},
    ),
    "DEPTHWISE_CONV_2D": (
        1,
        [constant(WEIGHTS.reshape(1, 2, 2, 4), "FLOAT32"), constant(BIAS, "FLOAT32")],
        "DepthwiseConv2DOptions",
        {"StrideH": 1, "StrideW": 1, "DepthMultiplier": 1, "Padding": 1},
    ),
    "GATHER": (1, [constant([2, 0, 3])], "GatherOptions", {"Axis": 3}),
    "LOG": (1, [], "", {}),
    "MAX_POOL_2D": (1, [], "Pool2DOptions", {"FilterHeight": 2, "FilterWidth": 2, "StrideH": 2, "StrideW": 2}),
    "MIRROR_PAD": (1, [constant([[0, 0], [1, 2], [2, 1], [0, 0]])], "MirrorPadOptions", {"Mode": 0}),
    "PAD": (1, [constant([[0, 0], [1, 2], [2, 1], [0, 0]])], "PadOptions", {}),
    "PADV2": (1, [constant([[0, 0], [1, 2], [2, 1], [0, 0]]), constant(0.7, "FLOAT32")], "PadV2Options", {}),
    "RESIZE_BILINEAR": (1, [constant([8, 6])], "ResizeBilinearOptions", {"HalfPixelCenters": True}),
    "RESIZE_NEAREST_NEIGHBOR": (1, [constant([8, 6])], "ResizeNearestNeighborOptions", {}),
    "RSQRT": (1, [], "", {}),
    "SELECT_V2": (2, [constant(np.arange(64).reshape(SHAPE) % 3 == 0, "BOOL")], "SelectV2Options", {}),
    "STRIDED_SLICE": (
        1,
        [constant([0, 3, 0, 0]), constant([1, 0, 4, 4]), constant([1, -2, 1, 1])],
        "StridedSliceOptions",
        {"BeginMask": 0},
    ),
    "TRANSPOSE_CONV": (
        1,
        [constant([1, 8, 8, 4]), constant(np.stack([WEIGHTS] * 4).reshape(4, 2, 2, 4), "FLOAT32")],
        "TransposeConvOptions",
        {"StrideH": 2, "StrideW": 2},
    ),
}
"""For each operator the number of its computed inputs, its other inputs and its options."""

RESULTS = {
    "MEAN": (1, 1, 1, 4),
    "SUM": (1, 4, 4, 1),
    "REDUCE_MAX": (1, 4, 4, 1),
    "CONCATENATION": (1, 4, 4, 8),
    "DEPTHWISE_CONV_2D": (1, 3, 3, 4),
    "GATHER": (1, 4, 4, 3),
    "MAX_POOL_2D": (1, 2, 2, 4),
    "MIRROR_PAD": (1, 7, 7, 4),
    "PAD": (1, 7, 7, 4),
    "PADV2": (1, 7, 7, 4),
    "RESIZE_BILINEAR": (1, 8, 6, 4),
    "RESIZE_NEAREST_NEIGHBOR": (1, 8, 6, 4),
    "STRIDED_SLICE": (1, 2, 4, 4),
    "TRANSPOSE_CONV": (1, 8, 8, 4),
}
BEHIND = ("SELECT_V2", "TRANSPOSE_CONV")
"""Operators whose computed operands follow the others."""
SUMS: dict[str, Callable[[Array], Array]] = {
    "CONV_2D": lambda x: x @ WEIGHTS.astype(np.float32).T.astype(np.float64) + BIAS.astype(np.float32),
    "FULLY_CONNECTED": lambda x: x @ WEIGHTS.astype(np.float32).T.astype(np.float64) + BIAS.astype(np.float32),
    "MEAN": lambda x: x.mean(axis=(1, 2), keepdims=True),
    "SUM": lambda x: x.sum(axis=3, keepdims=True),
}
"""Operators whose floats onnxruntime adds in another order, in float64: a tie may be rounded the other way."""

ADDED_OTHERWISE = ("RESIZE_BILINEAR",)
"""Operators whose products other formats add in another order than LiteRT: a tie may be rounded the other way."""

NEAR_TIE = 1e-4
"""The distance from a tie, in LSB, that float32 sums of a few numbers do not leave."""
WITHOUT_NEGATIVES = ("LOG", "RSQRT", "SQRT")
LISTED = ("ADD", "DIV", "EXP", "LOGISTIC", "MAXIMUM", "SQRT", "TANH")
"""Operators on one or two values of 8 bits, which the profile without floats has, too."""


def island(op: str) -> bytes:
    """Return DEQUANTIZE of each input, the operator in float32, QUANTIZE."""
    count, others, options, fields = ROWS[op]
    given = Tensor(SHAPE, 0.05, -128) if op in WITHOUT_NEGATIVES else Q
    sizes = RESULTS.get(op, SHAPE)
    tensors: dict[str, Tensor] = {"made": Tensor(sizes, kind="FLOAT32"), "y": Tensor(sizes, 0.04, 7)}
    nodes = list[Node]()
    for i in range(count):
        tensors |= {f"x{i}": given, f"f{i}": Tensor(SHAPE, kind="FLOAT32")}
        nodes.append(Node("DEQUANTIZE", [f"x{i}"], [f"f{i}"], "DequantizeOptions"))
    tensors |= {f"c{i}": other for i, other in enumerate(others)}
    names = [f"f{i}" for i in range(count)], [f"c{i}" for i in range(len(others))]
    operands = [*names[1], *names[0]] if op in BEHIND else [*names[0], *names[1]]
    nodes.append(Node(op, operands, ["made"], options, fields, version=1))
    nodes.append(Node("QUANTIZE", ["made"], ["y"], "QuantizeOptions"))
    return write(Graph(tensors, nodes, [f"x{i}" for i in range(count)], ["y"]))


def samples_of(op: str) -> list[dict[str, Array]]:
    """Return every integer once for each input, without divisors of 0, whose quotient C++ leaves undefined."""
    rng = np.random.default_rng(len(op))
    names = [f"x{i}" for i in range(ROWS[op][0])]
    drawn = [{name: rng.permutation(np.arange(-128, 128)).astype(np.int8) for name in names} for _ in range(2)]
    if op == "DIV":
        for sample in drawn:
            sample["x1"][sample["x1"] == Q.zero_point] = 4
    if op == "RSQRT":
        for sample in drawn:
            sample["x0"][sample["x0"] == -128] = 4
    return [
        {name: array[i : i + 64].reshape(SHAPE) for name, array in s.items()} for s in drawn for i in range(0, 256, 64)
    ]


def ran(
    content: bytes, to: Format, samples: list[dict[str, Array]], options: WriteOptions | None = None
) -> list[Array]:
    """Return the results of a written file in its own tool."""
    converted = convert(load(content), to, options)
    arguments = [list(sample.values()) for sample in samples]
    if to is Format.TFLITE:
        return [litert.run(converted.content or b"", sample)["y"] for sample in samples]
    if to is Format.ONNX:
        return [sample["y"] for sample in onnxruntime.run_samples(converted.content or b"", samples)]
    run = tosa.run_many if to is Format.TOSA else stablehlo.run_many
    program = modules.Program(converted.text, [signless(each) for each in arguments])
    [results] = run([program])
    assert not isinstance(results, EngineError), str(results)
    return [result for [result] in results]


def near_ties(op: str, samples: list[dict[str, Array]]) -> Array:
    """Return the results of a sum that lie about halfway between two integers."""
    scales = np.float32(0.05), np.float64(np.float32(0.04))
    reals = [(sample["x0"].astype(np.float32) - np.float32(Q.zero_point)) * scales[0] for sample in samples]
    quotients = np.stack([SUMS[op](real.astype(np.float64)) for real in reals]) / scales[1]
    return np.abs(quotients - np.floor(quotients) - 0.5) < NEAR_TIE


@pytest.mark.tosa
@pytest.mark.parametrize("op", ROWS)
def test_an_operator_between_dequantize_and_quantize_is_computed_in_float32(op: str) -> None:
    content, samples = island(op), samples_of(op)
    expected = [outputs["y"] for outputs in litert.run_samples(content, samples)]
    for to in (Format.TOSA, Format.STABLEHLO_INT, Format.ONNX, Format.TFLITE):
        options = OnnxOptions(exact_rounding=True) if to is Format.ONNX else None
        apart = np.abs(np.subtract(ran(content, to, samples, options), expected, dtype=np.int64))
        if op in ADDED_OTHERWISE and to is not Format.TFLITE:
            assert apart.max() <= 1, f"{op} to {to}"
            assert apart.mean() < 0.02, f"{op} to {to}"
            continue
        if op in SUMS and to is Format.ONNX:
            assert apart.max() <= 1, f"{op} to {to}"
            apart = apart[~near_ties(op, samples)]
        assert not apart.any(), f"{op} to {to}: {(apart > 0).mean():.2%} differ, by up to {apart.max()}"


@pytest.mark.tosa
@pytest.mark.parametrize(("op", "table"), [("ATAN2", "ATan2Options"), ("POW", "PowOptions")])
def test_functions_of_two_values_are_near_or_refused(op: str, table: str) -> None:
    """Powers are of values from 0 to 2: LiteRT leaves the rounding of larger ones than 2^31 undefined."""
    ports = {name: Tensor(SHAPE, 0.01, -100) for name in ("x0", "x1")}
    made = {name: Tensor(SHAPE, kind="FLOAT32") for name in ("f0", "f1", "made")}
    nodes = [Node("DEQUANTIZE", [f"x{i}"], [f"f{i}"], "DequantizeOptions") for i in range(2)]
    nodes += [Node(op, ["f0", "f1"], ["made"], table, version=1), Node("QUANTIZE", ["made"], ["y"], "QuantizeOptions")]
    content = write(Graph({**ports, **made, "y": Tensor(SHAPE, 0.04, 7)}, nodes, ["x0", "x1"], ["y"]))
    rng = np.random.default_rng(3)
    samples = [{name: rng.integers(-99, 100, SHAPE).astype(np.int8) for name in ports} for _ in range(4)]
    expected = [litert.run(content, sample)["y"] for sample in samples]
    for to in (Format.TOSA, Format.STABLEHLO_INT, Format.ONNX, Format.TFLITE):
        options = OnnxOptions(exact_rounding=True) if to is Format.ONNX else None
        if op == "ATAN2" and to in (Format.TOSA, Format.ONNX):
            with pytest.raises(ConversionError, match="node 'made'"):
                ran(content, to, samples, options)
            continue
        found = ran(content, to, samples, options)
        assert np.abs(np.subtract(found, expected, dtype=np.int64)).max() <= 1, str(to)


@pytest.mark.tosa
@pytest.mark.parametrize("op", LISTED)
def test_operators_on_bytes_are_lists_in_integers(op: str) -> None:
    content, samples = island(op), samples_of(op)
    expected = [outputs["y"] for outputs in litert.run_samples(content, samples)]
    found = ran(content, Format.TOSA, samples, TosaOptions(profile=Profile.INT))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("op", ["PRELU", "SOFTMAX", "FULLY_CONNECTED"])
def test_other_operators_have_no_integer_form(op: str) -> None:
    with pytest.raises(ConversionError, match=r"floats remain in 'made'"):
        convert(load(island(op)), Format.TOSA, TosaOptions(profile=Profile.INT))
    with pytest.raises(ConversionError, match=r"floats remain in 'made'"):
        convert(load(island(op)), Format.TFLITE, TfliteOptions(profile=Profile.INT))


@pytest.mark.parametrize("op", [op for op in ROWS if op not in ("AVERAGE_POOL_2D", "TRANSPOSE")])
def test_tflite_keeps_the_operators_of_the_file(op: str) -> None:
    model = tflite.Model.GetRootAs(convert(load(island(op)), Format.TFLITE).content or b"", 0)
    codes = {model.OperatorCodes(i).BuiltinCode() for i in range(model.OperatorCodesLength())}
    assert tflite.BuiltinOperator.DEQUANTIZE in codes
    assert tflite.BuiltinOperator.QUANTIZE in codes


@pytest.mark.tosa
@pytest.mark.parametrize("kind", ["INT8", "UINT8", "INT16"])
@pytest.mark.parametrize("scale", [2 / 255, 1 / 128, 0.0437, 1 / 255])
def test_floats_are_divided_by_the_scale_and_halves_round_away(kind: str, scale: float) -> None:
    """Pixels that lie halfway between two integers, floats beside them, and others."""
    steps = np.arange(-200, 200, dtype=np.float32) + np.float32(0.5)
    ties = steps * np.float32(scale)
    pixels = (np.arange(256) / 127.5 - 1).astype(np.float32)
    real = np.concatenate([ties, np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf), pixels]).astype(np.float32)
    x = Tensor(real.shape, kind="FLOAT32")
    zero_point = {"INT8": -1, "UINT8": 127, "INT16": 0}[kind]
    node = Node("QUANTIZE", ["x0"], ["y"], "QuantizeOptions")
    content = write(Graph({"x0": x, "y": Tensor(real.shape, scale, zero_point, kind)}, [node], ["x0"], ["y"]))
    samples = [{"x0": real}]
    expected = litert.run(content, samples[0])["y"]
    for to in (Format.TOSA, Format.STABLEHLO_INT, Format.ONNX, Format.TFLITE):
        options = OnnxOptions(exact_rounding=True) if to is Format.ONNX else None
        [found] = ran(content, to, samples, options)
        np.testing.assert_array_equal(found.view(expected.dtype), expected, err_msg=str(to))
