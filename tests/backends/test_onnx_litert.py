"""ONNX out with exact rounding: onnxruntime has the integers of LiteRT's reference kernels."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
import pytest
from onnx import checker

from qconvert import Format, convert, load
from qconvert.backends.onnx import OnnxOptions, Style
from qconvert.interpreter import evaluate
from tests.cases import activation, contraction, elementwise, movement, reduction, window
from tests.support import onnx_cases
from tests.support.litert_reference import Judge, drawn
from tests.support.paths import FIXTURES
from tests.support.tflite_cases import Case, Tensor, write
from tests.support.tflite_networks import network

pytestmark = pytest.mark.slow  # onnxruntime starts in a process for most of them

BYTES = ("INT8", "UINT8")
SPELLED = (
    "ADD",
    "AVERAGE_POOL_2D",
    "BATCH_MATMUL",
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "FULLY_CONNECTED",
    "LEAKY_RELU",
    "MEAN",
    "MUL",
    "QUANTIZE",
    "SUB",
    "SUM",
)
CASES = {
    name: case
    for module in (activation, contraction, elementwise, movement, reduction, window)
    for name, case in module.CASES.items()
    if case.op in SPELLED
}


WIDE = ("ADD", "LEAKY_RELU", "MUL", "QUANTIZE", "SUB")
"""Operators that are spelled for 16 bits, too."""


def is_spelled(case: Case) -> bool:
    computed = [tensor for tensor in case.inputs if tensor is not None and tensor.data is None]
    kinds = (*BYTES, "INT16") if case.op in WIDE else BYTES
    return all(tensor.kind in kinds for tensor in (*computed, *case.outputs))


SPELLED_CASES = {name: case for name, case in CASES.items() if is_spelled(case)}
JUDGE = Judge(SPELLED_CASES)


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("name", SPELLED_CASES)
def test_an_operator_has_every_integer(name: str, style: Style) -> None:
    model = load(SPELLED_CASES[name].model())
    converted = convert(model, Format.ONNX, OnnxOptions(style=style, exact_rounding=True))
    assert converted.content is not None
    checker.check_model(converted.content)
    assert (converted.litert_ops, converted.lost_litert) == (1, 0)
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


ROUNDED = {"HARD_SWISH", "RESIZE_BILINEAR"}
"""What is not spelled in integers."""


@pytest.mark.slow
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
    is_rounded = bool(ROUNDED & {node.op for node in graph.nodes})
    is_wide = any(tensor.kind == "INT16" for tensor in graph.tensors.values())
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        if not is_rounded and not is_wide:
            np.testing.assert_array_equal(one, other)


def kinds(name: str) -> Counter[str]:
    converted = convert(load(SPELLED_CASES[name].model()), Format.ONNX, OnnxOptions(exact_rounding=True))
    assert converted.content is not None
    return Counter(node.op_type for node in onnx.load_from_string(converted.content).graph.node)


def test_a_convolution_is_of_integers() -> None:
    name = next(name for name, case in SPELLED_CASES.items() if case.op == "CONV_2D")
    found = kinds(name)
    assert found["ConvInteger"] == 1
    assert not {"Conv", "DequantizeLinear", "QuantizeLinear"} & found.keys()


def test_floats_and_other_sources_stay_as_they_are() -> None:
    source = load(FIXTURES / "digits_cnn_int8.onnx")
    plain, exact = (convert(source, Format.ONNX, OnnxOptions(17, exact_rounding=spelled)) for spelled in (False, True))
    assert plain.content == exact.content
    assert exact.litert_ops == 0
