"""The figures of ``inspect``: ops in float and multiply-accumulates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from qconvert import save
from qconvert.api import convert, load
from qconvert.api.inspection import inspect_model
from qconvert.formats import FORMATS, Format
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
