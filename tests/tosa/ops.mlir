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
