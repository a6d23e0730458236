// operands are rescaled to twice the larger scale, and the sum to the result's
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, %b: tensor<2x3x!quant.uniform<i8:f32, 0.01:5>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.03:2>> {
  %0 = stablehlo.add %a, %b {qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 20>} : (tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, tensor<2x3x!quant.uniform<i8:f32, 0.01:5>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.03:2>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32, 0.03:2>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, %1: tensor<2x3x!quant.uniform<i8:f32, 0.01:5>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.03:2>> {
    %2 = stablehlo.bitcast_convert %0 : (tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x3xi8>
    %3 = stablehlo.bitcast_convert %1 : (tensor<2x3x!quant.uniform<i8:f32, 0.01:5>>) -> tensor<2x3xi8>
    %4 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.const"() <{values = dense<-1> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.rescale"(%2, %4, %5, %6, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %9 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %13 = "tosa.rescale"(%3, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %14 = "tosa.const"() <{values = dense<1717986918> : tensor<1xi32>}> : () -> tensor<1xi32>
    %15 = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
    %16 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %17 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %18 = "tosa.rescale"(%13, %14, %15, %16, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %19 = stablehlo.add %8, %18 : tensor<2x3xi32>
    %20 = "tosa.const"() <{values = dense<1789569707> : tensor<1xi32>}> : () -> tensor<1xi32>
    %21 = "tosa.const"() <{values = dense<50> : tensor<1xi8>}> : () -> tensor<1xi8>
    %22 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %23 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %24 = "tosa.rescale"(%19, %20, %21, %22, %23) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    %25 = stablehlo.bitcast_convert %24 : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32, 0.03:2>>
    func.return %25 : tensor<2x3x!quant.uniform<i8:f32, 0.03:2>>
  }
}
// -----
// unsigned integers become signed
func.func @main(%a: tensor<2x3x!quant.uniform<u8:f32, 0.025:128>>) -> tensor<2x3x!quant.uniform<u8:f32, 0.03:130>> {
  %0 = stablehlo.uniform_quantize %a {qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0>} : (tensor<2x3x!quant.uniform<u8:f32, 0.025:128>>) -> tensor<2x3x!quant.uniform<u8:f32, 0.03:130>>
  return %0 : tensor<2x3x!quant.uniform<u8:f32, 0.03:130>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<ui8:f32, 0.025:128>>) -> tensor<2x3x!quant.uniform<ui8:f32, 0.03:130>> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<2x3x!quant.uniform<ui8:f32, 0.025:128>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.025>>
    %2 = stablehlo.bitcast_convert %1 : (tensor<2x3x!quant.uniform<i8:f32, 0.025>>) -> tensor<2x3xi8>
    %3 = "tosa.const"() <{values = dense<1789569707> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.rescale"(%2, %3, %4, %5, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
    %8 = stablehlo.bitcast_convert %7 : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32, 0.03:2>>
    %9 = stablehlo.uniform_quantize %8 : (tensor<2x3x!quant.uniform<i8:f32, 0.03:2>>) -> tensor<2x3x!quant.uniform<ui8:f32, 0.03:130>>
    func.return %9 : tensor<2x3x!quant.uniform<ui8:f32, 0.03:130>>
  }
}
// -----
// a function of one value is looked up
func.func @main(%a: tensor<5x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<5x!quant.uniform<i8:f32, 0.0078125:0>> {
  %0 = stablehlo.tanh %a {qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0>} : (tensor<5x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<5x!quant.uniform<i8:f32, 0.0078125:0>>
  return %0 : tensor<5x!quant.uniform<i8:f32, 0.0078125:0>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<5x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<5x!quant.uniform<i8:f32, 0.0078125>> {
    %1 = stablehlo.bitcast_convert %0 : (tensor<5x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<5xi8>
    %2 = stablehlo.convert %1 : (tensor<5xi8>) -> tensor<5xi32>
    %3 = stablehlo.constant dense<128> : tensor<5xi32>
    %4 = stablehlo.add %2, %3 : tensor<5xi32>
    %5 = stablehlo.constant dense<"0x80808081818181818181818181818181818181818181818181828282828282828282828383838383838384848484848585858586868686878788888889898a8a8b8b8c8c8d8d8e8f8f909192939394959697989a9b9c9d9fa0a1a3a4a6a8a9abadafb1b3b5b7b9bbbec0c2c5c7cacdcfd2d5d8dbdee1e4e7eaedf0f3f6fafd0003060a0d101316191c1f2225282b2e313336393b3e40424547494b4d4f51535557585a5c5d5f60616364656668696a6b6c6d6d6e6f707171727373747475757676777778787879797a7a7a7a7b7b7b7b7c7c7c7c7c7d7d7d7d7d7d7d7e7e7e7e7e7e7e7e7e7e7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f"> : tensor<256xi8>
    %6 = "stablehlo.gather"(%5, %4) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<256xi8>, tensor<5xi32>) -> tensor<5xi8>
    %7 = stablehlo.bitcast_convert %6 : (tensor<5xi8>) -> tensor<5x!quant.uniform<i8:f32, 0.0078125>>
    func.return %7 : tensor<5x!quant.uniform<i8:f32, 0.0078125>>
  }
}
// -----
// a product of 16-bit matrices is summed in 64 bits and rescaled there
func.func @main(%a: tensor<1x2x3x!quant.uniform<i16:f32, 0.001>>, %b: tensor<1x3x2x!quant.uniform<i16:f32, 0.002>>) -> tensor<1x2x2x!quant.uniform<i16:f32, 0.04>> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] {qconvert.arithmetic = #qconvert.arithmetic<litert, 16, SINGLE_ROUND, 64, 0>} : (tensor<1x2x3x!quant.uniform<i16:f32, 0.001>>, tensor<1x3x2x!quant.uniform<i16:f32, 0.002>>) -> tensor<1x2x2x!quant.uniform<i16:f32, 0.04>>
  return %0 : tensor<1x2x2x!quant.uniform<i16:f32, 0.04>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x3x!quant.uniform<i16:f32, 0.001>>, %1: tensor<1x3x2x!quant.uniform<i16:f32, 0.002>>) -> tensor<1x2x2x!quant.uniform<i16:f32, 0.04>> {
    %2 = stablehlo.bitcast_convert %0 : (tensor<1x2x3x!quant.uniform<i16:f32, 0.001>>) -> tensor<1x2x3xi16>
    %3 = stablehlo.bitcast_convert %1 : (tensor<1x3x2x!quant.uniform<i16:f32, 0.002>>) -> tensor<1x3x2xi16>
    %4 = stablehlo.convert %2 : (tensor<1x2x3xi16>) -> tensor<1x2x3xi64>
    %5 = stablehlo.convert %3 : (tensor<1x3x2xi16>) -> tensor<1x3x2xi64>
    %6 = stablehlo.dot_general %4, %5, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x2x3xi64>, tensor<1x3x2xi64>) -> tensor<1x2x2xi64>
    %7 = stablehlo.constant dense<26844> : tensor<1x2x2xi64>
    %8 = stablehlo.multiply %6, %7 : tensor<1x2x2xi64>
    %9 = stablehlo.constant dense<268435456> : tensor<1x2x2xi64>
    %10 = stablehlo.add %8, %9 : tensor<1x2x2xi64>
    %11 = stablehlo.constant dense<29> : tensor<1x2x2xi64>
    %12 = stablehlo.shift_right_arithmetic %10, %11 : tensor<1x2x2xi64>
    %13 = stablehlo.constant dense<-32768> : tensor<i64>
    %14 = stablehlo.constant dense<32767> : tensor<i64>
    %15 = stablehlo.clamp %13, %12, %14 : (tensor<i64>, tensor<1x2x2xi64>, tensor<i64>) -> tensor<1x2x2xi64>
    %16 = stablehlo.convert %15 : (tensor<1x2x2xi64>) -> tensor<1x2x2xi16>
    %17 = stablehlo.bitcast_convert %16 : (tensor<1x2x2xi16>) -> tensor<1x2x2x!quant.uniform<i16:f32, 0.04>>
    func.return %17 : tensor<1x2x2x!quant.uniform<i16:f32, 0.04>>
  }
}
