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
