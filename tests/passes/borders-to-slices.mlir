// a mirrored border of one row around many features: the inside is a convolution
func.func @main(%0: tensor<1x6x8x16xi8>) -> tensor<1x8x8x16xi8> {
  %1 = "tosa.const_shape"() <{values = dense<[0, 1, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %2 = "tosa.const_shape"() <{values = dense<[1, 1, 8, 16]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %3 = "tosa.slice"(%0, %1, %2) : (tensor<1x6x8x16xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x16xi8>
  %4 = "tosa.reverse"(%3) <{axis = 1 : i32}> : (tensor<1x1x8x16xi8>) -> tensor<1x1x8x16xi8>
  %5 = "tosa.const_shape"() <{values = dense<[0, 4, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %6 = "tosa.slice"(%0, %5, %2) : (tensor<1x6x8x16xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x16xi8>
  %7 = "tosa.concat"(%4, %0, %6) <{axis = 1 : i32}> : (tensor<1x1x8x16xi8>, tensor<1x6x8x16xi8>, tensor<1x1x8x16xi8>) -> tensor<1x8x8x16xi8>
  return %7 : tensor<1x8x8x16xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x6x8x16xi8>) -> tensor<1x8x8x16xi8> {
    %1 = "tosa.const_shape"() <{values = dense<[0, 1, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %2 = "tosa.const_shape"() <{values = dense<[1, 1, 8, 16]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %3 = "tosa.slice"(%0, %1, %2) : (tensor<1x6x8x16xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x16xi8>
    %4 = "tosa.const"() <{values = dense<1> : tensor<1x1x1x1xi8>}> : () -> tensor<1x1x1x1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.mul"(%3, %4, %5) : (tensor<1x1x8x16xi8>, tensor<1x1x1x1xi8>, tensor<1xi8>) -> tensor<1x1x8x16xi32>
    %7 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.rescale"(%6, %7, %8, %9, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x8x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x8x16xi8>
    %11 = "tosa.const"() <{values = dense<1> : tensor<1x1x16x1xi8>}> : () -> tensor<1x1x16x1xi8>
    %12 = "tosa.const"() <{values = dense<0> : tensor<16xi32>}> : () -> tensor<16xi32>
    %13 = "tosa.depthwise_conv2d"(%0, %11, %12, %5, %5) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x6x8x16xi8>, tensor<1x1x16x1xi8>, tensor<16xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x6x8x16xi32>
    %14 = "tosa.rescale"(%13, %7, %8, %9, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x6x8x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x6x8x16xi8>
    %15 = "tosa.const_shape"() <{values = dense<[0, 4, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %16 = "tosa.slice"(%0, %15, %2) : (tensor<1x6x8x16xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x8x16xi8>
    %17 = "tosa.const"() <{values = dense<1> : tensor<1x1x1x1xi8>}> : () -> tensor<1x1x1x1xi8>
    %18 = "tosa.mul"(%16, %17, %5) : (tensor<1x1x8x16xi8>, tensor<1x1x1x1xi8>, tensor<1xi8>) -> tensor<1x1x8x16xi32>
    %19 = "tosa.rescale"(%18, %7, %8, %9, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x8x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x8x16xi8>
    %20 = "tosa.concat"(%10, %14, %19) <{axis = 1 : i32}> : (tensor<1x1x8x16xi8>, tensor<1x6x8x16xi8>, tensor<1x1x8x16xi8>) -> tensor<1x8x8x16xi8>
    func.return %20 : tensor<1x8x8x16xi8>
  }
}
// -----
// two images of few features: every reversed column by itself
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
    %1 = "tosa.const_shape"() <{values = dense<[1, 1, 6, 10]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %2 = "tosa.reshape"(%0, %1) : (tensor<2x3x5x2xi16>, !tosa.shape<4>) -> tensor<1x1x6x10xi16>
    %3 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 6]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %4 = "tosa.const_shape"() <{values = dense<[1, 1, 6, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %5 = "tosa.slice"(%2, %3, %4) : (tensor<1x1x6x10xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x6x2xi16>
    %6 = "tosa.const"() <{values = dense<1> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = "tosa.mul"(%5, %6, %7) : (tensor<1x1x6x2xi16>, tensor<1x1x1x1xi16>, tensor<1xi8>) -> tensor<1x1x6x2xi32>
    %9 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %13 = "tosa.rescale"(%8, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x6x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x6x2xi16>
    %14 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 4]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %15 = "tosa.slice"(%2, %14, %4) : (tensor<1x1x6x10xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x6x2xi16>
    %16 = "tosa.const"() <{values = dense<1> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %17 = "tosa.mul"(%15, %16, %7) : (tensor<1x1x6x2xi16>, tensor<1x1x1x1xi16>, tensor<1xi8>) -> tensor<1x1x6x2xi32>
    %18 = "tosa.rescale"(%17, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x6x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x6x2xi16>
    %19 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %20 = "tosa.slice"(%2, %19, %4) : (tensor<1x1x6x10xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x6x2xi16>
    %21 = "tosa.const"() <{values = dense<1> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %22 = "tosa.mul"(%20, %21, %7) : (tensor<1x1x6x2xi16>, tensor<1x1x1x1xi16>, tensor<1xi8>) -> tensor<1x1x6x2xi32>
    %23 = "tosa.rescale"(%22, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x6x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x6x2xi16>
    %24 = "tosa.const"() <{values = dense<1> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %25 = "tosa.mul"(%2, %24, %7) : (tensor<1x1x6x10xi16>, tensor<1x1x1x1xi16>, tensor<1xi8>) -> tensor<1x1x6x10xi32>
    %26 = "tosa.rescale"(%25, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x6x10xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x6x10xi16>
    %27 = "tosa.slice"(%2, %3, %4) : (tensor<1x1x6x10xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x6x2xi16>
    %28 = "tosa.const"() <{values = dense<1> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %29 = "tosa.mul"(%27, %28, %7) : (tensor<1x1x6x2xi16>, tensor<1x1x1x1xi16>, tensor<1xi8>) -> tensor<1x1x6x2xi32>
    %30 = "tosa.rescale"(%29, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x6x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x6x2xi16>
    %31 = "tosa.slice"(%2, %14, %4) : (tensor<1x1x6x10xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x6x2xi16>
    %32 = "tosa.const"() <{values = dense<1> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %33 = "tosa.mul"(%31, %32, %7) : (tensor<1x1x6x2xi16>, tensor<1x1x1x1xi16>, tensor<1xi8>) -> tensor<1x1x6x2xi32>
    %34 = "tosa.rescale"(%33, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x6x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x6x2xi16>
    %35 = "tosa.slice"(%2, %19, %4) : (tensor<1x1x6x10xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x6x2xi16>
    %36 = "tosa.const"() <{values = dense<1> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %37 = "tosa.mul"(%35, %36, %7) : (tensor<1x1x6x2xi16>, tensor<1x1x1x1xi16>, tensor<1xi8>) -> tensor<1x1x6x2xi32>
    %38 = "tosa.rescale"(%37, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x6x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x6x2xi16>
    %39 = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %40 = "tosa.slice"(%2, %39, %4) : (tensor<1x1x6x10xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x6x2xi16>
    %41 = "tosa.const"() <{values = dense<1> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %42 = "tosa.mul"(%40, %41, %7) : (tensor<1x1x6x2xi16>, tensor<1x1x1x1xi16>, tensor<1xi8>) -> tensor<1x1x6x2xi32>
    %43 = "tosa.rescale"(%42, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x6x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x6x2xi16>
    %44 = "tosa.concat"(%13, %18, %23, %26, %30, %34, %38, %43) <{axis = 3 : i32}> : (tensor<1x1x6x2xi16>, tensor<1x1x6x2xi16>, tensor<1x1x6x2xi16>, tensor<1x1x6x10xi16>, tensor<1x1x6x2xi16>, tensor<1x1x6x2xi16>, tensor<1x1x6x2xi16>, tensor<1x1x6x2xi16>) -> tensor<1x1x6x24xi16>
    %45 = "tosa.const_shape"() <{values = dense<[2, 3, 12, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %46 = "tosa.reshape"(%44, %45) : (tensor<1x1x6x24xi16>, !tosa.shape<4>) -> tensor<2x3x12x2xi16>
    func.return %46 : tensor<2x3x12x2xi16>
  }
}
