// nothing to do
// no PAD
func.func @main(%0: tensor<1x4x5x2xi8>) -> tensor<1x1x3x2xi32> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %2 = "tosa.const_shape"() <{values = dense<[1, 3, 5, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %3 = "tosa.slice"(%0, %1, %2) : (tensor<1x4x5x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x5x2xi8>
  %4 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
  %5 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %6 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %7 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.conv2d"(%3, %4, %5, %6, %7) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x3x5x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x3x2xi32>
  return %8 : tensor<1x1x3x2xi32>
}
// -----
// the padding is not with -7, as which the op's own counts
func.func @main(%0: tensor<1x4x5x2xi8>) -> tensor<1x3x4x2xi32> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0, 0, 1, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x4x5x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x5x6x2xi8>
  %4 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
  %5 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %6 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %7 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.conv2d"(%3, %4, %5, %6, %7) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x5x6x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x4x2xi32>
  return %8 : tensor<1x3x4x2xi32>
}
// -----
// the padding is not with -128, as which the op's own counts
func.func @main(%0: tensor<1x4x5x2xi8>) -> tensor<1x4x5x2xi8> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0, 0, 1, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x4x5x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x5x6x2xi8>
  %4 = "tosa.max_pool2d"(%3) <{kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x5x6x2xi8>) -> tensor<1x4x5x2xi8>
  return %4 : tensor<1x4x5x2xi8>
}
// -----
// it pads images or features
func.func @main(%0: tensor<1x4x5x2xi8>) -> tensor<1x3x4x2xi32> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0, 0, 1, 0, 1]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x4x5x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x5x6x3xi8>
  %4 = "tosa.const"() <{values = dense<[[[[-11, 3, -6], [8, -1, -10], [4, -5, 9]], [[0, -9, 5], [-4, 10, 1], [-8, 6, -3]], [[11, 2, -7], [7, -2, -11], [3, -6, 8]]], [[[-1, -10, 4], [-5, 9, 0], [-9, 5, -4]], [[10, 1, -8], [6, -3, 11], [2, -7, 7]], [[-2, -11, 3], [-6, 8, -1], [-10, 4, -5]]]]> : tensor<2x3x3x3xi8>}> : () -> tensor<2x3x3x3xi8>
  %5 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %6 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %7 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.conv2d"(%3, %4, %5, %6, %7) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x5x6x3xi8>, tensor<2x3x3x3xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x4x2xi32>
  return %8 : tensor<1x3x4x2xi32>
}
// -----
// only padding is left of it
func.func @main(%0: tensor<1x4x2x2xi8>) -> tensor<1x2x2x2xi32> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 0, 4, 0, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x4x2x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x4x6x2xi8>
  %4 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %5 = "tosa.const_shape"() <{values = dense<[1, 4, 4, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %6 = "tosa.slice"(%3, %4, %5) : (tensor<1x4x6x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x4x4x2xi8>
  %7 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
  %8 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %9 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %10 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %11 = "tosa.conv2d"(%6, %7, %8, %9, %10) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x4x4x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
  return %11 : tensor<1x2x2x2xi32>
}
// -----
// it pads as much as a kernel or more
func.func @main(%0: tensor<1x4x5x2xi8>) -> tensor<1x5x4x2xi32> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 3, 0, 0, 1, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x4x5x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x7x6x2xi8>
  %4 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
  %5 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %6 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %7 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.conv2d"(%3, %4, %5, %6, %7) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x7x6x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x5x4x2xi32>
  return %8 : tensor<1x5x4x2xi32>
}
