func.func @forms(%a: tensor<4x6x!quant.uniform<i8:f32:{0:2, 1:3}, {{0.5, 0.25:1}, {0.125, 1.0}}>>, %b: tensor<2x!quant.any<i8<-8:7>:f32>>, %c: tensor<2x!quant.calibrated<f32<-1.5:2.0>>>) {
  return
}
