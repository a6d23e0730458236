// nothing to do
// StableHLO's own order, and a zero point of 0
func.func @main(%x: tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.25:3>>, tensor<4x!quant.uniform<i8:f32, 0.25>>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:3>>
  %1 = stablehlo.uniform_quantize %x {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25>>
  return %0, %1 : tensor<4x!quant.uniform<i8:f32, 0.25:3>>, tensor<4x!quant.uniform<i8:f32, 0.25>>
}
// -----
// f16 does not hold the integers of 32-bit storage
func.func @main(%x: tensor<4xf16>) -> tensor<4x!quant.uniform<i8:f16, 0.25:3>> {
  %0 = stablehlo.uniform_quantize %x {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<4xf16>) -> tensor<4x!quant.uniform<i8:f16, 0.25:3>>
  return %0 : tensor<4x!quant.uniform<i8:f16, 0.25:3>>
}
// -----
// qconvert.softmax has no form that rounds before it adds the zero point
func.func @main(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:3>> {
  %0 = "qconvert.softmax"(%x) <{axis = 0 : i64}> {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:3>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.25:3>>
}
