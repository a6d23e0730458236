// an op nobody uses, and the constant only it used
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.add %x, %c : tensor<2xf32>
  %1 = stablehlo.tanh %x : tensor<2xf32>
  return %1 : tensor<2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {
    %1 = stablehlo.tanh %0 : tensor<2xf32>
    func.return %1 : tensor<2xf32>
  }
}
