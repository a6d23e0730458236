"""``legalize-qdq-to-quantized-op``, then ``legalize-quantized-op-to-qdq``: the program comes back, op for op."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from qconvert import load
from qconvert.dialects import stablehlo
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import main_function
from qconvert.ir import TENSOR
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.cleanup.fold import Fold
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp
from qconvert.passes.fusion.legalize_quantized_op_to_qdq import LegalizeQuantizedOpToQdq
from qconvert.rewriting import run_passes
from tests.support.paths import FIXTURES
from tests.support.random_programs import random_inputs


def _folded(module: ModuleOp) -> ModuleOp:
    copy = module.clone()
    run_passes(copy, [Fold(), DeadCodeElimination()])
    return copy


def _there_and_back(module: ModuleOp) -> ModuleOp:
    copy = module.clone()
    run_passes(copy, [LegalizeQdqToQuantizedOp()])
    assert not any(isinstance(op, stablehlo.ContractionOp) and _is_float(op) for op in copy.walk())
    run_passes(copy, [LegalizeQuantizedOpToQdq(), DeadCodeElimination()])
    return copy


def _is_float(op: Operation) -> bool:
    return "quant" not in str(op.results[0].type)


def _numbering() -> Callable[[ModuleOp], list[int]]:
    """Return a function that gives each result of a module a number: equal if all ops behind it are equal.

    Ops are compared by name, properties, types, bodies and the names of their tensors. Constants are not compared: a
    bias may be spelled in several ways. Nor is the arithmetic, which a movement or a maximum of integers does not need.
    """
    numbers: dict[Hashable, int] = {}

    def number(value: SSAValue, known: dict[SSAValue, int | None]) -> int | None:
        if value not in known:
            owner = value.owner
            if isinstance(value, BlockArgument):
                known[value] = numbers.setdefault(("argument", value.index), len(numbers))
            else:
                assert isinstance(owner, Operation)
                operands = [number(operand, known) for operand in owner.operands]
                is_constant = all(operand is None for operand in operands)
                known[value] = None if is_constant else numbers.setdefault(_key(owner, operands), len(numbers))
        return known[value]

    def results(module: ModuleOp) -> list[int]:
        terminator = main_function(module).body.block.last_op
        assert terminator is not None
        found = [number(value, {}) for value in terminator.operands]
        return [each for each in found if each is not None]

    return results


def _key(op: Operation, operands: list[int | None]) -> Hashable:
    bodies = tuple(tuple(inner.name for inner in region.walk()) for region in op.regions)
    named = {**op.properties, TENSOR: op.attributes.get(TENSOR)}
    fields = tuple(sorted((name, str(value)) for name, value in named.items()))
    kept = sorted(operands, key=str) if isinstance(op, stablehlo.MaximumOp | stablehlo.MinimumOp) else operands
    return (op.name, tuple(kept), str(op.results[0].type), fields, bodies)


@pytest.mark.parametrize("name", ["digits_mlp_uint8", "digits_cnn_uint8", "digits_cnn_pow2"])
def test_a_model_comes_back_op_for_op(name: str) -> None:
    """Contractions with bias, bounds, transposes, an average and a maximum, an addition, reshapes."""
    module = _folded(load(FIXTURES / f"{name}.onnx").module)
    results = _numbering()
    assert results(_there_and_back(module)) == results(module)


I8, OTHER = "!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<i8:f32, 0.25:-7>"
WEIGHTS = "!quant.uniform<i8:f32:1, {0.5,0.25,0.125}>"
CLAMPED = f"""
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {{
  %0 = stablehlo.uniform_quantize %x : (tensor<2x4xf32>) -> tensor<2x4x{I8}>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x4x{I8}>) -> tensor<2x4xf32>
  %2 = stablehlo.constant() <{{value = dense<3> : tensor<4x3xi8>}}> : () -> tensor<4x3x{WEIGHTS}>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<4x3x{WEIGHTS}>) -> tensor<4x3xf32>
  %4 = stablehlo.dot_general %1, %3, contracting_dims = [1] x [0]
    : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %5 = stablehlo.constant dense<[[0.5, 1.5, -0.25], [0.5, 1.5, -0.25]]> : tensor<2x3xf32>
  %6 = stablehlo.add %4, %5 : tensor<2x3xf32>
  %7 = stablehlo.constant dense<LOW> : tensor<2x3xf32>
  %8 = stablehlo.constant dense<HIGH> : tensor<2x3xf32>
  %9 = CLAMP : tensor<2x3xf32>
  %10 = stablehlo.uniform_quantize %9 : (tensor<2x3xf32>) -> tensor<2x3x{OTHER}>
  %11 = stablehlo.uniform_dequantize %10 : (tensor<2x3x{OTHER}>) -> tensor<2x3xf32>
  return %11 : tensor<2x3xf32>
}}
"""


@pytest.mark.parametrize(
    "clamp",
    ["stablehlo.maximum %6, %7", "stablehlo.minimum %6, %8", "stablehlo.clamp %7, %6, %8"],
    ids=["max", "min", ""],
)
def test_a_bound_behind_a_contraction_comes_back(clamp: str) -> None:
    module = parse_module(CLAMPED.replace("LOW", "0.0").replace("HIGH", "6.0").replace("CLAMP", clamp))
    back = _there_and_back(module)
    results = _numbering()
    assert results(back) == results(module)
    for seed in range(3):
        inputs = random_inputs(module, seed)
        for found, expected in zip(evaluate(back, inputs), evaluate(module, inputs), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_a_requantization_comes_back_as_two_ops() -> None:
    one, other = f"tensor<4x{I8}>", f"tensor<4x{OTHER}>"
    module = parse_module(f"""
func.func @main(%x: {one}) -> {other} {{
  %0 = stablehlo.uniform_dequantize %x : ({one}) -> tensor<4xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<4xf32>) -> {other}
  return %1 : {other}
}}""")
    results = _numbering()
    assert results(_there_and_back(module)) == results(module)


def test_a_mean_whose_sum_is_used_twice_comes_back() -> None:
    text = f"""
func.func @main(%x: tensor<2x4x{I8}>) -> (tensor<2x{I8}>, tensor<2xf32>) {{
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x4x{I8}>) -> tensor<2x4xf32>
  %1 = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1]
    : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = stablehlo.constant dense<4.0> : tensor<2xf32>
  %4 = stablehlo.divide %2, %3 : tensor<2xf32>
  %5 = stablehlo.uniform_quantize %4 : (tensor<2xf32>) -> tensor<2x{I8}>
  return %5, %2 : tensor<2x{I8}>, tensor<2xf32>
}}
"""
    module = parse_module(text)
    results = _numbering()
    assert results(_there_and_back(module)) == results(module)
