// weights that are a constant, and weights that are an argument
func.func @main(%x: tensor<1x2xf32>, %w: tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %c = stablehlo.constant() <{value = dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>}> : () -> tensor<2x2x!quant.uniform<ui8:f32, 0.5:128>>
  %d = stablehlo.uniform_dequantize %c : (tensor<2x2x!quant.uniform<ui8:f32, 0.5:128>>) -> tensor<2x2xf32>
  %e = stablehlo.uniform_dequantize %w : (tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<2x2xf32>
  %0 = stablehlo.dot_general %x, %d, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %1 = stablehlo.dot_general %x, %e, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  return %0, %1 : tensor<1x2xf32>, tensor<1x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2xf32>, %1: tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
    %2 = stablehlo.constant() <{value = dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>}> : () -> tensor<2x2x!quant.uniform<ui8:f32, 0.5:128>>
    %3 = stablehlo.dot_general %0, %2, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<ui8:f32, 0.5:128>>) -> tensor<1x2xf32>
    %4 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<1x2xf32>
    func.return %3, %4 : tensor<1x2xf32>, tensor<1x2xf32>
  }
}
// -----
// a convolution, its weights moved and used twice
func.func @main(%x: tensor<1x2x1xf32>, %w: tensor<2x1x1x!quant.uniform<i8:f32:0, {0.5,0.25:3}>>) -> (tensor<1x2x2xf32>, tensor<1x1x2xf32>) {
  %t = stablehlo.transpose %w, dims = [1, 2, 0] : (tensor<2x1x1x!quant.uniform<i8:f32:0, {0.5,0.25:3}>>) -> tensor<1x1x2x!quant.uniform<i8:f32:2, {0.5,0.25:3}>>
  %d = stablehlo.uniform_dequantize %t : (tensor<1x1x2x!quant.uniform<i8:f32:2, {0.5,0.25:3}>>) -> tensor<1x1x2xf32>
  %0 = stablehlo.convolution(%x, %d) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<1x1x2xf32>) -> tensor<1x2x2xf32>
  return %0, %d : tensor<1x2x2xf32>, tensor<1x1x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x1xf32>, %1: tensor<2x1x1x!quant.uniform<i8:f32:0, {0.5,0.25:3}>>) -> (tensor<1x2x2xf32>, tensor<1x1x2xf32>) {
    %2 = stablehlo.transpose %1, dims = [1, 2, 0] : (tensor<2x1x1x!quant.uniform<i8:f32:0, {0.5,0.25:3}>>) -> tensor<1x1x2x!quant.uniform<i8:f32:2, {0.5,0.25:3}>>
    %3 = stablehlo.uniform_dequantize %2 : (tensor<1x1x2x!quant.uniform<i8:f32:2, {0.5,0.25:3}>>) -> tensor<1x1x2xf32>
    %4 = stablehlo.convolution(%0, %2) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<1x1x2x!quant.uniform<i8:f32:2, {0.5,0.25:3}>>) -> tensor<1x2x2xf32>
    func.return %4, %3 : tensor<1x2x2xf32>, tensor<1x1x2xf32>
  }
}
