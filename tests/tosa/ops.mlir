func.func @main(%a: tensor<2x3xi8>) -> tensor<2x3xi32> {
  %0 = "tosa.const"() <{values = dense<[1073741824, 1431655765, 0]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %1 = "tosa.const"() <{values = dense<[30, 2, 62]> : tensor<3xi8>}> : () -> tensor<3xi8>
  %2 = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %4 = "tosa.rescale"(%a, %0, %1, %2, %3) <{input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<3xi32>, tensor<3xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
  return %4 : tensor<2x3xi32>
}
// -----
func.func @main(%a: tensor<2x3xi16>) -> tensor<2x3xi8> {
  %0 = "tosa.const"() {values = dense<16384> : tensor<1xi16>} : () -> tensor<1xi16>
  %1 = "tosa.const"() {values = dense<14> : tensor<1xi8>} : () -> tensor<1xi8>
  %2 = "tosa.const"() {values = dense<-32768> : tensor<1xi16>} : () -> tensor<1xi16>
  %3 = "tosa.const"() {values = dense<7> : tensor<1xi8>} : () -> tensor<1xi8>
  %4 = tosa.rescale %a, %0, %1, %2, %3 {input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = INEXACT_ROUND, scale32 = false} : (tensor<2x3xi16>, tensor<1xi16>, tensor<1xi8>, tensor<1xi16>, tensor<1xi8>) -> tensor<2x3xi8>
  return %4 : tensor<2x3xi8>
}
// -----
func.func @main() -> tensor<70xi32> {
  %a = "tosa.const"() <{values = dense<"0x000000000000010000000000020000000000030000000000040000000000050000000000060000000000070000000000080000000000090000000000faffffffffff0b00000000000c00000000000d00000000000e00000000000f0000000000100000000000110000000000120000000000130000000000140000000000150000000000160000000000170000000000180000000000190000000000ffffffffff7f1b00000000001c00000000001d00000000001e00000000001f00000000002000000000002100000000002200000000002300000000002400000000002500000000002600000000002700000000002800000000002900000000000000000000802b00000000ff2c00000000ff2d00000000ff2e00000000ff2f00000000003000000000003100000000003200000000003300000000003400000000003500000000003600000000003700000000003800000000003900000000003a00000000003b00000000003c00000000003d00000000003e00000000003f0000000000400000000000410000000000420000000000430000000000440000000000ffffffffffff"> : tensor<70xi48>}> : () -> tensor<70xi48>
  %0 = "tosa.const"() <{values = dense<16384> : tensor<1xi16>}> : () -> tensor<1xi16>
  %1 = "tosa.const"() <{values = dense<40> : tensor<1xi8>}> : () -> tensor<1xi8>
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %4 = "tosa.rescale"(%a, %0, %1, %2, %3) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = false}> : (tensor<70xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi32>) -> tensor<70xi32>
  return %4 : tensor<70xi32>
}
// -----
func.func @main(%a: tensor<2x3x4xi8>, %b: tensor<2x3x4xi32>) -> (tensor<2x1x4xi8>, tensor<2x3x1xi8>, tensor<2x3x1xi32>) {
  %0 = "tosa.reduce_max"(%a) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<2x3x4xi8>) -> tensor<2x1x4xi8>
  %1 = "tosa.reduce_min"(%a) <{axis = 2 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<2x3x4xi8>) -> tensor<2x3x1xi8>
  %2 = "tosa.reduce_sum"(%b) <{axis = 2 : i32}> : (tensor<2x3x4xi32>) -> tensor<2x3x1xi32>
  return %0, %1, %2 : tensor<2x1x4xi8>, tensor<2x3x1xi8>, tensor<2x3x1xi32>
}
// -----
func.func @main(%a: tensor<1x2x3x4xi8>) -> tensor<1x4x7x4xi32> {
  %0 = "tosa.const_shape"() <{values = dense<[4, 2, 3, 1]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %1 = "tosa.const_shape"() <{values = dense<[-1, 0]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %2 = "tosa.const_shape"() <{values = dense<[1, 0]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %3 = "tosa.resize"(%a, %0, %1, %2) <{mode = #tosa.resize_mode<BILINEAR>}> : (tensor<1x2x3x4xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x4x7x4xi32>
  return %3 : tensor<1x4x7x4xi32>
}
// -----
func.func @main(%0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x1xf32>) {
  %1 = "tosa.abs"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "tosa.ceil"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = "tosa.cos"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "tosa.erf"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = "tosa.exp"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = "tosa.floor"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = "tosa.log"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = "tosa.reciprocal"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = "tosa.rsqrt"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = "tosa.sigmoid"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = "tosa.sin"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = "tosa.tanh"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %13 = "tosa.pow"(%0, %0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %14 = "tosa.reduce_product"(%0) <{axis = 1 : i32}> : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x1xf32>
}
// -----
func.func @main(%0: tensor<2x3xi32>, %1: tensor<2x1xi32>, %2: tensor<2x3xi1>) -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi8>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<1x3xi1>, tensor<2x1xi1>) {
  %3 = "tosa.add"(%0, %1) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %4 = "tosa.sub"(%0, %1) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %5 = "tosa.bitwise_and"(%0, %1) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %6 = "tosa.bitwise_or"(%0, %1) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %7 = "tosa.bitwise_xor"(%0, %1) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %8 = "tosa.intdiv"(%0, %1) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %9 = "tosa.logical_left_shift"(%0, %1) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %10 = "tosa.logical_right_shift"(%0, %1) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %11 = "tosa.maximum"(%0, %1) <{nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %12 = "tosa.minimum"(%0, %1) <{nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %13 = "tosa.equal"(%0, %1) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi1>
  %14 = "tosa.greater"(%0, %1) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi1>
  %15 = "tosa.greater_equal"(%0, %1) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi1>
  %16 = "tosa.arithmetic_right_shift"(%0, %1) <{round = true}> : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %17 = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %18 = "tosa.mul"(%0, %1, %17) : (tensor<2x3xi32>, tensor<2x1xi32>, tensor<1xi8>) -> tensor<2x3xi32>
  %19 = "tosa.bitwise_not"(%0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %20 = "tosa.clz"(%0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %21 = "tosa.select"(%2, %0, %1) : (tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %22 = "tosa.cast"(%0) : (tensor<2x3xi32>) -> tensor<2x3xi8>
  %23 = "tosa.logical_and"(%2, %2) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %24 = "tosa.logical_or"(%2, %2) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %25 = "tosa.logical_xor"(%2, %2) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %26 = "tosa.logical_not"(%2) : (tensor<2x3xi1>) -> tensor<2x3xi1>
  %27 = "tosa.reduce_all"(%2) <{axis = 0 : i32}> : (tensor<2x3xi1>) -> tensor<1x3xi1>
  %28 = "tosa.reduce_any"(%2) <{axis = 1 : i32}> : (tensor<2x3xi1>) -> tensor<2x1xi1>
  return %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi8>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<1x3xi1>, tensor<2x1xi1>
}
// -----
func.func @main(%0: tensor<2x3x4xi8>) -> (tensor<2x3x4xi8>, tensor<2x3x4xi8>, tensor<2x3x4xi8>, tensor<2x4xi32>, tensor<3x5x4xi8>, tensor<2x3x8xi8>, tensor<2x1x4xi8>, tensor<2x6x12xi8>, tensor<2x3x4xi8>, tensor<4x2x3xi8>, tensor<6x4xi8>) {
  %1 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %2 = "tosa.const"() <{values = dense<"0x808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f"> : tensor<256xi8>}> : () -> tensor<256xi8>
  %3 = "tosa.clamp"(%0) <{max_val = 7 : i8, min_val = -5 : i8, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<2x3x4xi8>) -> tensor<2x3x4xi8>
  %4 = "tosa.negate"(%0, %1, %1) : (tensor<2x3x4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3x4xi8>
  %5 = "tosa.table"(%0, %2) : (tensor<2x3x4xi8>, tensor<256xi8>) -> tensor<2x3x4xi8>
  %6 = "tosa.argmax"(%0) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<2x3x4xi8>) -> tensor<2x4xi32>
  %7 = "tosa.const_shape"() <{values = dense<[0, 1, 2, 0, 0, 0]> : tensor<6xindex>}> : () -> !tosa.shape<6>
  %8 = "tosa.pad"(%0, %7, %1) : (tensor<2x3x4xi8>, !tosa.shape<6>, tensor<1xi8>) -> tensor<3x5x4xi8>
  %9 = "tosa.concat"(%0, %0) <{axis = 2 : i32}> : (tensor<2x3x4xi8>, tensor<2x3x4xi8>) -> tensor<2x3x8xi8>
  %10 = "tosa.const_shape"() <{values = dense<[0, 1, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
  %11 = "tosa.const_shape"() <{values = dense<[2, 1, 4]> : tensor<3xindex>}> : () -> !tosa.shape<3>
  %12 = "tosa.slice"(%0, %10, %11) : (tensor<2x3x4xi8>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<2x1x4xi8>
  %13 = "tosa.const_shape"() <{values = dense<[1, 2, 3]> : tensor<3xindex>}> : () -> !tosa.shape<3>
  %14 = "tosa.tile"(%0, %13) : (tensor<2x3x4xi8>, !tosa.shape<3>) -> tensor<2x6x12xi8>
  %15 = "tosa.const"() <{values = dense<[[0, 2], [1, 1]]> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
  %16 = "tosa.gather"(%0, %15) : (tensor<2x3x4xi8>, tensor<2x2xi32>) -> tensor<2x2x4xi8>
  %17 = "tosa.transpose"(%0) <{perms = array<i32: 2, 0, 1>}> : (tensor<2x3x4xi8>) -> tensor<4x2x3xi8>
  %18 = "tosa.const_shape"() <{values = dense<[6, 4]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %19 = "tosa.reshape"(%0, %18) : (tensor<2x3x4xi8>, !tosa.shape<2>) -> tensor<6x4xi8>
  %20 = "tosa.const"() <{values = dense<[[0, 2], [1, 0]]> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
  %21 = "tosa.scatter"(%0, %20, %16) : (tensor<2x3x4xi8>, tensor<2x2xi32>, tensor<2x2x4xi8>) -> tensor<2x3x4xi8>
  %22 = "tosa.identity"(%21) : (tensor<2x3x4xi8>) -> tensor<2x3x4xi8>
  return %3, %4, %5, %6, %8, %9, %12, %14, %22, %17, %19 : tensor<2x3x4xi8>, tensor<2x3x4xi8>, tensor<2x3x4xi8>, tensor<2x4xi32>, tensor<3x5x4xi8>, tensor<2x3x8xi8>, tensor<2x1x4xi8>, tensor<2x6x12xi8>, tensor<2x3x4xi8>, tensor<4x2x3xi8>, tensor<6x4xi8>
}
// -----
func.func @main(%0: tensor<1x4x4x2xi8>, %1: tensor<1x2x4x4x2xi8>, %2: tensor<1x3x4xi8>, %3: tensor<1x4x5xi8>) -> (tensor<1x2x4x3xi32>, tensor<1x2x2x4x3xi32>, tensor<1x2x4x2xi32>, tensor<1x7x8x3xi32>, tensor<1x3x5xi32>, tensor<1x2x2x2xi8>, tensor<1x2x2x2xi8>) {
  %4 = "tosa.const"() <{values = dense<-1> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = "tosa.const"() <{values = dense<[1, 2, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %6 = "tosa.const"() <{values = dense<[[[[0, 1], [2, 3]], [[4, 5], [6, 7]]], [[[8, 9], [10, 11]], [[12, 13], [14, 15]]], [[[16, 17], [18, 19]], [[20, 21], [22, 23]]]]> : tensor<3x2x2x2xi8>}> : () -> tensor<3x2x2x2xi8>
  %7 = "tosa.const"() <{values = dense<[[[[0], [1]], [[2], [3]]], [[[4], [5]], [[6], [7]]]]> : tensor<2x2x2x1xi8>}> : () -> tensor<2x2x2x1xi8>
  %8 = "tosa.const"() <{values = dense<[[[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]], [[[[8, 9], [10, 11]], [[12, 13], [14, 15]]]], [[[[16, 17], [18, 19]], [[20, 21], [22, 23]]]]]> : tensor<3x1x2x2x2xi8>}> : () -> tensor<3x1x2x2x2xi8>
  %9 = "tosa.conv2d"(%0, %6, %5, %4, %4) <{acc_type = i32, dilation = array<i64: 2, 1>, pad = array<i64: 0, 0, 0, 1>, stride = array<i64: 1, 1>}> : (tensor<1x4x4x2xi8>, tensor<3x2x2x2xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x4x3xi32>
  %10 = "tosa.conv3d"(%1, %8, %5, %4, %4) <{acc_type = i32, dilation = array<i64: 1, 2, 1>, pad = array<i64: 0, 0, 0, 0, 0, 1>, stride = array<i64: 1, 1, 1>}> : (tensor<1x2x4x4x2xi8>, tensor<3x1x2x2x2xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x4x3xi32>
  %11 = "tosa.const"() <{values = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %12 = "tosa.depthwise_conv2d"(%0, %7, %11, %4, %4) <{acc_type = i32, dilation = array<i64: 2, 1>, pad = array<i64: 0, 0, 0, 1>, stride = array<i64: 1, 1>}> : (tensor<1x4x4x2xi8>, tensor<2x2x2x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x4x2xi32>
  %13 = "tosa.transpose_conv2d"(%0, %6, %5, %4, %4) <{acc_type = i32, out_pad = array<i64: 0, -1, 0, 0>, stride = array<i64: 2, 2>}> : (tensor<1x4x4x2xi8>, tensor<3x2x2x2xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x7x8x3xi32>
  %14 = "tosa.matmul"(%2, %3, %4, %4) : (tensor<1x3x4xi8>, tensor<1x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x5xi32>
  %15 = "tosa.max_pool2d"(%0) <{kernel = array<i64: 2, 2>, nan_mode = #tosa.nan_mode<PROPAGATE>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}> : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
  %16 = "tosa.avg_pool2d"(%0, %4, %4) <{acc_type = i32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}> : (tensor<1x4x4x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi8>
  return %9, %10, %12, %13, %14, %15, %16 : tensor<1x2x4x3xi32>, tensor<1x2x2x4x3xi32>, tensor<1x2x4x2xi32>, tensor<1x7x8x3xi32>, tensor<1x3x5xi32>, tensor<1x2x2x2xi8>, tensor<1x2x2x2xi8>
}
// -----
func.func @main(%a: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %0 = "tosa.reverse"(%a) <{axis = 1 : i32}> : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}
