// nothing to do
// weights alone are quantized
func.func @main(%x: tensor<1x2xf32>, %w: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
// -----
// nothing to do
// both sides are quantized
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %w: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.25>> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.25>>
  return %0 : tensor<2x2x!quant.uniform<i32:f32, 0.25>>
}
