// nothing to do
// low bits
func.func @main(%0: tensor<2x3xi32>, %1: tensor<2x3xi32>) -> tensor<2x3xi8> {
  %2 = "tosa.cast"(%0) : (tensor<2x3xi32>) -> tensor<2x3xi8>
  return %2 : tensor<2x3xi8>
}
// -----
// nothing to do
// the low bits of the smaller one of two
func.func @main(%0: tensor<2x3xi32>, %1: tensor<2x3xi32>) -> tensor<2x3xi8> {
  %2 = "tosa.minimum"(%0, %1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %3 = "tosa.cast"(%2) : (tensor<2x3xi32>) -> tensor<2x3xi8>
  return %3 : tensor<2x3xi8>
}
// -----
// nothing to do
// a constant beyond the range
func.func @main(%0: tensor<2x3xi32>, %1: tensor<2x3xi32>) -> tensor<2x3xi8> {
  %c = "tosa.const"() <{values = dense<300> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %2 = "tosa.maximum"(%0, %c) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
  %3 = "tosa.cast"(%2) : (tensor<2x3xi32>) -> tensor<2x3xi8>
  return %3 : tensor<2x3xi8>
}
// -----
// nothing to do
// booleans
func.func @main(%0: tensor<2x3xi1>, %1: tensor<2x3xi1>) -> tensor<2x3xi8> {
  %2 = "tosa.cast"(%0) : (tensor<2x3xi1>) -> tensor<2x3xi8>
  return %2 : tensor<2x3xi8>
}
// -----
// nothing to do
// the other operand of the addition has 32 bits
func.func @main(%0: tensor<2x3xi16>) -> tensor<2x3xi32> {
  %1 = "tosa.cast"(%0) : (tensor<2x3xi16>) -> tensor<2x3xi32>
  %2 = "tosa.const"() <{values = dense<32768> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %3 = "tosa.add"(%1, %2) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
  return %3 : tensor<2x3xi32>
}
