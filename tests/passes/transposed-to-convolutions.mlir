// rows of a stride of 1: one convolution, whose features become columns
func.func @main(%0: tensor<1x2x3x2xi8>) -> tensor<1x2x8x2xi8> {
  %1 = "tosa.const"() <{values = dense<[[[[-11, 3], [-6, 8], [-1, -10], [4, -5]]], [[[9, 0], [-9, 5], [-4, 10], [1, -8]]]]> : tensor<2x1x4x2xi8>}> : () -> tensor<2x1x4x2xi8>
  %2 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = "tosa.transpose_conv2d"(%0, %1, %2, %3, %4) <{acc_type = i32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 2>}> : (tensor<1x2x3x2xi8>, tensor<2x1x4x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x8x2xi32>
  %6 = "tosa.const"() <{values = dense<[1073741824, 1342177280]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %7 = "tosa.const"() <{values = dense<[38, 39]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %9 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %10 = tosa.rescale %5, %6, %7, %8, %9 {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x2x8x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x8x2xi8>
  return %10 : tensor<1x2x8x2xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x3x2xi8>) -> tensor<1x2x8x2xi8> {
    %1 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<[[[[-1, -10], [-11, 3]]], [[[-4, 10], [9, 0]]], [[[4, -5], [-6, 8]]], [[[1, -8], [-9, 5]]]]> : tensor<4x1x2x2xi8>}> : () -> tensor<4x1x2x2xi8>
    %6 = "tosa.const"() <{values = dense<[5, 6, 5, 6]> : tensor<4xi32>}> : () -> tensor<4xi32>
    %7 = "tosa.conv2d"(%0, %5, %6, %1, %2) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 1>}> : (tensor<1x2x3x2xi8>, tensor<4x1x2x2xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x4x4xi32>
    %8 = "tosa.const"() <{values = dense<[1073741824, 1342177280, 1073741824, 1342177280]> : tensor<4xi32>}> : () -> tensor<4xi32>
    %9 = "tosa.const"() <{values = dense<[38, 39, 38, 39]> : tensor<4xi8>}> : () -> tensor<4xi8>
    %10 = "tosa.rescale"(%7, %8, %9, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x2x4x4xi32>, tensor<4xi32>, tensor<4xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x4x4xi8>
    %11 = "tosa.const_shape"() <{values = dense<[1, 2, 8, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %12 = "tosa.reshape"(%10, %11) : (tensor<1x2x4x4xi8>, !tosa.shape<4>) -> tensor<1x2x8x2xi8>
    func.return %12 : tensor<1x2x8x2xi8>
  }
}
// -----
// both strides are 2: a convolution for each phase of rows, with RESCALE and CLAMP; a phase without a product has the zero point
func.func @main(%0: tensor<1x2x3x1xi8>) -> tensor<1x4x6x2xi8> {
  %1 = "tosa.const"() <{values = dense<[[[[-11], [3], [-6]], [[8], [-1], [-10]], [[4], [-5], [9]]], [[[0], [-9], [5]], [[-4], [10], [1]], [[-8], [6], [-3]]]]> : tensor<2x3x3x1xi8>}> : () -> tensor<2x3x3x1xi8>
  %2 = "tosa.const"() <{values = dense<[5, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = "tosa.transpose_conv2d"(%0, %1, %2, %3, %4) <{acc_type = i32, out_pad = array<i64: -1, 0, -1, 0>, stride = array<i64: 2, 2>}> : (tensor<1x2x3x1xi8>, tensor<2x3x3x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x6x2xi32>
  %6 = "tosa.const"() <{values = dense<[1073741824, 1342177280]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %7 = "tosa.const"() <{values = dense<[38, 39]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %9 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %10 = tosa.rescale %5, %6, %7, %8, %9 {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x4x6x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x6x2xi8>
  %11 = "tosa.clamp"(%10) <{max_val = 100 : i8, min_val = 3 : i8}> : (tensor<1x4x6x2xi8>) -> tensor<1x4x6x2xi8>
  return %11 : tensor<1x4x6x2xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x3x1xi8>) -> tensor<1x4x6x2xi8> {
    %1 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<[[[[-1], [2]]], [[[10], [2]]], [[[-10], [8]]], [[[1], [-4]]]]> : tensor<4x1x2x1xi8>}> : () -> tensor<4x1x2x1xi8>
    %6 = "tosa.const"() <{values = dense<[5, 6, 5, 6]> : tensor<4xi32>}> : () -> tensor<4xi32>
    %7 = "tosa.conv2d"(%0, %5, %6, %1, %2) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 1>, stride = array<i64: 1, 1>}> : (tensor<1x2x3x1xi8>, tensor<4x1x2x1xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x4xi32>
    %8 = "tosa.const"() <{values = dense<[1073741824, 1342177280, 1073741824, 1342177280]> : tensor<4xi32>}> : () -> tensor<4xi32>
    %9 = "tosa.const"() <{values = dense<[38, 39, 38, 39]> : tensor<4xi8>}> : () -> tensor<4xi8>
    %10 = "tosa.rescale"(%7, %8, %9, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x2x3x4xi32>, tensor<4xi32>, tensor<4xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x3x4xi8>
    %11 = "tosa.clamp"(%10) <{max_val = 100 : i8, min_val = 3 : i8}> : (tensor<1x2x3x4xi8>) -> tensor<1x2x3x4xi8>
    %12 = "tosa.const"() <{values = dense<[[[[-5], [2]], [[3], [2]]], [[[6], [2]], [[-9], [2]]], [[[9], [4]], [[-6], [-11]]], [[[-3], [-8]], [[5], [0]]]]> : tensor<4x2x2x1xi8>}> : () -> tensor<4x2x2x1xi8>
    %13 = "tosa.const"() <{values = dense<[5, 6, 5, 6]> : tensor<4xi32>}> : () -> tensor<4xi32>
    %14 = "tosa.conv2d"(%0, %12, %13, %1, %2) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 1, 1>}> : (tensor<1x2x3x1xi8>, tensor<4x2x2x1xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x4xi32>
    %15 = "tosa.rescale"(%14, %8, %9, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x2x3x4xi32>, tensor<4xi32>, tensor<4xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x3x4xi8>
    %16 = "tosa.clamp"(%15) <{max_val = 100 : i8, min_val = 3 : i8}> : (tensor<1x2x3x4xi8>) -> tensor<1x2x3x4xi8>
    %17 = "tosa.concat"(%11, %16) <{axis = 2 : i32}> : (tensor<1x2x3x4xi8>, tensor<1x2x3x4xi8>) -> tensor<1x2x6x4xi8>
    %18 = "tosa.const_shape"() <{values = dense<[1, 4, 6, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %19 = "tosa.reshape"(%17, %18) : (tensor<1x2x6x4xi8>, !tosa.shape<4>) -> tensor<1x4x6x2xi8>
    func.return %19 : tensor<1x4x6x2xi8>
  }
}
// -----
// more result than whole strides is cut off; 16 bits
func.func @main(%0: tensor<2x1x2x1xi16>) -> tensor<2x2x5x1xi16> {
  %1 = "tosa.const"() <{values = dense<[[[[-11], [3], [-6]], [[8], [-1], [-10]]]]> : tensor<1x2x3x1xi8>}> : () -> tensor<1x2x3x1xi8>
  %2 = "tosa.const"() <{values = dense<[5]> : tensor<1xi48>}> : () -> tensor<1xi48>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = "tosa.transpose_conv2d"(%0, %1, %2, %3, %4) <{acc_type = i48, out_pad = array<i64: 0, 0, -1, 0>, stride = array<i64: 1, 3>}> : (tensor<2x1x2x1xi16>, tensor<1x2x3x1xi8>, tensor<1xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<2x2x5x1xi48>
  %6 = "tosa.const"() <{values = dense<[16384]> : tensor<1xi16>}> : () -> tensor<1xi16>
  %7 = "tosa.const"() <{values = dense<[22]> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
  %9 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %10 = tosa.rescale %5, %6, %7, %8, %9 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = false} : (tensor<2x2x5x1xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<2x2x5x1xi16>
  return %10 : tensor<2x2x5x1xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x1x2x1xi16>) -> tensor<2x2x5x1xi16> {
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<16384> : tensor<1xi16>}> : () -> tensor<1xi16>
    %4 = "tosa.const"() <{values = dense<22> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %7 = "tosa.const"() <{values = dense<[[[[-1], [0]], [[3], [0]]], [[[-10], [0]], [[-6], [0]]], [[[0], [8]], [[0], [-11]]]]> : tensor<3x2x2x1xi8>}> : () -> tensor<3x2x2x1xi8>
    %8 = "tosa.const"() <{values = dense<5> : tensor<3xi48>}> : () -> tensor<3xi48>
    %9 = "tosa.conv2d"(%0, %7, %8, %1, %2) <{acc_type = i48, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 0, 1>, stride = array<i64: 1, 1>}> : (tensor<2x1x2x1xi16>, tensor<3x2x2x1xi8>, tensor<3xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<2x2x2x3xi48>
    %10 = "tosa.rescale"(%9, %3, %4, %5, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = false}> : (tensor<2x2x2x3xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<2x2x2x3xi16>
    %11 = "tosa.const_shape"() <{values = dense<[2, 2, 6, 1]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %12 = "tosa.reshape"(%10, %11) : (tensor<2x2x2x3xi16>, !tosa.shape<4>) -> tensor<2x2x6x1xi16>
    %13 = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %14 = "tosa.const_shape"() <{values = dense<[2, 2, 5, 1]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %15 = "tosa.slice"(%12, %13, %14) : (tensor<2x2x6x1xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x2x5x1xi16>
    func.return %15 : tensor<2x2x5x1xi16>
  }
}
// -----
// no RESCALE
func.func @main(%0: tensor<1x2x2x1xi8>) -> tensor<1x4x3x1xi32> {
  %1 = "tosa.const"() <{values = dense<[[[[-11], [3]], [[-6], [8]]]]> : tensor<1x2x2x1xi8>}> : () -> tensor<1x2x2x1xi8>
  %2 = "tosa.const"() <{values = dense<[5]> : tensor<1xi32>}> : () -> tensor<1xi32>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = "tosa.transpose_conv2d"(%0, %1, %2, %3, %4) <{acc_type = i32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 1>}> : (tensor<1x2x2x1xi8>, tensor<1x2x2x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x3x1xi32>
  return %5 : tensor<1x4x3x1xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x2x1xi8>) -> tensor<1x4x3x1xi32> {
    %1 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<[[[[3], [-11]]]]> : tensor<1x1x2x1xi8>}> : () -> tensor<1x1x2x1xi8>
    %4 = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.conv2d"(%0, %3, %4, %1, %2) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 1>}> : (tensor<1x2x2x1xi8>, tensor<1x1x2x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x1xi32>
    %6 = "tosa.const"() <{values = dense<[[[[8], [-6]]]]> : tensor<1x1x2x1xi8>}> : () -> tensor<1x1x2x1xi8>
    %7 = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.conv2d"(%0, %6, %7, %1, %2) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 1>}> : (tensor<1x2x2x1xi8>, tensor<1x1x2x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x1xi32>
    %9 = "tosa.concat"(%5, %8) <{axis = 2 : i32}> : (tensor<1x2x3x1xi32>, tensor<1x2x3x1xi32>) -> tensor<1x2x6x1xi32>
    %10 = "tosa.const_shape"() <{values = dense<[1, 4, 3, 1]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %11 = "tosa.reshape"(%9, %10) : (tensor<1x2x6x1xi32>, !tosa.shape<4>) -> tensor<1x4x3x1xi32>
    func.return %11 : tensor<1x4x3x1xi32>
  }
}
