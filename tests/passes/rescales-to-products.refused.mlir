// it rounds twice, in the direction of the sign
func.func @main(%0: tensor<4x8xi8>, %1: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = tosa.cast %0 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %4 = tosa.cast %1 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %5 = tosa.mul %3, %4, %2 : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<1xi8>) -> tensor<4x8xi32>
  %6 = "tosa.const"() <{values = dense<1502894905> : tensor<1xi32>}> : () -> tensor<1xi32>
  %7 = "tosa.const"() <{values = dense<37> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %9 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %10 = tosa.rescale %5, %6, %7, %8, %9 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
  return %10 : tensor<4x8xi8>
}
// -----
// a product has one factor, and signed integers
func.func @main(%0: tensor<4x2xi8>, %1: tensor<4x2xi8>) -> tensor<4x2xi8> {
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = tosa.cast %0 : (tensor<4x2xi8>) -> tensor<4x2xi32>
  %4 = tosa.cast %1 : (tensor<4x2xi8>) -> tensor<4x2xi32>
  %5 = tosa.mul %3, %4, %2 : (tensor<4x2xi32>, tensor<4x2xi32>, tensor<1xi8>) -> tensor<4x2xi32>
  %6 = "tosa.const"() <{values = dense<[1502894905, 1302894905]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %7 = "tosa.const"() <{values = dense<37> : tensor<2xi8>}> : () -> tensor<2xi8>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %9 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %10 = tosa.rescale %5, %6, %7, %8, %9 {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x2xi8>
  return %10 : tensor<4x2xi8>
}
// -----
// nothing to do
// the op before it takes it in: a power of two behind a product, any factor behind a sum
func.func @main(%0: tensor<4x8xi8>, %1: tensor<4x8xi8>) -> (tensor<4x8xi8>, tensor<4x8xi8>) {
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = tosa.cast %0 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %4 = tosa.cast %1 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %5 = tosa.mul %3, %4, %2 : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<1xi8>) -> tensor<4x8xi32>
  %11 = tosa.add %3, %4 : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %6 = "tosa.const"() <{values = dense<1502894905> : tensor<1xi32>}> : () -> tensor<1xi32>
  %12 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %7 = "tosa.const"() <{values = dense<37> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %9 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %10 = tosa.rescale %5, %12, %7, %8, %9 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
  %13 = tosa.rescale %11, %6, %7, %8, %9 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
  return %10, %13 : tensor<4x8xi8>, tensor<4x8xi8>
}
// -----
// nothing to do
// the product is one of 8-bit integers, behind which NPUs have a multiplier
func.func @main(%0: tensor<4x8xi8>, %1: tensor<1x8xi8>) -> tensor<4x8xi8> {
  %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %3 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %6 = tosa.rescale %0, %2, %3, %4, %5 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x8xi32>
  %7 = tosa.rescale %1, %2, %3, %4, %5 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x8xi32>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %9 = tosa.mul %6, %7, %8 : (tensor<4x8xi32>, tensor<1x8xi32>, tensor<1xi8>) -> tensor<4x8xi32>
  %10 = "tosa.const"() <{values = dense<1502894905> : tensor<1xi32>}> : () -> tensor<1xi32>
  %11 = "tosa.const"() <{values = dense<37> : tensor<1xi8>}> : () -> tensor<1xi8>
  %12 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %13 = tosa.rescale %9, %10, %11, %5, %12 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
  return %13 : tensor<4x8xi8>
}
// -----
// its product may have too many bits
// a RESCALE by 1 behind it takes 30 bits
func.func @main(%0: tensor<4x8xi8>) -> tensor<32xi16> {
  %1 = "tosa.const"() <{values = dense<3> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %3 = tosa.cast %0 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %5 = tosa.logical_left_shift %3, %1 : (tensor<4x8xi32>, tensor<1x1xi32>) -> tensor<4x8xi32>
  %12 = tosa.const_shape {values = dense<32> : tensor<1xindex>} : () -> !tosa.shape<1>
  %11 = tosa.reshape %5, %12 : (tensor<4x8xi32>, !tosa.shape<1>) -> tensor<32xi32>
  %6 = "tosa.const"() <{values = dense<1502894905> : tensor<1xi32>}> : () -> tensor<1xi32>
  %7 = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %9 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %10 = tosa.rescale %11, %6, %7, %8, %9 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<32xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<32xi16>
  return %10 : tensor<32xi16>
}
// -----
// its product may have too many bits
// a factor above 1 to 32 bits
func.func @main(%0: tensor<4x8xi8>) -> tensor<32xi32> {
  %1 = "tosa.const"() <{values = dense<3> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %3 = tosa.cast %0 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %5 = tosa.logical_left_shift %3, %1 : (tensor<4x8xi32>, tensor<1x1xi32>) -> tensor<4x8xi32>
  %12 = tosa.const_shape {values = dense<32> : tensor<1xindex>} : () -> !tosa.shape<1>
  %11 = tosa.reshape %5, %12 : (tensor<4x8xi32>, !tosa.shape<1>) -> tensor<32xi32>
  %6 = "tosa.const"() <{values = dense<1502894905> : tensor<1xi32>}> : () -> tensor<1xi32>
  %7 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %10 = tosa.rescale %11, %6, %7, %8, %8 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<32xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<32xi32>
  return %10 : tensor<32xi32>
}
// -----
// its rounding is not defined
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
  %10 = tosa.rescale %11, %6, %7, %8, %9 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = INEXACT_ROUND, scale32 = true} : (tensor<32xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<32xi16>
  return %10 : tensor<32xi16>
}
