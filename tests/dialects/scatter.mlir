func.func @scatter(%x: tensor<3x4xf32>, %i: tensor<4x1xi32>, %u: tensor<4x4xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// -----
func.func @batches(%x: tensor<3x4xf32>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>, %i: tensor<3x2xi64>, %u: tensor<3x2xf32>, %v: tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x4xf32> {
  %0, %1 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>, %c: tensor<f32>, %d: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    stablehlo.return %c, %d : tensor<f32>, tensor<!quant.uniform<i8:f32, 0.5:3>>
  }) : (tensor<3x4xf32>, tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x2xi64>, tensor<3x2xf32>, tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<3x4xf32>, tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>)
  return %0 : tensor<3x4xf32>
}
