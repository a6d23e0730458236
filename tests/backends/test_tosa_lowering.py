"""Small quantized programs as TOSA: validated strictly, run by the reference model, beside our own interpreter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from qconvert import numerics
from qconvert.backends.tosa import HalfRounding, TosaOptions
from qconvert.backends.tosa.emit import emit, lower
from qconvert.engines import tosa
from qconvert.engines.modules import Program
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.support.errors import EngineError
from tests.support.random_programs import random_inputs

# scales without small common multiples, so that next to nothing is a tie
S, T = 0.037137, 0.021391
A, B, C = (f"!quant.uniform<i8:f32, {S}:3>", f"!quant.uniform<i8:f32, {T}:-7>", "!quant.uniform<i8:f32, 0.050777:1>")
WIDE, W = f"!quant.uniform<i32:f32, {S * T!r}>", f"!quant.uniform<i8:f32, {T}>"
SUM, SIXTH = f"!quant.uniform<i32:f32, {S}>", f"!quant.uniform<i32:f32, {S / 6!r}>"
FINER = f"!quant.uniform<i32:f32, {S * T / 2**15!r}>"
BY_OUTPUT, SUM_BY_OUTPUT, FINER_BY_OUTPUT = (
    f"!quant.uniform<{storage}:f32:1, {{{','.join(repr(scale * step) for step in (T, T / 3, T / 5, T, T, T / 7))}}}>"
    for storage, scale in (("i8", 1), ("i32", S), ("i32", S / 2**15))
)
SHARE = "!quant.uniform<i8:f32, 0.00390625:-128>"


@dataclass(frozen=True)
class Case:
    """The types of the arguments, the body's ops, what they return, and the least share of equal elements."""

    arguments: tuple[str, ...]
    body: str
    result: str
    exact: float = 1.0

    @property
    def text(self) -> str:
        arguments = ", ".join(f"%{chr(97 + i)}: {type}" for i, type in enumerate(self.arguments))
        return f"func.func @main({arguments}) -> {self.result} {{\n{self.body}\n  return %r : {self.result}\n}}"


def t(shape: str, element: str) -> str:
    return f"tensor<{shape}x{element}>"


def binary(name: str) -> Case:
    types = (t("3x40", A), t("3x40", B))
    return Case(types, f"%r = stablehlo.{name} %a, %b : ({', '.join(types)}) -> {t('3x40', C)}", t("3x40", C))


def unary(name: str) -> Case:
    return Case((t("3x40", A),), f"%r = stablehlo.{name} %a : ({t('3x40', A)}) -> {t('3x40', B)}", t("3x40", B))


def weights(shape: str, element: str, seed: int = 0) -> str:
    sizes = tuple(map(int, shape.split("x")))
    digits = np.random.default_rng(seed).integers(-127, 128, sizes).astype(np.int8).tobytes().hex()
    return (
        f'%w = stablehlo.constant() <{{value = dense<"0x{digits}"> : {t(shape, "i8")}}}> : () -> {t(shape, element)}\n'
    )


def convolution(
    image: str, kernel: str, result: str, window: str, groups: int = 1, numbers: str = "[b, 0, 1, f]"
) -> Case:
    body = (
        f"{weights(kernel, W)}%c = stablehlo.convolution(%a, %w) dim_numbers = {numbers}x[0, 1, i, o]->[b, 0, 1, f], "
        f"window = {{{window}}} {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : "
        f"({t(image, A)}, {t(kernel, W)}) -> {t(result, WIDE)}\n"
        f"%r = stablehlo.uniform_quantize %c : ({t(result, WIDE)}) -> {t(result, '!quant.uniform<i8:f32, 2.1:-5>')}"
    )
    return Case((t(image, A),), body, t(result, "!quant.uniform<i8:f32, 2.1:-5>"), 0.999)


