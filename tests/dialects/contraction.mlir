func.func @convolution(%x: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>, %w: tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>
}
// -----
func.func @one_dimension(%x: tensor<2x5x4xf32>, %w: tensor<3x2x8xf32>) -> tensor<2x2x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[0, 0]], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x5x4xf32>, tensor<3x2x8xf32>) -> tensor<2x2x8xf32>
  return %0 : tensor<2x2x8xf32>
}
// -----
func.func @dot(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %q: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, %w: tensor<4x3x!quant.uniform<i8:f32:1, {0.5,0.25,1.0}>>) -> tensor<2x3x!quant.uniform<i32:f32:1, {0.25,0.125,0.5}>> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = stablehlo.dot_general %q, %w, contracting_dims = [1] x [0] : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x3x!quant.uniform<i8:f32:1, {0.5,0.25,1.0}>>) -> tensor<2x3x!quant.uniform<i32:f32:1, {0.25,0.125,0.5}>>
  return %1 : tensor<2x3x!quant.uniform<i32:f32:1, {0.25,0.125,0.5}>>
}
