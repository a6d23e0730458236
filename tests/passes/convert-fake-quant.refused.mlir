// nothing to do
// casts that are there already
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.25:3>>
  %1 = quant.dcast %0 : tensor<4x!quant.uniform<i8:f32, 0.25:3>> to tensor<4xf32>
  return %1 : tensor<4xf32>
}
