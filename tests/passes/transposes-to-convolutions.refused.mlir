// NPUs move 5 planes faster by a TRANSPOSE
func.func @main(%0: tensor<1x5x2x3xi8>) -> tensor<1x2x3x5xi8> {
  %1 = "tosa.transpose"(%0) <{perms = array<i32: 0, 2, 3, 1>}> : (tensor<1x5x2x3xi8>) -> tensor<1x2x3x5xi8>
  return %1 : tensor<1x2x3x5xi8>
}
// -----
// it does not move integers of 8 or 16 bits
func.func @main(%0: tensor<1x3x2x3xi32>) -> tensor<1x2x3x3xi32> {
  %1 = "tosa.transpose"(%0) <{perms = array<i32: 0, 2, 3, 1>}> : (tensor<1x3x2x3xi32>) -> tensor<1x2x3x3xi32>
  return %1 : tensor<1x2x3x3xi32>
}
// -----
// it does more than to move the first dimension of images behind their others
func.func @main(%0: tensor<1x3x2x3xi8>) -> tensor<1x2x3x3xi8> {
  %1 = "tosa.transpose"(%0) <{perms = array<i32: 0, 2, 1, 3>}> : (tensor<1x3x2x3xi8>) -> tensor<1x2x3x3xi8>
  return %1 : tensor<1x2x3x3xi8>
}
// -----
// it does more than to move the first dimension of images behind their others
// rows become columns as well
func.func @main(%0: tensor<1x3x2x3xi8>) -> tensor<1x3x2x3xi8> {
  %1 = "tosa.transpose"(%0) <{perms = array<i32: 0, 3, 2, 1>}> : (tensor<1x3x2x3xi8>) -> tensor<1x3x2x3xi8>
  return %1 : tensor<1x3x2x3xi8>
}
