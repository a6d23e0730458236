// argument 0 keeps its type: other ops use it as it is
func.func @main(%x: tensor<2xf32>) -> (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2xf32>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.tanh %x : tensor<2xf32>
  return %0, %1 : tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2xf32>
}
// -----
// argument 0 keeps its type: it is quantized to several types
func.func @main(%x: tensor<2xf32>) -> (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.25>>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.25>>
  return %0, %1 : tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.25>>
}
