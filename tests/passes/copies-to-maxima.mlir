// an argument, twice, in another shape
func.func @main(%0: tensor<4x8xi8>) -> (tensor<4x8xi8>, tensor<2x16xi8>, tensor<4x8xi8>) {
  %1 = "tosa.const_shape"() <{values = dense<[2, 16]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %2 = tosa.reshape %0, %1 : (tensor<4x8xi8>, !tosa.shape<2>) -> tensor<2x16xi8>
  return %0, %2, %0 : tensor<4x8xi8>, tensor<2x16xi8>, tensor<4x8xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x8xi8>) -> (tensor<4x8xi8>, tensor<2x16xi8>, tensor<4x8xi8>) {
    %1 = "tosa.const_shape"() <{values = dense<[2, 16]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %2 = "tosa.const"() <{values = dense<-128> : tensor<1x1xi8>}> : () -> tensor<1x1xi8>
    %3 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "tosa.rescale"(%0, %3, %4, %5, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x8xi32>
    %8 = "tosa.reshape"(%7, %1) : (tensor<4x8xi32>, !tosa.shape<2>) -> tensor<2x16xi32>
    %9 = "tosa.rescale"(%2, %3, %4, %5, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1xi32>
    %10 = "tosa.maximum"(%8, %9) : (tensor<2x16xi32>, tensor<1x1xi32>) -> tensor<2x16xi32>
    %11 = "tosa.rescale"(%10, %3, %4, %6, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x16xi8>
    %12 = "tosa.const_shape"() <{values = dense<[4, 8]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %13 = "tosa.reshape"(%11, %12) : (tensor<2x16xi8>, !tosa.shape<2>) -> tensor<4x8xi8>
    %14 = "tosa.const"() <{values = dense<-128> : tensor<1x1xi8>}> : () -> tensor<1x1xi8>
    %15 = "tosa.rescale"(%0, %3, %4, %5, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x8xi32>
    %16 = "tosa.reshape"(%15, %1) : (tensor<4x8xi32>, !tosa.shape<2>) -> tensor<2x16xi32>
    %17 = "tosa.rescale"(%14, %3, %4, %5, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1xi32>
    %18 = "tosa.maximum"(%16, %17) : (tensor<2x16xi32>, tensor<1x1xi32>) -> tensor<2x16xi32>
    %19 = "tosa.rescale"(%18, %3, %4, %6, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x16xi8>
    func.return %13, %19, %13 : tensor<4x8xi8>, tensor<2x16xi8>, tensor<4x8xi8>
  }
}
// -----
// 16 bits, in a row
func.func @main(%0: tensor<3x5xi16>) -> tensor<3x5xi16> {
  return %0 : tensor<3x5xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<3x5xi16>) -> tensor<3x5xi16> {
    %1 = "tosa.const_shape"() <{values = dense<15> : tensor<1xindex>}> : () -> !tosa.shape<1>
    %2 = "tosa.const"() <{values = dense<-32768> : tensor<1xi16>}> : () -> tensor<1xi16>
    %3 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "tosa.rescale"(%0, %3, %4, %5, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x5xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<3x5xi32>
    %8 = "tosa.reshape"(%7, %1) : (tensor<3x5xi32>, !tosa.shape<1>) -> tensor<15xi32>
    %9 = "tosa.rescale"(%2, %3, %4, %5, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1xi32>
    %10 = "tosa.maximum"(%8, %9) : (tensor<15xi32>, tensor<1xi32>) -> tensor<15xi32>
    %11 = "tosa.rescale"(%10, %3, %4, %6, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<15xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<15xi16>
    %12 = "tosa.const_shape"() <{values = dense<[3, 5]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %13 = "tosa.reshape"(%11, %12) : (tensor<15xi16>, !tosa.shape<2>) -> tensor<3x5xi16>
    func.return %13 : tensor<3x5xi16>
  }
}
// -----
// a slice of what was computed
func.func @main(%0: tensor<4x300xi8>) -> tensor<4x299xi8> {
  %1 = tosa.reverse %0 {axis = 0 : i32} : (tensor<4x300xi8>) -> tensor<4x300xi8>
  %2 = "tosa.const_shape"() <{values = dense<0> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %3 = "tosa.const_shape"() <{values = dense<[4, 299]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %4 = tosa.slice %1, %2, %3 : (tensor<4x300xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<4x299xi8>
  return %4 : tensor<4x299xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x300xi8>) -> tensor<4x299xi8> {
    %1 = "tosa.reverse"(%0) <{axis = 0 : i32}> : (tensor<4x300xi8>) -> tensor<4x300xi8>
    %2 = "tosa.const_shape"() <{values = dense<0> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %3 = "tosa.const_shape"() <{values = dense<[4, 299]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %4 = "tosa.slice"(%1, %2, %3) : (tensor<4x300xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<4x299xi8>
    %5 = "tosa.const"() <{values = dense<-128> : tensor<1x1xi8>}> : () -> tensor<1x1xi8>
    %6 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.rescale"(%4, %6, %7, %8, %9) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x299xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x299xi32>
    %11 = "tosa.rescale"(%5, %6, %7, %8, %9) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1xi32>
    %12 = "tosa.maximum"(%10, %11) : (tensor<4x299xi32>, tensor<1x1xi32>) -> tensor<4x299xi32>
    %13 = "tosa.rescale"(%12, %6, %7, %9, %8) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x299xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x299xi8>
    func.return %13 : tensor<4x299xi8>
  }
}
// -----
// few elements of an argument
func.func @main(%0: tensor<4x8xi16>) -> tensor<2x7xi16> {
  %1 = "tosa.const_shape"() <{values = dense<1> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %2 = "tosa.const_shape"() <{values = dense<[2, 7]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %3 = tosa.slice %0, %1, %2 : (tensor<4x8xi16>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x7xi16>
  return %3 : tensor<2x7xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x8xi16>) -> tensor<2x7xi16> {
    %1 = "tosa.const_shape"() <{values = dense<1> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %2 = "tosa.const_shape"() <{values = dense<[2, 7]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %3 = "tosa.slice"(%0, %1, %2) : (tensor<4x8xi16>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x7xi16>
    %4 = "tosa.const"() <{values = dense<-32768> : tensor<1x1xi16>}> : () -> tensor<1x1xi16>
    %5 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "tosa.rescale"(%3, %5, %6, %7, %8) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x7xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<2x7xi32>
    %10 = "tosa.rescale"(%4, %5, %6, %7, %8) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1xi32>
    %11 = "tosa.maximum"(%9, %10) : (tensor<2x7xi32>, tensor<1x1xi32>) -> tensor<2x7xi32>
    %12 = "tosa.rescale"(%11, %5, %6, %8, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x7xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x7xi16>
    func.return %12 : tensor<2x7xi16>
  }
}
