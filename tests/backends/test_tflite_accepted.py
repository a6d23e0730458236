"""Types, sizes and numbers that LiteRT's kernels do not take are refused, and the node is named."""

from __future__ import annotations

from dataclasses import replace

import pytest
import tflite

from qconvert import Format, convert, load
from qconvert.backends.tflite.accepted import check_accepted
from qconvert.backends.tflite.graph import Graph, Operator, Options, Tensor
from qconvert.ir import f32
from qconvert.support.errors import ConversionError
from tests.backends.test_tflite_programs import program

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
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_what_litert_has_no_kernel_for_is_refused(text: str) -> None:
    with pytest.raises(ConversionError, match=REFUSED[text]):
        convert(load(text.encode()), Format.TFLITE)


def test_an_option_of_more_than_32_bits_names_the_node() -> None:
    tensor = Tensor("x", (1, 4, 4, 1), f32)
    options = Options("Pool2DOptions", {"StrideH": 1 << 31})
    made = Operator(tflite.BuiltinOperator.MAX_POOL_2D, 1, [tensor], [replace(tensor, name="y")], options, "pool")
    with pytest.raises(ConversionError, match=r"'pool'.*MAX_POOL_2D.*StrideH is 2.14748e"):
        check_accepted(Graph([tensor], made.outputs, [made]))
