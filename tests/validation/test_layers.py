"""Cutting a fused module into layers."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.parser import parse_model

from qconvert import Format, convert, load
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.rewriting import OpProof, Proof
from qconvert.validation.layers import Family, Layer, proof_of, split_layers, tagged
from tests.support.layer_programs import AVERAGE, FOUR_LAYERS, X, Y, Z

OP_TYPES = {"quantize": "QuantizeLinear", "requantize": "QuantizeLinear", "gemm": "Gemm", "tanh": "Tanh"}


def layers_of(text: str, *inputs: str) -> tuple[Layer, ...]:
    return split_layers(parse_module(text), inputs, OP_TYPES)


def test_each_layer_takes_and_makes_tensors_of_the_source() -> None:
    layers = layers_of(FOUR_LAYERS, "x")
    assert [(layer.inputs, layer.tensor, layer.family, layer.bits) for layer in layers] == [
        (("x",), "x_q", Family.ELEMENTWISE, 8),
        (("x_q",), "gemm_q", Family.CONTRACTION, 8),
        (("gemm_q",), "tanh_q", Family.ELEMENTWISE, 8),
        (("tanh_q",), "flat_q", Family.MOVEMENT, 8),
    ]


def test_a_layer_is_named_after_what_feeds_its_quantize() -> None:
    layers = layers_of(FOUR_LAYERS, "x")
    assert [(layer.node, layer.nodes) for layer in layers] == [
        ("quantize", ("quantize",)),
        ("gemm", ("gemm", "requantize")),
        ("tanh", ("tanh",)),
        ("flatten", ("flatten",)),
    ]


def test_a_layer_is_named_after_the_node_of_its_last_op() -> None:
    """The convolution's bias comes before the transpose of its image."""
    proto = parse_model("""<ir_version: 8, opset_import: ["": 17]>
      g (float[1, 6, 6, 2] x) => (float[1, 3, 6, 6] y)
         <float a = {0.1}, int8 z = {0}, int8[3, 2, 1, 1] w = {1, 2, 3, 4, 5, 6},
          float c = {0.01}, int32[3] b = {1, 2, 3}> {
        x_q = QuantizeLinear(x, a, z)
        [before] x_t = Transpose <perm = [0, 3, 1, 2]> (x_q)
        x_r = DequantizeLinear(x_t, a, z)
        w_r = DequantizeLinear(w, a, z)
        b_r = DequantizeLinear(b, c)
        [conv] m = Conv(x_r, w_r, b_r)
        m_q = QuantizeLinear(m, a, z)
        y = DequantizeLinear(m_q, a, z)
      }""")
    model = load(proto)
    layers = split_layers(convert(model, Format.TFLITE).fused, model.input_names, model.op_types)
    assert [layer.node for layer in layers if layer.family is Family.CONTRACTION] == ["conv"]
    assert layers[-1].nodes[:2] == ("conv", "before")


def test_layers_in_a_row_compute_what_the_module_does() -> None:
    module = parse_module(FOUR_LAYERS)
    x = np.array([[0.7, -3.1]], np.float32)
    tensors = {"x": x}
    for layer in split_layers(module, ["x"], OP_TYPES):
        (tensors[layer.tensor],) = evaluate(layer.module, [tensors[name] for name in layer.inputs])
    (whole,) = evaluate(module, [x])
    real = (tensors["flat_q"].astype(np.float32) + 7) * np.float32(0.25)
    np.testing.assert_allclose(whole, np.exp(real), rtol=1e-6)


def test_a_layer_is_proved_if_all_of_its_ops_are() -> None:
    _, gemm, tanh, _ = layers_of(FOUR_LAYERS, "x")
    whole, other = Proof(256, 3, 0, 1), Proof(256, 0, 2, 1)
    assert proof_of(tanh, [OpProof(("tanh",), whole), OpProof(("elsewhere",))]).proof == whole
    found = proof_of(gemm, [OpProof(("gemm",), whole), OpProof(("gemm", "requantize"), other)])
    assert found == OpProof(("gemm", "requantize"), Proof(512, 3, 2, 1))
    assert proof_of(gemm, [OpProof(("gemm",)), OpProof(("requantize",), whole)]).proof is None
    assert proof_of(gemm, []).proof is None


def test_a_layer_has_the_largest_bound_if_its_other_ops_are_proved() -> None:
    _, gemm, *_ = layers_of(FOUR_LAYERS, "x")
    bounds = [OpProof(("gemm",), bound=0.01), OpProof(("requantize",), bound=0.02)]
    assert proof_of(gemm, bounds) == OpProof(gemm.nodes, bound=0.02)
    assert proof_of(gemm, [bounds[0], OpProof(("requantize",), Proof(256, 0, 0, 0))]).bound == 0.01
    assert proof_of(gemm, [bounds[0], OpProof(("requantize",), Proof(256, 0, 1, 1))]).bound is None
    assert proof_of(gemm, [bounds[0], OpProof(("requantize",))]).bound is None
    both = proof_of(gemm, [bounds[0], OpProof(("requantize",), measured=0.02)])
    assert (both.bound, both.measured) == (None, 0.02)


def test_tensor_names_are_in_order() -> None:
    assert list(dict(tagged(parse_module(FOUR_LAYERS)))) == ["x_q", "gemm_q", "tanh_q", "flat_q"]


