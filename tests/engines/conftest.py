from pathlib import Path

import numpy as np
import pytest

from qconvert.engines.modules import Program


@pytest.fixture
def warm() -> None:
    """Every test here starts processes of its own."""


@pytest.fixture
def misbehaving(monkeypatch: pytest.MonkeyPatch) -> str:
    """The handler of misbehaving.py, made importable here and so in the child."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "support"))
    return "misbehaving"


@pytest.fixture
def quantized_add() -> str:
    lhs, rhs, out = (f"tensor<5x!quant.uniform<i8:f32, {p}>>" for p in ("0.5:1", "0.25:-3", "1.0:0"))
    return f"""
func.func @main(%a: {lhs}, %b: {rhs}) -> {out} {{
  %0 = stablehlo.add %a, %b : ({lhs}, {rhs}) -> {out}
  return %0 : {out}
}}"""


@pytest.fixture
def requantize() -> str:
    wide, narrow = "tensor<6x!quant.uniform<i32:f32, 0.25:0>>", "tensor<6x!quant.uniform<i8:f32, 0.5:-2>>"
    return f"""
func.func @main(%a: {wide}) -> {narrow} {{
  %0 = stablehlo.uniform_quantize %a : ({wide}) -> {narrow}
  return %0 : {narrow}
}}"""


def _convolution() -> str:
    x, y = "tensor<1x1x3x3x!quant.uniform<i8:f32, 0.5:1>>", "tensor<1x2x2x2x!quant.uniform<i8:f32, 0.5:-1>>"
    w, b = "tensor<2x2x1x2x!quant.uniform<i8:f32:3, {0.5, 0.25}>>", "tensor<2x!quant.uniform<i32:f32:0, {0.25, 0.125}>>"
    acc = "tensor<1x2x2x2x!quant.uniform<i32:f32:3, {0.25, 0.125}>>"
    return f"""
func.func @main(%x: {x}) -> {y} {{
  %w = stablehlo.constant() <{{value = dense<[[[[1, -2]], [[3, 4]]], [[[-5, 6]], [[7, 20]]]]> : tensor<2x2x1x2xi8>}}>
    : () -> {w}
  %b = stablehlo.constant() <{{value = dense<[10, -20]> : tensor<2xi32>}}> : () -> {b}
  %acc = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {{}}
    {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {w}) -> {acc}
  %bias = stablehlo.broadcast_in_dim %b, dims = [3] : ({b}) -> {acc}
  %sum = stablehlo.add %acc, %bias : {acc}
  %q = stablehlo.uniform_quantize %sum : ({acc}) -> {y}
  return %q : {y}
}}"""


@pytest.fixture
def convolution() -> Program:
    """int8 in, per-axis int8 weights, accumulator and bias visible in i32, feature last, requantized; two images."""
    image = np.arange(9, dtype=np.int8).reshape(1, 1, 3, 3)
    return Program(_convolution(), [[image], [image + 1]])


@pytest.fixture
def convolved() -> list[list[object]]:
    """What the convolution makes of its images: rne(acc / 2 - 1) and rne(acc / 4 - 1), the latter ties."""
    return [
        [[[[9, 12], [12, 20]], [[18, 34], [21, 40]]]],  # acc 20 54, 26 82, 38 138, 44 166
        [[[[12, 20], [15, 26]], [[21, 40], [24, 48]]]],  # acc 26 82, 32 110, 44 166, 50 194
    ]
