// nothing to do
// 32 bits
func.func @main(%0: tensor<4x8xi32>) -> tensor<4x8xi32> {
  return %0 : tensor<4x8xi32>
}
// -----
// nothing to do
// no dimensions
func.func @main(%0: tensor<i8>) -> tensor<i8> {
  return %0 : tensor<i8>
}
// -----
// nothing to do
// many elements of an argument
func.func @main(%0: tensor<4x300xi8>) -> tensor<4x299xi8> {
  %2 = "tosa.const_shape"() <{values = dense<0> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %3 = "tosa.const_shape"() <{values = dense<[4, 299]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %4 = tosa.slice %0, %2, %3 : (tensor<4x300xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<4x299xi8>
  return %4 : tensor<4x299xi8>
}
