// the zero point added after the rounding
func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<4x8xf32>
  %4 = stablehlo.constant dense<3.0> : tensor<4x8xf32>
  %5 = stablehlo.add %3, %4 : tensor<4x8xf32>
  %6 = stablehlo.constant dense<-128.0> : tensor<f32>
  %7 = stablehlo.constant dense<127.0> : tensor<f32>
  %8 = stablehlo.clamp %6, %5, %7 : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %9 = stablehlo.subtract %8, %4 : tensor<4x8xf32>
  %10 = stablehlo.multiply %9, %1 : tensor<4x8xf32>
  return %10 : tensor<4x8xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = stablehlo.uniform_quantize %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<4x8xf32>) -> tensor<4x8x!quant.uniform<i8:f32, 0.05000000074505806:3>>
    %2 = stablehlo.uniform_dequantize %1 : (tensor<4x8x!quant.uniform<i8:f32, 0.05000000074505806:3>>) -> tensor<4x8xf32>
    func.return %2 : tensor<4x8xf32>
  }
}
// -----
// the zero point added before the rounding, integers without a sign
func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4x8xf32>
  %4 = stablehlo.constant dense<117.0> : tensor<4x8xf32>
  %3 = stablehlo.add %2, %4 : tensor<4x8xf32>
  %5 = stablehlo.round_nearest_even %3 : tensor<4x8xf32>
  %6 = stablehlo.constant dense<0.0> : tensor<f32>
  %7 = stablehlo.constant dense<255.0> : tensor<f32>
  %8 = stablehlo.clamp %6, %5, %7 : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %9 = stablehlo.subtract %8, %4 : tensor<4x8xf32>
  %10 = stablehlo.multiply %9, %1 : tensor<4x8xf32>
  return %10 : tensor<4x8xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<4x8xf32>) -> tensor<4x8x!quant.uniform<ui8:f32, 0.05000000074505806:117>>
    %2 = stablehlo.uniform_dequantize %1 : (tensor<4x8x!quant.uniform<ui8:f32, 0.05000000074505806:117>>) -> tensor<4x8xf32>
    func.return %2 : tensor<4x8xf32>
  }
}
// -----
// scales along a dimension, no zero point, one integer left out
func.func @main(%0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = stablehlo.constant dense<[0.5, 0.25, 0.75]> : tensor<3xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.divide %0, %2 : tensor<2x3xf32>
  %4 = stablehlo.round_nearest_even %3 : tensor<2x3xf32>
  %6 = stablehlo.constant dense<-127.0> : tensor<f32>
  %7 = stablehlo.constant dense<127.0> : tensor<f32>
  %8 = stablehlo.clamp %6, %4, %7 : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %9 = stablehlo.multiply %8, %2 : tensor<2x3xf32>
  return %9 : tensor<2x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %1 = stablehlo.uniform_quantize %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8<-127:127>:f32:1, {0.5,0.25,0.75}>>
    %2 = stablehlo.uniform_dequantize %1 : (tensor<2x3x!quant.uniform<i8<-127:127>:f32:1, {0.5,0.25,0.75}>>) -> tensor<2x3xf32>
    func.return %2 : tensor<2x3xf32>
  }
}
// -----
// multiplied by the reciprocal
func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
  %1 = stablehlo.constant dense<4.0> : tensor<4xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<4xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<4xf32>
  %6 = stablehlo.constant dense<-32768.0> : tensor<f32>
  %7 = stablehlo.constant dense<32767.0> : tensor<f32>
  %8 = stablehlo.clamp %6, %3, %7 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %9 = stablehlo.constant dense<0.25> : tensor<4xf32>
  %10 = stablehlo.multiply %8, %9 : tensor<4xf32>
  return %10 : tensor<4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
    %1 = stablehlo.uniform_quantize %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i16:f32, 0.25>>
    %2 = stablehlo.uniform_dequantize %1 : (tensor<4x!quant.uniform<i16:f32, 0.25>>) -> tensor<4xf32>
    func.return %2 : tensor<4xf32>
  }
}
