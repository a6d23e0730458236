"""Programs without a form in TOSA, each refused with the reason."""

from __future__ import annotations

import pytest

from qconvert.backends.tosa import TosaOptions
from qconvert.backends.tosa.emit import emit
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.support.errors import ConversionError
from tests.backends.test_tosa_lowering import WIDE, A, W, t

BY_FEATURE = "!quant.uniform<i8:f32:3, {0.5,0.25}>"
OTHER_SCALES = "!quant.uniform<i32:f32:3, {7.0,11.0}>"


def binary(kind: str, *elements: str) -> str:
    lhs, rhs, result = (t("4", f"!quant.uniform<{element}>") for element in elements)
    return (
        f"func.func @main(%a: {lhs}, %b: {rhs}) -> {result} {{\n"
        f"  %r = stablehlo.{kind} %a, %b : ({lhs}, {rhs}) -> {result}\n  return %r : {result}\n}}"
    )


REFUSED = {
    "a convolution over three dimensions in groups": (
        (
            f"func.func @main(%a: {t('1x8x8x8x4', A)}, %w: {t('3x3x3x2x4', W)}) -> {t('1x6x6x6x4', WIDE)} {{\n"
            "  %r = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], "
            "window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : "
            f"({t('1x8x8x8x4', A)}, {t('3x3x3x2x4', W)}) -> {t('1x6x6x6x4', WIDE)}\n"
            f"  return %r : {t('1x6x6x6x4', WIDE)}\n}}"
        ),
        "TOSA's CONV3D supports neither groups nor dilated operands",
    ),
    "an input with a scale for each feature": (
        (
            f"func.func @main(%a: {t('1x4x4x2', BY_FEATURE)}, %w: {t('1x1x2x3', W)}) -> {t('1x4x4x3', WIDE)} {{\n"
            "  %r = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
            "window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
            f"({t('1x4x4x2', BY_FEATURE)}, {t('1x1x2x3', W)}) -> {t('1x4x4x3', WIDE)}\n"
            f"  return %r : {t('1x4x4x3', WIDE)}\n}}"
        ),
        "one scale for all elements is needed",
    ),
    "an accumulator of other scales for each feature": (
        (
            f"func.func @main(%a: {t('1x4x4x2', A)}, %w: {t('1x1x2x2', W)}) -> {t('1x4x4x2', OTHER_SCALES)} {{\n"
            "  %r = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
            "window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
            f'({t("1x4x4x2", A)}, {t("1x1x2x2", W)}) -> {t("1x4x4x2", OTHER_SCALES)} loc("mixed")\n'
            f"  return %r : {t('1x4x4x2', OTHER_SCALES)}\n}}"
        ),
        "node 'mixed' (stablehlo.convolution): one scale for all elements is needed",
    ),
    "a rank beyond the level": (
        (
            f"func.func @main(%a: {t('1x2x1x2x1x2x1', A)}) -> {t('1x2x1x2x1x2x1', A)} {{\n"
            f'  %r = stablehlo.reverse %a, dims = [1] : {t("1x2x1x2x1x2x1", A)} loc("turn")\n'
            f"  return %r : {t('1x2x1x2x1x2x1', A)}\n}}"
        ),
        "node 'turn' (tosa.reverse): a rank of 7 exceeds the limit 6 of TOSA's level 8k. Cut the model before it",
    ),
    "a concatenation beyond the level": (
        (
            f"func.func @main(%a: {t('2', A)}) -> {t('130', A)} {{\n"
            f"  %r = stablehlo.concatenate {', '.join(['%a'] * 65)}, dim = 0 : "
            f'({", ".join([t("2", A)] * 65)}) -> {t("130", A)} loc("all")\n'
            f"  return %r : {t('130', A)}\n}}"
        ),
        "node 'all' (tosa.concat): a concatenation of 65 exceeds the limit 64 of TOSA's level 8k",
    ),
    "a quantizer of float16": (
        (
            f"func.func @main(%a: tensor<2xf16>) -> {t('2', A).replace(':f32', ':f16')} {{\n"
            f"  %r = stablehlo.uniform_quantize %a : (tensor<2xf16>) -> {t('2', A).replace(':f32', ':f16')} "
            f'loc("half")\n  return %r : {t("2", A).replace(":f32", ":f16")}\n}}'
        ),
        "node 'half' (stablehlo.uniform_quantize): qconvert writes quantizers of f32 for TOSA, found one of f16.",
    ),
    "a tensor without elements": (
        (
            "func.func @main(%a: tensor<0x3xf32>) -> tensor<0x3xf32> {\n"
            '  %r = stablehlo.add %a, %a : tensor<0x3xf32> loc("none")\n  return %r : tensor<0x3xf32>\n}'
        ),
        "node 'none' (stablehlo.add): TOSA needs tensors with elements, found tensor<0x3xf32>. Cut the model around it",
    ),
    "an integer of 64 bits": (
        (
            "func.func @main(%a: tensor<2xi64>) -> tensor<2xi64> {\n"
            "  %c = stablehlo.constant dense<[1, 4294967296]> : tensor<2xi64>\n"
            '  %r = stablehlo.add %a, %c : tensor<2xi64> loc("far")\n  return %r : tensor<2xi64>\n}'
        ),
        "node 'far' (stablehlo.add): the integer 4294967296 does not fit in 32 bits, the width of its TOSA type",
    ),
    "a scale beyond RESCALE": (
        (
            "func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 1.0e+20>>) "
            "-> tensor<2x!quant.uniform<i8:f32, 0.5>> {\n"
            "  %r = stablehlo.uniform_quantize %a : (tensor<2x!quant.uniform<i8:f32, 1.0e+20>>) "
            '-> tensor<2x!quant.uniform<i8:f32, 0.5>> loc("steep")\n'
            "  return %r : tensor<2x!quant.uniform<i8:f32, 0.5>>\n}"
        ),
        "node 'steep' (stablehlo.uniform_quantize): the factor 2e+20 cannot be written as a 32-bit multiplier",
    ),
    "scales along another dimension": (
        (
            "func.func @main(%a: tensor<2x3x!quant.uniform<i32:f32:0, {0.5, 0.25}>>) "
            "-> tensor<2x3x!quant.uniform<i8:f32, 0.5>> {\n"
            "  %r = stablehlo.uniform_quantize %a : (tensor<2x3x!quant.uniform<i32:f32:0, {0.5, 0.25}>>) "
            '-> tensor<2x3x!quant.uniform<i8:f32, 0.5>> loc("rows")\n'
            "  return %r : tensor<2x3x!quant.uniform<i8:f32, 0.5>>\n}"
        ),
        "node 'rows' (stablehlo.uniform_quantize): RESCALE needs scales along the last dimension, found dimension 0",
    ),
    "a sum of 32-bit integers of two zero points": (
        binary("add", "i32:f32, 0.5", "i32:f32, 0.5:3", "i32:f32, 0.5"),
        "integers of one type, found !quant.uniform<i32:f32, 0.5> and !quant.uniform<i32:f32, 0.5:3>. Requantize them",
    ),
    "a product of 32-bit integers": (
        binary("multiply", "i32:f32, 1.0e-6", "i32:f32, 2.0e-6", "i32:f32, 1.0e-6"),
        "stablehlo.multiply: TOSA's MUL drops 32 bits of a product of 32-bit operands",
    ),
    "an op without a way": (
        (
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %r = stablehlo.cbrt %a : tensor<4xf32>\n"
            "  return %r : tensor<4xf32>\n}"
        ),
        "stablehlo.cbrt: no operator computes it on floats",
    ),
    "products over windows": (
        (
            "func.func @main(%a: tensor<1x4x4x1xf32>) -> tensor<1x3x3x1xf32> {\n"
            "  %c = stablehlo.constant dense<1.0> : tensor<f32>\n"
            '  %r = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({\n'
            "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %m = stablehlo.multiply %x, %y : tensor<f32>\n"
            "    stablehlo.return %m : tensor<f32>\n  }) : (tensor<1x4x4x1xf32>, tensor<f32>) -> tensor<1x3x3x1xf32>\n"
            "  return %r : tensor<1x3x3x1xf32>\n}"
        ),
        "TOSA pools one operand by a sum, maximum or minimum only",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_form_is_refused(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(ConversionError) as caught:
        emit(parse_module(text), TosaOptions())
    assert message in str(caught.value)


def test_litert_ops_without_an_expansion_are_refused() -> None:
    kind = "tensor<1x4x!quant.uniform<i8:f32, 0.5>>"
    follows = "#qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0>"
    op = f'"qconvert.log_softmax"(%x) <{{axis = 1 : i64}}> {{qconvert.arithmetic = {follows}}} : ({kind}) -> {kind}'
    text = f"func.func @main(%x: {kind}) -> {kind} {{\n  %0 = {op}\n  return %0 : {kind}\n}}"
    with pytest.raises(ConversionError, match=r"qconvert\.log_softmax: LiteRT's integers of this op have no expansion"):
        emit(parse_module(text), TosaOptions())
