// nothing to do
// sums, and integers of 32 bits
func.func @main(%0: tensor<3x4xi32>) -> (tensor<3x1xi32>, tensor<3x1xi32>) {
  %1 = tosa.reduce_max %0 {axis = 1 : i32} : (tensor<3x4xi32>) -> tensor<3x1xi32>
  %2 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<3x4xi32>) -> tensor<3x1xi32>
  return %1, %2 : tensor<3x1xi32>, tensor<3x1xi32>
}
