"""The figures of ``inspect``: ops in float and multiply-accumulates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.traits import ConstantLike

from qconvert import save
from qconvert.api import convert, load
from qconvert.api.fitness import fitness
from qconvert.api.inspection import inspect_model
from qconvert.formats import FORMATS, Format
from qconvert.interpreter.core import main_function
from qconvert.ir import has_floats
from tests.cases import contraction
from tests.support.onnx_cases import Quantization, Quantized, one_op, random
from tests.support.paths import FIXTURES

SUM = b"""
func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def test_float_ops_are_among_the_counted_ops() -> None:
    """The op in the reduction's region is none of the function's."""
    found = inspect_model(load(SUM))
    assert (found.ops, found.float_ops) == ({"constant": 1, "reduce": 1}, 1)


def test_the_operators_of_a_file_of_tflite() -> None:
    found = inspect_model(load(FIXTURES / "digits_cnn_uint8.onnx"), Format.TFLITE)
    assert (found.operators["CONV_2D"], found.float_operators, found.refusals) == (3, {}, ())
    assert "  file    3 CONV_2D, " in found.text(why=False)
    floats = inspect_model(load(FIXTURES / "float" / "digits_cnn.onnx"), Format.TFLITE)
    assert floats.float_operators["CONV_2D"] == 3
    assert {refusal.reason for refusal in floats.refusals} == {"its operands are not quantized"}


def weights_in_4_bits() -> bytes:
    """Return a product by weights of 4 bits in blocks of two rows, and a Relu, all activations in floats."""
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["d"], axis=0, block_size=2),
        helper.make_node("MatMul", ["x", "d"], ["p"], name="product"),
        helper.make_node("Relu", ["p"], ["y"], name="relu"),
    ]
    constants = [
        helper.make_tensor("w", TensorProto.INT4, [4, 3], [1, -2, 3, -4, 5, -6, 7, -8, 0, 1, 2, 3]),
        helper.make_tensor("s", TensorProto.FLOAT, [2, 3], [0.5, 0.25, 1.0, 2.0, 0.125, 0.75]),
    ]
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", [2, 4]), ("y", [2, 3]))
    ]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return bytes(model.SerializeToString())


FLOAT_TEXT = b"""func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %x : tensor<2x3xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [0]
      : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
"""


@pytest.mark.parametrize("source", [weights_in_4_bits(), FLOAT_TEXT], ids=["weights", "text"])
@pytest.mark.parametrize("to", list(Format))
def test_the_ops_in_float_are_those_of_the_file(source: bytes, to: Format) -> None:
    """Weights in 4 bits leave all activations in floats, and a text's ops have no names by which they are counted."""
    model = load(source)
    fit = fitness(model, to)
    found = inspect_model(model, to)
    assert fit.floats == sum(found.float_operators.values()) >= 2
    written = convert(model, to)
    if written.content is None and not FORMATS[to].in_qdq:
        floats = [op for op in main_function(written.module).body.block.ops if has_floats(op) and op.results]
        floats = [op for op in floats if not op.has_trait(ConstantLike)]
        assert len(floats) == fit.floats + fit.quantizing


@pytest.mark.parametrize(("operator", "gates"), [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_macs_of_recurrent_layers_are_counted(operator: str, gates: int) -> None:
    features, units, steps, batch = 3, 5, 7, 2
    weights = [("w", (1, gates * units, features)), ("r", (1, gates * units, units))]
    graph = helper.make_graph(
        [helper.make_node(operator, ["x", "w", "r"], ["y"], hidden_size=units)],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [steps, batch, features])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [steps, 1, batch, units])],
        [numpy_helper.from_array(np.ones(size, np.float32), name) for name, size in weights],
    )
    found = inspect_model(load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)))
    assert (found.macs, found.quantized_macs) == (steps * batch * gates * units * (features + units), 0)


def test_the_note_of_tosa_counts_quantized_ops_that_it_computes_in_floats() -> None:
    quantization = Quantization(0.05, 3)
    rows = Quantized(random(2, 8, dtype=np.int8), quantization)
    model = load(one_op("LogSoftmax", [rows], result=quantization).model)
    converted = convert(model, Format.TOSA)
    [found] = converted.floats
    assert (found.node, found.reason) == ("op", "TOSA has no integer form of this operator")
    assert "note: 1 op stays in float. qconvert inspect m --why --to tosa lists the reasons." in converted.notes("m")
    assert inspect_model(model, Format.TOSA).refusals == (found,)


