"""Small modules of the IR that the tests of this folder share."""

from __future__ import annotations

X, Y, Z = ("!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<i8:f32, 0.25:-7>", "!quant.uniform<i8:f32, 1.0>")

FOUR_LAYERS = f"""
func.func @main(%x: tensor<1x2xf32>) -> tensor<2xf32> {{
  %q = stablehlo.uniform_quantize %x {{qconvert.tensor = "x_q"}} : (tensor<1x2xf32>) -> tensor<1x2x{X}> loc("quantize")
  %w = stablehlo.constant() <{{value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>}}>
      : () -> tensor<2x2x!quant.uniform<i8:f32, 0.5>> loc("weight")
  %d = stablehlo.dot_general %q, %w, contracting_dims = [1] x [0]
      : (tensor<1x2x{X}>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<1x2x!quant.uniform<i32:f32, 0.25>> loc("gemm")
  %r = stablehlo.uniform_quantize %d {{qconvert.tensor = "gemm_q"}}
      : (tensor<1x2x!quant.uniform<i32:f32, 0.25>>) -> tensor<1x2x{Y}> loc("requantize")
  %t = stablehlo.tanh %r {{qconvert.tensor = "tanh_q"}} : (tensor<1x2x{Y}>) -> tensor<1x2x{Y}> loc("tanh")
  %m = stablehlo.reshape %t {{qconvert.tensor = "flat_q"}} : (tensor<1x2x{Y}>) -> tensor<2x{Y}> loc("flatten")
  %f = stablehlo.uniform_dequantize %m : (tensor<2x{Y}>) -> tensor<2xf32> loc("dequantize")
  %e = stablehlo.exponential %f : tensor<2xf32> loc("head")
  return %e : tensor<2xf32>
}}
"""
"""A quantize, a product with its requantize, a function, a movement, and a float head that is no layer."""

AVERAGE = f"""
func.func @main(%x: tensor<3x2x{Z}>) -> tensor<3x{Z}> {{
  %c = stablehlo.constant() <{{value = dense<0> : tensor<i8>}}> : () -> tensor<{Z}>
  %0 = "stablehlo.reduce"(%x, %c) <{{dimensions = array<i64: 1>}}> ({{
  ^bb0(%a: tensor<{Z}>):
    %1 = stablehlo.uniform_quantize %a : (tensor<{Z}>) -> tensor<!quant.uniform<i32:f32, 1.0>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 1.0>>
  }}, {{
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 1.0>>, %b: tensor<!quant.uniform<i32:f32, 1.0>>):
    %2 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 1.0>>
    stablehlo.return %2 : tensor<!quant.uniform<i32:f32, 1.0>>
  }}, {{
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 1.0>>):
    %3 = stablehlo.bitcast_convert %a : (tensor<!quant.uniform<i32:f32, 1.0>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    %4 = stablehlo.uniform_quantize %3 : (tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<{Z}>
    stablehlo.return %4 : tensor<{Z}>
  }}) {{qconvert.tensor = "mean_q"}} : (tensor<3x2x{Z}>, tensor<{Z}>) -> tensor<3x{Z}> loc("mean")
  return %0 : tensor<3x{Z}>
}}
"""
"""The mean of two integers."""
