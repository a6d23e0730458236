func.func @selections(%x: tensor<3x4xf32>, %two: tensor<2xi64>, %i: tensor<2x1xi32>, %n: tensor<i32>, %q: tensor<3x!quant.uniform<i8:f32, 0.5:3>>, %one: tensor<1xi32>) -> tensor<3x4xf32> {
  %0 = stablehlo.real_dynamic_slice %x, %two, %two, %two : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xf32>
  %1 = stablehlo.real_dynamic_slice %q, %one, %one, %one : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %2 = "stablehlo.dynamic_gather"(%x, %i, %two) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  %3 = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<3x4xf32>, tensor<i32>) -> tensor<3x4xf32>
  return %3 : tensor<3x4xf32>
}
// -----
func.func @convolution(%x: tensor<2x4x1xf32>, %w: tensor<3x1x1xf32>, %p: tensor<1x2xi32>) -> tensor<2x4x1xf32> {
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 1>}> : (tensor<2x4x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi32>) -> tensor<2x4x1xf32>
  return %0 : tensor<2x4x1xf32>
}
