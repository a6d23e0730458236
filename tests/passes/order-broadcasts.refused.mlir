// nothing to do
// dimensions rise, or there are none
func.func @main(%x: tensor<3x2xf32>, %y: tensor<f32>) -> (tensor<4x3x2xf32>, tensor<2xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<3x2xf32>) -> tensor<4x3x2xf32>
  %1 = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<2xf32>
  return %0, %1 : tensor<4x3x2xf32>, tensor<2xf32>
}
