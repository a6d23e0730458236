func.func @plain(%x: tensor<2x3x4xf32>, %s: tensor<f32>, %i: tensor<5x1xi32>) -> tensor<2x3x4xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %2 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
  %3 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<6x4xf32>) -> tensor<6x7x4xf32>
  %4 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
  %5 = stablehlo.slice %x [0:1, 0:3, 0:4:2] : (tensor<2x3x4xf32>) -> tensor<1x3x2xf32>
  %6 = stablehlo.pad %x, %s, low = [0, 1, -1], high = [0, 0, 2], interior = [0, 1, 0] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x6x5xf32>
  %7 = stablehlo.reverse %x, dims = [1, 2] : tensor<2x3x4xf32>
  %8 = stablehlo.iota dim = 0 : tensor<4x2xi32>
  %9 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3, 4>}> : (tensor<2x3x4xf32>, tensor<5x1xi32>) -> tensor<5x3x4xf32>
  return %7 : tensor<2x3x4xf32>
}
// -----
func.func @per_axis(%x: tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25:1,0.125}>>) -> tensor<3x2x!quant.uniform<i8:f32:0, {0.5,0.25:1,0.125}>> {
  %0 = stablehlo.reshape %x : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25:1,0.125}>>) -> tensor<2x1x3x!quant.uniform<i8:f32:2, {0.5,0.25:1,0.125}>>
  %1 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25:1,0.125}>>) -> tensor<2x5x3x!quant.uniform<i8:f32:2, {0.5,0.25:1,0.125}>>
  %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25:1,0.125}>>) -> tensor<3x2x!quant.uniform<i8:f32:0, {0.5,0.25:1,0.125}>>
  return %2 : tensor<3x2x!quant.uniform<i8:f32:0, {0.5,0.25:1,0.125}>>
}
// -----
func.func @per_tensor(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %s: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x6x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x6x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.pad %x, %s, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
  %2 = stablehlo.slice %x [0:2, 1:3] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<2x6x!quant.uniform<i8:f32, 0.5:3>>
}
// -----
func.func @quantized(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %i: tensor<2x1xi64>, %s: tensor<!quant.uniform<i8:f32, 0.5:3>>, %o: tensor<1x!quant.uniform<i8:f32:0, {0.5:1}>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = stablehlo.reverse %x, dims = [] : tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x1xi64>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  %2 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %3 = stablehlo.broadcast_in_dim %o, dims = [1] : (tensor<1x!quant.uniform<i8:f32:0, {0.5:1}>>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.5:1,0.5:1,0.5:1}>>
  %4 = stablehlo.reshape %s : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x!quant.uniform<i8:f32, 0.5:3>>
  %5 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>
  %6 = stablehlo.concatenate %x, dim = 0 : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  return %2 : tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
}
// -----
func.func @edges(%s: tensor<f32>, %e: tensor<2x0xi32>, %z: tensor<i32>, %x: tensor<3x4xf32>, %b: tensor<3x2xi32>) -> tensor<f32> {
  %0 = stablehlo.transpose %s, dims = [] : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.pad %e, %z, low = [0, 3], high = [0, -1], interior = [2, 5] : (tensor<2x0xi32>, tensor<i32>) -> tensor<4x2xi32>
  %3 = stablehlo.slice %x [1:1, 0:4:3] : (tensor<3x4xf32>) -> tensor<0x2xf32>
  %4 = stablehlo.iota dim = 1 : tensor<2x3xbf16>
  %5 = "stablehlo.gather"(%x, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = true, slice_sizes = array<i64: 1, 2>}> : (tensor<3x4xf32>, tensor<3x2xi32>) -> tensor<3x2x2xf32>
  return %1 : tensor<f32>
}
