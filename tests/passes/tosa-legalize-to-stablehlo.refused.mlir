// nothing to do
func.func @main(%0: tensor<2xi8>) -> tensor<2xi8> {
  %1 = stablehlo.add %0, %0 : tensor<2xi8>
  return %1 : tensor<2xi8>
}
