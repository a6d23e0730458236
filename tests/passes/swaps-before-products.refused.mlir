// nothing to do
// Vela merges it as it is
func.func @main(%0: tensor<2x5x4xi8>, %1: tensor<1x3x2x4xi8>) -> tensor<2x5x3xi32> {
  %2 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = tosa.transpose %1 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x3x2x4xi8>) -> tensor<1x2x4x3xi8>
  %6 = tosa.const_shape {values = dense<[2, 4, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %4 = tosa.reshape %3, %6 : (tensor<1x2x4x3xi8>, !tosa.shape<3>) -> tensor<2x4x3xi8>
  %5 = tosa.matmul %0, %4, %2, %2 : (tensor<2x5x4xi8>, tensor<2x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x5x3xi32>
  return %5 : tensor<2x5x3xi32>
}