POOL = (
    "%c = stablehlo.constant() <{{value = dense<{1}> : tensor<i8>}}> : () -> tensor<{0}>\n"
    '%r = "stablehlo.reduce_window"(%a, %c) <{{window_dimensions = array<i64: 1, 3, 2, 1>, '
    "window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 1], [0, 0], [0, 0]]> : tensor<4x2xi64>}}> "
    "({{{2}}}) : ({3}, tensor<{0}>) -> {4}"
)
MAXIMUM = f"""
  ^bb0(%x: tensor<{A}>, %y: tensor<{A}>):
    %m = stablehlo.maximum %x, %y : tensor<{A}>
    stablehlo.return %m : tensor<{A}>
"""
MEAN = f"""
  ^bb0(%x: tensor<{A}>):
    %m = stablehlo.uniform_quantize %x : (tensor<{A}>) -> tensor<{SUM}>
    stablehlo.return %m : tensor<{SUM}>
}}, {{
  ^bb0(%x: tensor<{SUM}>, %y: tensor<{SUM}>):
    %m = stablehlo.add %x, %y : tensor<{SUM}>
    stablehlo.return %m : tensor<{SUM}>
}}, {{
  ^bb0(%x: tensor<{SUM}>):
    %n = stablehlo.bitcast_convert %x : (tensor<{SUM}>) -> tensor<{SIXTH}>
    %m = stablehlo.uniform_quantize %n : (tensor<{SIXTH}>) -> tensor<{B}>
    stablehlo.return %m : tensor<{B}>
"""
DOT = (
    "%r = stablehlo.dot_general {operands}, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
    "({types}) -> {result}"
)
LOWEST = -128

