"""The figures of ``inspect``: ops in float and multiply-accumulates."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from qconvert.api import load
from qconvert.api.inspection import inspect_model

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
