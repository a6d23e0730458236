// a mirrored border of one row: the inside is a convolution
func.func @main(%0: tensor<1x6x8x2xi8>) -> tensor<1x8x8x2xi8> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 1, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %2 = "tosa.const_shape"() <{values = dense<[1, 1, 8, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %3 = "tosa.slice"(%0, %1, %2) : (tensor<1x6x8x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x2xi8>
  %4 = "tosa.reverse"(%3) <{axis = 1 : i32}> : (tensor<1x1x8x2xi8>) -> tensor<1x1x8x2xi8>
  %5 = "tosa.const_shape"() <{values = dense<[0, 4, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %6 = "tosa.slice"(%0, %5, %2) : (tensor<1x6x8x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x2xi8>
  %7 = "tosa.concat"(%4, %0, %6) <{axis = 1 : i32}> : (tensor<1x1x8x2xi8>, tensor<1x6x8x2xi8>, tensor<1x1x8x2xi8>) -> tensor<1x8x8x2xi8>
  return %7 : tensor<1x8x8x2xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x6x8x2xi8>) -> tensor<1x8x8x2xi8> {
    %1 = "tosa.const_shape"() <{values = dense<[0, 1, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %2 = "tosa.const_shape"() <{values = dense<[1, 1, 8, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %3 = "tosa.slice"(%0, %1, %2) : (tensor<1x6x8x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x2xi8>
    %4 = "tosa.const"() <{values = dense<1> : tensor<1x1x2x1xi8>}> : () -> tensor<1x1x2x1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.depthwise_conv2d"(%0, %4, %5, %6, %6) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x6x8x2xi8>, tensor<1x1x2x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x6x8x2xi32>
    %8 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "tosa.rescale"(%7, %8, %9, %10, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x6x8x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x6x8x2xi8>
    %12 = "tosa.const_shape"() <{values = dense<[0, 4, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %13 = "tosa.slice"(%0, %12, %2) : (tensor<1x6x8x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x2xi8>
    %14 = "tosa.concat"(%3, %11, %13) <{axis = 1 : i32}> : (tensor<1x1x8x2xi8>, tensor<1x6x8x2xi8>, tensor<1x1x8x2xi8>) -> tensor<1x8x8x2xi8>
    func.return %14 : tensor<1x8x8x2xi8>
  }
}
// -----
// two images of few pixels: three columns one by one, four reversed
func.func @main(%0: tensor<2x3x5x2xi16>) -> tensor<2x3x12x2xi16> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %2 = "tosa.const_shape"() <{values = dense<[2, 3, 3, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %3 = "tosa.slice"(%0, %1, %2) : (tensor<2x3x5x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x3x3x2xi16>
  %4 = "tosa.reverse"(%3) <{axis = 2 : i32}> : (tensor<2x3x3x2xi16>) -> tensor<2x3x3x2xi16>
  %5 = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %6 = "tosa.const_shape"() <{values = dense<[2, 3, 4, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %7 = "tosa.slice"(%0, %5, %6) : (tensor<2x3x5x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x3x4x2xi16>
  %8 = "tosa.reverse"(%7) <{axis = 2 : i32}> : (tensor<2x3x4x2xi16>) -> tensor<2x3x4x2xi16>
  %9 = "tosa.concat"(%4, %0, %8) <{axis = 2 : i32}> : (tensor<2x3x3x2xi16>, tensor<2x3x5x2xi16>, tensor<2x3x4x2xi16>) -> tensor<2x3x12x2xi16>
  return %9 : tensor<2x3x12x2xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x5x2xi16>) -> tensor<2x3x12x2xi16> {
    %1 = "tosa.const_shape"() <{values = dense<[1, 6, 5, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %2 = "tosa.reshape"(%0, %1) : (tensor<2x3x5x2xi16>, !tosa.shape<4>) -> tensor<1x6x5x2xi16>
    %3 = "tosa.const_shape"() <{values = dense<[0, 0, 3, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %4 = "tosa.const_shape"() <{values = dense<[1, 6, 1, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %5 = "tosa.slice"(%2, %3, %4) : (tensor<1x6x5x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x1x2xi16>
    %6 = "tosa.const_shape"() <{values = dense<[0, 0, 2, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %7 = "tosa.slice"(%2, %6, %4) : (tensor<1x6x5x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x1x2xi16>
    %8 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %9 = "tosa.slice"(%2, %8, %4) : (tensor<1x6x5x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x1x2xi16>
    %10 = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %11 = "tosa.const_shape"() <{values = dense<[1, 6, 4, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %12 = "tosa.slice"(%2, %10, %11) : (tensor<1x6x5x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x4x2xi16>
    %13 = "tosa.reverse"(%12) <{axis = 2 : i32}> : (tensor<1x6x4x2xi16>) -> tensor<1x6x4x2xi16>
    %14 = "tosa.concat"(%5, %7, %9, %2, %13) <{axis = 2 : i32}> : (tensor<1x6x1x2xi16>, tensor<1x6x1x2xi16>, tensor<1x6x1x2xi16>, tensor<1x6x5x2xi16>, tensor<1x6x4x2xi16>) -> tensor<1x6x12x2xi16>
    %15 = "tosa.const_shape"() <{values = dense<[2, 3, 12, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %16 = "tosa.reshape"(%14, %15) : (tensor<1x6x12x2xi16>, !tosa.shape<4>) -> tensor<2x3x12x2xi16>
    func.return %16 : tensor<2x3x12x2xi16>
  }
}