CASES = {
    **{name: binary(name) for name in ("add", "subtract", "multiply", "maximum", "minimum")},
    **{name: unary(name) for name in ("tanh", "logistic", "exponential", "abs", "negate", "sine")},
    "clamp": Case(
        (t("3x40", A),),
        f"%l = stablehlo.constant() <{{value = dense<-20> : tensor<i8>}}> : () -> tensor<{A}>\n"
        f"%h = stablehlo.constant() <{{value = dense<90> : tensor<i8>}}> : () -> tensor<{A}>\n"
        f"%r = stablehlo.clamp %l, %a, %h : (tensor<{A}>, {t('3x40', A)}, tensor<{A}>) -> {t('3x40', A)}",
        t("3x40", A),
    ),
    "a chain of float ops": Case(
        (t("3x40", A),),
        f"%d = stablehlo.uniform_dequantize %a : ({t('3x40', A)}) -> tensor<3x40xf32>\n"
        "%k = stablehlo.constant dense<1.3> : tensor<3x40xf32>\n"
        "%e = stablehlo.divide %d, %k : tensor<3x40xf32>\n%s = stablehlo.tanh %e : tensor<3x40xf32>\n"
        "%m = stablehlo.multiply %s, %d : tensor<3x40xf32>\n"
        f"%r = stablehlo.uniform_quantize %m : (tensor<3x40xf32>) -> {t('3x40', B)}",
        t("3x40", B),
    ),
    "a constant operand": Case(
        (t("3x4", A),),
        f"%k = stablehlo.constant() <{{value = dense<[5, -9, 100, 0]> : tensor<4xi8>}}> : () -> {t('4', B)}\n"
        f"%w = stablehlo.broadcast_in_dim %k, dims = [1] : ({t('4', B)}) -> {t('3x4', B)}\n"
        f"%r = stablehlo.multiply %a, %w : ({t('3x4', A)}, {t('3x4', B)}) -> {t('3x4', C)}",
        t("3x4", C),
    ),
    "a broadcast": Case(
        (t("3x1", A), t("3x4", B)),
        f"%w = stablehlo.broadcast_in_dim %a, dims = [0, 1] : ({t('3x1', A)}) -> {t('3x4', A)}\n"
        f"%r = stablehlo.add %w, %b : ({t('3x4', A)}, {t('3x4', B)}) -> {t('3x4', C)}",
        t("3x4", C),
    ),
    "concatenate": Case(
        (t("3x4", A), t("3x2", A)),
        f"%r = stablehlo.concatenate %a, %b, dim = 1 : ({t('3x4', A)}, {t('3x2', A)}) -> {t('3x6', A)}",
        t("3x6", A),
    ),
    "slice": Case(
        (t("5x6", A),), f"%r = stablehlo.slice %a [1:4, 2:6] : ({t('5x6', A)}) -> {t('3x4', A)}", t("3x4", A)
    ),
    "pad": Case(
        (t("2x3", A),),
        f"%z = stablehlo.constant() <{{value = dense<3> : tensor<i8>}}> : () -> tensor<{A}>\n"
        f"%r = stablehlo.pad %a, %z, low = [1, 0], high = [0, 2], interior = [0, 0] : "
        f"({t('2x3', A)}, tensor<{A}>) -> {t('3x5', A)}",
        t("3x5", A),
    ),
    "convolution": convolution("2x7x6x3", "3x3x3x4", "2x7x6x4", "pad = [[1, 1], [1, 1]]"),
    "features first": convolution("2x3x7x6", "3x3x3x4", "2x7x6x4", "pad = [[1, 1], [1, 1]]", numbers="[b, f, 0, 1]"),
    "strides that leave a row out": convolution("1x8x8x3", "3x3x3x4", "1x3x3x4", "stride = [2, 2]"),
    "dilation": convolution("1x8x8x3", "3x3x3x4", "1x4x4x4", "rhs_dilate = [2, 2]"),
    "depthwise": convolution("1x6x6x4", "3x3x1x8", "1x4x4x8", "", 4),
    "groups": convolution("1x6x6x4", "3x3x2x6", "1x4x4x6", "", 2),
    "transposed": convolution("1x4x4x3", "3x3x3x4", "1x8x8x4", "pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2]"),
    "batched products": Case(
        (t("2x3x8", A), t("2x8x5", W)),
        DOT.format(operands="%a, %b", types=f"{t('2x3x8', A)}, {t('2x8x5', W)}", result=t("2x3x5", WIDE)),
        t("2x3x5", WIDE),
    ),
    "a maximum over windows": Case(
        (t("1x7x7x3", A),),
        POOL.format(A, LOWEST, MAXIMUM, t("1x7x7x3", A), t("1x4x3x3", A)),
        t("1x4x3x3", A),
    ),
    "a mean over windows": Case(
        (t("1x7x7x3", A),), POOL.format(A, 3, MEAN, t("1x7x7x3", A), t("1x4x3x3", B)), t("1x4x3x3", B), 0.97
    ),
    "a mean over dimensions": Case(
        (t("2x3x5", A),),
        f"%c = stablehlo.constant() <{{value = dense<3> : tensor<i8>}}> : () -> tensor<{A}>\n"
        f'%r = "stablehlo.reduce"(%a, %c) <{{dimensions = array<i64: 1, 2>}}> ({{{MEAN}}}) : '
        f"({t('2x3x5', A)}, tensor<{A}>) -> {t('2', B)}",
        t("2", B),
    ),
    "a choice": Case(
        (t("3x40", A), t("3x40", B)),
        f"%p = stablehlo.compare LT, %a, %b, FLOAT : ({t('3x40', A)}, {t('3x40', B)}) -> tensor<3x40xi1>\n"
        f"%q = stablehlo.compare NE, %a, %a, FLOAT : ({t('3x40', A)}, {t('3x40', A)}) -> tensor<3x40xi1>\n"
        "%o = stablehlo.or %p, %q : tensor<3x40xi1>\n%n = stablehlo.not %o : tensor<3x40xi1>\n"
        f"%m = stablehlo.minimum %a, %a : ({t('3x40', A)}, {t('3x40', A)}) -> {t('3x40', A)}\n"
        f"%r = stablehlo.select %n, %a, %m : (tensor<3x40xi1>, {t('3x40', A)}, {t('3x40', A)}) -> {t('3x40', A)}",
        t("3x40", A),
    ),
    "a clamp between tensors": Case(
        (t("3x40", A), t("3x40", A), t("3x40", A)),
        f"%r = stablehlo.clamp %a, %b, %c : ({t('3x40', A)}, {t('3x40', A)}, {t('3x40', A)}) -> {t('3x40', A)}",
        t("3x40", A),
    ),
    "a slice with strides": Case(
        (t("7x9", A),), f"%r = stablehlo.slice %a [0:7:3, 1:8:2] : ({t('7x9', A)}) -> {t('3x4', A)}", t("3x4", A)
    ),
    "reverse": Case((t("5x6", A),), f"%r = stablehlo.reverse %a, dims = [1, 0] : {t('5x6', A)}", t("5x6", A)),
    "a repetition through eight dimensions": Case(
        (t("2x3x1x5", A),),
        f"%w = stablehlo.broadcast_in_dim %a, dims = [1, 3, 5, 7] : ({t('2x3x1x5', A)}) -> {t('2x2x1x3x4x1x2x5', A)}\n"
        f"%r = stablehlo.reshape %w : ({t('2x2x1x3x4x1x2x5', A)}) -> {t('4x3x4x10', A)}",
        t("4x3x4x10", A),
    ),
    "a convolution over one dimension": Case(
        (t("1x8x3", A),),
        f"{weights('3x3x4', W)}%c = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
        "window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        f"({t('1x8x3', A)}, {t('3x3x4', W)}) -> {t('1x4x4', WIDE)}\n"
        f"%r = stablehlo.uniform_quantize %c : ({t('1x4x4', WIDE)}) -> {t('1x4x4', '!quant.uniform<i8:f32, 2.1:-5>')}",
        t("1x4x4", "!quant.uniform<i8:f32, 2.1:-5>"),
    ),
    "a maximum over windows of one dimension": Case(
        (t("2x3x9", A),),
        f"%c = stablehlo.constant() <{{value = dense<{LOWEST}> : tensor<i8>}}> : () -> tensor<{A}>\n"
        '%r = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 1, 1, 3>, '
        f"window_strides = array<i64: 1, 1, 2>}}> ({{{MAXIMUM}}}) : ({t('2x3x9', A)}, tensor<{A}>) -> {t('2x3x4', A)}",
        t("2x3x4", A),
    ),
    "softmax": Case(
        (t("3x10", A),),
        f'%r = "qconvert.softmax"(%a) <{{axis = 1 : i64}}> : ({t("3x10", A)}) -> {t("3x10", SHARE)}',
        t("3x10", SHARE),
        0.95,
    ),
    "an accumulator in finer steps than RESCALE takes": Case(
        (t("16x4", A),),
        f"{weights('4x6', W)}%c = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : "
        f"({t('16x4', A)}, {t('4x6', W)}) -> {t('16x6', WIDE)}\n"
        f"%f = stablehlo.uniform_quantize %c : ({t('16x6', WIDE)}) -> {t('16x6', FINER)}\n"
        f"%r = stablehlo.uniform_quantize %f : ({t('16x6', FINER)}) -> {t('16x6', '!quant.uniform<i8:f32, 0.1:-5>')}",
        t("16x6", "!quant.uniform<i8:f32, 0.1:-5>"),
        1.0,
    ),
    "an accumulator of each feature in finer steps than RESCALE takes": Case(
        (t("16x4", A),),
        f"{weights('4x6', BY_OUTPUT)}%c = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : "
        f"({t('16x4', A)}, {t('4x6', BY_OUTPUT)}) -> {t('16x6', SUM_BY_OUTPUT)}\n"
        f"%f = stablehlo.uniform_quantize %c : ({t('16x6', SUM_BY_OUTPUT)}) -> {t('16x6', FINER_BY_OUTPUT)}\n"
        f"%r = stablehlo.uniform_quantize %f : ({t('16x6', FINER_BY_OUTPUT)}) -> "
        f"{t('16x6', '!quant.uniform<i8:f32, 0.1:-5>')}",
        t("16x6", "!quant.uniform<i8:f32, 0.1:-5>"),
        1.0,
    ),
}


