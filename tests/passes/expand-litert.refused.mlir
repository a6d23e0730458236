// nothing to do
// it follows the specification's arithmetic
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>> {
  %0 = stablehlo.abs %a : (tensor<2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
}
// -----
// nothing to do
// it takes floats
func.func @main(%a: tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>> {
  %0 = stablehlo.uniform_quantize %a {qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0>} : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
}
