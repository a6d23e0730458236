// nothing to do
// eight features of a convolution
func.func @main(%0: tensor<1x3x7x4xi8>) -> tensor<1x3x7x8xi8> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = "tosa.const"() <{values = dense<7> : tensor<8x1x1x4xi8>}> : () -> tensor<8x1x1x4xi8>
  %6 = "tosa.const"() <{values = dense<1> : tensor<8xi32>}> : () -> tensor<8xi32>
  %7 = tosa.conv2d %0, %5, %6, %3, %3 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x7x4xi8>, tensor<8x1x1x4xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x7x8xi32>
  %10 = "tosa.const"() <{values = dense<34> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = tosa.rescale %7, %1, %10, %4, %3 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x3x7x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x7x8xi8>
  %9 = tosa.clamp %8 {min_val = 5 : i8, max_val = 127 : i8} : (tensor<1x3x7x8xi8>) -> tensor<1x3x7x8xi8>
  return %9 : tensor<1x3x7x8xi8>
}
// -----
// nothing to do
// a sum of widened integers
func.func @main(%0: tensor<4x8xi8>, %20: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x8xi32>
  %6 = tosa.rescale %20, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x8xi32>
  %7 = tosa.add %5, %6 : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %8 = tosa.rescale %7, %1, %2, %4, %3 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
  %9 = tosa.clamp %8 {min_val = 5 : i8, max_val = 127 : i8} : (tensor<4x8xi8>) -> tensor<4x8xi8>
  return %9 : tensor<4x8xi8>
}
