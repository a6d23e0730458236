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
from tests.support import onnx_cases
from tests.support.litert_reference import Judge, drawn
from tests.support.paths import FIXTURES
from tests.support.tflite_cases import Case, Tensor, write
from tests.support.tflite_families import WITHOUT_STATE
from tests.support.tflite_networks import network

pytestmark = pytest.mark.slow  # onnxruntime starts in a process for most of them

CASES: dict[str, Case] = {name: case for family in WITHOUT_STATE for name, case in family.CASES.items()}


def is_spelled(case: Case) -> bool:
    """Whether an operator's tensors are all of integers, and so its arithmetic, if it has any."""
    computed = [tensor for tensor in case.inputs if tensor is not None and tensor.data is None]
    return not any(tensor.kind.startswith("FLOAT") for tensor in (*computed, *case.outputs))


def kinds_of(case: Case) -> tuple[object, ...]:
    """What tells cases apart in ONNX: the operator, element types, ranks and constants."""
    tensors = [tensor for tensor in (*case.inputs, *case.outputs) if tensor is not None]
    return case.op, *((tensor.kind, len(tensor.shape), tensor.data is None) for tensor in tensors)


SPELLED_CASES = {name: case for name, case in CASES.items() if is_spelled(case)}
OF_ONE_KIND = {kinds_of(case): name for name, case in SPELLED_CASES.items()}.values()
TELLING = list(dict.fromkeys((*OF_ONE_KIND, *(name for name in SPELLED_CASES if name.endswith("product of scales")))))
IN_BOTH_STYLES = ("ADD", "AVERAGE_POOL_2D", "CONV_2D", "FULLY_CONNECTED", "MUL", "QUANTIZE")
JUDGE = Judge(SPELLED_CASES)


def check_integers(name: str, style: Style) -> int:
    """Compare every integer; return the number of ops that are spelled."""
    model = load(SPELLED_CASES[name].model())
    converted = convert(model, Format.ONNX, OnnxOptions(style=style, exact_rounding=True))
    assert converted.content is not None
    checker.check_model(converted.content)
    assert converted.lost_litert == 0
    for sample in JUDGE.samples(name):
        expected = evaluate(model.module, [sample[key] for key in model.input_names])
        for found, wanted in zip(onnx_cases.theirs(onnx_cases.Case(converted.content, sample)), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
    return converted.litert_ops


@pytest.mark.parametrize("name", TELLING)
def test_an_operator_has_every_integer(name: str) -> None:
    check_integers(name, Style.QDQ)


@pytest.mark.parametrize("name", [name for name in TELLING if SPELLED_CASES[name].op in IN_BOTH_STYLES])
def test_an_operator_has_every_integer_in_qoperator_style(name: str) -> None:
    is_quantized = not any(tensor.kind == "INT32" for tensor in SPELLED_CASES[name].outputs)
    assert check_integers(name, Style.QOPERATOR) == is_quantized


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


@pytest.mark.parametrize("seed", range(60))
def test_random_networks_have_every_integer(seed: int) -> None:
    """Whatever feeds whatever, in either style."""
    graph, style = network(seed), list(Style)[seed % 2]
    model, rng = load(write(graph)), np.random.default_rng((seed, 1))
    content = convert(model, Format.ONNX, OnnxOptions(style=style, exact_rounding=True)).content
    sample = {name: drawn(graph.tensors[name], rng) for name in graph.inputs}
    assert content is not None
    found, expected = onnx_cases.theirs(onnx_cases.Case(content, sample)), evaluate(model.module, list(sample.values()))
    for one, other in zip(found, expected, strict=True):
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


def test_an_op_without_a_form_in_integers_is_named() -> None:
    """TOSA's RESCALE has no zero point of 16 bits that a choice between two slopes needs."""
    tensors = Tensor((2, 3), 0.1, 5, kind="INT16"), Tensor((2, 3), 0.2, 7, kind="INT16")
    case = Case("LEAKY_RELU", [tensors[0]], [tensors[1]], "LeakyReluOptions", {"Alpha": 0.1})
    converted = convert(load(case.model()), Format.ONNX, OnnxOptions(exact_rounding=True))
    assert (converted.litert_ops, converted.lost_litert) == (0, 1)
    (refusal,) = converted.refusals
    assert "RESCALE supports no zero point for 16 bits" in refusal.reason


def test_integers_of_32_bits_that_are_given_stay_integers() -> None:
    tensors = Tensor((4, 5), 1e-7, 0, kind="INT32"), Tensor((4, 5), 0.002, 0, kind="INT16")
    model = load(Case("QUANTIZE", [tensors[0]], [tensors[1]]).model())
    converted = convert(model, Format.ONNX, OnnxOptions(exact_rounding=True))
    assert (converted.litert_ops, converted.lost_litert) == (1, 0)
    given = np.random.default_rng(0).integers(-(2**31), 2**31, (4, 5)).astype(np.int32)
    (found,) = onnx_cases.theirs(onnx_cases.Case(converted.content or b"", {"in0": given}))
    np.testing.assert_array_equal(found, evaluate(model.module, [given])[0])
