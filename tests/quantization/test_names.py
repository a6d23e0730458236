"""Names of values: those of the source's nodes, unique, and the same however ops are wrapped."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.ir import Operation, OpResult, SSAValue

from qconvert.api import load
from qconvert.frontends.mlir import load_text
from qconvert.interpreter.core import main_function
from qconvert.ir.locations import node_names
from qconvert.quantization.names import flattened, name_nodes, resolved, value_names, values_by_name
from tests.support.regions import wrap

TEXT = """
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    attributes {input_names = ["picture", "dot"]} {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> loc("dot")
  %1 = stablehlo.add %0, %0 : tensor<2x4xf32> loc("dot")
  %zero = stablehlo.constant dense<0.0> : tensor<2x4xf32> loc("relu")
  %2 = stablehlo.maximum %1, %zero : tensor<2x4xf32> loc("relu")
  %3 = stablehlo.minimum %1, %zero : tensor<2x4xf32> loc("other")
  %4 = stablehlo.add %2, %3 : tensor<2x4xf32>
  %5 = stablehlo.multiply %4, %4 : tensor<2x4xf32>
  return %5, %2 : tensor<2x4xf32>, tensor<2x4xf32>
}
"""


def _listed(text: str) -> list[tuple[str, str]]:
    names = value_names(load_text(text, "text"))
    return sorted((name, _maker(value)) for value, name in names.items())


def _maker(value: SSAValue) -> str:
    return value.owner.name if isinstance(value.owner, Operation) else "argument"


def test_values_are_named_by_their_nodes() -> None:
    assert _listed(TEXT) == [
        ("add:1", "stablehlo.add"),
        ("dot", "argument"),
        ("dot:1", "stablehlo.add"),
        ("dot:2", "stablehlo.dot_general"),
        ("multiply:1", "stablehlo.multiply"),
        ("other", "stablehlo.minimum"),
        ("picture", "argument"),
        ("relu", "stablehlo.maximum"),
        ("relu:1", "stablehlo.constant"),
    ]


def test_names_of_arguments_nobody_named() -> None:
    text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
    assert _listed(text) == [("arg0", "argument")]


def test_a_number_that_is_taken_is_left_out() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.add %x, %x : tensor<2xf32> loc("a:1")
      %1 = stablehlo.add %0, %0 : tensor<2xf32> loc("a")
      %2 = stablehlo.add %1, %1 : tensor<2xf32> loc("a")
      return %2 : tensor<2xf32>
    }"""
    assert [name for name, _ in _listed(text)] == ["a", "a:1", "a:2", "arg0"]


def test_what_leaves_a_node_is_numbered_first() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %0 = stablehlo.abs %x : tensor<4xf32> loc("split")
      %1 = stablehlo.slice %0 [0:2] : (tensor<4xf32>) -> tensor<2xf32> loc("split")
      %2 = stablehlo.slice %0 [2:4] : (tensor<4xf32>) -> tensor<2xf32> loc("split")
      return %1, %2 : tensor<2xf32>, tensor<2xf32>
    }"""
    assert [name for name, _ in _listed(text)] == ["arg0", "split", "split:1", "split:2"]
    names = values_by_name(load_text(text, "text"))
    assert [_maker(names[name]) for name in ("split:1", "split:2")] == ["stablehlo.slice", "stablehlo.abs"]


def test_nodes_that_are_named_change_no_name() -> None:
    module = load_text(TEXT, "text")
    before = value_names(module)
    name_nodes(module)
    assert value_names(module) == before
    assert all(node_names(op.location) for op in main_function(module).body.block.ops if op.results)


def test_a_region_bears_the_names_of_what_is_inside() -> None:
    module = load_text(TEXT, "text")
    before = value_names(module)
    region = wrap(module, 0, 4)
    names = value_names(module)
    assert [names[value] for value in region.outputs] == ["dot:1", "relu:1", "relu"]
    assert [names[value] for value in region.body.block.args] == ["picture", "dot"]
    assert {value: names[value] for value in before} == before
    assert values_by_name(module)["relu"] is region.outputs[2]
    assert values_by_name(module)["picture"] is main_function(module).body.block.args[0]


@pytest.mark.parametrize("model", ["fixtures/digits_cnn_int8.onnx", "fixtures/lstm_int8.tflite"])
def test_every_value_has_a_name_of_its_own(model: str) -> None:
    module = load(model).module
    names = value_names(module)
    results = {result for op in flattened(main_function(module).body.block) for result in op.results}
    assert results <= set(names)
    assert max(Counter(names.values()).values()) == 1


DIGITS = load("fixtures/digits_cnn_int8.onnx").module


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.data())
def test_wrapping_changes_no_name(data: st.DataObject) -> None:
    module = DIGITS.clone()
    names = value_names(module)
    for _ in range(data.draw(st.integers(1, 4))):
        count = len(list(main_function(module).body.block.ops)) - 1
        start = data.draw(st.integers(0, count - 1))
        wrap(module, start, data.draw(st.integers(start + 1, min(count, start + 12))))
    after = value_names(module)
    assert {value: after[value] for value in names} == names
    assert all(after[value] == after[resolved(value)] for value in after)
    assert all(isinstance(value, OpResult) for name, value in values_by_name(module).items() if name != "image")
