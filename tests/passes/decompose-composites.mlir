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
