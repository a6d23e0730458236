// A binary op; its arithmetic, the name of its tensor and its location stay with the quantize.
func.func @main(%l: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %r: tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %y = stablehlo.add %l, %r {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> loc("node")
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
    %2 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32> loc("node")
    %3 = stablehlo.uniform_dequantize %1 : (tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4xf32> loc("node")
    %4 = stablehlo.add %2, %3 : tensor<4xf32> loc("node")
    %5 = stablehlo.uniform_quantize %4 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> loc("node")
    func.return %5 : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// One operand twice is dequantized once.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %y = stablehlo.multiply %x, %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
    %1 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<4xf32>
    %3 = stablehlo.uniform_quantize %2 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
    func.return %3 : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// A comparison has no quantized result; clamp takes scalar bounds, select a predicate.
func.func @main(%l: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %r: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %p = stablehlo.compare LT, %l, %r, FLOAT : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xi1>
  %c = stablehlo.clamp %b, %l, %b : (tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %y = stablehlo.select %p, %c, %r : tensor<4xi1>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %2: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
    %3 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
    %4 = stablehlo.uniform_dequantize %1 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
    %5 = stablehlo.compare LT, %3, %4, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %6 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
    %7 = stablehlo.uniform_dequantize %2 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<f32>
    %8 = stablehlo.clamp %7, %6, %7 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %9 = stablehlo.uniform_quantize %8 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    %10 = stablehlo.uniform_dequantize %9 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
    %11 = stablehlo.uniform_dequantize %1 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
    %12 = stablehlo.select %5, %10, %11 : tensor<4xi1>, tensor<4xf32>
    %13 = stablehlo.uniform_quantize %12 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    func.return %13 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// A composite is computed in float, whole.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %y = "qconvert.softmax"(%x) <{axis = 0 : i64}> {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
    %1 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
    %2 = "qconvert.softmax"(%1) <{axis = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.uniform_quantize %2 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
    func.return %3 : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// A contraction with scales for each feature; powers of two, so that the float sum is exact.
func.func @main(%x: tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>, %w: tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<1x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<1x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>>
  return %y : tensor<1x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<4x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<1x2x!quant.uniform<i32:f32:1, {0.25,0.125}>> {
    %2 = stablehlo.uniform_dequantize %0 : (tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x4xf32>
    %3 = stablehlo.uniform_dequantize %1 : (tensor<4x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<4x2xf32>
    %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
    %5 = stablehlo.uniform_quantize %4 : (tensor<1x2xf32>) -> tensor<1x2x!quant.uniform<i32:f32:1, {0.25,0.125}>>
    func.return %5 : tensor<1x2x!quant.uniform<i32:f32:1, {0.25,0.125}>>
  }
}
// -----
// A hybrid op needs no quantize.
func.func @main(%x: tensor<1x4xf32>, %w: tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<1x2xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x4xf32>, %1: tensor<4x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<1x2xf32> {
    %2 = stablehlo.uniform_dequantize %1 : (tensor<4x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<4x2xf32>
    %3 = stablehlo.dot_general %0, %2, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
    func.return %3 : tensor<1x2xf32>
  }
}
// -----
// A reduction keeps its types, its body is rewritten.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %i: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.5:3>> {
  %y = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.5:3>> {
    %2 = stablehlo.reduce(%0 init: %1) across dimensions = [0] : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.5:3>>
     reducer(%3: tensor<!quant.uniform<i8:f32, 0.5:3>>, %4: tensor<!quant.uniform<i8:f32, 0.5:3>>)  {
      %5 = stablehlo.uniform_dequantize %3 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<f32>
      %6 = stablehlo.uniform_dequantize %4 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<f32>
      %7 = stablehlo.add %5, %6 : tensor<f32>
      %8 = stablehlo.uniform_quantize %7 : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.5:3>>
      stablehlo.return %8 : tensor<!quant.uniform<i8:f32, 0.5:3>>
    }
    func.return %2 : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// Several results: two reductions in one, and the sum of their results.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %i: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) {
  %y:2 = stablehlo.reduce(%x init: %i), (%x init: %i) across dimensions = [0] : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>)
   reducer(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>) (%c: tensor<!quant.uniform<i8:f32, 0.5:3>>, %d: tensor<!quant.uniform<i8:f32, 0.5:3>>) {
    %s = stablehlo.maximum %a, %b : tensor<!quant.uniform<i8:f32, 0.5:3>>
    %t = stablehlo.add %c, %d : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %s, %t : tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>
  }
  return %y#0, %y#1 : tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) {
    %2, %3 = stablehlo.reduce(%0 init: %1), (%0 init: %1) across dimensions = [0] : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>)
     reducer(%4: tensor<!quant.uniform<i8:f32, 0.5:3>>, %5: tensor<!quant.uniform<i8:f32, 0.5:3>>) (%6: tensor<!quant.uniform<i8:f32, 0.5:3>>, %7: tensor<!quant.uniform<i8:f32, 0.5:3>>)  {
      %8 = stablehlo.uniform_dequantize %4 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<f32>
      %9 = stablehlo.uniform_dequantize %5 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<f32>
      %10 = stablehlo.maximum %8, %9 : tensor<f32>
      %11 = stablehlo.uniform_quantize %10 : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.5:3>>
      %12 = stablehlo.uniform_dequantize %6 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<f32>
      %13 = stablehlo.uniform_dequantize %7 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<f32>
      %14 = stablehlo.add %12, %13 : tensor<f32>
      %15 = stablehlo.uniform_quantize %14 : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.5:3>>
      stablehlo.return %11, %15 : tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>
    }
    func.return %2, %3 : tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// Values to select from may have other parameters than the result.
func.func @main(%p: tensor<4xi1>, %l: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %r: tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %y = stablehlo.select %p, %l, %r : (tensor<4xi1>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi1>, %1: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %2: tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
    %3 = stablehlo.uniform_dequantize %1 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
    %4 = stablehlo.uniform_dequantize %2 : (tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4xf32>
    %5 = stablehlo.select %0, %3, %4 : tensor<4xi1>, tensor<4xf32>
    %6 = stablehlo.uniform_quantize %5 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
    func.return %6 : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// A convolution with sums of 64 bits becomes one of floats and an addition of its bias.
func.func @main(%x: tensor<1x2x2x1x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x2x2x2x!quant.uniform<i16:f32, 0.25>> {
  %w = stablehlo.constant() <{value = dense<[[[[1, -3]]]]> : tensor<1x1x1x2xi8>}> : () -> tensor<1x1x1x2x!quant.uniform<i8:f32:3, {0.5, 0.25}>>
  %b = stablehlo.constant dense<[7, -8]> : tensor<2xi64>
  %y = "qconvert.wide_convolution"(%x, %w, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> {qconvert.tensor = "y"} : (tensor<1x2x2x1x!quant.uniform<i16:f32, 0.5>>, tensor<1x1x1x2x!quant.uniform<i8:f32:3, {0.5, 0.25}>>, tensor<2xi64>) -> tensor<1x2x2x2x!quant.uniform<i16:f32, 0.25>>
  return %y : tensor<1x2x2x2x!quant.uniform<i16:f32, 0.25>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x2x1x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x2x2x2x!quant.uniform<i16:f32, 0.25>> {
    %1 = stablehlo.constant() <{value = dense<[[[[1, -3]]]]> : tensor<1x1x1x2xi8>}> : () -> tensor<1x1x1x2x!quant.uniform<i8:f32:3, {0.5,0.25}>>
    %2 = stablehlo.constant dense<[7, -8]> : tensor<2xi64>
    %3 = stablehlo.uniform_dequantize %0 : (tensor<1x2x2x1x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x2x2x1xf32>
    %4 = stablehlo.uniform_dequantize %1 : (tensor<1x1x1x2x!quant.uniform<i8:f32:3, {0.5,0.25}>>) -> tensor<1x1x1x2xf32>
    %5 = stablehlo.convolution(%3, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2x1xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x2x2xf32>
    %6 = stablehlo.convert %2 : (tensor<2xi64>) -> tensor<2xf32>
    %7 = stablehlo.constant dense<[2.500000e-01, 1.250000e-01]> : tensor<2xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<2xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [3] : (tensor<2xf32>) -> tensor<1x2x2x2xf32>
    %10 = stablehlo.add %5, %9 : tensor<1x2x2x2xf32>
    %11 = stablehlo.uniform_quantize %10 {qconvert.tensor = "y"} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2x!quant.uniform<i16:f32, 0.25>>
    func.return %11 : tensor<1x2x2x2x!quant.uniform<i16:f32, 0.25>>
  }
}
// -----
// conversions that compute on whole elements become floats as well
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.7:1>> {
  %c = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %r = stablehlo.negate %a : tensor<!quant.uniform<i8:f32, 0.5:3>>
    %1 = stablehlo.uniform_quantize %r : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>, %b: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.uniform_quantize %a : (tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 0.7:1>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.7:1>>
  }) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.7:1>>
  return %0 : tensor<3x!quant.uniform<i8:f32, 0.7:1>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.7:1>> {
    %1 = stablehlo.uniform_dequantize %0 : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
    %2 = stablehlo.negate %1 : tensor<2x3xf32>
    %3 = stablehlo.uniform_quantize %2 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
    %4 = stablehlo.uniform_quantize %3 : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i32:f32, 0.5>>
    %5 = stablehlo.uniform_dequantize %4 : (tensor<2x3x!quant.uniform<i32:f32, 0.5>>) -> tensor<2x3xf32>
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.uniform_quantize %7 : (tensor<3xf32>) -> tensor<3x!quant.uniform<i32:f32, 0.5>>
    %9 = stablehlo.uniform_quantize %8 : (tensor<3x!quant.uniform<i32:f32, 0.5>>) -> tensor<3x!quant.uniform<i8:f32, 0.7:1>>
    func.return %9 : tensor<3x!quant.uniform<i8:f32, 0.7:1>>
  }
}