@pytest.fixture(scope="module")
def results() -> dict[str, list[list[np.ndarray]] | EngineError]:  # type: ignore[type-arg]
    """What the reference model gives for every case, in one child."""
    modules = {name: parse_module(case.text) for name, case in CASES.items()}
    programs = [
        Program(module_text(emit(module, TosaOptions()).module), [random_inputs(module, seed) for seed in range(3)])
        for module in modules.values()
    ]
    return dict(zip(modules, tosa.run_many(programs), strict=True))


@pytest.mark.tosa
@pytest.mark.parametrize("name", CASES)
def test_the_integers_are_those_of_the_interpreter(
    name: str,
    results: dict[str, list[list[np.ndarray]] | EngineError],  # type: ignore[type-arg]
) -> None:
    module, found = parse_module(CASES[name].text), results[name]
    assert not isinstance(found, EngineError), str(found)
    expected = [evaluate(module, random_inputs(module, seed))[0] for seed in range(3)]
    steps = np.concatenate([np.abs(a.astype(int) - b[0]).reshape(-1) for a, b in zip(expected, found, strict=True)])
    assert steps.max() <= 1
    assert (steps == 0).mean() >= CASES[name].exact


LONG = 1 << 17
"""So many products of int8 that their sum may have 32 bits."""


