"""The nodes that ``inspect`` lists: shapes, scales, multiply-accumulates, weights, memory; and what formats refuse."""

from __future__ import annotations

import json

import pytest
from xdsl.ir import Operation

from qconvert.api import convert, load
from qconvert.api.fitness import fitness
from qconvert.api.inspection import Inspection, inspect_model
from qconvert.api.nodes import Arithmetic, NodeInfo
from qconvert.backends.base import Profile
from qconvert.backends.tosa import TosaOptions
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.composite.wide import WideConvolutionOp
from qconvert.dialects.families import defined
from qconvert.dialects.traits import Contraction
from qconvert.formats import Format
from tests.cases import contraction
from tests.support.paths import FIXTURES


def _node(inspection: Inspection, name: str) -> NodeInfo:
    return next(node for node in inspection.nodes if name in node.nodes)


def test_a_quantized_convolution() -> None:
    """3 x 3 weights of 16 features on 8 x 8 positions, with 16 biases of 32 bits; input and result are in memory."""
    node = _node(inspect_model(load(FIXTURES / "digits_cnn_int8.onnx")), "conv_1")
    assert (node.title, node.arithmetic) == ("conv_1 (Conv)", Arithmetic.INTEGER)
    assert (node.macs, node.weights_bytes, node.live_bytes) == (9 * 16 * 64, 9 * 16 + 4 * 16, 64 + 16 * 64)
    [result] = node.outputs
    assert (str(result), result.zero_points, result.bytes) == ("1x16x8x8 i8", (-128,), 16 * 64)
    assert result.scale == "0.0170197"
    weights = node.weights[0]
    assert (weights.shape, weights.axis, len(weights.scales)) == ((3, 3, 1, 16), 3, 16)
    assert weights.scale == f"{min(weights.scales):.6g} to {max(weights.scales):.6g}"


def test_nodes_add_up_to_the_totals() -> None:
    found = inspect_model(load(FIXTURES / "digits_cnn_int8.onnx"))
    assert sum(node.macs for node in found.nodes) == found.macs
    assert sum(node.weights_bytes for node in found.nodes) == found.weights_bytes
    assert max(node.live_bytes or 0 for node in found.nodes) == found.peak_activation_bytes == 3 * 16 * 64
    assert found.peak_node == "conv_3 (Conv)"


SKIP = b"""
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.abs %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  %2 = stablehlo.exponential %1 : tensor<4xf32>
  %3 = stablehlo.add %2, %x : tensor<4xf32>
  return %3, %1 : tensor<4xf32>, tensor<4xf32>
}
"""


