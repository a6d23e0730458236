"""ONNX out with exact rounding: onnxruntime has the integers of LiteRT's reference kernels."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import checker

from qconvert import Format, convert, load
from qconvert.backends.onnx import OnnxOptions, Style
from qconvert.interpreter import evaluate
from tests.frontends.tflite_cases import Case, Tensor, write
from tests.frontends.tflite_judge import Judge, drawn
from tests.frontends.tflite_networks import network
from tests.frontends.tflite_operators import activation, contraction, elementwise, movement, reduction, resize
from tests.ops import onnx_cases

BYTES = ("INT8", "UINT8")
SPELLED = (
    "ADD",
    "BATCH_MATMUL",
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "FULLY_CONNECTED",
    "MEAN",
    "MUL",
    "QUANTIZE",
    "SUB",
    "SUM",
)
CASES = {
    name: case
    for module in (activation, contraction, elementwise, movement, reduction, resize)
    for name, case in module.CASES.items()
    if case.op in SPELLED or (case.op == "AVERAGE_POOL_2D" and module is contraction)
}


def is_of_bytes(case: Case) -> bool:
    computed = [tensor for tensor in case.inputs if tensor is not None and tensor.data is None]
    return all(tensor.kind in BYTES for tensor in (*computed, *case.outputs))


OF_BYTES = {name: case for name, case in CASES.items() if is_of_bytes(case)}
JUDGE = Judge(OF_BYTES)


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("name", OF_BYTES)
def test_an_operator_has_every_integer(name: str, style: Style) -> None:
    model = load(OF_BYTES[name].model())
    converted = convert(model, Format.ONNX, OnnxOptions(style=style, exact_rounding=True))
    assert converted.content is not None
    checker.check_model(converted.content)
    assert (converted.spelled_litert, converted.lost_litert) == (1, 0)
    for sample in JUDGE.samples(name):
        expected = evaluate(model.module, [sample[key] for key in model.input_names])
        for found, wanted in zip(onnx_cases.theirs(onnx_cases.Case(converted.content, sample)), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("classes", [2, 10, 1000])
@pytest.mark.parametrize("scale", [0.02, 0.1, 0.3])
def test_a_softmax_of_16_bits_is_within_a_step(scale: float, classes: int) -> None:
    """LiteRT's exponentials are fixed-point numbers, ONNX's floats."""
    result = Tensor((8, classes), 1 / 65536, -32768, kind="INT16")
    case = Case("SOFTMAX", [Tensor((8, classes), scale, 3)], [result], "SoftmaxOptions", {"Beta": 1.0})
    model = load(case.model())
    content, given = convert(model, Format.ONNX).content, onnx_cases.random(8, classes, dtype=np.int8)
    assert content is not None
    (found,), (expected,) = onnx_cases.theirs(onnx_cases.Case(content, {"in0": given})), evaluate(model.module, [given])
    assert np.abs(found.astype(int) - expected.astype(int)).max() <= 1


ROUNDED = {"AVERAGE_POOL_2D", "HARD_SWISH", "LEAKY_RELU", "RESIZE_BILINEAR"}
"""What is not spelled in integers, or not over edges."""


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("seed", range(60))
def test_random_networks_have_every_integer(seed: int, style: Style) -> None:
    """Of 8 bits and spelled operators, whatever feeds whatever; the others run."""
    graph = network(seed)
    model, rng = load(write(graph)), np.random.default_rng((seed, 1))
    content = convert(model, Format.ONNX, OnnxOptions(style=style, exact_rounding=True)).content
    sample = {name: drawn(graph.tensors[name], rng) for name in graph.inputs}
    assert content is not None
    found, expected = onnx_cases.theirs(onnx_cases.Case(content, sample)), evaluate(model.module, list(sample.values()))
    is_spelled = not ROUNDED & {node.op for node in graph.nodes}
    is_wide = any(tensor.kind == "INT16" for tensor in graph.tensors.values())
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        if is_spelled and not is_wide:
            np.testing.assert_array_equal(one, other)


def kinds(name: str) -> Counter[str]:
    converted = convert(load(OF_BYTES[name].model()), Format.ONNX, OnnxOptions(exact_rounding=True))
    assert converted.content is not None
    return Counter(node.op_type for node in onnx.load_from_string(converted.content).graph.node)


def test_a_convolution_is_of_integers() -> None:
    name = next(name for name, case in OF_BYTES.items() if case.op == "CONV_2D")
    found = kinds(name)
    assert found["ConvInteger"] == 1
    assert not {"Conv", "DequantizeLinear", "QuantizeLinear"} & found.keys()


def test_floats_and_other_sources_stay_as_they_are() -> None:
    source = load(Path(__file__).parents[2] / "fixtures" / "digits_cnn_int8.onnx")
    plain, exact = (convert(source, Format.ONNX, OnnxOptions(17, exact_rounding=spelled)) for spelled in (False, True))
    assert plain.content == exact.content
    assert exact.spelled_litert == 0
