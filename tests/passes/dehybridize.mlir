// a product and a convolution
func.func @main(%x: tensor<1x2xf32>, %w: tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>, %i: tensor<1x2x1xf32>, %k: tensor<1x1x2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2xf32>, tensor<1x2x2xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<1x2xf32>
  %1 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<1x1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x2xf32>
  return %0, %1 : tensor<1x2xf32>, tensor<1x2x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2xf32>, %1: tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>, %2: tensor<1x2x1xf32>, %3: tensor<1x1x2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2xf32>, tensor<1x2x2xf32>) {
    %4 = stablehlo.uniform_dequantize %1 : (tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<2x2xf32>
    %5 = stablehlo.dot_general %0, %4, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
    %6 = stablehlo.uniform_dequantize %3 : (tensor<1x1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x2xf32>
    %7 = stablehlo.convolution(%2, %6) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<1x1x2xf32>) -> tensor<1x2x2xf32>
    func.return %5, %7 : tensor<1x2xf32>, tensor<1x2x2xf32>
  }
}