def test_activations_are_in_memory_until_their_last_use() -> None:
    """X lives to the add, which follows it over three ops; %1 lives to the end, because it is a result."""
    found = inspect_model(load(SKIP))
    assert [(node.live_bytes or 0) // 16 for node in found.nodes] == [2, 3, 3, 4]
    assert (found.peak_activation_bytes, found.peak_node) == (64, "<bytes>:6:3 (stablehlo.add)")


def test_a_function_without_ops_holds_its_arguments() -> None:
    found = inspect_model(load(b"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"))
    assert (found.nodes, found.peak_activation_bytes, found.peak_node) == ((), 16, None)


def test_small_weights_are_packed_and_repeated_elements_count_once() -> None:
    text = b"""
    func.func @main(%x: tensor<2x5xi4>) -> (tensor<2x5xi4>, tensor<2x5xi1>) {
      %c = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 0, 1, 2]]> : tensor<2x5xi4>
      %s = stablehlo.constant dense<1> : tensor<2x5xi4>
      %0 = stablehlo.add %x, %c : tensor<2x5xi4>
      %1 = stablehlo.add %0, %s : tensor<2x5xi4>
      %2 = stablehlo.compare EQ, %1, %x : (tensor<2x5xi4>, tensor<2x5xi4>) -> tensor<2x5xi1>
      return %1, %2 : tensor<2x5xi4>, tensor<2x5xi1>
    }"""
    first, second, third = inspect_model(load(text)).nodes
    assert (first.weights_bytes, second.weights_bytes) == (5, 1)
    assert [tensor.bytes for tensor in third.outputs] == [10]


CONTRACTIONS = {
    3 * 4 * 6 * 5: """
        func.func @main(%x: tensor<3x4x5xf32>, %y: tensor<3x5x6xf32>) -> tensor<3x4x6xf32> {
          %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1]
              : (tensor<3x4x5xf32>, tensor<3x5x6xf32>) -> tensor<3x4x6xf32>
          return %0 : tensor<3x4x6xf32>
        }""",
    6 * 6 * 9 * 3 * 3 * 2: """
        func.func @main(%x: tensor<1x8x8x6xf32>, %y: tensor<3x3x2x9xf32>) -> tensor<1x6x6x9xf32> {
          %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
              {batch_group_count = 1 : i64, feature_group_count = 3 : i64}
              : (tensor<1x8x8x6xf32>, tensor<3x3x2x9xf32>) -> tensor<1x6x6x9xf32>
          return %0 : tensor<1x6x6x9xf32>
        }""",
    7 * 8 * 5: """
        func.func @main(%x: tensor<7x5xf32>, %y: tensor<5x8xf32>) -> tensor<7x8xf32> {
          %0 = stablehlo.dot %x, %y : (tensor<7x5xf32>, tensor<5x8xf32>) -> tensor<7x8xf32>
          return %0 : tensor<7x8xf32>
        }""",
}
"""A batched product, a convolution of three groups and a product of matrices, by their multiply-accumulates."""


@pytest.mark.parametrize("macs", CONTRACTIONS)
def test_multiply_accumulates(macs: int) -> None:
    assert inspect_model(load(CONTRACTIONS[macs].encode())).macs == macs


def test_every_contraction_is_counted() -> None:
    """A new op with the trait must be counted in ``qconvert.api.macs``, and listed here."""
    kinds = {kind for home in (stablehlo, composite) for kind in defined(Operation, home)}
    assert {kind for kind in kinds if kind.has_trait(Contraction)} == {
        stablehlo.ConvolutionOp,
        stablehlo.DotGeneralOp,
        stablehlo.DotOp,
        WideConvolutionOp,
    }


def test_a_hybrid_product_is_mixed() -> None:
    found = inspect_model(load(contraction.HYBRIDS["FULLY_CONNECTED True"].model()))
    assert {node.arithmetic for node in found.nodes if node.macs} == {Arithmetic.MIXED}


def test_targets_say_what_convert_refuses() -> None:
    model = load(FIXTURES / "float" / "digits_cnn.onnx")
    found = {target.title: target for target in inspect_model(model, targets=True).targets}
    assert list(found) == [
        "stablehlo",
        "tosa --profile mixed",
        "tosa --profile int",
        "tflite --profile mixed",
        "tflite --profile int",
        "onnx",
    ]
    assert found["tosa --profile mixed"].outcome == "converts; 17 ops in float in the file"
    assert found["tosa --profile int"].outcome == "refused: 12 nodes"
    assert found["tosa --profile int"] == fitness(model, Format.TOSA, TosaOptions(profile=Profile.INT))
    assert found["onnx"].is_complete


def test_a_source_that_never_becomes_a_format_is_not_tried_in_it() -> None:
    tosa = load(convert(load(FIXTURES / "digits_mlp_int8.onnx"), Format.TOSA).text.encode())
    titles = [target.title for target in inspect_model(tosa, targets=True).targets]
    assert "tflite --profile int" not in titles
    assert any(title.startswith("tosa") for title in titles)


def test_names_are_printable_in_the_table_and_whole_in_json() -> None:
    text = rb"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.abs %x : tensor<4xf32> loc("conv\1B[31m\0A<script>")
      return %0 : tensor<4xf32>
    }"""
    found = inspect_model(load(text))
    assert r"conv\x1b[31m\n<script> (stablehlo.abs)" in found.text()
    assert json.loads(found.json())["nodes"][0]["nodes"] == ["conv\x1b[31m\n<script>"]


def test_open_sizes() -> None:
    text = b"""func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %0 = stablehlo.abs %x : tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }"""
    found = inspect_model(load(text))
    assert [str(tensor) for tensor in found.nodes[0].outputs] == ["1x4 f32"]
