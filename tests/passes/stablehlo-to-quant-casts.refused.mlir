// no cast makes tensor<4x!quant.uniform<i8:f32, 0.25>> of tensor<4x!quant.uniform<i32:f32, 0.5>>
func.func @main(%x: tensor<4x!quant.uniform<i32:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.25>> {
  %0 = stablehlo.uniform_quantize %x : (tensor<4x!quant.uniform<i32:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.25>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.25>>
}
// -----
// no cast makes tensor<4xf32> of tensor<4x!quant.uniform<i32:f32, 0.5>>
func.func @main(%x: tensor<4x!quant.uniform<i32:f32, 0.5>>) -> tensor<4xf32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4x!quant.uniform<i32:f32, 0.5>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// nothing to do
// bits of plain types
func.func @main(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
