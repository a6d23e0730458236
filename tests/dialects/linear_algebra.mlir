func.func @products(%x: tensor<3x4xf32>, %m: tensor<4x4xf32>, %n: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<3xf32> {
  %0 = stablehlo.dot %x, %m, precision = [DEFAULT, HIGHEST] : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.dot %x, %n : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  %2 = stablehlo.dot %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<i32>
  return %1 : tensor<3xf32>
}
// -----
func.func @triangles(%m: tensor<2x4x4xf32>, %b: tensor<2x4x1xf32>, %q: tensor<4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4x4xf32> {
  %0 = stablehlo.cholesky %m : tensor<2x4x4xf32>
  %1 = stablehlo.cholesky %m, lower = true : tensor<2x4x4xf32>
  %2 = stablehlo.cholesky %q : tensor<4x4x!quant.uniform<i8:f32, 0.5:3>>
  %3 = "stablehlo.triangular_solve"(%m, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x1xf32>) -> tensor<2x4x1xf32>
  return %0 : tensor<2x4x4xf32>
}
