// nothing to do
// A broadcast of a constant would only take memory.
func.func @main() -> tensor<4x2xf32> {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  return %b : tensor<4x2xf32>
}
// -----
// nothing to do
// An operand is computed at run time.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.add %x, %a : tensor<2xf32>
  return %b : tensor<2xf32>
}
// -----
// nothing to do
// Hybrid ops are never folded, all operands known or not: they keep their weights integers.
func.func @main(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2x1xf32>) {
  %a = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %i = stablehlo.constant dense<1.5> : tensor<1x2x1xf32>
  %w = stablehlo.constant() <{value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>}> : () -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  %k = stablehlo.constant() <{value = dense<5> : tensor<1x1x1xi8>}> : () -> tensor<1x1x1x!quant.uniform<i8:f32, 0.5:3>>
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2xf32>
  %2 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<1x1x1x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x1xf32>
  return %0, %1, %2 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2x1xf32>
}
// -----
// nothing to do
// What is known here is a tuple, must not be computed earlier, is another device's, or has no meaning in the interpreter.
func.func @main() -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) {
  %a = stablehlo.constant dense<4.0> : tensor<1x1xf32>
  %t = stablehlo.tuple %a, %a : tuple<tensor<1x1xf32>, tensor<1x1xf32>>
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<1x1xf32>, tensor<1x1xf32>>) -> tensor<1x1xf32>
  %1 = stablehlo.optimization_barrier %a : tensor<1x1xf32>
  %2 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %3 = stablehlo.cholesky %a : tensor<1x1xf32>
  return %0, %1, %2, %3 : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
}
