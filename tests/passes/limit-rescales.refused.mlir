// nothing to do
// 16 bits by a factor that is small enough
func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi16> {
  %1 = "tosa.const"() <{values = dense<1185021629> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<16> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %6 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi16>) -> tensor<4x2xi16>
  return %6 : tensor<4x2xi16>
}
// -----
// nothing to do
// i32 that was 16 bits, by such a factor
func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi16> {
  %1 = "tosa.const"() <{values = dense<1185021629> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<16> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %5 = "tosa.cast"(%0) : (tensor<4x2xi16>) -> tensor<4x2xi32>
  %6 = tosa.rescale %5, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<4x2xi16>
  return %6 : tensor<4x2xi16>
}
// -----
// nothing to do
// a result of 32 bits, which does not saturate
func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi32> {
  %1 = "tosa.const"() <{values = dense<1185021629> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<15> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %6 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<4x2xi32>
  return %6 : tensor<4x2xi32>
}
// -----
// nothing to do
// a multiplier of few bits
func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi16> {
  %1 = "tosa.const"() <{values = dense<3> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<15> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %6 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi16>) -> tensor<4x2xi16>
  return %6 : tensor<4x2xi16>
}
// -----
// nothing to do
// i32 of unknown origin
func.func @main(%0: tensor<4x2xi32>) -> tensor<4x2xi8> {
  %1 = "tosa.const"() <{values = dense<[1185021629, 1185021629]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %2 = "tosa.const"() <{values = dense<[20, 40]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %6 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x2xi8>
  return %6 : tensor<4x2xi8>
}
