// the operand is transposed, a constant laid out, and a broadcast that repeats nothing is a transpose
func.func @main(%x: tensor<3x2xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2x3xf32>) {
  %c = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<3x2xf32>) -> tensor<2x4x3xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [2, 0] : (tensor<3x2xf32>) -> tensor<2x4x3xf32>
  %2 = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<3x2xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2x3xf32>) {
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
    %3 = stablehlo.constant dense<[[1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
    %5 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    func.return %2, %4, %5 : tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2x3xf32>
  }
}
// -----
// scales follow their dimension
func.func @main(%x: tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<3x4x2x5x!quant.uniform<i8:f32:2, {0.5, 0.25}>> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [3, 2, 0] : (tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<3x4x2x5x!quant.uniform<i8:f32:2, {0.5, 0.25}>>
  return %0 : tensor<3x4x2x5x!quant.uniform<i8:f32:2, {0.5, 0.25}>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<3x4x2x5x!quant.uniform<i8:f32:2, {0.5,0.25}>> {
    %1 = stablehlo.transpose %0, dims = [2, 1, 0] : (tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<3x2x1x!quant.uniform<i8:f32:1, {0.5,0.25}>>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 2, 3] : (tensor<3x2x1x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<3x4x2x5x!quant.uniform<i8:f32:2, {0.5,0.25}>>
    func.return %2 : tensor<3x4x2x5x!quant.uniform<i8:f32:2, {0.5,0.25}>>
  }
}
