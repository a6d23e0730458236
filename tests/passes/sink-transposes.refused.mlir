// another operand has another layout
func.func @main(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.tanh %y : tensor<2x2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
// -----
// it joins dimensions that were apart
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<8x3xf32> {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x2x3xf32>) -> tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}
// -----
// it flattens dimensions in this order, and more than products with constants use them
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x4x3xf32>) -> tensor<2x12xf32>
  return %1 : tensor<2x12xf32>
}
// -----
// its scales would leave the last dimension
func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5,0.25}>> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<3x2xf32>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>
  return %1 : tensor<3x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>
}
// -----
// its free dimensions would change their order
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<3x2x1xf32> {
  %w = stablehlo.constant dense<1.0> : tensor<4x1xf32>
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [2] x [0] : (tensor<3x2x4xf32>, tensor<4x1xf32>) -> tensor<3x2x1xf32>
  return %1 : tensor<3x2x1xf32>
}
// -----
// nothing to do
// it is where it belongs
func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// -----
// its result has 8 dimensions
func.func @main(%0: tensor<3x2x2x4x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<4x6x4x6x!quant.uniform<i8:f32, 5.000000e-01>> {
  %1 = stablehlo.transpose %0, dims = [1, 2, 3, 0] : (tensor<3x2x2x4x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x2x4x3x!quant.uniform<i8:f32, 5.000000e-01>>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1, 3, 5, 7] : (tensor<2x2x4x3x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x2x3x2x1x4x2x3x!quant.uniform<i8:f32, 5.000000e-01>>
  %3 = stablehlo.reshape %2 : (tensor<2x2x3x2x1x4x2x3x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<4x6x4x6x!quant.uniform<i8:f32, 5.000000e-01>>
  return %3 : tensor<4x6x4x6x!quant.uniform<i8:f32, 5.000000e-01>>
}
