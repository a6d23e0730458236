// nothing to do
// other uses of the sums or of the moved sums, 8 bits
func.func @main(%x: tensor<2x!quant.uniform<i32:f32, 0.125>>, %y: tensor<2x!quant.uniform<i32:f32, 0.125>>, %z: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x2x!quant.uniform<i32:f32, 0.125>>, tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i32:f32, 0.125>>, tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>) {
  %0 = stablehlo.reshape %x : (tensor<2x!quant.uniform<i32:f32, 0.125>>) -> tensor<1x2x!quant.uniform<i32:f32, 0.125>>
  %1 = stablehlo.uniform_quantize %0 : (tensor<1x2x!quant.uniform<i32:f32, 0.125>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>
  %2 = stablehlo.reshape %y : (tensor<2x!quant.uniform<i32:f32, 0.125>>) -> tensor<1x2x!quant.uniform<i32:f32, 0.125>>
  %3 = stablehlo.uniform_quantize %2 : (tensor<1x2x!quant.uniform<i32:f32, 0.125>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>
  %4 = stablehlo.reshape %z : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>
  %5 = stablehlo.uniform_quantize %4 : (tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>
  return %1, %0, %3, %y, %5 : tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x2x!quant.uniform<i32:f32, 0.125>>, tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i32:f32, 0.125>>, tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>
}
