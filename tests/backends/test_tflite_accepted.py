"""Types, sizes and numbers that LiteRT's kernels do not take are refused, and the node is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tflite

from qconvert import Format, convert, load
from qconvert.backends.base import Profile
from qconvert.backends.tflite.accepted import check_accepted
from qconvert.backends.tflite.graph import Graph, Operator, Options, Tensor
from qconvert.backends.tflite.options import HeldAs, TfliteOptions
from qconvert.engines.litert import run
from qconvert.ir import f32
from qconvert.support.errors import ConversionError
from tests.backends.test_tflite_programs import program

INTEGERS_ALONE = TfliteOptions(profile=Profile.INT)
PLAIN, HIGH = "tensor<4x3xi8>", "tensor<1x1x1x1x1x2xf32>"
SUMS = "tensor<4x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>"
NARROW = "tensor<4x3x!quant.uniform<i4:f32, 0.5>>"
TINY = "tensor<4x3x!quant.uniform<i8:f32, 1.0e-38>>"
COMPLEX = "tensor<4x3xcomplex<f32>>"
MATRIX = "tensor<2x2x!quant.uniform<i8:f32, 0.01>>"
SEQUENCE = "tensor<1x4x2x!quant.uniform<i8:f32, 0.0078125:-1>>"
BIAS = "tensor<2x!quant.uniform<i32:f32, 0.000078125>>"
LSTM = f"""%y = "qconvert.lstm"(%a, {"%b, " * 6}%c, %c, %c) <{{gate_type = !quant.uniform<i16:f32, 2.44140625E-4>,
  cell_type = !quant.uniform<i16:f32, 4.8828125E-4>, cell_clip = 10.0 : f64}}>
  {{qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 4, 0>}} :
  ({SEQUENCE}, {f"{MATRIX}, " * 6}{BIAS}, {BIAS}, {BIAS}) -> {SEQUENCE}"""
INTEGERS = "tensor<2x3xi32>; tensor<3x4xi32>"

REFUSED: dict[str, str] = {
    program(f"{PLAIN}; {PLAIN}", PLAIN, f"%y = stablehlo.add %a, %b : {PLAIN}"): r"LiteRT has no ADD of i8",
    program(
        INTEGERS,
        "tensor<2x4xi32>",
        f"%y = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({INTEGERS.replace(';', ',')}) -> "
        "tensor<2x4xi32>",
    ): "LiteRT has no BATCH_MATMUL of i32",
    program(f"{SUMS}; {SUMS}", SUMS, f"%y = stablehlo.add %a, %b : {SUMS}"): "LiteRT has no ADD of !quant.uniform<i32",
    program(NARROW, NARROW, f"%y = stablehlo.reverse %a, dims = [0] : {NARROW}"): "LiteRT has no REVERSE_V2 of ",
    program(COMPLEX, COMPLEX, f"%y = stablehlo.negate %a : {COMPLEX}"): "TFLite has no tensors of complex<f32>",
    program(
        HIGH,
        "tensor<1x1x1x1x1x4xf32>",
        "%c = stablehlo.constant dense<0.0> : tensor<f32>",
        "%y = stablehlo.pad %a, %c, low = [0, 0, 0, 0, 0, 1], high = [0, 0, 0, 0, 0, 1], "
        f"interior = [0, 0, 0, 0, 0, 0] : ({HIGH}, tensor<f32>) -> tensor<1x1x1x1x1x4xf32>",
    ): "LiteRT's PAD takes tensors of at most 5 dimensions, found",
    program("tensor<4x0xf32>", "tensor<4x0xf32>", "%y = stablehlo.tanh %a : tensor<4x0xf32>"): "with elements, found",
    program(f"{SEQUENCE}; {MATRIX}; {BIAS}", SEQUENCE, LSTM): "LSTM of integers has constant weights and biases",
    program(TINY, TINY, f"%y = stablehlo.abs %a : {TINY}"): "which float32 does not hold",
    program(
        "tensor<1x3xf32>",
        "tensor<1x1xf32>",
        f"%y = stablehlo.slice %a [0:1, 0:3:{1 << 40}] : (tensor<1x3xf32>) -> tensor<1x1xf32>",
    ): "a slice is 1099511627776, which TFLite's integers of 32 bits do not hold",
    program(
        "tensor<1x1x1x2xf32>; tensor<1x1x2x1xf32>",
        "tensor<1x1x1x1xf32>",
        "%y = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
        "{lhs_dilate = [32768, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        "(tensor<1x1x1x2xf32>, tensor<1x1x2x1xf32>) -> tensor<1x1x1x1xf32>",
    ): r"TRANSPOSE_CONV takes strides up to 32,767, not \(32768, 1\)",
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_what_litert_has_no_kernel_for_is_refused(text: str) -> None:
    with pytest.raises(ConversionError, match=REFUSED[text]):
        convert(load(text.encode()), Format.TFLITE)


def eighth(scale: str) -> str:
    return f"!quant.uniform<i8:f32, {scale}:3>"


@pytest.mark.parametrize(
    ("op", "scale", "result"), [("add", "0.5", "1.0e-7"), ("add", "1.0e-20", "1.0"), ("subtract", "1.0e-20", "1.0")]
)
def test_scales_that_end_litert_are_refused(op: str, scale: str, result: str) -> None:
    kind, made = (f"tensor<4x3x{eighth(each)}>" for each in (scale, result))
    text = program(f"{kind}; {kind}", made, f"%y = stablehlo.{op} %a, %b : ({kind}, {kind}) -> {made}")
    with pytest.raises(ConversionError, match=r"does not take the scales .* together. Quantize the model with scales"):
        convert(load(text.encode()), Format.TFLITE, INTEGERS_ALONE)
    convert(load(text.encode()), Format.TFLITE)


def test_products_that_xnnpack_refuses_are_refused() -> None:
    weights, kind, made = "tensor<3x3x!quant.uniform<i8:f32, 0.5>>", f"tensor<4x3x{eighth('1.0')}>", eighth("0.001")
    sums = "tensor<4x3x!quant.uniform<i32:f32, 0.5>>"
    text = program(
        kind,
        f"tensor<4x3x{made}>",
        f"%w = stablehlo.constant() <{{value = dense<1> : tensor<3x3xi8>}}> : () -> {weights}",
        f"%d = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : ({kind}, {weights}) -> {sums}",
        f"%y = stablehlo.uniform_quantize %d : ({sums}) -> tensor<4x3x{made}>",
    )
    with pytest.raises(ConversionError, match=r"LiteRT's FULLY_CONNECTED does not take the scales 1, 0.5, "):
        convert(load(text.encode()), Format.TFLITE, INTEGERS_ALONE)
    convert(load(text.encode()), Format.TFLITE)


def test_a_product_with_scales_of_channels_is_refused_by_its_node() -> None:
    kind, made = "tensor<2x3x!quant.uniform<i8:f32, 0.5>>", "tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,0.125}>>"
    weights, sums = "tensor<3x3x!quant.uniform<i8:f32, 0.5>>", "tensor<2x3x!quant.uniform<i32:f32, 0.25>>"
    text = program(
        kind,
        made,
        f"%w = stablehlo.constant() <{{value = dense<1> : tensor<3x3xi8>}}> : () -> {weights}",
        f"%d = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : ({kind}, {weights}) -> {sums}",
        f"%y = stablehlo.uniform_quantize %d : ({sums}) -> {made}",
    )
    with pytest.raises(ConversionError, match=r"node 'result0' \(FULLY_CONNECTED\): .* with one scale"):
        convert(load(text.encode()), Format.TFLITE)


def test_a_product_of_16_bits_has_no_zero_point() -> None:
    kinds = [f"tensor<4x4x!quant.uniform<i16:f32, {scale}>>" for scale in ("0.5", "0.25")]
    sums, made = "tensor<4x4x!quant.uniform<i32:f32, 0.125>>", "tensor<4x4x!quant.uniform<i16:f32, 0.75:1>>"
    text = program(
        "; ".join(kinds),
        made,
        f"%d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({', '.join(kinds)}) -> {sums}",
        f"%y = stablehlo.uniform_quantize %d : ({sums}) -> {made}",
    )
    with pytest.raises(ConversionError, match="BATCH_MATMUL takes 16-bit integers without a zero point, found"):
        convert(load(text.encode()), Format.TFLITE)


def test_unsigned_weights_that_are_computed_are_refused() -> None:
    image, kernel = "tensor<1x4x4x1x!quant.uniform<ui8:f32, 0.5:8>>", "tensor<3x3x1x2x!quant.uniform<ui8:f32, 0.25:7>>"
    made = "tensor<1x2x2x2x!quant.uniform<ui8:f32, 1.0:3>>"
    text = program(
        f"{image}; {kernel}",
        made,
        "%y = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} "
        f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({image}, {kernel}) -> {made}",
    )
    for storage in HeldAs:
        with pytest.raises(ConversionError, match="that are computed at run time are not supported"):
            convert(load(text.encode()), Format.TFLITE, TfliteOptions(storage=storage))


def test_operands_have_the_sign_of_the_result() -> None:
    unsigned, signed = "tensor<4x!quant.uniform<ui8:f32, 0.5:8>>", "tensor<4x!quant.uniform<i8:f32, 0.25:7>>"
    text = program(
        f"{unsigned}; {signed}",
        unsigned,
        f"%y = stablehlo.multiply %a, %b : ({unsigned}, {signed}) -> {unsigned}",
    )
    content = convert(load(text.encode()), Format.TFLITE, TfliteOptions(storage=HeldAs.SOURCE)).content
    graph = tflite.Model.GetRootAs(content or b"", 0).Subgraphs(0)
    product = graph.Operators(graph.OperatorsLength() - 1)
    types = {graph.Tensors(index).Type() for index in (*product.InputsAsNumpy(), *product.OutputsAsNumpy())}
    assert types == {tflite.TensorType.UINT8}


def test_an_option_of_more_than_32_bits_names_the_node() -> None:
    tensor = Tensor("x", (1, 4, 4, 1), f32)
    options = Options("Pool2DOptions", {"StrideH": 1 << 31})
    made = Operator(tflite.BuiltinOperator.MAX_POOL_2D, 1, [tensor], [replace(tensor, name="y")], options, "pool")
    with pytest.raises(ConversionError, match=r"'pool'.*MAX_POOL_2D.*StrideH is 2.14748e"):
        check_accepted(Graph([tensor], made.outputs, [made]))


SATURATING = [("multiply", "i8", 17), ("multiply", "i16", 1), ("maximum", "i8", 23), ("maximum", "i16", 15)]
SATURATING += [("add", "i8", 19), ("add", "i16", 14)]


def saturating(op: str, storage: str, exponent: int) -> bytes:
    """Two operands of scale 0.5 and a result of scale 2^-exponent, which almost every result leaves."""
    kind, made = (f"tensor<2x!quant.uniform<{storage}:f32, {scale}>>" for scale in (0.5, 2.0**-exponent))
    return program(f"{kind}; {kind}", made, f"%y = stablehlo.{op} %a, %b : ({kind}, {kind}) -> {made}").encode()


@pytest.mark.parametrize(("op", "storage", "least"), SATURATING)
def test_factors_with_which_litert_leaves_32_bits_are_refused(op: str, storage: str, least: int) -> None:
    with pytest.raises(ConversionError, match=r"leaves 32 bits where operands of scale 0\.5|does not take the scales"):
        convert(load(saturating(op, storage, least + 1)), Format.TFLITE, INTEGERS_ALONE)


@pytest.mark.parametrize("op", ["add", "subtract"])
@pytest.mark.parametrize(("storage", "bits"), [("i8", 20), ("i16", 15)])
def test_sums_that_litert_would_shift_to_the_left_are_refused(op: str, storage: str, bits: int) -> None:
    """At a factor of 1 the process ends; SUB with a larger one gives numbers near 0 where it should saturate."""
    convert(load(saturating(op, storage, bits - 1)), Format.TFLITE, INTEGERS_ALONE)
    for exponent in (bits, bits + 2):
        with pytest.raises(ConversionError, match="does not take the scales"):
            convert(load(saturating(op, storage, exponent)), Format.TFLITE, INTEGERS_ALONE)


@pytest.mark.litert
@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(("op", "storage", "least"), SATURATING)
def test_with_the_largest_factor_that_is_taken_results_saturate(
    op: str, storage: str, least: int, profile: Profile
) -> None:
    limits = np.iinfo(f"int{storage[1:]}")
    options = TfliteOptions(profile=profile)
    content = convert(load(saturating(op, storage, least)), Format.TFLITE, options).content
    assert content is not None
    samples = np.array([[limits.max, limits.min], [limits.max, limits.min + (op == "multiply")]], limits.dtype)
    (result,) = run(content, dict(zip(("arg0", "arg1"), samples, strict=True))).values()
    np.testing.assert_array_equal(result, [limits.max, limits.max if op == "multiply" else limits.min])
