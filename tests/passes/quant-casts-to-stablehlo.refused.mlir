// fake quantization is for convert-fake-quant, which makes casts of it
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "quant.const_fake_quant"(%x) {min = 0.0 : f32, max = 1.0 : f32, num_bits = 8} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// tensor<4xf32> to tensor<4x!quant.any<i8:f32>>: parameters are not known yet
func.func @main(%x: tensor<4xf32>) -> tensor<4x!quant.any<i8:f32>> {
  %0 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.any<i8:f32>>
  return %0 : tensor<4x!quant.any<i8:f32>>
}
// -----
// nothing to do
// what is StableHLO already
func.func @main(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:3>> {
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:3>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.25:3>>
}
