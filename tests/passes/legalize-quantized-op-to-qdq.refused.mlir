// nothing to do
// Movements pass integers on.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.reshape %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  %b = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  return %b : tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
}
// -----
// nothing to do
// Conversions are what is left at the end.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %c = stablehlo.bitcast_convert %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  %d = stablehlo.uniform_dequantize %c : (tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
