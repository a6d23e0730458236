// a swap of three dimensions
func.func @main(%0: tensor<2x5x4xi8>, %1: tensor<2x3x4xi8>) -> tensor<2x5x3xi32> {
  %2 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = tosa.transpose %1 {perms = array<i32: 0, 2, 1>} : (tensor<2x3x4xi8>) -> tensor<2x4x3xi8>
  %5 = tosa.matmul %0, %3, %2, %2 : (tensor<2x5x4xi8>, tensor<2x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x5x3xi32>
  return %5 : tensor<2x5x3xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x5x4xi8>, %1: tensor<2x3x4xi8>) -> tensor<2x5x3xi32> {
    %2 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const_shape"() <{values = dense<[1, 2, 3, 4]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %4 = "tosa.reshape"(%1, %3) : (tensor<2x3x4xi8>, !tosa.shape<4>) -> tensor<1x2x3x4xi8>
    %5 = "tosa.transpose"(%4) <{perms = array<i32: 0, 1, 3, 2>}> : (tensor<1x2x3x4xi8>) -> tensor<1x2x4x3xi8>
    %6 = "tosa.const_shape"() <{values = dense<[2, 4, 3]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %7 = "tosa.reshape"(%5, %6) : (tensor<1x2x4x3xi8>, !tosa.shape<3>) -> tensor<2x4x3xi8>
    %8 = "tosa.matmul"(%0, %7, %2, %2) : (tensor<2x5x4xi8>, tensor<2x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x5x3xi32>
    func.return %8 : tensor<2x5x3xi32>
  }
}
// -----
// another dimension that moves
func.func @main(%0: tensor<2x5x4xi8>, %1: tensor<1x3x2x4xi8>) -> tensor<2x5x3xi32> {
  %2 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = tosa.transpose %1 {perms = array<i32: 2, 0, 3, 1>} : (tensor<1x3x2x4xi8>) -> tensor<2x1x4x3xi8>
  %6 = tosa.const_shape {values = dense<[2, 4, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %4 = tosa.reshape %3, %6 : (tensor<2x1x4x3xi8>, !tosa.shape<3>) -> tensor<2x4x3xi8>
  %5 = tosa.matmul %0, %4, %2, %2 : (tensor<2x5x4xi8>, tensor<2x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x5x3xi32>
  return %5 : tensor<2x5x3xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x5x4xi8>, %1: tensor<1x3x2x4xi8>) -> tensor<2x5x3xi32> {
    %2 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.transpose"(%1) <{perms = array<i32: 2, 0, 1, 3>}> : (tensor<1x3x2x4xi8>) -> tensor<2x1x3x4xi8>
    %4 = "tosa.const_shape"() <{values = dense<[1, 2, 3, 4]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %5 = "tosa.reshape"(%3, %4) : (tensor<2x1x3x4xi8>, !tosa.shape<4>) -> tensor<1x2x3x4xi8>
    %6 = "tosa.transpose"(%5) <{perms = array<i32: 0, 1, 3, 2>}> : (tensor<1x2x3x4xi8>) -> tensor<1x2x4x3xi8>
    %7 = "tosa.const_shape"() <{values = dense<[2, 4, 3]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %8 = "tosa.reshape"(%6, %7) : (tensor<1x2x4x3xi8>, !tosa.shape<3>) -> tensor<2x4x3xi8>
    %9 = "tosa.matmul"(%0, %8, %2, %2) : (tensor<2x5x4xi8>, tensor<2x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x5x3xi32>
    func.return %9 : tensor<2x5x3xi32>
  }
}
