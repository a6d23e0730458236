func.func @bits(%v: tensor<4xi32>, %u: tensor<3xui8>) -> tensor<4xi32> {
  %0 = stablehlo.popcnt %v : tensor<4xi32>
  %1 = stablehlo.count_leading_zeros %u : tensor<3xui8>
  return %0 : tensor<4xi32>
}
// -----
func.func @floats(%x: tensor<3xf32>, %h: tensor<2xbf16>) -> tensor<3xi1> {
  %0 = stablehlo.is_finite %x : (tensor<3xf32>) -> tensor<3xi1>
  %1 = stablehlo.reduce_precision %x, format = e5m10 : tensor<3xf32>
  %2 = stablehlo.reduce_precision %h, format = e8m0 : tensor<2xbf16>
  return %0 : tensor<3xi1>
}
// -----
func.func @quantized(%x: tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3xi1> {
  %0 = stablehlo.is_finite %x : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3xi1>
  %1 = stablehlo.reduce_precision %x, format = e5m2 : tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  %2 = stablehlo.reduce_precision %x, format = e5m2 : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.25>>
  return %0 : tensor<3xi1>
}
