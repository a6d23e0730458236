// nothing to do
// one dimension
func.func @main(%0: tensor<1x3x4x2xi8>) -> tensor<1x1x4x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x3x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x3x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x3x4x2xi32>) -> tensor<1x1x4x2xi32>
  return %6 : tensor<1x1x4x2xi32>
}
// -----
// it does not sum signed integers of 8 or 16 bits less their zero point
// a factor that is no power of two
func.func @main(%0: tensor<1x3x4x2xi8>) -> tensor<1x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1610612736> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x3x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x3x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x3x4x2xi32>) -> tensor<1x1x4x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x4x2xi32>) -> tensor<1x1x1x2xi32>
  return %7 : tensor<1x1x1x2xi32>
}
// -----
// it does not sum signed integers of 8 or 16 bits less their zero point
// unsigned integers
func.func @main(%0: tensor<1x3x4x2xi8>) -> tensor<1x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x3x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x3x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x3x4x2xi32>) -> tensor<1x1x4x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x4x2xi32>) -> tensor<1x1x1x2xi32>
  return %7 : tensor<1x1x1x2xi32>
}
// -----
// a dimension that it does not sum is between those that it sums
func.func @main(%0: tensor<1x3x4x2xi8>) -> tensor<1x1x4x1xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x3x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x3x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x3x4x2xi32>) -> tensor<1x1x4x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 3 : i32}> : (tensor<1x1x4x2xi32>) -> tensor<1x1x4x1xi32>
  return %7 : tensor<1x1x4x1xi32>
}
// -----
// its partial sums may exceed 32 bits
func.func @main(%0: tensor<1x1024x64x2xi16>) -> tensor<1x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1024x64x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1024x64x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x1024x64x2xi32>) -> tensor<1x1x64x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x64x2xi32>) -> tensor<1x1x1x2xi32>
  return %7 : tensor<1x1x1x2xi32>
}
// -----
// nothing to do
// one channel: no NPU transposes for its REDUCE_SUM
func.func @main(%0: tensor<1x3x4x1xi8>) -> tensor<1x1x1x1xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x3x4x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x3x4x1xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x3x4x1xi32>) -> tensor<1x1x4x1xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x4x1xi32>) -> tensor<1x1x1x1xi32>
  return %7 : tensor<1x1x1x1xi32>
}
