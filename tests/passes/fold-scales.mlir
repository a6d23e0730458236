// a batch normalization behind a convolution and its transpose; last bits
func.func @main(%x: tensor<1x2x2x2xf32>) -> tensor<1x3x2x2xf32> {
  %w = stablehlo.constant dense<[[[[0.5, -1.0, 0.25], [2.0, 0.0, -0.5]]]]> : tensor<1x1x2x3xf32>
  %b = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %k = stablehlo.constant dense<[2.0, 0.5, -1.0]> : tensor<3xf32>
  %s = stablehlo.constant dense<[[[[0.5]], [[0.25]], [[1.0]]]]> : tensor<1x3x1x1xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2x2xf32>, tensor<1x1x2x3xf32>) -> tensor<1x2x2x3xf32> loc("conv")
  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<3xf32>) -> tensor<1x2x2x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<1x2x2x3xf32> loc("conv")
  %3 = stablehlo.transpose %2, dims = [0, 3, 1, 2] : (tensor<1x2x2x3xf32>) -> tensor<1x3x2x2xf32> loc("conv")
  %4 = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<3xf32>) -> tensor<1x3x2x2xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<1x3x2x2xf32> loc("norm")
  %6 = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2, 3] : (tensor<1x3x1x1xf32>) -> tensor<1x3x2x2xf32>
  %7 = stablehlo.subtract %5, %6 : tensor<1x3x2x2xf32> loc("norm")
  return %7 : tensor<1x3x2x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x2x2xf32>) -> tensor<1x3x2x2xf32> {
    %1 = stablehlo.constant dense<[[[[1.000000e+00, -5.000000e-01, -2.500000e-01], [4.000000e+00, 0.000000e+00, 5.000000e-01]]]]> : tensor<1x1x2x3xf32> loc("conv")
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2x2xf32>, tensor<1x1x2x3xf32>) -> tensor<1x2x2x3xf32> loc("conv")
    %3 = stablehlo.constant dense<[1.500000e+00, 7.500000e-01, -4.000000e+00]> : tensor<3xf32> loc(fused["conv", "norm"])
    %4 = stablehlo.broadcast_in_dim %3, dims = [3] : (tensor<3xf32>) -> tensor<1x2x2x3xf32> loc(fused["conv", "norm"])
    %5 = stablehlo.add %2, %4 : tensor<1x2x2x3xf32> loc(fused["conv", "norm"])
    %6 = stablehlo.transpose %5, dims = [0, 3, 1, 2] : (tensor<1x2x2x3xf32>) -> tensor<1x3x2x2xf32> loc(fused["conv", "norm"])
    func.return %6 : tensor<1x3x2x2xf32>
  }
}
// -----
// a bias behind the transpose goes in front of it
func.func @main(%x: tensor<1x2x2xf32>) -> tensor<3x1x2xf32> {
  %w = stablehlo.constant dense<[[0.5, -1.0, 0.25], [2.0, 0.0, -0.5]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<1x2x2xf32>, tensor<2x3xf32>) -> tensor<1x2x3xf32> loc("dot")
  %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<1x2x3xf32>) -> tensor<3x1x2xf32> loc("move")
  %2 = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<3xf32>) -> tensor<3x1x2xf32>
  %3 = stablehlo.add %2, %1 : tensor<3x1x2xf32> loc("bias")
  return %3 : tensor<3x1x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x2xf32>) -> tensor<3x1x2xf32> {
    %1 = stablehlo.constant dense<[[5.000000e-01, -1.000000e+00, 2.500000e-01], [2.000000e+00, 0.000000e+00, -5.000000e-01]]> : tensor<2x3xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [2] x [0] : (tensor<1x2x2xf32>, tensor<2x3xf32>) -> tensor<1x2x3xf32> loc("dot")
    %3 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32> loc(fused["dot", "move", "bias"])
    %4 = stablehlo.broadcast_in_dim %3, dims = [2] : (tensor<3xf32>) -> tensor<1x2x3xf32> loc(fused["dot", "move", "bias"])
    %5 = stablehlo.add %2, %4 : tensor<1x2x3xf32> loc(fused["dot", "move", "bias"])
    %6 = stablehlo.transpose %5, dims = [2, 0, 1] : (tensor<1x2x3xf32>) -> tensor<3x1x2xf32> loc(fused["move", "bias"])
    func.return %6 : tensor<3x1x2xf32>
  }
}
// -----
// a factor of a product, and what is subtracted from
func.func @main(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %w = stablehlo.constant dense<[[0.5, -1.0], [2.0, 0.0]]> : tensor<2x2xf32>
  %four = stablehlo.constant dense<4.0> : tensor<1x2xf32>
  %one = stablehlo.constant dense<1.0> : tensor<1x2xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> loc("dot")
  %1 = stablehlo.divide %0, %four : tensor<1x2xf32> loc("scale")
  %2 = stablehlo.subtract %one, %1 : tensor<1x2xf32> loc("from_one")
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<1x2xf32>) -> tensor<2x1xf32>
  %4 = stablehlo.reshape %3 : (tensor<2x1xf32>) -> tensor<1x2xf32>
  return %4 : tensor<1x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2xf32>) -> tensor<1x2xf32> {
    %1 = stablehlo.constant dense<[[-1.250000e-01, 2.500000e-01], [-5.000000e-01, -0.000000e+00]]> : tensor<2x2xf32> loc("dot")
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> loc("dot")
    %3 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32> loc(fused["dot", "scale", "from_one"])
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32> loc(fused["dot", "scale", "from_one"])
    %5 = stablehlo.add %2, %4 : tensor<1x2xf32> loc(fused["dot", "scale", "from_one"])
    %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<1x2xf32>) -> tensor<2x1xf32>
    %7 = stablehlo.reshape %6 : (tensor<2x1xf32>) -> tensor<1x2xf32>
    func.return %7 : tensor<1x2xf32>
  }
}
// -----
// other divisions by constants are multiplications; last bits
func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %eight = stablehlo.constant dense<8.0> : tensor<2x2xf32>
  %c = stablehlo.constant dense<[3.0, 0.5]> : tensor<2xf32>
  %0 = stablehlo.divide %x, %eight : tensor<2x2xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.divide %x, %1 : tensor<2x2xf32>
  return %0, %2 : tensor<2x2xf32>, tensor<2x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %1 = stablehlo.constant dense<1.250000e-01> : tensor<2x2xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<2x2xf32>
    %3 = stablehlo.constant dense<[0.3333333432674408, 2.000000e+00]> : tensor<2xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
    %5 = stablehlo.multiply %0, %4 : tensor<2x2xf32>
    func.return %2, %5 : tensor<2x2xf32>, tensor<2x2xf32>
  }
}
