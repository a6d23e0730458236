// it is not around images
func.func @main(%0: tensor<6x8xi8>) -> tensor<7x8xi8> {
  %1 = "tosa.const_shape"() <{values = dense<[1, 0]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %2 = "tosa.const_shape"() <{values = dense<[1, 8]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %3 = "tosa.slice"(%0, %1, %2) : (tensor<6x8xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8xi8>
  %4 = "tosa.concat"(%3, %0) <{axis = 0 : i32}> : (tensor<1x8xi8>, tensor<6x8xi8>) -> tensor<7x8xi8>
  return %4 : tensor<7x8xi8>
}
// -----
// it does not have integers of 8 or 16 bits
func.func @main(%0: tensor<1x6x8x2xi32>) -> tensor<1x7x8x2xi32> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 1, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %2 = "tosa.const_shape"() <{values = dense<[1, 1, 8, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %3 = "tosa.slice"(%0, %1, %2) : (tensor<1x6x8x2xi32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x2xi32>
  %4 = "tosa.concat"(%3, %0) <{axis = 1 : i32}> : (tensor<1x1x8x2xi32>, tensor<1x6x8x2xi32>) -> tensor<1x7x8x2xi32>
  return %4 : tensor<1x7x8x2xi32>
}
// -----
// nothing to do
// the parts are of another tensor
func.func @main(%0: tensor<1x6x8x2xi8>, %1: tensor<1x6x8x2xi8>) -> tensor<1x7x8x2xi8> {
  %2 = "tosa.const_shape"() <{values = dense<[0, 1, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %3 = "tosa.const_shape"() <{values = dense<[1, 1, 8, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %4 = "tosa.slice"(%1, %2, %3) : (tensor<1x6x8x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x2xi8>
  %5 = "tosa.concat"(%4, %0) <{axis = 1 : i32}> : (tensor<1x1x8x2xi8>, tensor<1x6x8x2xi8>) -> tensor<1x7x8x2xi8>
  return %5 : tensor<1x7x8x2xi8>
}
// -----
// nothing to do
// parts without the whole
func.func @main(%0: tensor<1x6x8x2xi8>) -> tensor<1x2x8x2xi8> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 1, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %2 = "tosa.const_shape"() <{values = dense<[1, 1, 8, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %3 = "tosa.slice"(%0, %1, %2) : (tensor<1x6x8x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x2xi8>
  %4 = "tosa.const_shape"() <{values = dense<[0, 4, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %5 = "tosa.slice"(%0, %4, %2) : (tensor<1x6x8x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x2xi8>
  %6 = "tosa.concat"(%3, %5) <{axis = 1 : i32}> : (tensor<1x1x8x2xi8>, tensor<1x1x8x2xi8>) -> tensor<1x2x8x2xi8>
  return %6 : tensor<1x2x8x2xi8>
}
// -----
// it has too many mirrored elements
func.func @main(%0: tensor<1x1x66x2xi8>) -> tensor<1x1x131x2xi8> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %2 = "tosa.const_shape"() <{values = dense<[1, 1, 65, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %3 = "tosa.slice"(%0, %1, %2) : (tensor<1x1x66x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x65x2xi8>
  %4 = "tosa.reverse"(%3) <{axis = 2 : i32}> : (tensor<1x1x65x2xi8>) -> tensor<1x1x65x2xi8>
  %5 = "tosa.concat"(%4, %0) <{axis = 2 : i32}> : (tensor<1x1x65x2xi8>, tensor<1x1x66x2xi8>) -> tensor<1x1x131x2xi8>
  return %5 : tensor<1x1x131x2xi8>
}