def test_the_note_of_tosa_counts_no_quantized_op_in_integers() -> None:
    quantization = Quantization(0.05, 3)
    operands = [Quantized(random(2, 8, dtype=np.int8, seed=seed), quantization) for seed in range(2)]
    converted = convert(load(one_op("Add", operands, result=quantization).model), Format.TOSA)
    assert converted.floats == ()
    assert not [note for note in converted.notes("m") if "in float" in note]


def test_the_note_of_tosa_counts_floats_and_activations_that_are_quantized_at_run_time() -> None:
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"], name="dynamic"),
        helper.make_node("MatMulInteger", ["q", "w", "z"], ["c"], name="product"),
        helper.make_node("Cast", ["c"], ["r"], name="cast", to=TensorProto.FLOAT),
        helper.make_node("Relu", ["r"], ["y"], name="relu"),
    ]
    weights = helper.make_tensor("w", TensorProto.UINT8, [4, 3], bytes(range(12)), raw=True)
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", [2, 4]), ("y", [2, 3]))
    ]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], [weights])
    model = load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))
    assert {found.node: found.reason for found in convert(model, Format.TOSA).floats} == {
        "dynamic": "its activations are quantized at run time",
        "cast": "its operands are not quantized",
        "relu": "its operands are not quantized",
    }


def test_products_of_hybrids_are_counted_as_integers() -> None:
    found = inspect_model(load(contraction.HYBRIDS["FULLY_CONNECTED True"].model()))
    assert found.macs == found.quantized_macs == 16 * 36 * 5


POOLED = {("digits_cnn_int8.onnx", Format.TFLITE): 2 * 16 * 16 * 4}
"""Means of four, of 16 features of 4 x 4, which are two convolutions by equal weights."""


@pytest.mark.row("D25")
@pytest.mark.stablehlo
@pytest.mark.tosa
@pytest.mark.parametrize("name", ["digits_cnn_int8.onnx", "digits_mlp_uint8.onnx"])
def test_every_file_that_is_written_has_the_multiply_accumulates_of_its_source(name: str, tmp_path: Path) -> None:
    source = load(FIXTURES / name)
    files = [(to, FORMATS[to].suffix) for to in Format]
    for to, suffix in [*files, (Format.STABLEHLO, ".mlirbc"), (Format.TOSA, ".tosa")]:
        path = tmp_path / f"{to}{suffix}"
        save(convert(source, to), path)
        found, pooled = inspect_model(load(path)), POOLED.get((name, to), 0)
        assert (found.macs, found.quantized_macs) == (inspect_model(source).macs + pooled,) * 2, path.name


def test_the_operators_of_an_onnx_file_between_dequantize_and_quantize_are_in_integers() -> None:
    found = inspect_model(load(FIXTURES / "digits_mlp_int8.onnx"), Format.ONNX)
    assert (found.operators["Gemm"], found.float_operators) == (3, {"Reshape": 1})
    weights = inspect_model(load(weights_in_4_bits()), Format.ONNX)
    assert (weights.operators["DequantizeLinear"], weights.float_operators) == (1, {"MatMul": 1, "Relu": 1})


def test_ops_that_quantize_are_counted_apart() -> None:
    model = load(FIXTURES / "digits_cnn_int8.onnx")
    assert (
        fitness(model, Format.TOSA).outcome == "converts; 0 ops in float in the file, and 6 to quantize or dequantize"
    )
    integers = fitness(model, Format.TOSA, FORMATS[Format.TOSA].checked_options().in_integers())
    assert integers.outcome == "converts; 0 ops in float in the file"


MOVED_FLOATS = b"""
!q = !quant.uniform<i8:f32, 0.5>
func.func @main(%x: tensor<2x3x!q>) -> tensor<3x2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x3x!q> loc("sum")
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x3x!q>) -> tensor<2x3xf32> loc("sum")
  %2 = stablehlo.exponential %1 : tensor<2x3xf32> loc("power")
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32> loc("moved")
  return %3 : tensor<3x2xf32>
}
"""


@pytest.mark.parametrize("to", [Format.STABLEHLO, Format.TFLITE])
def test_a_node_that_computes_and_dequantizes_does_not_hide_its_floats(to: Format) -> None:
    found = fitness(load(MOVED_FLOATS), to)
    assert (found.floats, found.quantizing) == (2, 1)
