// nothing to do
// a factor of its own is no gelu
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %root = stablehlo.constant dense<1.414> : tensor<2x3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %half = stablehlo.constant dense<0.5> : tensor<2x3xf32>
  %0 = stablehlo.divide %x, %root : tensor<2x3xf32>
  %1 = "qconvert.erf"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.add %1, %one : tensor<2x3xf32>
  %3 = stablehlo.multiply %x, %2 : tensor<2x3xf32>
  %4 = stablehlo.multiply %3, %half : tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}
// -----
// nothing to do
// what is in the middle is used elsewhere, what it is multiplied with is another value, and f64 is not looked at
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>) {
  %0 = stablehlo.logistic %x : tensor<4xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<4xf32>
  %2 = stablehlo.logistic %x : tensor<4xf32>
  %3 = stablehlo.multiply %y, %2 : tensor<4xf32>
  %4 = stablehlo.logistic %z : tensor<4xf64>
  %5 = stablehlo.multiply %z, %4 : tensor<4xf64>
  return %0, %1, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>
}
// -----
// nothing to do
// maximum and sum along different dimensions, and a sum put elsewhere
func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<2xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<2x2xf32>
  %3 = stablehlo.exponential %2 : tensor<2x2xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
  %6 = stablehlo.divide %3, %5 : tensor<2x2xf32>
  %7 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
  %9 = stablehlo.divide %3, %8 : tensor<2x2xf32>
  return %6, %9 : tensor<2x2xf32>, tensor<2x2xf32>
}
// -----
// nothing to do
// attributes that the composite does not have
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = stablehlo.composite "qconvert.softmax" %x {composite_attributes = {axis = 7 : i64}, decomposition = @other} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.composite "qconvert.softmax" %x {decomposition = @other} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}
func.func private @other(%0: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %1 = stablehlo.negate %0 : tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
