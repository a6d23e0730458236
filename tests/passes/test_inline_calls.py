"""What cannot be inlined: functions without end, without a body or too many; two call sites have two ranges."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from qconvert import ConversionError, Format, convert, load, run
from qconvert.dialects import stablehlo
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.ir.locations import describe
from qconvert.ir.types import quantized
from qconvert.passes.cleanup.inline_calls import InlineCalls
from qconvert.quantization.export_fixed import export_fixed
from qconvert.quantization.fusion import FuseKernels
from qconvert.rewriting.base import run_passes
from qconvert.support.limits import budget
from tests.support.regions import observe, set_specs

TYPE = "tensor<2xf32>"
CALL = f"func.call @{{}}(%a) : ({TYPE}) -> {TYPE}"


def function(name: str, *called: str) -> str:
    """A function that calls others, each with its own argument."""
    calls = "\n".join(f'  %{i} = {CALL.format(callee)} loc("{name}_{callee}")' for i, callee in enumerate(called))
    body = f"{calls}\n  return %{len(called) - 1} : {TYPE}" if called else f"  return %a : {TYPE}"
    return f"func.func {'private ' * (name != 'main')}@{name}(%a: {TYPE}) -> {TYPE} {{\n{body}\n}}\n"


def refusal(*functions: str) -> ConversionError:
    module = parse_module("".join(functions))
    with pytest.raises(ConversionError) as error:
        InlineCalls().apply(module)
    return error.value


@pytest.mark.parametrize(
    "functions",
    [
        (function("main", "main"),),
        (function("main", "f"), function("f", "f")),
        (function("main", "f"), function("f", "g"), function("g", "f")),
        (function("f", "f"), function("main")),
    ],
    ids=["main", "itself", "each-other", "nobody-calls-it"],
)
def test_recursion_is_refused(functions: tuple[str, ...]) -> None:
    error = refusal(*functions)
    assert "calls itself" in error.found
    assert error.node is not None


def test_a_declaration_has_nothing_to_inline() -> None:
    error = refusal(function("main", "f"), f"func.func private @f({TYPE}) -> {TYPE}\n")
    assert (error.node, error.found) == ("main_f", "there is no function @f with one block of ops")


def test_deep_calls_are_refused() -> None:
    names = [f"f{i}" for i in range(budget().calls + 2)]
    chain = [function(name, callee) for name, callee in itertools.pairwise(names)]
    error = refusal(function("main", "f0"), *chain, function(names[-1]))
    assert error.found == f"calls are nested more than {budget().calls} deep"


@pytest.mark.slow
def test_explosions_are_refused_before_they_happen() -> None:
    """Thirty functions that call the next one twice would be 2^30 ops."""
    names = [f"f{i}" for i in range(30)]
    chain = [function(name, callee, callee) for name, callee in itertools.pairwise(names)]
    last = f"func.func private @{names[-1]}(%a: {TYPE}) -> {TYPE} {{\n  %0 = stablehlo.abs %a : {TYPE}\n"
    error = refusal(function("main", "f0"), *chain, f"{last}  return %0 : {TYPE}\n}}\n")
    assert "more than 50000 ops" in error.found


def test_a_composite_is_a_call_where_that_is_asked_for() -> None:
    text = f"""func.func @main(%a: {TYPE}) -> {TYPE} {{
  %0 = stablehlo.composite "my.op" %a {{decomposition = @f}} : ({TYPE}) -> {TYPE} loc("mine")
  return %0 : {TYPE}
}}
func.func private @f(%a: {TYPE}) -> {TYPE} {{
  %0 = stablehlo.negate %a : {TYPE}
  return %0 : {TYPE}
}}"""
    module = parse_module(text)
    assert not InlineCalls().apply(module).changed
    run_passes(module, [InlineCalls(composites=True)])
    (function,) = module.ops
    assert [(op.name, describe(op)) for op in function.regions[0].block.ops][:-1] == [
        ("stablehlo.negate", "mine/negate")
    ]


def test_a_function_is_quantized_at_each_call_site_by_its_own_range() -> None:
    text = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = func.call @square(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("small")
  %1 = func.call @square(%y) : (tensor<4xf32>) -> tensor<4xf32> loc("large")
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @square(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<4xf32> loc("product")
  return %0 : tensor<4xf32>
}"""
    module = parse_module(text)
    run_passes(module, [InlineCalls(), FuseKernels()])
    samples = [[np.linspace(-1, 1, 4, dtype=np.float32), np.linspace(-100, 100, 4, dtype=np.float32)]]
    set_specs(module, observe(module, samples))
    export_fixed(module)
    scales = [
        element.scale
        for op in module.walk()
        if isinstance(op, stablehlo.UniformQuantizeOp) and (element := quantized(op.result)) is not None
    ]
    np.testing.assert_allclose(sorted(scales), np.array([1, 2, 200, 10_000]) / 255, rtol=1e-6)
    for found, sample in zip(evaluate(module, samples[0]), samples[0], strict=True):
        np.testing.assert_allclose(found, sample**2, atol=float((sample**2).max()) / 100)


CALLED = b"""
func.func private @twice(%x: tensor<1x16x64xf32>) -> tensor<1x16x64xf32> {
  %0 = stablehlo.add %x, %x : tensor<1x16x64xf32>
  return %0 : tensor<1x16x64xf32>
}
func.func private @unused(%x: tensor<1x16x64xf32>, %a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<1x16x64xf32> {
  return %x : tensor<1x16x64xf32>
}
func.func @main(%x: tensor<1x16x64xf32>) -> tensor<1x16x64xf32> {
  %0 = func.call @twice(%x) : (tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
  %1 = stablehlo.composite "my.twice" %0 {decomposition = @twice} : (tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
  %2 = stablehlo.constant() <{value = dense<40> : tensor<64xi8>}> : () -> tensor<64x!quant.uniform<i8:f32, 0.05>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<64x!quant.uniform<i8:f32, 0.05>>) -> tensor<64xf32>
  %4 = stablehlo.composite "qconvert.layer_normalization" %1, %3, %3
      {composite_attributes = {axis = 2 : i64, epsilon = 1.0e-05 : f64}, decomposition = @unused}
      : (tensor<1x16x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x16x64xf32>
  %5 = stablehlo.uniform_quantize %4 : (tensor<1x16x64xf32>) -> tensor<1x16x64x!quant.uniform<i8:f32, 0.05>>
  %6 = stablehlo.uniform_dequantize %5 : (tensor<1x16x64x!quant.uniform<i8:f32, 0.05>>) -> tensor<1x16x64xf32>
  return %6 : tensor<1x16x64xf32>
}"""


@pytest.mark.parametrize("to", [Format.STABLEHLO, Format.TOSA, Format.ONNX])
def test_calls_are_kept_in_stablehlo_and_inlined_in_other_formats(to: Format) -> None:
    """A composite with the name of ours computes what ours does, whatever its decomposition is."""
    converted = convert(load(CALLED), to)
    made = load(converted.content if converted.content is not None else converted.text.encode())
    assert ("func.call" in converted.text) == (to is Format.STABLEHLO)
    x = np.random.default_rng(0).normal(size=(1, 16, 64)).astype(np.float32)
    [found] = run(made, {made.input_names[0]: x}).values()
    y = 4 * x.astype(np.float64)
    normal = (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5)
    expected = np.clip(np.rint((2 * normal + 2) / 0.05), -128, 127) * 0.05
    if to is not Format.STABLEHLO:
        np.testing.assert_allclose(found, expected, atol=1e-5)
