func.func @slices(%x: tensor<3x4xf32>, %i: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<3x!quant.uniform<i8:f32, 0.5:3>>, %v: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %s: tensor<f32>) -> tensor<3x4xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i64>, tensor<i64>) -> tensor<3x4xf32>
  %2 = stablehlo.dynamic_slice %q, %i, sizes = [2] : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>, tensor<i64>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %3 = stablehlo.dynamic_update_slice %q, %v, %i : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<i64>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  %4 = stablehlo.dynamic_slice %s, sizes = [] : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<3x4xf32>
}
// -----
func.func @shapes(%x: tensor<3x4xf32>, %z: tensor<f32>, %two: tensor<2xi64>, %three: tensor<3xi32>) -> tensor<i32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %three, dims = [1, 2] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<3x4xf32>, tensor<3xi32>) -> tensor<2x3x4xf32>
  %1 = stablehlo.dynamic_reshape %x, %two : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x6xf32>
  %2 = stablehlo.dynamic_iota %two, dim = 1 : (tensor<2xi64>) -> tensor<2x6xf32>
  %3 = stablehlo.dynamic_pad %x, %z, %two, %two, %two : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x4xf32>
  %4 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x4xf32>) -> tensor<i32>
  return %4 : tensor<i32>
}
// -----
func.func @per_axis(%x: tensor<1x2x!quant.uniform<i8:f32:1, {0.5,0.25:1}>>, %two: tensor<2xi64>, %three: tensor<3xi64>) -> tensor<i32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %three, dims = [0, 2] : (tensor<1x2x!quant.uniform<i8:f32:1, {0.5,0.25:1}>>, tensor<3xi64>) -> tensor<3x3x2x!quant.uniform<i8:f32:2, {0.5,0.25:1}>>
  %1 = stablehlo.dynamic_reshape %x, %two : (tensor<1x2x!quant.uniform<i8:f32:1, {0.5,0.25:1}>>, tensor<2xi64>) -> tensor<2x1x!quant.uniform<i8:f32:0, {0.5,0.25:1}>>
  %2 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<1x2x!quant.uniform<i8:f32:1, {0.5,0.25:1}>>) -> tensor<i32>
  return %2 : tensor<i32>
}
