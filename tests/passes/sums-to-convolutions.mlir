// height and width
func.func @main(%0: tensor<1x3x4x2xi8>) -> tensor<1x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x3x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x3x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x3x4x2xi32>) -> tensor<1x1x4x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x4x2xi32>) -> tensor<1x1x1x2xi32>
  return %7 : tensor<1x1x1x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x3x4x2xi8>) -> tensor<1x1x1x2xi32> {
    %1 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = "tosa.const"() <{values = dense<1> : tensor<3x4x2x1xi8>}> : () -> tensor<3x4x2x1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.depthwise_conv2d"(%0, %2, %3, %1, %4) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x3x4x2xi8>, tensor<3x4x2x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x2xi32>
    func.return %5 : tensor<1x1x1x2xi32>
  }
}
// -----
// width and height of several images, times a power of two
func.func @main(%0: tensor<2x3x4x2xi8>) -> tensor<2x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<29> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 2 : i32}> : (tensor<2x3x4x2xi32>) -> tensor<2x3x1x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 1 : i32}> : (tensor<2x3x1x2xi32>) -> tensor<2x1x1x2xi32>
  return %7 : tensor<2x1x1x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x4x2xi8>) -> tensor<2x1x1x2xi32> {
    %1 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = "tosa.const"() <{values = dense<2> : tensor<3x4x2x1xi8>}> : () -> tensor<3x4x2x1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.depthwise_conv2d"(%0, %2, %3, %1, %4) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<2x3x4x2xi8>, tensor<3x4x2x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x1x1x2xi32>
    func.return %5 : tensor<2x1x1x2xi32>
  }
}
// -----
// 16 bits: 48 bits in between
func.func @main(%0: tensor<1x3x4x2xi16>) -> tensor<1x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x3x4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x3x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x3x4x2xi32>) -> tensor<1x1x4x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x4x2xi32>) -> tensor<1x1x1x2xi32>
  return %7 : tensor<1x1x1x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x3x4x2xi16>) -> tensor<1x1x1x2xi32> {
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %2 = "tosa.const"() <{values = dense<1> : tensor<3x4x2x1xi8>}> : () -> tensor<3x4x2x1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<2xi48>}> : () -> tensor<2xi48>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.depthwise_conv2d"(%0, %2, %3, %1, %4) <{acc_type = i48, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x3x4x2xi16>, tensor<3x4x2x1xi8>, tensor<2xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<1x1x1x2xi48>
    %6 = "tosa.const"() <{values = dense<16384> : tensor<1xi16>}> : () -> tensor<1xi16>
    %7 = "tosa.const"() <{values = dense<14> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.rescale"(%5, %6, %7, %8, %9) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = false}> : (tensor<1x1x1x2xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    func.return %10 : tensor<1x1x1x2xi32>
  }
}
// -----
// higher than the kernels of NPUs: one REDUCE_SUM
func.func @main(%0: tensor<1x65x2x3xi8>) -> tensor<1x1x1x3xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x65x2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x65x2x3xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x65x2x3xi32>) -> tensor<1x1x2x3xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x2x3xi32>) -> tensor<1x1x1x3xi32>
  return %7 : tensor<1x1x1x3xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x65x2x3xi8>) -> tensor<1x1x1x3xi32> {
    %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const_shape"() <{values = dense<[1, 130, 3]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %6 = "tosa.reshape"(%0, %5) : (tensor<1x65x2x3xi8>, !tosa.shape<3>) -> tensor<1x130x3xi8>
    %7 = "tosa.rescale"(%6, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x130x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x130x3xi32>
    %8 = "tosa.reduce_sum"(%7) <{axis = 1 : i32}> : (tensor<1x130x3xi32>) -> tensor<1x1x3xi32>
    %9 = "tosa.const_shape"() <{values = dense<[1, 1, 1, 3]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %10 = "tosa.reshape"(%8, %9) : (tensor<1x1x3xi32>, !tosa.shape<4>) -> tensor<1x1x1x3xi32>
    func.return %10 : tensor<1x1x1x3xi32>
  }
}
// -----
// only one of the dimensions has elements: one REDUCE_SUM
func.func @main(%0: tensor<1x1x4x2xi8>) -> tensor<1x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x1x4x2xi32>) -> tensor<1x1x4x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x4x2xi32>) -> tensor<1x1x1x2xi32>
  return %7 : tensor<1x1x1x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x1x4x2xi8>) -> tensor<1x1x1x2xi32> {
    %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const_shape"() <{values = dense<[1, 4, 2]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %6 = "tosa.reshape"(%0, %5) : (tensor<1x1x4x2xi8>, !tosa.shape<3>) -> tensor<1x4x2xi8>
    %7 = "tosa.rescale"(%6, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x4x2xi32>
    %8 = "tosa.reduce_sum"(%7) <{axis = 1 : i32}> : (tensor<1x4x2xi32>) -> tensor<1x1x2xi32>
    %9 = "tosa.const_shape"() <{values = dense<[1, 1, 1, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %10 = "tosa.reshape"(%8, %9) : (tensor<1x1x2xi32>, !tosa.shape<4>) -> tensor<1x1x1x2xi32>
    func.return %10 : tensor<1x1x1x2xi32>
  }
}
// -----
// three dimensions: one REDUCE_SUM
func.func @main(%0: tensor<2x3x2x3xi8>) -> tensor<2x1x1x1xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3x2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3x2x3xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<2x3x2x3xi32>) -> tensor<2x1x2x3xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<2x1x2x3xi32>) -> tensor<2x1x1x3xi32>
  %8 = "tosa.reduce_sum"(%7) <{axis = 3 : i32}> : (tensor<2x1x1x3xi32>) -> tensor<2x1x1x1xi32>
  return %8 : tensor<2x1x1x1xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x2x3xi8>) -> tensor<2x1x1x1xi32> {
    %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const_shape"() <{values = dense<[2, 18]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %6 = "tosa.reshape"(%0, %5) : (tensor<2x3x2x3xi8>, !tosa.shape<2>) -> tensor<2x18xi8>
    %7 = "tosa.rescale"(%6, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x18xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x18xi32>
    %8 = "tosa.reduce_sum"(%7) <{axis = 1 : i32}> : (tensor<2x18xi32>) -> tensor<2x1xi32>
    %9 = "tosa.const_shape"() <{values = dense<[2, 1, 1, 1]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %10 = "tosa.reshape"(%8, %9) : (tensor<2x1xi32>, !tosa.shape<4>) -> tensor<2x1x1x1xi32>
    func.return %10 : tensor<2x1x1x1xi32>
  }
}
