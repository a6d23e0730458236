// a size that it takes follows from data
func.func @main(%x: tensor<3x4xf32>, %s: tensor<1xi32>) -> tensor<12xf32> {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<3x4xf32>, tensor<1xi32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}
