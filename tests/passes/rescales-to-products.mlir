// a product, rescaled to 8 bits
func.func @main(%0: tensor<4x8xi8>, %1: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = tosa.cast %0 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %4 = tosa.cast %1 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %5 = tosa.mul %3, %4, %2 : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<1xi8>) -> tensor<4x8xi32>
  %6 = "tosa.const"() <{values = dense<1502894905> : tensor<1xi32>}> : () -> tensor<1xi32>
  %7 = "tosa.const"() <{values = dense<37> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %9 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %10 = tosa.rescale %5, %6, %7, %8, %9 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
  return %10 : tensor<4x8xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x8xi8>, %1: tensor<4x8xi8>) -> tensor<4x8xi8> {
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.cast"(%0) : (tensor<4x8xi8>) -> tensor<4x8xi32>
    %4 = "tosa.cast"(%1) : (tensor<4x8xi8>) -> tensor<4x8xi32>
    %5 = "tosa.mul"(%3, %4, %2) : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<1xi8>) -> tensor<4x8xi32>
    %6 = "tosa.const"() <{values = dense<1502894905> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %7 = "tosa.const"() <{values = dense<37> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = "tosa.mul"(%5, %6, %7) : (tensor<4x8xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<4x8xi32>
    %9 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = "tosa.rescale"(%8, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
    func.return %13 : tensor<4x8xi8>
  }
}
// -----
// a square, rescaled to i32 and rounded twice
func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi32> {
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = tosa.cast %0 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %5 = tosa.mul %3, %3, %2 : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<1xi8>) -> tensor<4x8xi32>
  %6 = "tosa.const"() <{values = dense<1502894905> : tensor<1xi32>}> : () -> tensor<1xi32>
  %7 = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %10 = tosa.rescale %5, %6, %7, %8, %8 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x8xi32>
  return %10 : tensor<4x8xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi32> {
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = "tosa.cast"(%0) : (tensor<4x8xi8>) -> tensor<4x8xi32>
    %3 = "tosa.mul"(%2, %2, %1) : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<1xi8>) -> tensor<4x8xi32>
    %4 = "tosa.const"() <{values = dense<1502894905> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %5 = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.mul"(%3, %4, %5) : (tensor<4x8xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<4x8xi32>
    %7 = "tosa.const"() <{values = dense<2> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %8 = "tosa.arithmetic_right_shift"(%6, %7) <{round = true}> : (tensor<4x8xi32>, tensor<1x1xi32>) -> tensor<4x8xi32>
    func.return %8 : tensor<4x8xi32>
  }
}
// -----
// shifted integers, in another shape
func.func @main(%0: tensor<4x8xi8>) -> tensor<32xi16> {
  %1 = "tosa.const"() <{values = dense<3> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %3 = tosa.cast %0 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %5 = tosa.logical_left_shift %3, %1 : (tensor<4x8xi32>, tensor<1x1xi32>) -> tensor<4x8xi32>
  %12 = tosa.const_shape {values = dense<32> : tensor<1xindex>} : () -> !tosa.shape<1>
  %11 = tosa.reshape %5, %12 : (tensor<4x8xi32>, !tosa.shape<1>) -> tensor<32xi32>
  %6 = "tosa.const"() <{values = dense<1502894905> : tensor<1xi32>}> : () -> tensor<1xi32>
  %7 = "tosa.const"() <{values = dense<34> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %9 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %10 = tosa.rescale %11, %6, %7, %8, %9 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<32xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<32xi16>
  return %10 : tensor<32xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x8xi8>) -> tensor<32xi16> {
    %1 = "tosa.const"() <{values = dense<3> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %2 = "tosa.cast"(%0) : (tensor<4x8xi8>) -> tensor<4x8xi32>
    %3 = "tosa.logical_left_shift"(%2, %1) : (tensor<4x8xi32>, tensor<1x1xi32>) -> tensor<4x8xi32>
    %4 = "tosa.const_shape"() <{values = dense<32> : tensor<1xindex>}> : () -> !tosa.shape<1>
    %5 = "tosa.reshape"(%3, %4) : (tensor<4x8xi32>, !tosa.shape<1>) -> tensor<32xi32>
    %6 = "tosa.const"() <{values = dense<1502894905> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "tosa.const"() <{values = dense<34> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = "tosa.mul"(%5, %6, %7) : (tensor<32xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<32xi32>
    %9 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %13 = "tosa.rescale"(%8, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<32xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<32xi16>
    func.return %13 : tensor<32xi16>
  }
}
