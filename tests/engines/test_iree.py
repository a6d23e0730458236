from pathlib import Path

import numpy as np
import pytest

from qconvert import EngineName, Format, Settings, load, run, validate
from qconvert.engines import iree
from qconvert.engines.modules import Program
from qconvert.support.errors import EngineError
from tests.support.tflite_cases import Tensor, constant, one_op

pytestmark = pytest.mark.iree

IDENTITY = "func.func @main(%a: tensor<{0}>) -> tensor<{0}> {{ return %a : tensor<{0}> }}"


def test_programs_of_one_child(
    convolution: Program, convolved: list[object], requantize: str, quantized_add: str
) -> None:
    lhs, rhs = np.array([1, 3, 5, 127, -128], np.int8), np.array([1, 5, 9, 125, -127], np.int8)
    wide = np.array([0, 1, 2, 3, 1000, -1000], np.int32)
    conv, requantized, added = iree.run_many(
        [
            convolution,
            Program(requantize, [[wide]]),
            Program(quantized_add, [[lhs, rhs]]),
        ]
    )
    assert not isinstance(conv, EngineError)
    assert [result.tolist() for [result] in conv] == convolved
    assert not isinstance(requantized, EngineError)
    assert requantized[0][0].tolist() == [-2, -2, -1, 0, 127, -128]
    assert not isinstance(added, EngineError)
    assert added[0][0].tolist() == [1, 3, 5, 95, -95]  # no operand of a sum is a tie here


def test_a_quantized_add_rounds_its_operands_first(quantized_add: str) -> None:
    """Where this fails, IREE follows the specification (2 and 96) and its module docstring is out of date."""
    same = np.array([1, 3, 5, 127, 1], np.int8)
    assert iree.run_samples(quantized_add, [[same, same]])[0][0].tolist()[:4] == [1, 3, 4, 95]


def test_unsigned_and_double_keep_their_types() -> None:
    unsigned, double = np.array([0, 255], np.uint8), np.array([0.1, 1e300])
    for element, array in (("2x!quant.uniform<ui8:f32, 0.5:3>", unsigned), ("2xf64", double)):
        [result] = iree.run_samples(IDENTITY.format(element), [[array]])[0]
        assert result.dtype == array.dtype
        assert result.tolist() == array.tolist()


def test_tosa_text_runs() -> None:
    text = """
func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "tosa.add"(%a, %a) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}"""
    [result] = iree.run_samples(text, [[np.array([1, -7], np.int32)]], input_type=iree.InputType.TOSA)[0]
    assert result.tolist() == [2, -14]


def test_refusals_name_the_reason() -> None:
    zeros = np.zeros(2, np.int8)
    answers = iree.run_many(
        [
            Program("junk", [[]]),
            Program(IDENTITY.format("2xi8"), [[np.zeros(2, np.float32)]]),
            Program(IDENTITY.format("2xi8"), [[zeros, zeros]]),
            Program(IDENTITY.format("2xi4"), [[zeros]]),
            Program("func.func @f(%a: tensor<2xi8>) -> tensor<2xi8> { return %a : tensor<2xi8> }", [[zeros]]),
        ]
    )
    assert [str(answer) for answer in answers] == [
        "iree engine: IREE cannot compile the module: custom op 'junk' is unknown (tried 'builtin.junk' as well)",
        "iree engine: argument 0 is float32[2], @main takes tensor<2xi8>",
        "iree engine: 2 arguments given, @main takes 1",
        "iree engine: parameter 0 is tensor<2xi4>: IREE packs elements of less than a byte",
        "iree engine: the module has no function @main",
    ]


def test_a_depthwise_convolution_behind_another() -> None:
    """Channels last, IREE 3.13 gets a quantized depthwise convolution wrong: its transpose stays in front of it."""
    root = Path(__file__).parents[2] / "fixtures"
    model = load(root / "digits_cnn_int8.onnx", outputs=["conv_2_QuantizeLinear_Output"])
    image = {"image": np.load(root / "digits_test.npz")["image"][:1]}
    [found] = run(model, image, engine=EngineName.IREE).values()
    [expected] = run(model, image).values()
    assert (found == expected).mean() > 0.999


DOT = """func.func @main(%a: tensor<1x2xui8>) -> tensor<1x1xi32> {
  %w = stablehlo.constant dense<1> : tensor<2x1xi32>
  %0 = stablehlo.convert %a : (tensor<1x2xui8>) -> tensor<1x2xi32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
    : (tensor<1x2xi32>, tensor<2x1xi32>) -> tensor<1x1xi32>
  return %1 : tensor<1x1xi32>
}"""


def test_unsigned_operands_of_an_integer_product() -> None:
    """IREE 3.13 takes widened ui8 operands for signed ones: integers are signed before they are multiplied."""
    [found] = iree.run_samples(DOT, [[np.array([[200, 1]], np.uint8)]])[0]
    assert found.item() == 201 - 256


OF_FOUR_BITS = """func.func @main(%a: tensor<1x4xi8>) -> tensor<1x2xi32> {
  %w = stablehlo.constant dense<[[1, -7], [2, 3], [0, 5], [-4, 6]]> : tensor<4x2xi4>
  %0 = stablehlo.convert %w : (tensor<4x2xi4>) -> tensor<4x2xi8>
  %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0]
    : (tensor<1x4xi8>, tensor<4x2xi8>) -> tensor<1x2xi32>
  return %1 : tensor<1x2xi32>
}"""


def test_constants_of_four_bits_are_refused_with_the_way_out() -> None:
    [answer] = iree.run_many([Program(OF_FOUR_BITS, [[np.ones((1, 4), np.int8)]])])
    assert "it has no small constants of 4 bits; --to tosa writes a form that it compiles" in str(answer)


@pytest.mark.litert
def test_the_report_says_that_iree_and_not_the_file_is_wrong() -> None:
    """IREE 3.13 reads biases of 48 bits wrong, which TOSA's convolutions of 16-bit integers have."""
    rng = np.random.default_rng(0)
    weights = constant(rng.integers(-127, 128, (8, 3, 3, 4)), "INT8", 1e-3)
    inputs = [Tensor((1, 6, 6, 4), 1e-3, kind="INT16"), weights, constant(rng.integers(-99, 99, 8), "INT64", 1e-6)]
    result = Tensor((1, 4, 4, 8), 1e-3, kind="INT16")
    model = load(one_op("CONV_2D", inputs, [result], "Conv2DOptions", {"StrideH": 1, "StrideW": 1, "Padding": 1}))

    report = validate(model, settings=Settings(to=Format.TOSA, engine=EngineName.IREE, samples=2))
    assert not report.passed
    [said] = [failure for failure in report.failures if "passes this file: iree computes it otherwise" in failure]
    assert "page 'Engines'" in said
    assert said.endswith("try --to stablehlo-int")
    assert validate(model, settings=Settings(to=Format.STABLEHLO_INT, engine=EngineName.IREE, samples=2)).passed
