// a convolution that pads itself as well
func.func @main(%0: tensor<1x4x5x2xi8>) -> tensor<1x4x5x2xi32> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0, 0, 1, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x4x5x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x5x6x2xi8>
  %4 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
  %5 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %6 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %7 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.conv2d"(%3, %4, %5, %6, %7) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 1, 0>, stride = array<i64: 1, 1>}> : (tensor<1x5x6x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x5x2xi32>
  return %8 : tensor<1x4x5x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x4x5x2xi8>) -> tensor<1x4x5x2xi32> {
    %1 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
    %2 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.conv2d"(%0, %1, %2, %3, %4) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}> : (tensor<1x4x5x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x5x2xi32>
    func.return %5 : tensor<1x4x5x2xi32>
  }
}
// -----
// a stride of 2: a SLICE takes away the last row of padding
func.func @main(%0: tensor<1x4x6x2xi8>) -> tensor<1x2x3x2xi32> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 1, 1, 1, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x4x6x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x6x8x2xi8>
  %4 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %5 = "tosa.const_shape"() <{values = dense<[1, 5, 7, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %6 = "tosa.slice"(%3, %4, %5) : (tensor<1x6x8x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x5x7x2xi8>
  %7 = "tosa.const"() <{values = dense<[[[[-11], [3]], [[-6], [8]], [[-1], [-10]]], [[[4], [-5]], [[9], [0]], [[-9], [5]]], [[[-4], [10]], [[1], [-8]], [[6], [-3]]]]> : tensor<3x3x2x1xi8>}> : () -> tensor<3x3x2x1xi8>
  %8 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %9 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %10 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %11 = "tosa.depthwise_conv2d"(%6, %7, %8, %9, %10) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}> : (tensor<1x5x7x2xi8>, tensor<3x3x2x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x2xi32>
  return %11 : tensor<1x2x3x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x4x6x2xi8>) -> tensor<1x2x3x2xi32> {
    %1 = "tosa.const"() <{values = dense<[[[[-11], [3]], [[-6], [8]], [[-1], [-10]]], [[[4], [-5]], [[9], [0]], [[-9], [5]]], [[[-4], [10]], [[1], [-8]], [[6], [-3]]]]> : tensor<3x3x2x1xi8>}> : () -> tensor<3x3x2x1xi8>
    %2 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.depthwise_conv2d"(%0, %1, %2, %3, %4) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>}> : (tensor<1x4x6x2xi8>, tensor<3x3x2x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x2xi32>
    func.return %5 : tensor<1x2x3x2xi32>
  }
}
// -----
// a SLICE takes elements as well
func.func @main(%0: tensor<1x6x6x2xi8>) -> tensor<1x2x2x2xi32> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0, 1, 1, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x6x6x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x7x8x2xi8>
  %4 = "tosa.const_shape"() <{values = dense<[0, 0, 2, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %5 = "tosa.const_shape"() <{values = dense<[1, 5, 5, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %6 = "tosa.slice"(%3, %4, %5) : (tensor<1x7x8x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x5x5x2xi8>
  %7 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
  %8 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %9 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %10 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %11 = "tosa.conv2d"(%6, %7, %8, %9, %10) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}> : (tensor<1x5x5x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
  return %11 : tensor<1x2x2x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x6x6x2xi8>) -> tensor<1x2x2x2xi32> {
    %1 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
    %2 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %6 = "tosa.const_shape"() <{values = dense<[1, 4, 5, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %7 = "tosa.slice"(%0, %5, %6) : (tensor<1x6x6x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x4x5x2xi8>
    %8 = "tosa.conv2d"(%7, %1, %2, %3, %4) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 2>}> : (tensor<1x4x5x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
    func.return %8 : tensor<1x2x2x2xi32>
  }
}
// -----
// channels first
func.func @main(%0: tensor<1x2x4x5xi8>) -> tensor<1x2x3x2xi32> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 0, 1, 1, 2, 2]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x2x4x5xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x2x6x9xi8>
  %4 = "tosa.transpose"(%3) <{perms = array<i32: 0, 2, 3, 1>}> : (tensor<1x2x6x9xi8>) -> tensor<1x6x9x2xi8>
  %5 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %6 = "tosa.const_shape"() <{values = dense<[1, 5, 9, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %7 = "tosa.slice"(%4, %5, %6) : (tensor<1x6x9x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x5x9x2xi8>
  %8 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
  %9 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %10 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %11 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %12 = "tosa.conv2d"(%7, %8, %9, %10, %11) <{acc_type = i32, dilation = array<i64: 1, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}> : (tensor<1x5x9x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x2xi32>
  return %12 : tensor<1x2x3x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x4x5xi8>) -> tensor<1x2x3x2xi32> {
    %1 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
    %2 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.transpose"(%0) <{perms = array<i32: 0, 2, 3, 1>}> : (tensor<1x2x4x5xi8>) -> tensor<1x4x5x2xi8>
    %6 = "tosa.conv2d"(%5, %1, %2, %3, %4) <{acc_type = i32, dilation = array<i64: 1, 2>, pad = array<i64: 1, 0, 2, 2>, stride = array<i64: 2, 2>}> : (tensor<1x4x5x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x2xi32>
    func.return %6 : tensor<1x2x3x2xi32>
  }
}
// -----
// two PADs, 16 bits
func.func @main(%0: tensor<1x4x5x2xi16>) -> tensor<1x3x5x2xi48> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0, 0, 0, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x4x5x2xi16>, !tosa.shape<8>, tensor<1xi16>) -> tensor<1x5x5x2xi16>
  %4 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 0, 1, 1, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %5 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %6 = "tosa.pad"(%3, %4, %5) : (tensor<1x5x5x2xi16>, !tosa.shape<8>, tensor<1xi16>) -> tensor<1x5x7x2xi16>
  %7 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
  %8 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi48>}> : () -> tensor<2xi48>
  %9 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %10 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %11 = "tosa.conv2d"(%6, %7, %8, %9, %10) <{acc_type = i48, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x5x7x2xi16>, tensor<2x3x3x2xi8>, tensor<2xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<1x3x5x2xi48>
  return %11 : tensor<1x3x5x2xi48>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x4x5x2xi16>) -> tensor<1x3x5x2xi48> {
    %1 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
    %2 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi48>}> : () -> tensor<2xi48>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %4 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.conv2d"(%0, %1, %2, %3, %4) <{acc_type = i48, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 1>, stride = array<i64: 1, 1>}> : (tensor<1x4x5x2xi16>, tensor<2x3x3x2xi8>, tensor<2xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<1x3x5x2xi48>
    func.return %5 : tensor<1x3x5x2xi48>
  }
}
// -----
// a PAD of another value in front stays
func.func @main(%0: tensor<1x4x5x2xi8>) -> tensor<1x3x5x2xi32> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0, 0, 0, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x4x5x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x5x5x2xi8>
  %4 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 0, 1, 1, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %5 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %6 = "tosa.pad"(%3, %4, %5) : (tensor<1x5x5x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x5x7x2xi8>
  %7 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
  %8 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %9 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %10 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %11 = "tosa.conv2d"(%6, %7, %8, %9, %10) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x5x7x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x5x2xi32>
  return %11 : tensor<1x3x5x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x4x5x2xi8>) -> tensor<1x3x5x2xi32> {
    %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0, 0, 0, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
    %2 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x4x5x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x5x5x2xi8>
    %4 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10]], [[4, -5], [9, 0], [-9, 5]], [[-4, 10], [1, -8], [6, -3]]], [[[11, 2], [-7, 7], [-2, -11]], [[3, -6], [8, -1], [-10, 4]], [[-5, 9], [0, -9], [5, -4]]]]> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
    %5 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %6 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = "tosa.conv2d"(%3, %4, %5, %6, %7) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 1>}> : (tensor<1x5x5x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x5x2xi32>
    func.return %8 : tensor<1x3x5x2xi32>
  }
}
// -----
// a maximum
func.func @main(%0: tensor<1x4x5x2xi8>) -> tensor<1x4x5x2xi8> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 1, 1, 1, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
  %2 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.pad"(%0, %1, %2) : (tensor<1x4x5x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x5x7x2xi8>
  %4 = "tosa.max_pool2d"(%3) <{kernel = array<i64: 2, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x5x7x2xi8>) -> tensor<1x4x5x2xi8>
  return %4 : tensor<1x4x5x2xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x4x5x2xi8>) -> tensor<1x4x5x2xi8> {
    %1 = "tosa.max_pool2d"(%0) <{kernel = array<i64: 2, 3>, pad = array<i64: 0, 1, 1, 1>, stride = array<i64: 1, 1>}> : (tensor<1x4x5x2xi8>) -> tensor<1x4x5x2xi8>
    func.return %1 : tensor<1x4x5x2xi8>
  }
}
