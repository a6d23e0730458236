// nothing to do
// a bias is one already, and a constant for each element is none
func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %w = stablehlo.constant dense<[[0.5, -1.0, 0.25], [2.0, 0.0, -0.5]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x3xf32>
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = stablehlo.multiply %3, %c : tensor<2x3xf32>
  return %2, %4 : tensor<2x3xf32>, tensor<2x3xf32>
}
// -----
// nothing to do
// what others use too, weights that are computed or quantized, and a division by zero
func.func @main(%x: tensor<1x2xf32>, %v: tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %w = stablehlo.constant dense<[[0.5, -1.0], [2.0, 0.0]]> : tensor<2x2xf32>
  %q = stablehlo.constant() <{value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>}> : () -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  %two = stablehlo.constant dense<2.0> : tensor<1x2xf32>
  %zero = stablehlo.constant dense<[[1.0, 0.0]]> : tensor<1x2xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %1 = stablehlo.multiply %0, %two : tensor<1x2xf32>
  %2 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %3 = stablehlo.multiply %2, %two : tensor<1x2xf32>
  %4 = stablehlo.uniform_dequantize %q : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32>
  %5 = stablehlo.dot_general %x, %4, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %6 = stablehlo.multiply %5, %two : tensor<1x2xf32>
  %7 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %8 = stablehlo.divide %7, %zero : tensor<1x2xf32>
  return %0, %1, %3, %6, %8 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}
// -----
// nothing to do
// an average, a quotient of values, of a constant, and of zeros and infinities
func.func @main(%x: tensor<2x4xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %four = stablehlo.constant dense<4.0> : tensor<2xf32>
  %none = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %most = stablehlo.constant dense<[1.0, 0x7F800000]> : tensor<2xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.divide %0, %four : tensor<2xf32>
  %2 = stablehlo.divide %y, %1 : tensor<2xf32>
  %3 = stablehlo.divide %four, %y : tensor<2xf32>
  %4 = stablehlo.divide %y, %none : tensor<2xf32>
  %5 = stablehlo.divide %y, %most : tensor<2xf32>
  return %1, %2, %3, %4, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
// -----
// nothing to do
// the weights would leave f32, where the products may not
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = stablehlo.constant dense<[[1.0e+30, 0.0], [0.0, 1.0e+30]]> : tensor<2x2xf32>
  %k = stablehlo.constant dense<1.0e+30> : tensor<2x2xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.multiply %0, %k : tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
// -----
// nothing to do
// the factor is in a branch, which may not be taken
func.func @main(%x: tensor<2x2xf32>, %p: tensor<i1>) -> tensor<2x2xf32> {
  %w = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %k = stablehlo.constant dense<3.0> : tensor<2x2xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "stablehlo.if"(%p) ({
    %2 = stablehlo.multiply %0, %k : tensor<2x2xf32>
    stablehlo.return %2 : tensor<2x2xf32>
  }, {
    stablehlo.return %x : tensor<2x2xf32>
  }) : (tensor<i1>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
