"""ONNX out: what onnxruntime computes on the model written, beside the source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import checker

from qconvert import Format, convert, load
from qconvert.api import Converted
from qconvert.backends.onnx import OnnxOptions
from qconvert.interpreter import evaluate
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Case, Known, one_op, random, reference_session, theirs
from tests.support.paths import FIXTURES

NETWORKS = ("digits_cnn_int8", "digits_cnn_pow2", "digits_cnn_uint8", "digits_mlp_int8", "digits_mlp_uint8")
OPSET = 17
"""The fixtures'."""
IMAGES = np.load(FIXTURES / "digits_test.npz")["image"]


def fixture(name: str) -> Path:
    return FIXTURES / f"{name}.onnx"


def written(name: str, opset: int = OPSET) -> Converted:
    return convert(load(fixture(name)), Format.ONNX, OnnxOptions(opset))


def answers(model: bytes, *inputs: NDArray[np.generic]) -> list[NDArray[np.generic]]:
    names = [port.name for port in onnx.load_from_string(model).graph.input]
    return theirs(Case(model, dict(zip(names, inputs, strict=True))))


def graph(converted: Converted) -> onnx.GraphProto:
    assert converted.content is not None
    return onnx.load_from_string(converted.content).graph


def kinds(converted: Converted) -> list[str]:
    return [node.op_type for node in graph(converted).node]


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_comes_back_as_it_was(name: str) -> None:
    converted = written(name)
    assert converted.content is not None
    checker.check_model(converted.content)
    source = fixture(name).read_bytes()
    generator = np.random.default_rng(0)
    for image in (*IMAGES[:12], *generator.normal(size=(4, *IMAGES.shape[1:]))):
        given = image[None].astype(np.float32)
        for found, expected in zip(answers(converted.content, given), answers(source, given), strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_same_nodes_and_tensors_are_there(name: str) -> None:
    source, made = onnx.load(fixture(name)).graph, graph(written(name))
    assert {node.name for node in source.node} <= {node.name for node in made.node}
    quantized = {output for node in source.node if node.op_type == "QuantizeLinear" for output in node.output}
    assert quantized <= {output for node in made.node for output in node.output}
    for before, after in ((source.input, made.input), (source.output, made.output)):
        assert [port.name for port in before] == [port.name for port in after]


@pytest.mark.parametrize("name", NETWORKS)
def test_no_transpose_is_left(name: str) -> None:
    assert "Transpose" not in kinds(written(name))


def test_a_bias_is_32_bits_wide() -> None:
    made = graph(written("digits_cnn_int8"))
    types = {tensor.name: tensor.data_type for tensor in made.initializer}
    producers = {output: node for node in made.node for output in node.output}
    contractions = [node for node in made.node if node.op_type in ("Conv", "Gemm")]
    held = [[types.get(producers[name].input[0]) for name in node.input[1:]] for node in contractions]
    assert held == [[onnx.TensorProto.INT8, onnx.TensorProto.INT32]] * len(contractions)


@pytest.mark.parametrize("name", ["digits_cnn_pow2", "digits_mlp_int8", "digits_mlp_uint8"])
@pytest.mark.quick(1)
def test_fused_text_becomes_the_same_network(name: str) -> None:
    text = convert(load(fixture(name))).text
    converted = convert(load(text.encode()), Format.ONNX)
    assert converted.content is not None
    assert "Transpose" not in kinds(converted)
    for image in IMAGES[:12]:
        expected = answers(fixture(name).read_bytes(), image[None])
        for found, wanted in zip(answers(converted.content, image[None]), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_inputs_and_outputs_are_integers_on_request() -> None:
    source = load(fixture("digits_mlp_uint8"))
    converted = convert(source, Format.ONNX, OnnxOptions(OPSET, quantized_io=True))
    assert converted.content is not None
    (given,) = converted.quantized_ports[:1]
    integers = np.clip(np.rint(IMAGES[:1] / np.float32(given.element.scale)), 0, 255).astype(np.uint8)
    (found,) = answers(converted.content, integers)
    (expected,) = answers(fixture("digits_mlp_uint8").read_bytes(), IMAGES[:1])
    result = converted.quantized_ports[1].element
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(
        (found.astype(np.float32) - np.float32(result.zero_point)) * np.float32(result.scale), expected
    )


def version(converted: Converted) -> int:
    assert converted.content is not None
    return int(onnx.load_from_string(converted.content).opset_import[0].version)


def test_the_opset_is_the_sources_unless_another_is_asked_for() -> None:
    source = load(fixture("digits_mlp_int8"))
    assert version(convert(source, Format.ONNX)) == OPSET
    assert version(convert(source, Format.ONNX, OnnxOptions(quantized_io=True))) == OPSET
    assert version(convert(source, Format.ONNX, OnnxOptions(20))) == 20
    assert version(convert(load(convert(source).text.encode()), Format.ONNX)) == 21


def test_the_opset_is_newer_where_the_sources_lacks_a_type() -> None:
    """Of 16 bits, which came from onnxruntime's own operators before opset 21."""
    wide = [Known(np.float32(0.001)), Known(np.int16(0))]
    case = one_op("QuantizeLinear", [random(4, 5), *wide], opset=17, domain="com.microsoft")
    assert version(convert(load(case.model), Format.ONNX)) == 21


def test_an_opset_that_is_not_written() -> None:
    with pytest.raises(ConversionError, match=r"opset 12 is not supported\. Give an opset from 13 to 25"):
        written("digits_mlp_int8", 12)


def text_of(body: str, signature: str) -> bytes:
    return f"func.func @main{signature} {{\n{body}\n}}".encode()


def test_what_an_older_opset_lacks_is_named() -> None:
    wide = "!quant.uniform<i16:f32, 0.5>"
    body = f"""  %1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x{wide}> loc("halves")
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x{wide}>) -> tensor<2xf32>
  func.return %2 : tensor<2xf32>"""
    model = load(text_of(body, "(%0: tensor<2xf32>) -> tensor<2xf32>"))
    assert convert(model, Format.ONNX).content is not None
    with pytest.raises(ConversionError) as caught:
        convert(model, Format.ONNX, OnnxOptions(17))
    assert str(caught.value) == (
        "<bytes>: node 'halves' (stablehlo.uniform_quantize): a quantized type with storage i16 is not in opset 17. "
        "Give --opset 21"
    )


def test_an_op_without_a_form_is_named() -> None:
    body = """  %1 = stablehlo.atan2 %0, %0 : tensor<2xf32> loc("angle")
  func.return %1 : tensor<2xf32>"""
    with pytest.raises(ConversionError) as caught:
        convert(load(text_of(body, "(%0: tensor<2xf32>) -> tensor<2xf32>")), Format.ONNX)
    assert str(caught.value) == (
        "<bytes>: node 'angle' (stablehlo.atan2): no operator computes the angle of two numbers. "
        "Cut the model before it with --outputs"
    )


@pytest.mark.parametrize(
    ("op", "given", "expected"),
    [
        ("cbrt", [-8.0, 27.0], [-2.0, 3.0]),
        ("round_nearest_afz", [-2.5, 0.5], [-3.0, 1.0]),
        ("exponential_minus_one", [0.0, 1.0], [0.0, 1.7182817]),
        ("log_plus_one", [0.0, 1.0], [0.0, 0.6931472]),
        ("rsqrt", [4.0, 0.25], [0.5, 2.0]),
    ],
)
def test_functions_that_are_several_nodes(op: str, given: list[float], expected: list[float]) -> None:
    body = f"  %1 = stablehlo.{op} %0 : tensor<2xf32>\n  func.return %1 : tensor<2xf32>"
    converted = convert(load(text_of(body, "(%0: tensor<2xf32>) -> tensor<2xf32>")), Format.ONNX)
    assert converted.content is not None
    (found,) = answers(converted.content, np.asarray(given, np.float32))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_tflite_model_is_written() -> None:
    """LiteRT rounds in fixed point, which ONNX does not: a step apart."""
    model = load(FIXTURES / "lstm_int8.tflite")
    converted = convert(model, Format.ONNX)
    assert converted.content is not None
    sizes = [dim.dim_value for dim in graph(converted).input[0].type.tensor_type.shape.dim]
    given = np.random.default_rng(0).integers(-128, 128, sizes).astype(np.int8)
    (found,), (expected,) = answers(converted.content, given), evaluate(model.module, [given])
    assert found.dtype == np.int8
    assert np.abs(found.astype(int) - expected.astype(int)).max() <= 1


Q = "!quant.uniform<i8:f32, 0.5:3>"
IMAGE = f"""
func.func @main(%x: tensor<1x4x4x2x{Q}>) -> tensor<1x4x4x3x{Q}> {{
  %w = stablehlo.constant() <{{value = dense<7> : tensor<3x3x2x3xi8>}}>
      : () -> tensor<3x3x2x3x!quant.uniform<i8:f32, 0.01>>
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
      : (tensor<1x4x4x2x{Q}>, tensor<3x3x2x3x!quant.uniform<i8:f32, 0.01>>) -> tensor<1x4x4x3x{Q}>
  return %y : tensor<1x4x4x3x{Q}>
}}""".encode()


@pytest.mark.parametrize("source", [IMAGE], ids=["image"])
def test_int8_is_moved_before_it_is_dequantized(source: bytes) -> None:
    """onnxruntime, as it is by default, does not load movements of dequantized int8 without a quantizer behind them."""
    content = convert(load(source), Format.ONNX).content
    assert content is not None
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    [port] = session.get_inputs()
    values = random(*port.shape, dtype=np.int8)
    np.testing.assert_array_equal(session.run(None, {port.name: values})[0], answers(content, values)[0])


@pytest.mark.parametrize("combine", ["add", "maximum", "minimum", "multiply"])
def test_a_reduction_over_no_dimension_is_the_identity(combine: str) -> None:
    neutral = {"add": "0.0", "maximum": "0xFF800000", "minimum": "0x7F800000", "multiply": "1.0"}[combine]
    text = f"""func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{
      %i = stablehlo.constant dense<{neutral}> : tensor<f32>
      %y = stablehlo.reduce(%x init: %i) applies stablehlo.{combine} across dimensions = []
        : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }}"""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    content = convert(load(text.encode()), Format.ONNX).content
    assert content is not None
    session = reference_session(content)
    np.testing.assert_array_equal(session.run(None, {session.get_inputs()[0].name: x})[0], x)
