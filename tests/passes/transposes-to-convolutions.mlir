// two planes of two images, in windows of three neighbours
func.func @main(%0: tensor<2x2x1x3xi8>) -> tensor<2x1x3x2xi8> {
  %1 = "tosa.transpose"(%0) <{perms = array<i32: 0, 2, 3, 1>}> : (tensor<2x2x1x3xi8>) -> tensor<2x1x3x2xi8>
  return %1 : tensor<2x1x3x2xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x2x1x3xi8>) -> tensor<2x1x3x2xi8> {
    %1 = "tosa.const"() <{values = dense<[[[[1, 0, 0]], [[0, 0, 0]]], [[[0, 0, 0]], [[1, 0, 0]]], [[[0, 1, 0]], [[0, 0, 0]]], [[[0, 0, 0]], [[0, 1, 0]]], [[[0, 0, 1]], [[0, 0, 0]]], [[[0, 0, 0]], [[0, 0, 1]]]]> : tensor<6x2x1x3xi8>}> : () -> tensor<6x2x1x3xi8>
    %2 = "tosa.const"() <{values = dense<0> : tensor<6xi32>}> : () -> tensor<6xi32>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.conv2d"(%0, %1, %2, %3, %3) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<2x2x1x3xi8>, tensor<6x2x1x3xi8>, tensor<6xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x1x1x6xi32>
    %5 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.rescale"(%4, %5, %6, %7, %3) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x1x6xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x1x1x6xi8>
    %9 = "tosa.const_shape"() <{values = dense<[2, 1, 3, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %10 = "tosa.reshape"(%8, %9) : (tensor<2x1x1x6xi8>, !tosa.shape<4>) -> tensor<2x1x3x2xi8>
    func.return %10 : tensor<2x1x3x2xi8>
  }
}
// -----
// planes of 17 elements have no neighbours; 16 bits
func.func @main(%0: tensor<1x2x17xi16>) -> tensor<17x1x2xi16> {
  %1 = "tosa.transpose"(%0) <{perms = array<i32: 2, 0, 1>}> : (tensor<1x2x17xi16>) -> tensor<17x1x2xi16>
  return %1 : tensor<17x1x2xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x17xi16>) -> tensor<17x1x2xi16> {
    %1 = "tosa.const_shape"() <{values = dense<[1, 2, 17, 1]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %2 = "tosa.reshape"(%0, %1) : (tensor<1x2x17xi16>, !tosa.shape<4>) -> tensor<1x2x17x1xi16>
    %3 = "tosa.const"() <{values = dense<[[[[1]], [[0]]], [[[0]], [[1]]]]> : tensor<2x2x1x1xi8>}> : () -> tensor<2x2x1x1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<2xi48>}> : () -> tensor<2xi48>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.conv2d"(%2, %3, %4, %5, %6) <{acc_type = i48, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x2x17x1xi16>, tensor<2x2x1x1xi8>, tensor<2xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<1x1x17x2xi48>
    %8 = "tosa.const"() <{values = dense<16384> : tensor<1xi16>}> : () -> tensor<1xi16>
    %9 = "tosa.const"() <{values = dense<14> : tensor<1xi8>}> : () -> tensor<1xi8>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
    %11 = "tosa.rescale"(%7, %8, %9, %10, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = false}> : (tensor<1x1x17x2xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<1x1x17x2xi16>
    %12 = "tosa.const_shape"() <{values = dense<[17, 1, 2]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %13 = "tosa.reshape"(%11, %12) : (tensor<1x1x17x2xi16>, !tosa.shape<3>) -> tensor<17x1x2xi16>
    func.return %13 : tensor<17x1x2xi16>
  }
}
