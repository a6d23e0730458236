// Blocks along one dimension, with zero points: two dimensions for the blocked one.
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.constant() <{value = dense<[[1, 2], [-3, 4], [5, -6], [7, -8]]> : tensor<4x2xi4>}> : () -> tensor<4x2x!quant.uniform<i4:f32:{0:2, 1:1}, {{0.5, 0.25:1}, {0.125, 1.0}}>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<4x2x!quant.uniform<i4:f32:{0:2, 1:1}, {{0.5, 0.25:1}, {0.125, 1.0}}>>) -> tensor<4x2xf32>
  %2 = stablehlo.dot_general %x, %1, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4xf32>) -> tensor<2x2xf32> {
    %1 = stablehlo.constant dense<[[[1, 2], [-3, 4]], [[5, -6], [7, -8]]]> : tensor<2x2x2xi4>
    %2 = stablehlo.convert %1 : (tensor<2x2x2xi4>) -> tensor<2x2x2xf32>
    %3 = stablehlo.constant dense<[[[0.000000e+00, 1.000000e+00]], [[0.000000e+00, 0.000000e+00]]]> : tensor<2x1x2xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x1x2xf32>) -> tensor<2x2x2xf32>
    %5 = stablehlo.subtract %2, %4 : tensor<2x2x2xf32>
    %6 = stablehlo.constant dense<[[[5.000000e-01, 2.500000e-01]], [[1.250000e-01, 1.000000e+00]]]> : tensor<2x1x2xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x1x2xf32>) -> tensor<2x2x2xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<2x2x2xf32>
    %9 = stablehlo.reshape %8 : (tensor<2x2x2xf32>) -> tensor<4x2xf32>
    %10 = stablehlo.dot_general %0, %9, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    func.return %10 : tensor<2x2xf32>
  }
}
// -----
// Blocks of whole rows of half-precision floats: the product is formed in f32.
func.func @main(%x: tensor<4x2xf16>) -> tensor<4x2xf16> {
  %0 = stablehlo.constant() <{value = dense<[[1, 2], [-3, 4], [5, -6], [7, -8]]> : tensor<4x2xi8>}> : () -> tensor<4x2x!quant.uniform<i8:f16:{0:1, 1:2}, {{0.5}, {0.25}, {0.125}, {1.0}}>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<4x2x!quant.uniform<i8:f16:{0:1, 1:2}, {{0.5}, {0.25}, {0.125}, {1.0}}>>) -> tensor<4x2xf16>
  %2 = stablehlo.add %x, %1 : tensor<4x2xf16>
  return %2 : tensor<4x2xf16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x2xf16>) -> tensor<4x2xf16> {
    %1 = stablehlo.constant dense<[[1, 2], [-3, 4], [5, -6], [7, -8]]> : tensor<4x2xi8>
    %2 = stablehlo.convert %1 : (tensor<4x2xi8>) -> tensor<4x2xf32>
    %3 = stablehlo.constant dense<[[5.000000e-01], [2.500000e-01], [1.250000e-01], [1.000000e+00]]> : tensor<4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x2xf32>
    %5 = stablehlo.multiply %2, %4 : tensor<4x2xf32>
    %6 = stablehlo.convert %5 : (tensor<4x2xf32>) -> tensor<4x2xf16>
    %7 = stablehlo.add %0, %6 : tensor<4x2xf16>
    func.return %7 : tensor<4x2xf16>
  }
}
