// quantized softmax computes in float and keeps arithmetic, tensor name and location
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>> {
  %0 = "qconvert.softmax"(%x) <{axis = 1 : i64}> {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y_q"} : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>> loc("softmax")
  return %0 : tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>> {
    %1 = stablehlo.uniform_dequantize %0 : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4xf32> loc("softmax")
    %2 = stablehlo.constant dense<0xFF800000> : tensor<f32> loc("softmax")
    %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32> loc("softmax")
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32> loc("softmax")
    %5 = stablehlo.subtract %1, %4 : tensor<2x4xf32> loc("softmax")
    %6 = stablehlo.exponential %5 : tensor<2x4xf32> loc("softmax")
    %7 = stablehlo.constant dense<0.000000e+00> : tensor<f32> loc("softmax")
    %8 = stablehlo.reduce(%6 init: %7) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32> loc("softmax")
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32> loc("softmax")
    %10 = stablehlo.divide %6, %9 : tensor<2x4xf32> loc("softmax")
    %11 = stablehlo.uniform_quantize %10 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y_q"} : (tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>> loc("softmax")
    func.return %11 : tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>
  }
}
// -----
// a float composite, whose sum is made in another order: equal but for the last bits
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = "qconvert.softmax"(%x) <{axis = 1 : i64}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
    %4 = stablehlo.subtract %0, %3 : tensor<2x4xf32>
    %5 = stablehlo.exponential %4 : tensor<2x4xf32>
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
    %9 = stablehlo.divide %5, %8 : tensor<2x4xf32>
    func.return %9 : tensor<2x4xf32>
  }
}
// -----
// dynamic-range quantization, with its scale and zero point, and a product that takes them
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x2xi8>) -> (tensor<2x2xi32>, tensor<f32>) {
  %q, %s, %z = "qconvert.dynamic_range_quantize"(%x) : (tensor<2x3xf32>) -> (tensor<2x3xui8>, tensor<f32>, tensor<ui8>)
  %n = stablehlo.constant dense<0> : tensor<i8>
  %0 = "qconvert.dynamic_range_dot_general"(%q, %w, %z, %n) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xui8>, tensor<3x2xi8>, tensor<ui8>, tensor<i8>) -> tensor<2x2xi32>
  return %0, %s : tensor<2x2xi32>, tensor<f32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xf32>, %1: tensor<3x2xi8>) -> (tensor<2x2xi32>, tensor<f32>) {
    %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%0 init: %2) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.reduce(%0 init: %2) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %5 = stablehlo.subtract %4, %3 : tensor<f32>
    %6 = stablehlo.constant dense<2.550000e+02> : tensor<f32>
    %7 = stablehlo.divide %5, %6 : tensor<f32>
    %8 = stablehlo.compare EQ, %4, %3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.select %8, %9, %7 : tensor<i1>, tensor<f32>
    %11 = stablehlo.divide %3, %10 : tensor<f32>
    %12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.subtract %12, %11 : tensor<f32>
    %14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.constant dense<2.550000e+02> : tensor<f32>
    %16 = stablehlo.clamp %14, %13, %15 : tensor<f32>
    %17 = stablehlo.round_nearest_even %16 : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %19 = stablehlo.divide %0, %18 : tensor<2x3xf32>
    %20 = stablehlo.round_nearest_even %19 : tensor<2x3xf32>
    %21 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %22 = stablehlo.add %20, %21 : tensor<2x3xf32>
    %23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.constant dense<2.550000e+02> : tensor<f32>
    %25 = stablehlo.clamp %23, %22, %24 : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %26 = stablehlo.convert %25 : (tensor<2x3xf32>) -> tensor<2x3xui8>
    %27 = stablehlo.convert %17 : (tensor<f32>) -> tensor<ui8>
    %28 = stablehlo.convert %26 : (tensor<2x3xui8>) -> tensor<2x3xi32>
    %29 = stablehlo.convert %27 : (tensor<ui8>) -> tensor<i32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
    %31 = stablehlo.subtract %28, %30 : tensor<2x3xi32>
    %32 = stablehlo.convert %1 : (tensor<3x2xi8>) -> tensor<3x2xi32>
    %33 = stablehlo.dot_general %31, %32, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
    func.return %33, %10 : tensor<2x2xi32>, tensor<f32>
  }
}
// -----
// a convolution of integers, its weights' zero points along the output features
func.func @main(%x: tensor<1x2x2xi8>, %w: tensor<1x2x2xui8>) -> tensor<1x4x2xi32> {
  %n = stablehlo.constant dense<-3> : tensor<i8>
  %m = stablehlo.constant dense<[128, 127]> : tensor<2xui8>
  %0 = "qconvert.dynamic_range_convolution"(%x, %w, %n, %m) <{window_strides = array<i64: 1>, padding = dense<1> : tensor<1x2xi64>, rhs_dilation = array<i64: 1>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x2x2xi8>, tensor<1x2x2xui8>, tensor<i8>, tensor<2xui8>) -> tensor<1x4x2xi32>
  return %0 : tensor<1x4x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x2xi8>, %1: tensor<1x2x2xui8>) -> tensor<1x4x2xi32> {
    %2 = stablehlo.constant dense<-3> : tensor<i8>
    %3 = stablehlo.constant dense<[128, 127]> : tensor<2xui8>
    %4 = stablehlo.convert %0 : (tensor<1x2x2xi8>) -> tensor<1x2x2xi32>
    %5 = stablehlo.convert %2 : (tensor<i8>) -> tensor<i32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<1x2x2xi32>
    %7 = stablehlo.subtract %4, %6 : tensor<1x2x2xi32>
    %8 = stablehlo.convert %1 : (tensor<1x2x2xui8>) -> tensor<1x2x2xi32>
    %9 = stablehlo.convert %3 : (tensor<2xui8>) -> tensor<2xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [2] : (tensor<2xi32>) -> tensor<1x2x2xi32>
    %11 = stablehlo.subtract %8, %10 : tensor<1x2x2xi32>
    %12 = stablehlo.convolution(%7, %11) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2xi32>, tensor<1x2x2xi32>) -> tensor<1x4x2xi32>
    func.return %12 : tensor<1x4x2xi32>
  }
}
