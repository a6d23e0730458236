// it does not select a RESCALE of the integers or one of their product, to be 8-bit integers
func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x8xi32>
  %6 = "tosa.const"() <{values = dense<[[88, -98, -133, -59, -73, 86, 103, 300]]> : tensor<1x8xi32>}> : () -> tensor<1x8xi32>
  %7 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = tosa.mul %5, %6, %7 : (tensor<4x8xi32>, tensor<1x8xi32>, tensor<1xi8>) -> tensor<4x8xi32>
  %9 = "tosa.const"() <{values = dense<1464513408> : tensor<1xi32>}> : () -> tensor<1xi32>
  %10 = "tosa.const"() <{values = dense<37> : tensor<1xi8>}> : () -> tensor<1xi8>
  %11 = tosa.rescale %8, %9, %10, %4, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x8xi32>
  %12 = "tosa.const"() <{values = dense<1760232448> : tensor<1xi32>}> : () -> tensor<1xi32>
  %13 = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %14 = tosa.rescale %5, %12, %13, %4, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x8xi32>
  %15 = "tosa.const"() <{values = dense<0> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %16 = tosa.greater_equal %5, %15 : (tensor<4x8xi32>, tensor<1x1xi32>) -> tensor<4x8xi1>
  %17 = tosa.select %16, %14, %11 : (tensor<4x8xi1>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %18 = "tosa.const"() <{values = dense<-11> : tensor<1xi8>}> : () -> tensor<1xi8>
  %19 = tosa.rescale %17, %1, %2, %4, %18 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
  return %19 : tensor<4x8xi8>
}
// -----
// nothing to do
// the sign of another number selects
func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x8xi32>
  %6 = "tosa.const"() <{values = dense<[[88, -98, -133, -59, -73, 86, 103, -2]]> : tensor<1x8xi32>}> : () -> tensor<1x8xi32>
  %7 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = tosa.mul %5, %6, %7 : (tensor<4x8xi32>, tensor<1x8xi32>, tensor<1xi8>) -> tensor<4x8xi32>
  %9 = "tosa.const"() <{values = dense<1464513408> : tensor<1xi32>}> : () -> tensor<1xi32>
  %10 = "tosa.const"() <{values = dense<37> : tensor<1xi8>}> : () -> tensor<1xi8>
  %11 = tosa.rescale %8, %9, %10, %4, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x8xi32>
  %12 = "tosa.const"() <{values = dense<1760232448> : tensor<1xi32>}> : () -> tensor<1xi32>
  %13 = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %14 = tosa.rescale %5, %12, %13, %4, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x8xi32>
  %15 = "tosa.const"() <{values = dense<1> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %16 = tosa.greater_equal %5, %15 : (tensor<4x8xi32>, tensor<1x1xi32>) -> tensor<4x8xi1>
  %17 = tosa.select %16, %14, %11 : (tensor<4x8xi1>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %18 = "tosa.const"() <{values = dense<-11> : tensor<1xi8>}> : () -> tensor<1xi8>
  %19 = tosa.rescale %17, %1, %2, %4, %18 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
  return %19 : tensor<4x8xi8>
}
