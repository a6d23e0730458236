// its stride is larger than its kernel
func.func @main(%0: tensor<1x2x2x1xi8>) -> tensor<1x2x5x1xi32> {
  %1 = "tosa.const"() <{values = dense<[[[[-11], [3]]]]> : tensor<1x1x2x1xi8>}> : () -> tensor<1x1x2x1xi8>
  %2 = "tosa.const"() <{values = dense<[5]> : tensor<1xi32>}> : () -> tensor<1xi32>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = "tosa.transpose_conv2d"(%0, %1, %2, %3, %4) <{acc_type = i32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 3>}> : (tensor<1x2x2x1xi8>, tensor<1x1x2x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x5x1xi32>
  return %5 : tensor<1x2x5x1xi32>
}
// -----
// it pads its result by so much that the windows become larger than its kernel
func.func @main(%0: tensor<1x2x3x1xi8>) -> tensor<1x8x6x1xi32> {
  %1 = "tosa.const"() <{values = dense<[[[[-11], [3]], [[-6], [8]]]]> : tensor<1x2x2x1xi8>}> : () -> tensor<1x2x2x1xi8>
  %2 = "tosa.const"() <{values = dense<[5]> : tensor<1xi32>}> : () -> tensor<1xi32>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = "tosa.transpose_conv2d"(%0, %1, %2, %3, %4) <{acc_type = i32, out_pad = array<i64: 4, 0, 0, 0>, stride = array<i64: 2, 2>}> : (tensor<1x2x3x1xi8>, tensor<1x2x2x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x6x1xi32>
  return %5 : tensor<1x8x6x1xi32>
}
// -----
// its weights are computed
func.func @main(%0: tensor<1x2x2x1xi8>, %1: tensor<1x2x2x1xi8>) -> tensor<1x2x4x1xi32> {
  %2 = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.transpose_conv2d"(%0, %1, %2, %3, %3) <{acc_type = i32, out_pad = array<i64: 0, -1, 0, 0>, stride = array<i64: 1, 2>}> : (tensor<1x2x2x1xi8>, tensor<1x2x2x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x4x1xi32>
  return %4 : tensor<1x2x4x1xi32>
}
// -----
// nothing to do
// floats
func.func @main(%0: tensor<1x2x2x1xf32>) -> tensor<1x3x3x1xf32> {
  %1 = "tosa.const"() <{values = dense<2.0> : tensor<1x2x2x1xf32>}> : () -> tensor<1x2x2x1xf32>
  %2 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %3 = "tosa.transpose_conv2d"(%0, %1, %2, %2, %2) <{acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x3x1xf32>
  return %3 : tensor<1x3x3x1xf32>
}