@pytest.mark.parametrize(
    ("target", "op"),
    [
        ("!quant.uniform<i32:f32, 0.125>", "tosa.logical_left_shift"),
        ("!quant.uniform<i32:f32, 0.125:5>", "tosa.rescale"),
        ("!quant.uniform<i32:f32, 0.5>", "tosa.rescale"),
        ("!quant.uniform<i32:f32, 0.1>", "tosa.rescale"),
    ],
)
def test_only_a_finer_power_of_two_without_zero_point_shifts_an_accumulator(target: str, op: str) -> None:
    size = LONG // 4 if "0.125" in target else LONG
    half, wide = "!quant.uniform<i8:f32, 0.5>", "!quant.uniform<i32:f32, 0.25>"
    text = (
        f"func.func @main(%a: {t(f'1x{size}', half)}, %b: {t(f'{size}x2', half)}) -> {t('1x2', target)} {{\n"
        f"  %s = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
        f"({t(f'1x{size}', half)}, {t(f'{size}x2', half)}) -> {t('1x2', wide)}\n"
        f"  %r = stablehlo.uniform_quantize %s : ({t('1x2', wide)}) -> {t('1x2', target)}\n"
        f"  return %r : {t('1x2', target)}\n}}"
    )
    written = module_text(emit(parse_module(text), TosaOptions()).module)
    found = {name for name in ("tosa.logical_left_shift", "tosa.rescale") if f'"{name}"' in written}
    assert found == {op}


@pytest.mark.parametrize("factor", [0.5, 0.25, 2.0**-7])
def test_halves_become_even_on_request(factor: float) -> None:
    """Every 8-bit integer through a power of two, beside ONNX's rounding; half up differs from it."""
    source, target = "!quant.uniform<i8:f32, 1.0:5>", f"!quant.uniform<i8:f32, {1 / factor}:-3>"
    text = (
        f"func.func @main(%a: {t('256', source)}) -> {t('256', target)} {{\n"
        f"  %r = stablehlo.uniform_quantize %a : ({t('256', source)}) -> {t('256', target)}\n"
        f"  return %r : {t('256', target)}\n}}"
    )
    every = np.arange(-128, 128).astype(np.int8)
    expected = numerics.quantize_onnx((every.astype(np.float32) - 5), 1 / factor, -3, -128, 127, np.dtype(np.int8))
    found = {
        rounding: evaluate(lower(parse_module(text), TosaOptions(rounding=rounding)), [every])[0]
        for rounding in HalfRounding
    }
    np.testing.assert_array_equal(found[HalfRounding.EVEN], expected)
    assert (found[HalfRounding.UP] != expected).any()
