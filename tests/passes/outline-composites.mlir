// equal composites share a function, last bits as decomposed; one whose operands are quantized is float in between, its result rounded as before
func.func @main(%x: tensor<2x4xf32>, %q: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x4xf32>, tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>, tensor<2x4xf32>) {
  %0 = "qconvert.softmax"(%x) <{axis = 1 : i64}> : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("float")
  %1 = "qconvert.softmax"(%q) <{axis = 1 : i64}> {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y_q"} : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>
  %2 = "qconvert.softmax"(%x) <{axis = 0 : i64}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>, tensor<2x4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4xf32>, %1: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x4xf32>, tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>, tensor<2x4xf32>) {
    %2 = stablehlo.composite "qconvert.softmax" %0 {composite_attributes = {axis = 1 : i64}, decomposition = @qconvert.softmax_0} : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("float")
    %3 = stablehlo.uniform_dequantize %1 : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4xf32>
    %4 = stablehlo.composite "qconvert.softmax" %3 {composite_attributes = {axis = 1 : i64}, decomposition = @qconvert.softmax_0} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %5 = stablehlo.uniform_quantize %4 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y_q"} : (tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>
    %6 = stablehlo.composite "qconvert.softmax" %0 {composite_attributes = {axis = 0 : i64}, decomposition = @qconvert.softmax_1} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    func.return %2, %5, %6 : tensor<2x4xf32>, tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>, tensor<2x4xf32>
  }
  func.func private @qconvert.softmax_0(%0: tensor<2x4xf32>) -> tensor<2x4xf32> {
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
  func.func private @qconvert.softmax_1(%0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
    %4 = stablehlo.subtract %0, %3 : tensor<2x4xf32>
    %5 = stablehlo.exponential %4 : tensor<2x4xf32>
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
    %9 = stablehlo.divide %5, %8 : tensor<2x4xf32>
    func.return %9 : tensor<2x4xf32>
  }
}
// -----
// several results, and a name that is taken
func.func @main(%x: tensor<2xf32>) -> (tensor<2xui8>, tensor<f32>) {
  %q, %s, %z = "qconvert.dynamic_range_quantize"(%x) : (tensor<2xf32>) -> (tensor<2xui8>, tensor<f32>, tensor<ui8>)
  return %q, %s : tensor<2xui8>, tensor<f32>
}
func.func @qconvert.dynamic_range_quantize_0(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2xf32>) -> (tensor<2xui8>, tensor<f32>) {
    %1, %2, %3 = stablehlo.composite "qconvert.dynamic_range_quantize" %0 {decomposition = @qconvert.dynamic_range_quantize_1} : (tensor<2xf32>) -> (tensor<2xui8>, tensor<f32>, tensor<ui8>)
    func.return %1, %2 : tensor<2xui8>, tensor<f32>
  }
  func.func @qconvert.dynamic_range_quantize_0(%0: tensor<f32>) -> tensor<f32> {
    func.return %0 : tensor<f32>
  }
  func.func private @qconvert.dynamic_range_quantize_1(%0: tensor<2xf32>) -> (tensor<2xui8>, tensor<f32>, tensor<ui8>) {
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.minimum across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.subtract %3, %2 : tensor<f32>
    %5 = stablehlo.constant dense<2.550000e+02> : tensor<f32>
    %6 = stablehlo.divide %4, %5 : tensor<f32>
    %7 = stablehlo.compare EQ, %3, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.select %7, %8, %6 : tensor<i1>, tensor<f32>
    %10 = stablehlo.divide %2, %9 : tensor<f32>
    %11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.subtract %11, %10 : tensor<f32>
    %13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.constant dense<2.550000e+02> : tensor<f32>
    %15 = stablehlo.clamp %13, %12, %14 : tensor<f32>
    %16 = stablehlo.round_nearest_even %15 : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %18 = stablehlo.divide %0, %17 : tensor<2xf32>
    %19 = stablehlo.round_nearest_even %18 : tensor<2xf32>
    %20 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %21 = stablehlo.add %19, %20 : tensor<2xf32>
    %22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.constant dense<2.550000e+02> : tensor<f32>
    %24 = stablehlo.clamp %22, %21, %23 : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %25 = stablehlo.convert %24 : (tensor<2xf32>) -> tensor<2xui8>
    %26 = stablehlo.convert %16 : (tensor<f32>) -> tensor<ui8>
    func.return %25, %9, %26 : tensor<2xui8>, tensor<f32>, tensor<ui8>
  }
}
