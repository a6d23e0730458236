// nothing to do
// signed, equal, rhs zero point 0; a convolution's rhs may have one
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, %y: tensor<4x2x!quant.uniform<i8:f32, 0.125>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0625>> {
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x2x!quant.uniform<i8:f32, 0.125>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0625>>
  return %0 : tensor<2x2x!quant.uniform<i32:f32, 0.0625>>
}
// -----
// nothing to do
// a hybrid: float on the left
func.func @main(%x: tensor<2x4xf32>, %y: tensor<4x2x!quant.uniform<i8:f32, 0.125>>) -> tensor<2x2xf32> {
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x4xf32>, tensor<4x2x!quant.uniform<i8:f32, 0.125>>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
