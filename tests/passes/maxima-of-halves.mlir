// an odd number of rows of bytes, over two dimensions
func.func @main(%0: tensor<2x3x3x4xi8>) -> tensor<2x1x1x4xi8> {
  %1 = tosa.reduce_max %0 {axis = 1 : i32} : (tensor<2x3x3x4xi8>) -> tensor<2x1x3x4xi8>
  %2 = tosa.reduce_max %1 {axis = 2 : i32} : (tensor<2x1x3x4xi8>) -> tensor<2x1x1x4xi8>
  return %2 : tensor<2x1x1x4xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x3x4xi8>) -> tensor<2x1x1x4xi8> {
    %1 = "tosa.const_shape"() <{values = dense<[2, 36]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %2 = "tosa.reshape"(%0, %1) : (tensor<2x3x3x4xi8>, !tosa.shape<2>) -> tensor<2x36xi8>
    %3 = "tosa.const_shape"() <{values = dense<[0, 32]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %4 = "tosa.const_shape"() <{values = dense<[2, 4]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %5 = "tosa.slice"(%2, %3, %4) : (tensor<2x36xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x4xi8>
    %6 = "tosa.const_shape"() <{values = dense<0> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %7 = "tosa.const_shape"() <{values = dense<[2, 16]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %8 = "tosa.slice"(%2, %6, %7) : (tensor<2x36xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x16xi8>
    %9 = "tosa.const_shape"() <{values = dense<[0, 16]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %10 = "tosa.slice"(%2, %9, %7) : (tensor<2x36xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x16xi8>
    %11 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %14 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %15 = "tosa.rescale"(%8, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x16xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x16xi32>
    %16 = "tosa.rescale"(%10, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x16xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x16xi32>
    %17 = "tosa.maximum"(%15, %16) : (tensor<2x16xi32>, tensor<2x16xi32>) -> tensor<2x16xi32>
    %18 = "tosa.rescale"(%17, %11, %12, %14, %13) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x16xi8>
    %19 = "tosa.const_shape"() <{values = dense<[2, 8]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %20 = "tosa.slice"(%18, %6, %19) : (tensor<2x16xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x8xi8>
    %21 = "tosa.const_shape"() <{values = dense<[0, 8]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %22 = "tosa.slice"(%18, %21, %19) : (tensor<2x16xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x8xi8>
    %23 = "tosa.rescale"(%20, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x8xi32>
    %24 = "tosa.rescale"(%22, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x8xi32>
    %25 = "tosa.maximum"(%23, %24) : (tensor<2x8xi32>, tensor<2x8xi32>) -> tensor<2x8xi32>
    %26 = "tosa.rescale"(%25, %11, %12, %14, %13) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x8xi8>
    %27 = "tosa.slice"(%26, %6, %4) : (tensor<2x8xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x4xi8>
    %28 = "tosa.const_shape"() <{values = dense<[0, 4]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %29 = "tosa.slice"(%26, %28, %4) : (tensor<2x8xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x4xi8>
    %30 = "tosa.rescale"(%27, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x4xi32>
    %31 = "tosa.rescale"(%29, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x4xi32>
    %32 = "tosa.maximum"(%30, %31) : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
    %33 = "tosa.rescale"(%32, %11, %12, %14, %13) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x4xi8>
    %34 = "tosa.rescale"(%33, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x4xi32>
    %35 = "tosa.rescale"(%5, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x4xi32>
    %36 = "tosa.maximum"(%34, %35) : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
    %37 = "tosa.rescale"(%36, %11, %12, %14, %13) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x4xi8>
    %38 = "tosa.const_shape"() <{values = dense<[2, 1, 1, 4]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %39 = "tosa.reshape"(%37, %38) : (tensor<2x4xi8>, !tosa.shape<4>) -> tensor<2x1x1x4xi8>
    func.return %39 : tensor<2x1x1x4xi8>
  }
}
// -----
// the smallest of 16-bit integers of the last dimension
func.func @main(%0: tensor<3x4xi16>) -> tensor<3x1xi16> {
  %1 = tosa.reduce_min %0 {axis = 1 : i32} : (tensor<3x4xi16>) -> tensor<3x1xi16>
  return %1 : tensor<3x1xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<3x4xi16>) -> tensor<3x1xi16> {
    %1 = "tosa.const_shape"() <{values = dense<0> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %2 = "tosa.const_shape"() <{values = dense<[3, 2]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %3 = "tosa.slice"(%0, %1, %2) : (tensor<3x4xi16>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x2xi16>
    %4 = "tosa.const_shape"() <{values = dense<[0, 2]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %5 = "tosa.slice"(%0, %4, %2) : (tensor<3x4xi16>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x2xi16>
    %6 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.rescale"(%3, %6, %7, %8, %9) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<3x2xi32>
    %11 = "tosa.rescale"(%5, %6, %7, %8, %9) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<3x2xi32>
    %12 = "tosa.minimum"(%10, %11) : (tensor<3x2xi32>, tensor<3x2xi32>) -> tensor<3x2xi32>
    %13 = "tosa.rescale"(%12, %6, %7, %9, %8) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<3x2xi16>
    %14 = "tosa.const_shape"() <{values = dense<[3, 1]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %15 = "tosa.slice"(%13, %1, %14) : (tensor<3x2xi16>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x1xi16>
    %16 = "tosa.const_shape"() <{values = dense<[0, 1]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %17 = "tosa.slice"(%13, %16, %14) : (tensor<3x2xi16>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x1xi16>
    %18 = "tosa.rescale"(%15, %6, %7, %8, %9) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x1xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<3x1xi32>
    %19 = "tosa.rescale"(%17, %6, %7, %8, %9) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x1xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<3x1xi32>
    %20 = "tosa.minimum"(%18, %19) : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi32>
    %21 = "tosa.rescale"(%20, %6, %7, %9, %8) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<3x1xi16>
    func.return %21 : tensor<3x1xi16>
  }
}
// -----
// two dimensions with one between, and a result with two readers
func.func @main(%0: tensor<2x3x2xi8>) -> (tensor<1x3x1xi8>, tensor<1x3x2xi8>) {
  %1 = tosa.reduce_max %0 {axis = 0 : i32} : (tensor<2x3x2xi8>) -> tensor<1x3x2xi8>
  %2 = tosa.reduce_max %1 {axis = 2 : i32} : (tensor<1x3x2xi8>) -> tensor<1x3x1xi8>
  return %2, %1 : tensor<1x3x1xi8>, tensor<1x3x2xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x2xi8>) -> (tensor<1x3x1xi8>, tensor<1x3x2xi8>) {
    %1 = "tosa.const_shape"() <{values = dense<[1, 12]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %2 = "tosa.reshape"(%0, %1) : (tensor<2x3x2xi8>, !tosa.shape<2>) -> tensor<1x12xi8>
    %3 = "tosa.const_shape"() <{values = dense<0> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %4 = "tosa.const_shape"() <{values = dense<[1, 6]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %5 = "tosa.slice"(%2, %3, %4) : (tensor<1x12xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x6xi8>
    %6 = "tosa.const_shape"() <{values = dense<[0, 6]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %7 = "tosa.slice"(%2, %6, %4) : (tensor<1x12xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x6xi8>
    %8 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.rescale"(%5, %8, %9, %10, %11) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x6xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x6xi32>
    %13 = "tosa.rescale"(%7, %8, %9, %10, %11) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x6xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x6xi32>
    %14 = "tosa.maximum"(%12, %13) : (tensor<1x6xi32>, tensor<1x6xi32>) -> tensor<1x6xi32>
    %15 = "tosa.rescale"(%14, %8, %9, %11, %10) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x6xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x6xi8>
    %16 = "tosa.const_shape"() <{values = dense<[1, 3, 2]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %17 = "tosa.reshape"(%15, %16) : (tensor<1x6xi8>, !tosa.shape<3>) -> tensor<1x3x2xi8>
    %18 = "tosa.const_shape"() <{values = dense<[3, 2]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %19 = "tosa.reshape"(%15, %18) : (tensor<1x6xi8>, !tosa.shape<2>) -> tensor<3x2xi8>
    %20 = "tosa.const_shape"() <{values = dense<0> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %21 = "tosa.const_shape"() <{values = dense<[3, 1]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %22 = "tosa.slice"(%19, %20, %21) : (tensor<3x2xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x1xi8>
    %23 = "tosa.const_shape"() <{values = dense<[0, 1]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %24 = "tosa.slice"(%19, %23, %21) : (tensor<3x2xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x1xi8>
    %25 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %26 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %27 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %28 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %29 = "tosa.rescale"(%22, %25, %26, %27, %28) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<3x1xi32>
    %30 = "tosa.rescale"(%24, %25, %26, %27, %28) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<3x1xi32>
    %31 = "tosa.maximum"(%29, %30) : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi32>
    %32 = "tosa.rescale"(%31, %25, %26, %28, %27) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<3x1xi8>
    %33 = "tosa.const_shape"() <{values = dense<[1, 3, 1]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %34 = "tosa.reshape"(%32, %33) : (tensor<3x1xi8>, !tosa.shape<3>) -> tensor<1x3x1xi8>
    func.return %34, %17 : tensor<1x3x1xi8>, tensor<1x3x2xi8>
  }
}
