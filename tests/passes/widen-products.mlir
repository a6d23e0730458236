// sums of bf16 in f32, of f32 in f64, and a result narrower than the operands
func.func @main(%x: tensor<2x3xbf16>, %w: tensor<3x2xbf16>, %y: tensor<2x3xf32>, %v: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf64>, tensor<2x2xbf16>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x2xbf16>) -> tensor<2x2xf32>
  %1 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf64>
  %2 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xbf16>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x2xf64>, tensor<2x2xbf16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xbf16>, %1: tensor<3x2xbf16>, %2: tensor<2x3xf32>, %3: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf64>, tensor<2x2xbf16>) {
    %4 = stablehlo.convert %0 : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    %5 = stablehlo.convert %1 : (tensor<3x2xbf16>) -> tensor<3x2xf32>
    %6 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %7 = stablehlo.convert %2 : (tensor<2x3xf32>) -> tensor<2x3xf64>
    %8 = stablehlo.convert %3 : (tensor<3x2xf32>) -> tensor<3x2xf64>
    %9 = stablehlo.dot_general %7, %8, contracting_dims = [1] x [0] : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
    %10 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %11 = stablehlo.convert %10 : (tensor<2x2xf32>) -> tensor<2x2xbf16>
    func.return %6, %9, %11 : tensor<2x2xf32>, tensor<2x2xf64>, tensor<2x2xbf16>
  }
}
// -----
// a convolution
func.func @main(%x: tensor<1x2x2xf16>, %w: tensor<1x2x2xf16>) -> tensor<1x2x2xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2xf16>, tensor<1x2x2xf16>) -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x2xf16>, %1: tensor<1x2x2xf16>) -> tensor<1x2x2xf32> {
    %2 = stablehlo.convert %0 : (tensor<1x2x2xf16>) -> tensor<1x2x2xf32>
    %3 = stablehlo.convert %1 : (tensor<1x2x2xf16>) -> tensor<1x2x2xf32>
    %4 = stablehlo.convolution(%2, %3) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    func.return %4 : tensor<1x2x2xf32>
  }
}
