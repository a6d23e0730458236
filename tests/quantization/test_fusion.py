"""Kernels of whole models: which there are, that no number changes, that fusing again changes nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert import UsageError
from qconvert.dialects import stablehlo
from qconvert.dialects.quant_region import RegionOp
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import main_function
from qconvert.ir.attributes import HINT
from qconvert.ir.printing import module_text
from qconvert.quantization.fusion import DEFAULT_PATTERNS, Chain, FuseKernels, Pattern, Step, UnwrapRegions, chains
from qconvert.quantization.fusion.pattern import others
from qconvert.rewriting.base import run_passes
from tests.support.float_models import floated
from tests.support.paths import FIXTURES, SHARED_MODELS
from tests.support.text_cases import inputs_for, read

CNN = FIXTURES / "digits_cnn_int8.onnx"
DIGITS = {
    "convolution": 3,
    "depthwise_convolution": 1,
    "relu": 3,
    "clamp": 1,
    "add": 1,
    "average_pool": 1,
    "max_pool": 1,
    "reshape": 1,
    "fully_connected": 1,
}


def kernels(module: ModuleOp) -> dict[str, int]:
    return dict(Counter(op.logical_kernel.data for op in module.walk() if isinstance(op, RegionOp)))


def fused(module: ModuleOp, step: FuseKernels | None = None) -> ModuleOp:
    copy = module.clone()
    run_passes(copy, [step or FuseKernels()])
    return copy


def assert_same_numbers(first: ModuleOp, second: ModuleOp) -> None:
    inputs = inputs_for(first, 0, scale=0.5)
    for expected, found in zip(evaluate(first, inputs), evaluate(second, inputs), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_float_network_is_kernels_alone() -> None:
    module = floated(CNN)
    found = fused(module)
    joined = {name: count for name, count in DIGITS.items() if name not in ("relu", "clamp")}
    assert kernels(found) == joined, "activations are part of what they follow"
    left = {op.name for op in main_function(found).body.block.ops if not isinstance(op, RegionOp)}
    assert left == {"stablehlo.constant", "func.return"}
    assert_same_numbers(module, found)


MODELS = sorted(
    path
    for pattern in ("onnx/squeezenet_int8.onnx", "onnx/transformer_block_int8.onnx", "onnx/unet_int8.onnx")
    for path in SHARED_MODELS.glob(pattern)
)


@pytest.mark.corpora
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_shared_networks_are_kernels_alone(path: Path) -> None:
    found = fused(floated(path))
    left = {op.name for op in main_function(found).body.block.ops if not isinstance(op, RegionOp)}
    assert left == {"stablehlo.constant", "func.return"}


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("digits_*.onnx")), ids=lambda path: path.stem)
@pytest.mark.quick(2)
def test_fusing_again_changes_nothing(path: Path) -> None:
    once = fused(floated(path))
    again = once.clone()
    (result,) = run_passes(again, [FuseKernels()])
    assert not result.changed
    assert module_text(again) == module_text(once)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("digits_*.onnx")), ids=lambda path: path.stem)
@pytest.mark.quick(2)
def test_unwrapping_undoes_it(path: Path) -> None:
    """Text for text: the second time, as the first makes vectors of biases that are held repeated."""
    once = floated(path)
    run_passes(once, [FuseKernels(), UnwrapRegions()])
    twice = once.clone()
    run_passes(twice, [FuseKernels(), UnwrapRegions()])
    assert module_text(twice) == module_text(once)
    assert_same_numbers(floated(path), twice)


@pytest.mark.parametrize("case", read("fuse-kernels.mlir"), ids=str)
def test_every_case_comes_back(case: object) -> None:
    """What is fused and unwrapped fuses to the same regions again."""
    first = parse_module(case.before)  # type: ignore[attr-defined]
    run_passes(first, [FuseKernels()])
    again = first.clone()
    run_passes(again, [UnwrapRegions(), FuseKernels()])
    assert module_text(again) == module_text(first)


def test_coarser_kernels_widen_regions_that_are_there() -> None:
    once = fused(floated(CNN))
    wider = FuseKernels(chains=chains(["convolution_max_pool", "convolution_add"]))
    found = fused(once, wider)
    assert kernels(found) == {
        "convolution": 1,
        "depthwise_convolution": 1,
        "convolution_add": 1,
        "average_pool": 1,
        "convolution_max_pool": 1,
        "reshape": 1,
        "fully_connected": 1,
    }
    assert module_text(found) == module_text(fused(floated(CNN), wider)), "in one run or in two"
    assert module_text(fused(found, wider)) == module_text(found)
    assert_same_numbers(once, found)


def test_what_was_between_joined_regions_stays_as_a_hint() -> None:
    text = """
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "tanh", input_specs = [f32], output_specs = [!quant.any<i8:f32>]}> ({
  ^bb0(%a: tensor<2xf32>):
    %1 = stablehlo.tanh %a : tensor<2xf32>
    "quant.return"(%1) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "quant.region"(%y, %0) <{
    logical_kernel = "add", input_specs = [f32, f32], output_specs = [!quant.uniform<i8:f32, 0.5>]
  }> ({
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %1 = stablehlo.add %a, %b : tensor<2xf32>
    "quant.return"(%1) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}"""
    module = parse_module(text)
    run_passes(module, [FuseKernels(chains=(Chain("tanh_add", ("tanh", "add")),))])
    (region,) = [op for op in module.walk() if isinstance(op, RegionOp)]
    assert list(region.inputs) == list(main_function(module).body.block.args)
    assert [str(spec) for specs in region.specs for spec in specs] == ["f32", "f32", "!quant.uniform<i8:f32, 0.5>"]
    assert {op.name: str(op.attributes[HINT]) for op in region.walk() if HINT in op.attributes} == {
        "stablehlo.tanh": "!quant.any<i8:f32>"
    }


def test_a_chain_ends_where_a_value_has_other_users() -> None:
    text = """
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.tanh %x : tensor<2xf32>
  %1 = stablehlo.add %0, %x : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}"""
    module = fused(parse_module(text), FuseKernels(chains=(Chain("tanh_add", ("tanh", "add")),)))
    assert kernels(module) == {"tanh": 1, "add": 1}


def test_a_target_brings_patterns_of_its_own() -> None:
    """Those in front are tried first; a step that is required and missing leaves the op to the others."""
    gated = Step((stablehlo.MultiplyOp,), lambda op, value: value in others(op, op.operands[0]), required=True)
    swish = Pattern("gate", (stablehlo.LogisticOp,), steps=(gated,))
    text = """
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.logistic %x : tensor<2xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2xf32>
  %2 = stablehlo.logistic %1 : tensor<2xf32>
  return %1, %2 : tensor<2xf32>, tensor<2xf32>
}"""
    module = fused(parse_module(text), FuseKernels((swish, *DEFAULT_PATTERNS)))
    assert kernels(module) == {"gate": 1, "logistic": 1}
    assert_same_numbers(parse_module(text), module)


def test_an_unknown_coarser_kernel_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="there is no coarser kernel 'conv'; there are convolution_max_pool"):
        chains(["conv"])
