"""Findings of the fuzzers, minimised: each is converted in every way, goes through every pass, and is read back."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import ModelProto, TensorProto, helper

from qconvert import Format, api
from qconvert.api.saving import save
from qconvert.api.verification import verify
from qconvert.backends.onnx import OnnxOptions, Style
from qconvert.support.errors import ConversionError
from tests.support.read_back import every_way


def depthwise(weight: str = "1x1x1x1", *, stride: int = 1, dilation: int = 1, pad: int = 0, sums: str = "i32") -> str:
    """Return a convolution in TOSA of which one part is wrong."""
    return f"""func.func @main(%x: tensor<1x8x8x1xi8>) -> tensor<1x8x8x1xi32> {{
      %w = "tosa.const"() <{{values = dense<-4> : tensor<{weight}xi8>}}> : () -> tensor<{weight}xi8>
      %b = "tosa.const"() <{{values = dense<7> : tensor<1xi32>}}> : () -> tensor<1xi32>
      %z = "tosa.const"() <{{values = dense<0> : tensor<1xi8>}}> : () -> tensor<1xi8>
      %y = "tosa.depthwise_conv2d"(%x, %w, %b, %z, %z) <{{acc_type = {sums}, dilation = array<i64: {dilation}, 1>,
        pad = array<i64: {pad}, 0, 0, 0>, stride = array<i64: {stride}, 1>}}> : (tensor<1x8x8x1xi8>,
        tensor<{weight}xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x1xi32>
      return %y : tensor<1x8x8x1xi32>
    }}"""


def function(op: str, type: str) -> str:
    """Return a function of one value."""
    return f'func.func @main(%a: {type}) -> {type} {{ %0 = "{op}"(%a) : ({type}) -> {type} return %0 : {type} }}'


def scaled(scale: str) -> str:
    """Return a quantize with a scale."""
    return f"""func.func @main(%x: tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, {scale}:3>> {{
      %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, {scale}:3>>
      return %0 : tensor<2x!quant.uniform<i8:f32, {scale}:3>>
    }}"""


def sized(*lines: str) -> str:
    """Return a function of an open size ``%n`` of its argument ``%x``."""
    return f"""func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {{
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
      {"".join(lines)} return %x : tensor<?x4xf32>
    }}"""


WITHOUT_RETURN = """func.func private @f(%n: tensor<i32>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.constant dense<1> : tensor<i32>
}"""

REFUSED = {
    depthwise("0"): "an input of shape",
    depthwise("1"): "an input of shape",
    depthwise(stride=0): "a kernel, a stride or a dilation is less than 1",
    depthwise(dilation=0): "a kernel, a stride or a dilation is less than 1",
    depthwise(pad=-1): "padding is negative",
    depthwise(sums="i1"): "sums are of i32, i48 or floats, not of i1",
    function("qconvert.gelu", "tensor<4xi1>"): "floats or quantized values are needed, found i1",
    function("stablehlo.tanh", "tensor<4xi16>"): "float or complex or quantized is needed, found i16",
    function("qconvert.erf", "tensor<4xi32>"): "floats or quantized values are needed, found i32",
    function("qconvert.softmax", "tensor<4xi32>").replace("(%a) :", "(%a) <{axis = 0 : i64}> :"): "floats or quantized",
    scaled("0.1e-45"): "scale 1e-46 is out of the range of f32",
    scaled("1.1e39"): r"scale 1.1e\+39 is out of the range of f32",
    sized("%0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<3xi32>"): "stablehlo.reshape",
    sized("%0 = stablehlo.get_dimension_size %n, dim = 0 : (tensor<i32>) -> tensor<i32>"): "get_dimension_size",
    sized('%0 = "tosa.const"() : () -> tensor<1xi32>'): "values",
    sized('%0 = "stablehlo.abs"() : () -> tensor<?xf32>'): "operand",
    sized("%0 = call @f(%n, %x) : (tensor<i32>, tensor<?x4xf32>) -> tensor<?x4xf32>") + WITHOUT_RETURN: "@f takes or",
    """func.func @main(%x: tensor<2xi32>) -> tensor<2xi8> {
      %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
      %s = "tosa.const"() <{axis = 1}> : () -> tensor<1xi8>
      %i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
      %o = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
      %y = tosa.rescale %x, %m, %s, %i, %o {input_unsigned = false, output_unsigned = false, per_channel = false,
        rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>,
        tensor<1xi8>) -> tensor<2xi8>
      return %y : tensor<2xi8>
    }""": "values",
    "%0 = stablehlo.constant dense<1> : tensor<i32> func.func @main() { return }": "it stands outside of a function",
    "module { func.func @main() { return } ^b(%a: tensor<2xf32>): }": "a module has one block",
    """func.func @main(%x: tensor<1x2x2x1xi8>) -> tensor<1x1x1x1xi8> {
      %z = "tosa.const"() <{values = dense<0> : tensor<2xi8>}> : () -> tensor<2xi8>
      %y = "tosa.avg_pool2d"(%x, %z, %z) <{acc_type = i32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>,
        stride = array<i64: 1, 1>}> : (tensor<1x2x2x1xi8>, tensor<2xi8>, tensor<2xi8>) -> tensor<1x1x1x1xi8>
      return %y : tensor<1x1x1x1xi8>
    }""": r"input_zp has one element, found the shape \[2\]",
    """func.func @main(%x: tensor<2x3xi1>) -> tensor<1x3xi1> {
      %0 = "tosa.reduce_any"(%x) <{axis = 0 : i1}> : (tensor<2x3xi1>) -> tensor<1x3xi1>
      return %0 : tensor<1x3xi1>
    }""": "tosa.reduce_any: Expected attribute i32",
}
"""Texts and the errors with which they are refused where they are read."""


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_a_text_is_refused(text: str) -> None:
    with pytest.raises(ConversionError, match=REFUSED[text]):
        api.load(text.encode())


PER_CHANNEL = "tensor<1x3x3x2x!quant.uniform<i8:f32:3, {0.5,0.25}>>"
DOUBLE = function("stablehlo.abs", "tensor<2xf64>")
WORKS: tuple[str, ...] = (depthwise(dilation=65535), DOUBLE)


@pytest.mark.slow
@pytest.mark.parametrize("text", WORKS, ids=range(len(WORKS)))
def test_a_text_works_or_is_refused(text: str) -> None:
    every_way(text.encode())


def test_the_level_limits_the_dilation_of_one_element() -> None:
    [violation] = verify(depthwise(dilation=65535).encode()).violations
    assert "a dilated kernel of 65535 exceeds the limit 8192" in str(violation)


def test_an_image_with_scales_along_its_channels_keeps_them_where_channels_come_last() -> None:
    moved = api.transform(api.load(function("stablehlo.abs", PER_CHANNEL).encode()), ["nhwc-io"])
    assert "tensor<1x3x2x3x!quant.uniform<i8:f32:2, {0.5,0.25}>>" in moved.text


def test_tosa_has_no_floats_of_64_bits() -> None:
    with pytest.raises(ConversionError, match="TOSA does not support f64"):
        api.convert(api.load(DOUBLE.encode()), Format.TOSA)


def test_storages_without_a_plain_integer_are_widened_before_arithmetic() -> None:
    odd = "tensor<4x!quant.uniform<i5:f32, 0.5>>"
    with pytest.raises(ConversionError, match=r"storages of 1, 2, 4, 8, 16 or 32 bits \(widen-storage\)"):
        api.transform(api.load(function("stablehlo.abs", odd).encode()), ["legalize-quant-to-math"])


HUGE = "func.func @main(%x: tensor<2xi8>, %y: tensor<1099511627776xi8>) -> tensor<2xi8> { return %x : tensor<2xi8> }"
SCALED = """func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xi32> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %y = "tosa.rescale"(%x, %m, %s, %z, %o) <{input_unsigned = false, output_unsigned = false, per_channel = false,
    rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>,
    tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2xi32>
  return %y : tensor<2xi32>
}"""
TO_ONNX = {
    HUGE.replace("return", '%z = "tosa.abs"(%x) : (tensor<2xi8>) -> tensor<2xi8> return'): "more than 2,147,483,648",
    SCALED: "ONNX's integer operators cannot rescale !quant.uniform<i8:f32, 0.5:3>",
}


@pytest.mark.parametrize("text", TO_ONNX, ids=range(len(TO_ONNX)))
def test_a_text_is_not_written_in_onnx(text: str) -> None:
    with pytest.raises(ConversionError, match=TO_ONNX[text]):
        api.convert(api.load(text.encode()), Format.ONNX)


@pytest.mark.tosa
def test_a_flatbuffer_of_tosa_has_one_function(tmp_path: Path) -> None:
    text = f"{function('stablehlo.abs', 'tensor<2xf32>')} func.func @other() {{ return }}"
    made = api.convert(api.load(text.encode()), Format.TOSA)
    with pytest.raises(ConversionError, match=r"2 functions, a TOSA flatbuffer has one. Remove @other"):
        save(made, tmp_path / "y.tosa")


@pytest.mark.tosa
def test_a_flatbuffer_of_tosa_has_outputs_of_different_names(tmp_path: Path) -> None:
    port = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [given], [port, port])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made = api.convert(api.load(model.SerializeToString()), Format.TOSA)
    with pytest.raises(ConversionError, match="2 outputs have the name 'y', a TOSA flatbuffer needs one"):
        save(made, tmp_path / "y.tosa")


def test_channels_are_not_clamped_in_tflite() -> None:
    """The bounds of LiteRT's activations were looked up with one scale."""
    channels = "tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,1.0}>>"
    one = "tensor<!quant.uniform<i8:f32, 0.25:-25>>"
    text = f"""func.func @main(%x: {channels}) -> {channels} {{
      %a = stablehlo.constant() <{{value = dense<-69> : tensor<i8>}}> : () -> {one}
      %b = stablehlo.constant() <{{value = dense<119> : tensor<i8>}}> : () -> {one}
      %y = stablehlo.clamp %a, %x, %b : ({one}, {channels}, {one}) -> {channels}
      return %y : {channels}
    }}"""
    with pytest.raises(ConversionError, match="takes i8 of one scale"):
        api.convert(api.load(text.encode()), Format.TFLITE)


def test_hybrid_products_of_computed_4_bit_integers_are_not_written_in_tflite() -> None:
    text = """func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4x!quant.uniform<i4:f32, 0.5>>) -> tensor<2x4xf32> {
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        {qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0>}
        : (tensor<2x3xf32>, tensor<3x4x!quant.uniform<i4:f32, 0.5>>) -> tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    }"""
    with pytest.raises(ConversionError, match="LiteRT has no BATCH_MATMUL of floats and !quant"):
        api.convert(api.load(text.encode()), Format.TFLITE)


@pytest.mark.slow
def test_magnitudes_of_unsigned_integers() -> None:
    """ReduceL1 of uint32 became an abs, which StableHLO does not have for them; onnxruntime has no such kernel."""
    ports = [
        helper.make_tensor_value_info(name, TensorProto.UINT32, [2, 3][:rank]) for name, rank in (("x", 2), ("y", 1))
    ]
    node = helper.make_node("ReduceL1", ["x"], ["y"], axes=[1], keepdims=0)
    graph = helper.make_graph([node], "g", ports[:1], ports[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    assert not any("abs" in error for error in every_way(model.SerializeToString()))


def test_extremes_of_narrow_integers() -> None:
    """Maxima of i4 started from -128 in StableHLO, which the type does not hold."""
    text = """func.func @main(%x: tensor<2x3xi4>) -> tensor<1x3xi4> {
      %0 = "tosa.reduce_max"(%x) <{axis = 0 : i32}> : (tensor<2x3xi4>) -> tensor<1x3xi4>
      return %0 : tensor<1x3xi4>
    }"""
    written = api.convert(api.load(text.encode()), Format.STABLEHLO_INT).text
    assert "dense<-8> : tensor<i4>" in written
    assert verify(written.encode()).violations == ()


def test_sums_of_integer_products_are_no_gemm() -> None:
    """The QOperator style wrote Gemm of int32, which neither onnxruntime nor the reader takes."""
    text = """func.func @main(%x: tensor<2x3xi32>, %w: tensor<3x4xi32>) -> tensor<2x4xi32> {
      %b = stablehlo.constant dense<[1, -2, 3, -4]> : tensor<4xi32>
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
      %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xi32>) -> tensor<2x4xi32>
      %2 = stablehlo.add %0, %1 : tensor<2x4xi32>
      return %2 : tensor<2x4xi32>
    }"""
    made = api.convert(api.load(text.encode()), Format.ONNX, OnnxOptions(style=Style.QOPERATOR))
    assert made.content is not None
    assert {node.op_type for node in ModelProto.FromString(made.content).graph.node} == {"MatMul", "Add"}
