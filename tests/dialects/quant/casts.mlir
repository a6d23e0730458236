func.func @per_tensor(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = quant.qcast %x : tensor<2x3xf32> to tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %1 = quant.scast %0 : tensor<2x3x!quant.uniform<i8:f32, 0.5:3>> to tensor<2x3xi8>
  %2 = quant.scast %1 : tensor<2x3xi8> to tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %3 = quant.dcast %2 {note = "kept"} : tensor<2x3x!quant.uniform<i8:f32, 0.5:3>> to tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}
// -----
func.func @slices_and_blocks(%x: tensor<2x3xf64>, %y: tensor<4x6xf32>) -> tensor<2x3xf64> {
  %0 = quant.qcast %x : tensor<2x3xf64> to tensor<2x3x!quant.uniform<ui4<1:14>:f64:1, {0.5:3,0.25:1,0.1:2}>>
  %1 = quant.dcast %0 : tensor<2x3x!quant.uniform<ui4<1:14>:f64:1, {0.5:3,0.25:1,0.1:2}>> to tensor<2x3xf64>
  %2 = quant.qcast %y : tensor<4x6xf32> to tensor<4x6x!quant.uniform<i8:f32:{0:2, 1:3}, {{0.5, 0.25:1}, {0.125, 1.0}}>>
  %3 = quant.qcast %y : tensor<4x6xf32> to tensor<4x6x!quant.uniform<i8:f32:{0:2}, {{0.5}, {0.125}}>>
  return %1 : tensor<2x3xf64>
}
// -----
func.func @parameters_to_be_found(%x: tensor<2xf32>, %y: tensor<2x!quant.calibrated<f32<-1.5:2.0>>>) -> tensor<2xi8> {
  %0 = quant.qcast %x : tensor<2xf32> to tensor<2x!quant.any<i8<-8:7>:f32>>
  %1 = quant.scast %0 : tensor<2x!quant.any<i8<-8:7>:f32>> to tensor<2xi8>
  %2 = quant.dcast %y : tensor<2x!quant.calibrated<f32<-1.5:2.0>>> to tensor<2xf32>
  return %1 : tensor<2xi8>
}
// -----
func.func @scalars(%x: tensor<f16>) -> tensor<f16> {
  %0 = quant.qcast %x : tensor<f16> to tensor<!quant.uniform<i16:f16, 0.5>>
  %1 = quant.dcast %0 : tensor<!quant.uniform<i16:f16, 0.5>> to tensor<f16>
  return %1 : tensor<f16>
}
