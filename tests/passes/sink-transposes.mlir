// quantize and clamp pass it, the next convolution absorbs it
func.func @main(%x: tensor<1x2x5x5x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x3x2x!quant.uniform<i32:f32, 0.125>> {
  %w = stablehlo.constant() <{value = dense<3> : tensor<2x2x2x2xi8>}> : () -> tensor<2x2x2x2x!quant.uniform<i8:f32, 0.25>>
  %low = stablehlo.constant() <{value = dense<-3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:-3>>
  %high = stablehlo.constant() <{value = dense<90> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:-3>>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x5x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x2x2x2x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32, 0.125>>
  %1 = stablehlo.transpose %0, dims = [0, 3, 1, 2] : (tensor<1x4x4x2x!quant.uniform<i32:f32, 0.125>>) -> tensor<1x2x4x4x!quant.uniform<i32:f32, 0.125>> loc("conv")
  %2 = stablehlo.uniform_quantize %1 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<1x2x4x4x!quant.uniform<i32:f32, 0.125>>) -> tensor<1x2x4x4x!quant.uniform<i8:f32, 0.5:-3>>
  %3 = stablehlo.clamp %low, %2, %high {qconvert.tensor = "relu_q"} : (tensor<!quant.uniform<i8:f32, 0.5:-3>>, tensor<1x2x4x4x!quant.uniform<i8:f32, 0.5:-3>>, tensor<!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<1x2x4x4x!quant.uniform<i8:f32, 0.5:-3>>
  %4 = stablehlo.convolution(%3, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4x4x!quant.uniform<i8:f32, 0.5:-3>>, tensor<2x2x2x2x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x3x3x2x!quant.uniform<i32:f32, 0.125>>
  return %4 : tensor<1x3x3x2x!quant.uniform<i32:f32, 0.125>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x5x5x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x3x2x!quant.uniform<i32:f32, 0.125>> {
    %1 = stablehlo.constant() <{value = dense<3> : tensor<2x2x2x2xi8>}> : () -> tensor<2x2x2x2x!quant.uniform<i8:f32, 0.25>>
    %2 = stablehlo.constant() <{value = dense<-3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:-3>>
    %3 = stablehlo.constant() <{value = dense<90> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:-3>>
    %4 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x5x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x2x2x2x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32, 0.125>>
    %5 = stablehlo.uniform_quantize %4 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<1x4x4x2x!quant.uniform<i32:f32, 0.125>>) -> tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:-3>>
    %6 = stablehlo.clamp %2, %5, %3 : (tensor<!quant.uniform<i8:f32, 0.5:-3>>, tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:-3>>, tensor<!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:-3>>
    %7 = stablehlo.convolution(%6, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:-3>>, tensor<2x2x2x2x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x3x3x2x!quant.uniform<i32:f32, 0.125>>
    func.return %7 : tensor<1x3x3x2x!quant.uniform<i32:f32, 0.125>>
  }
}
// -----
// the tensor's name stays on the value of the source's layout
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<4x2x3x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32> loc("t")
  %1 = stablehlo.uniform_quantize %0 {qconvert.tensor = "x_q"} : (tensor<4x2x3xf32>) -> tensor<4x2x3x!quant.uniform<i8:f32, 0.5:3>> loc("q")
  return %1 : tensor<4x2x3x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x4xf32>) -> tensor<4x2x3x!quant.uniform<i8:f32, 0.5:3>> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<2x3x4xf32>) -> tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>> loc("q")
    %2 = stablehlo.transpose %1, dims = [2, 0, 1] {qconvert.tensor = "x_q"} : (tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x2x3x!quant.uniform<i8:f32, 0.5:3>> loc("t")
    func.return %2 : tensor<4x2x3x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// inverse transposes cancel
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = stablehlo.tanh %0 : tensor<4x2x3xf32>
  %2 = stablehlo.transpose %1, dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %1 = stablehlo.tanh %0 : tensor<2x3x4xf32>
    func.return %1 : tensor<2x3x4xf32>
  }
}
// -----
// both operands, a constant, a broadcast and an argument beside a transposed value
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<4x2x3xf32>, %s: tensor<2xf32>) -> tensor<4x2x3xf32> {
  %t0 = stablehlo.tanh %x : tensor<2x3x4xf32>
  %0 = stablehlo.transpose %t0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x2x3xf32>
  %c = stablehlo.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]], [[13.0, 14.0, 15.0], [16.0, 17.0, 18.0]], [[19.0, 20.0, 21.0], [22.0, 23.0, 24.0]]]> : tensor<4x2x3xf32>
  %3 = stablehlo.multiply %2, %c : tensor<4x2x3xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<2xf32>) -> tensor<4x2x3xf32>
  %4 = stablehlo.subtract %3, %b : tensor<4x2x3xf32>
  %5 = stablehlo.maximum %4, %y : tensor<4x2x3xf32>
  return %5 : tensor<4x2x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x4xf32>, %1: tensor<4x2x3xf32>, %2: tensor<2xf32>) -> tensor<4x2x3xf32> {
    %3 = stablehlo.tanh %0 : tensor<2x3x4xf32>
    %4 = stablehlo.add %3, %0 : tensor<2x3x4xf32>
    %5 = stablehlo.constant dense<[[[1.000000e+00, 7.000000e+00, 1.300000e+01, 1.900000e+01], [2.000000e+00, 8.000000e+00, 1.400000e+01, 2.000000e+01], [3.000000e+00, 9.000000e+00, 1.500000e+01, 2.100000e+01]], [[4.000000e+00, 1.000000e+01, 1.600000e+01, 2.200000e+01], [5.000000e+00, 1.100000e+01, 1.700000e+01, 2.300000e+01], [6.000000e+00, 1.200000e+01, 1.800000e+01, 2.400000e+01]]]> : tensor<2x3x4xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<2x3x4xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf32>) -> tensor<2x3x4xf32>
    %8 = stablehlo.subtract %6, %7 : tensor<2x3x4xf32>
    %9 = stablehlo.transpose %1, dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
    %10 = stablehlo.maximum %8, %9 : tensor<2x3x4xf32>
    %11 = stablehlo.transpose %10, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    func.return %11 : tensor<4x2x3xf32>
  }
}
// -----
// concatenate, pad, slice, reverse
func.func @main(%x: tensor<1x4x4x2xf32>, %y: tensor<1x4x4x3xf32>) -> tensor<1x5x3x6xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<1x4x4x2xf32>) -> tensor<1x2x4x4xf32>
  %1 = stablehlo.transpose %y, dims = [0, 3, 1, 2] : (tensor<1x4x4x3xf32>) -> tensor<1x3x4x4xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<1x2x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x5x4x4xf32>
  %3 = stablehlo.pad %2, %z, low = [0, 0, 1, 0], high = [0, 0, 0, 2], interior = [0, 0, 0, 0] : (tensor<1x5x4x4xf32>, tensor<f32>) -> tensor<1x5x5x6xf32>
  %4 = stablehlo.slice %3 [0:1, 0:5, 0:5:2, 0:6] : (tensor<1x5x5x6xf32>) -> tensor<1x5x3x6xf32>
  %5 = stablehlo.reverse %4, dims = [2] : tensor<1x5x3x6xf32>
  return %5 : tensor<1x5x3x6xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x4x4x2xf32>, %1: tensor<1x4x4x3xf32>) -> tensor<1x5x3x6xf32> {
    %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.concatenate %0, %1, dim = 3 : (tensor<1x4x4x2xf32>, tensor<1x4x4x3xf32>) -> tensor<1x4x4x5xf32>
    %4 = stablehlo.pad %3, %2, low = [0, 1, 0, 0], high = [0, 0, 2, 0], interior = [0, 0, 0, 0] : (tensor<1x4x4x5xf32>, tensor<f32>) -> tensor<1x5x6x5xf32>
    %5 = stablehlo.slice %4 [0:1, 0:5:2, 0:6, 0:5] : (tensor<1x5x6x5xf32>) -> tensor<1x3x6x5xf32>
    %6 = stablehlo.reverse %5, dims = [1] : tensor<1x3x6x5xf32>
    %7 = stablehlo.transpose %6, dims = [0, 3, 1, 2] : (tensor<1x3x6x5xf32>) -> tensor<1x5x3x6xf32>
    func.return %7 : tensor<1x5x3x6xf32>
  }
}
// -----
// a pool, then the mean over what is left, then weights
func.func @main(%x: tensor<1x5x4x2xf32>) -> tensor<1x3xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %w = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<1x5x4x2xf32>) -> tensor<1x2x5x4xf32>
  %1 = "stablehlo.reduce_window"(%0, %z) <{window_dimensions = array<i64: 1, 1, 2, 3>, window_strides = array<i64: 1, 1, 2, 1>, padding = dense<[[0, 0], [0, 0], [1, 0], [0, 2]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x2x5x4xf32>, tensor<f32>) -> tensor<1x2x3x4xf32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.maximum across dimensions = [2, 3] : (tensor<1x2x3x4xf32>, tensor<f32>) -> tensor<1x2xf32>
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x3xf32>) -> tensor<1x3xf32>
  return %3 : tensor<1x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x5x4x2xf32>) -> tensor<1x3xf32> {
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>
    %3 = "stablehlo.reduce_window"(%0, %1) <{padding = dense<[[0, 0], [1, 0], [0, 2], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 3, 1>, window_strides = array<i64: 1, 2, 1, 1>}> ({
    ^bb0(%4: tensor<f32>, %5: tensor<f32>):
      %6 = stablehlo.maximum %4, %5 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<1x5x4x2xf32>, tensor<f32>) -> tensor<1x3x4x2xf32>
    %7 = stablehlo.reduce(%3 init: %1) applies stablehlo.maximum across dimensions = [1, 2] : (tensor<1x3x4x2xf32>, tensor<f32>) -> tensor<1x2xf32>
    %8 = stablehlo.dot_general %7, %2, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x3xf32>) -> tensor<1x3xf32>
    func.return %8 : tensor<1x3xf32>
  }
}
// -----
// a flattening goes into the rows of the weights behind it
func.func @main(%x: tensor<2x2x3x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.125,0.25}>> {
  %w = stablehlo.constant() <{value = dense<[[1, -1], [2, -2], [3, -3], [4, -4], [5, -5], [6, -6], [7, -7], [8, -8], [9, -9], [10, -10], [11, -11], [12, -12]]> : tensor<12x2xi8>}> : () -> tensor<12x2x!quant.uniform<i8:f32:1, {0.25,0.5}>>
  %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<2x2x3x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x2x3x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.reshape %0 : (tensor<2x2x2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x12x!quant.uniform<i8:f32, 0.5:3>>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<2x12x!quant.uniform<i8:f32, 0.5:3>>, tensor<12x2x!quant.uniform<i8:f32:1, {0.25,0.5}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.125,0.25}>>
  return %2 : tensor<2x2x!quant.uniform<i32:f32:1, {0.125,0.25}>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x2x3x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.125,0.25}>> {
    %1 = stablehlo.constant() <{value = dense<[[1, -1], [7, -7], [2, -2], [8, -8], [3, -3], [9, -9], [4, -4], [10, -10], [5, -5], [11, -11], [6, -6], [12, -12]]> : tensor<12x2xi8>}> : () -> tensor<12x2x!quant.uniform<i8:f32:1, {0.25,0.5}>>
    %2 = stablehlo.reshape %0 : (tensor<2x2x3x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x12x!quant.uniform<i8:f32, 0.5:3>>
    %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] : (tensor<2x12x!quant.uniform<i8:f32, 0.5:3>>, tensor<12x2x!quant.uniform<i8:f32:1, {0.25,0.5}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.125,0.25}>>
    func.return %3 : tensor<2x2x!quant.uniform<i32:f32:1, {0.125,0.25}>>
  }
}
// -----
// patches of an image become rows: neighbours stay together
func.func @main(%x: tensor<1x2x3x4xf32>) -> tensor<1x6x4xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<1x2x3x4xf32>) -> tensor<1x4x2x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x4x2x3xf32>) -> tensor<1x4x6xf32>
  %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<1x4x6xf32>) -> tensor<1x6x4xf32>
  return %2 : tensor<1x6x4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x3x4xf32>) -> tensor<1x6x4xf32> {
    %1 = stablehlo.reshape %0 : (tensor<1x2x3x4xf32>) -> tensor<1x6x4xf32>
    func.return %1 : tensor<1x6x4xf32>
  }
}
// -----
// channels scaled by what a squeezed vector says, dimensions of size 1 on the way
func.func @main(%x: tensor<1x3x3x4xf32>) -> tensor<1x4x3x3xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.tanh %x : tensor<1x3x3x4xf32>
  %0 = stablehlo.transpose %t, dims = [0, 3, 1, 2] : (tensor<1x3x3x4xf32>) -> tensor<1x4x3x3xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [2, 3] : (tensor<1x4x3x3xf32>, tensor<f32>) -> tensor<1x4xf32>
  %2 = stablehlo.reshape %1 : (tensor<1x4xf32>) -> tensor<1x4x1x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<1x4x3x3xf32>
  %4 = stablehlo.multiply %0, %3 : tensor<1x4x3x3xf32>
  return %4 : tensor<1x4x3x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x3x3x4xf32>) -> tensor<1x4x3x3xf32> {
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.tanh %0 : tensor<1x3x3x4xf32>
    %3 = stablehlo.reduce(%2 init: %1) applies stablehlo.add across dimensions = [1, 2] : (tensor<1x3x3x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x4xf32>) -> tensor<1x4x1x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 3, 1, 2] : (tensor<1x4x1x1xf32>) -> tensor<1x3x3x4xf32>
    %6 = stablehlo.multiply %2, %5 : tensor<1x3x3x4xf32>
    %7 = stablehlo.transpose %6, dims = [0, 3, 1, 2] : (tensor<1x3x3x4xf32>) -> tensor<1x4x3x3xf32>
    func.return %7 : tensor<1x4x3x3xf32>
  }
}
// -----
// a matrix product contracts whichever dimension it is told
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x5x4xf32>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.transpose %y, dims = [0, 2, 1] : (tensor<2x5x4xf32>) -> tensor<2x4x5xf32>
  %1 = stablehlo.dot_general %x, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x4xf32>, %1: tensor<2x5x4xf32>) -> tensor<2x3x5xf32> {
    %2 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
    func.return %2 : tensor<2x3x5xf32>
  }
}
// -----
// rows taken along one dimension
func.func @main(%x: tensor<1x2x3x4xf32>) -> tensor<1x4x2x5xf32> {
  %i = stablehlo.constant dense<[0, 0, 1, 2, 2]> : tensor<5xi64>
  %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<1x2x3x4xf32>) -> tensor<1x4x2x3xf32>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2], collapsed_slice_dims = [3], start_index_map = [3], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4, 2, 1>, indices_are_sorted = false}> : (tensor<1x4x2x3xf32>, tensor<5xi64>) -> tensor<1x4x2x5xf32>
  return %1 : tensor<1x4x2x5xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x3x4xf32>) -> tensor<1x4x2x5xf32> {
    %1 = stablehlo.constant dense<[0, 0, 1, 2, 2]> : tensor<5xi64>
    %2 = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 3], collapsed_slice_dims = [2], start_index_map = [2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2, 1, 4>}> : (tensor<1x2x3x4xf32>, tensor<5xi64>) -> tensor<1x2x5x4xf32>
    %3 = stablehlo.transpose %2, dims = [0, 3, 1, 2] : (tensor<1x2x5x4xf32>) -> tensor<1x4x2x5xf32>
    func.return %3 : tensor<1x4x2x5xf32>
  }
}
// -----
// softmax along another dimension, select by a scalar, compare
func.func @main(%x: tensor<2x3x4xf32>, %p: tensor<i1>) -> tensor<4x2x3xi1> {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = "qconvert.softmax"(%0) <{axis = 0 : i64}> : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  %2 = stablehlo.select %p, %0, %1 : tensor<i1>, tensor<4x2x3xf32>
  %3 = stablehlo.compare LT, %2, %0 : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x2x3xi1>
  return %3 : tensor<4x2x3xi1>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x4xf32>, %1: tensor<i1>) -> tensor<4x2x3xi1> {
    %2 = "qconvert.softmax"(%0) <{axis = 2 : i64}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %3 = stablehlo.select %1, %0, %2 : tensor<i1>, tensor<2x3x4xf32>
    %4 = stablehlo.compare LT, %3, %0 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xi1>
    %5 = stablehlo.transpose %4, dims = [2, 0, 1] : (tensor<2x3x4xi1>) -> tensor<4x2x3xi1>
    func.return %5 : tensor<4x2x3xi1>
  }
}
// -----
// a flattening and its weights, each converted once more on the way to the product
func.func @main(%x: tensor<2x2x3x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x1xf32> {
  %w = stablehlo.constant() <{value = dense<[[1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12]]> : tensor<12x1xi8>}> : () -> tensor<12x1x!quant.uniform<i8:f32, 0.25>>
  %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<2x2x3x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x2x3x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.reshape %0 : (tensor<2x2x2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x12x!quant.uniform<i8:f32, 0.5:3>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x12x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x12xf32>
  %3 = stablehlo.uniform_dequantize %w : (tensor<12x1x!quant.uniform<i8:f32, 0.25>>) -> tensor<12x1xf32>
  %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<2x12xf32>, tensor<12x1xf32>) -> tensor<2x1xf32>
  return %4 : tensor<2x1xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x2x3x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x1xf32> {
    %1 = stablehlo.constant() <{value = dense<[[1], [7], [2], [8], [3], [9], [4], [10], [5], [11], [6], [12]]> : tensor<12x1xi8>}> : () -> tensor<12x1x!quant.uniform<i8:f32, 0.25>>
    %2 = stablehlo.uniform_dequantize %1 : (tensor<12x1x!quant.uniform<i8:f32, 0.25>>) -> tensor<12x1xf32>
    %3 = stablehlo.reshape %0 : (tensor<2x2x3x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x12x!quant.uniform<i8:f32, 0.5:3>>
    %4 = stablehlo.uniform_dequantize %3 : (tensor<2x12x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x12xf32>
    %5 = stablehlo.dot_general %4, %2, contracting_dims = [1] x [0] : (tensor<2x12xf32>, tensor<12x1xf32>) -> tensor<2x1xf32>
    func.return %5 : tensor<2x1xf32>
  }
}
// -----
// a resize, along what the dimensions were before
func.func @main(%x: tensor<1x2x3x4xf32>) -> tensor<1x4x4x3xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<1x2x3x4xf32>) -> tensor<1x4x2x3xf32>
  %1 = "qconvert.resize"(%0) <{axes = array<i64: 2>, coordinates = #qconvert<coordinates half_pixel>, scales = array<f64: 2.000000e+00>}> : (tensor<1x4x2x3xf32>) -> tensor<1x4x4x3xf32>
  return %1 : tensor<1x4x4x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x3x4xf32>) -> tensor<1x4x4x3xf32> {
    %1 = "qconvert.resize"(%0) <{axes = array<i64: 1>, coordinates = #qconvert<coordinates half_pixel>, scales = array<f64: 2.000000e+00>}> : (tensor<1x2x3x4xf32>) -> tensor<1x4x3x4xf32>
    %2 = stablehlo.transpose %1, dims = [0, 3, 1, 2] : (tensor<1x4x3x4xf32>) -> tensor<1x4x4x3xf32>
    func.return %2 : tensor<1x4x4x3xf32>
  }
}
// -----
// pixels repeated by a broadcast that adds dimensions, then joined: the next transpose undoes the first
func.func @main(%x: tensor<1x2x3x4xf32>) -> tensor<1x4x6x4xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<1x2x3x4xf32>) -> tensor<1x4x2x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 4] : (tensor<1x4x2x3xf32>) -> tensor<1x4x2x2x3x2xf32>
  %2 = stablehlo.reshape %1 : (tensor<1x4x2x2x3x2xf32>) -> tensor<1x4x4x6xf32>
  %3 = stablehlo.transpose %2, dims = [0, 2, 3, 1] : (tensor<1x4x4x6xf32>) -> tensor<1x4x6x4xf32>
  return %3 : tensor<1x4x6x4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x3x4xf32>) -> tensor<1x4x6x4xf32> {
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 3, 5] : (tensor<1x2x3x4xf32>) -> tensor<1x2x2x3x2x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x2x2x3x2x4xf32>) -> tensor<1x4x6x4xf32>
    func.return %2 : tensor<1x4x6x4xf32>
  }
}