def test_a_sum_is_an_average() -> None:
    (layer,) = layers_of(AVERAGE, "x")
    assert (layer.family, layer.node, layer.inputs) == (Family.AVERAGE, "mean", ("x",))


def test_an_extremum_moves_elements() -> None:
    text = f"""
func.func @main(%x: tensor<3x2x{Z}>) -> tensor<3x{Z}> {{
  %c = stablehlo.constant() <{{value = dense<-128> : tensor<i8>}}> : () -> tensor<{Z}>
  %0 = "stablehlo.reduce"(%x, %c) <{{dimensions = array<i64: 1>}}> ({{
  ^bb0(%a: tensor<{Z}>, %b: tensor<{Z}>):
    %2 = stablehlo.maximum %a, %b : tensor<{Z}>
    stablehlo.return %2 : tensor<{Z}>
  }}) {{qconvert.tensor = "max_q"}} : (tensor<3x2x{Z}>, tensor<{Z}>) -> tensor<3x{Z}>
  return %0 : tensor<3x{Z}>
}}"""
    (layer,) = layers_of(text, "x")
    assert layer.family is Family.MOVEMENT
    assert layer.node == "max_q"  # no node is known: the tensor stands for it


def test_a_layer_of_two_inputs_names_both_once() -> None:
    text = f"""
func.func @main(%a: tensor<2x{X}>, %b: tensor<2x{Y}>) -> tensor<2x{X}> {{
  %s = stablehlo.add %a, %b : (tensor<2x{X}>, tensor<2x{Y}>) -> tensor<2x{X}>
  %t = stablehlo.multiply %s, %b {{qconvert.tensor = "y"}} : (tensor<2x{X}>, tensor<2x{Y}>) -> tensor<2x{X}>
  return %t : tensor<2x{X}>
}}"""
    (layer,) = layers_of(text, "a", "b")
    assert sorted(layer.inputs) == ["a", "b"]
    assert layer.family is Family.ELEMENTWISE


def test_a_constant_that_the_model_quantizes_is_no_input() -> None:
    text = f"""
func.func @main(%a: tensor<2x{X}>) -> tensor<2x{X}> {{
  %c = stablehlo.constant() {{value = dense<[1, 2]> : tensor<2xi8>, qconvert.tensor = "c_q"}} : () -> tensor<2x{X}>
  %s = stablehlo.add %a, %c {{qconvert.tensor = "y"}} : (tensor<2x{X}>, tensor<2x{X}>) -> tensor<2x{X}>
  return %s : tensor<2x{X}>
}}"""
    (layer,) = layers_of(text, "a")
    assert layer.inputs == ("a",)


def test_what_takes_no_input_is_no_layer() -> None:
    text = f"""
func.func @main() -> tensor<2x{X}> {{
  %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %c {{qconvert.tensor = "c_q"}} : (tensor<2xf32>) -> tensor<2x{X}>
  return %q : tensor<2x{X}>
}}"""
    assert layers_of(text) == ()


@pytest.mark.slow
@pytest.mark.parametrize("depth", [3000])
def test_a_deep_chain_does_not_recurse(depth: int) -> None:
    lines = [f"  %{i + 1} = stablehlo.negate %{i} : tensor<2xf32>" for i in range(depth)]
    chain = "\n".join(lines).replace("%0 :", "%x :")
    text = (
        f"func.func @main(%x: tensor<2xf32>) -> tensor<2x{X}> {{\n{chain}\n"
        f'  %q = stablehlo.uniform_quantize %{depth} {{qconvert.tensor = "y"}} : (tensor<2xf32>) -> tensor<2x{X}>\n'
        f"  return %q : tensor<2x{X}>\n}}"
    )
    (layer,) = layers_of(text, "x")
    assert layer.inputs == ("x",)


CHANNELS = """
func.func @main(%x: tensor<1x9x9x3xf32>) -> tensor<1x4x49xf32> {
  %w = stablehlo.constant dense<1.0> : tensor<3x3x3x4xf32>
  %n = stablehlo.negate %x {qconvert.tensor = "n"} : tensor<1x9x9x3xf32>
  %c = stablehlo.convolution(%n, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x9x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x7x7x4xf32>
  %t = stablehlo.transpose %c, dims = [0, 3, 1, 2] {qconvert.tensor = "t"}
    : (tensor<1x7x7x4xf32>) -> tensor<1x4x7x7xf32>
  %a = stablehlo.abs %t {qconvert.tensor = "a"} : tensor<1x4x7x7xf32>
  %r = stablehlo.reshape %a {qconvert.tensor = "r"} : (tensor<1x4x7x7xf32>) -> tensor<1x4x49xf32>
  return %r : tensor<1x4x49xf32>
}"""


def test_the_dimension_of_channels_follows_the_ops() -> None:
    found = {layer.tensor: layer.channel for layer in split_layers(parse_module(CHANNELS), ["x"])}
    assert found == {"n": 1, "t": 1, "a": 1, "r": 1}, "the image in front is taken to be as those behind"
    last = CHANNELS.replace('{qconvert.tensor = "t"}', "").replace(
        "feature_group_count = 1 : i64}", 'feature_group_count = 1 : i64, qconvert.tensor = "c"}'
    )
    assert [layer.channel for layer in split_layers(parse_module(last), ["x"])] == [3, 3, 1, 1]
