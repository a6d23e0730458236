// integers and rescales stay; an unsigned quantized port gets an unsigned type, which changes the interface
func.func @main(%0: tensor<2x3xi8> {tosa.quantized_type = !quant.uniform<u8:f32, 0.5:3>}) -> (tensor<2x3xi8> {tosa.quantized_type = !quant.uniform<i8:f32, 0.25>}) {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
  %6 = "tosa.clamp"(%5) <{min_val = -100 : i8, max_val = 100 : i8, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return %6 : tensor<2x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xui8> {tosa.quantized_type = !quant.uniform<ui8:f32, 0.5:3>}) -> (tensor<2x3xi8> {tosa.quantized_type = !quant.uniform<i8:f32, 0.25>}) {
    %1 = stablehlo.bitcast_convert %0 : (tensor<2x3xui8>) -> tensor<2x3xi8>
    %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.rescale"(%1, %2, %3, %4, %5) <{input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
    %7 = stablehlo.constant dense<-100> : tensor<i8>
    %8 = stablehlo.constant dense<100> : tensor<i8>
    %9 = stablehlo.clamp %7, %6, %8 : (tensor<i8>, tensor<2x3xi8>, tensor<i8>) -> tensor<2x3xi8>
    func.return %9 : tensor<2x3xi8>
  }
}
// -----
// integers of 48 bits become 64 bits
func.func @main(%0: tensor<1x2x3xi16>, %1: tensor<1x3x2xi16>) -> tensor<1x2x2xi32> {
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %3 = "tosa.matmul"(%0, %1, %2, %2) : (tensor<1x2x3xi16>, tensor<1x3x2xi16>, tensor<1xi16>, tensor<1xi16>) -> tensor<1x2x2xi48>
  %4 = "tosa.const"() <{values = dense<16384> : tensor<1xi16>}> : () -> tensor<1xi16>
  %5 = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
  %6 = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
  %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %8 = tosa.rescale %3, %4, %5, %6, %7 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = false} : (tensor<1x2x2xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi32>) -> tensor<1x2x2xi32>
  return %8 : tensor<1x2x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x3xi16>, %1: tensor<1x3x2xi16>) -> tensor<1x2x2xi32> {
    %2 = stablehlo.convert %0 : (tensor<1x2x3xi16>) -> tensor<1x2x3xi64>
    %3 = stablehlo.convert %1 : (tensor<1x3x2xi16>) -> tensor<1x3x2xi64>
    %4 = stablehlo.dot_general %2, %3, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x2x3xi64>, tensor<1x3x2xi64>) -> tensor<1x2x2xi64>
    %5 = stablehlo.constant dense<16384> : tensor<1x2x2xi64>
    %6 = stablehlo.multiply %4, %5 : tensor<1x2x2xi64>
    %7 = stablehlo.constant dense<524288> : tensor<1x2x2xi64>
    %8 = stablehlo.add %6, %7 : tensor<1x2x2xi64>
    %9 = stablehlo.constant dense<20> : tensor<1x2x2xi64>
    %10 = stablehlo.shift_right_arithmetic %8, %9 : tensor<1x2x2xi64>
    %11 = stablehlo.constant dense<-2147483648> : tensor<i64>
    %12 = stablehlo.constant dense<2147483647> : tensor<i64>
    %13 = stablehlo.clamp %11, %10, %12 : (tensor<i64>, tensor<1x2x2xi64>, tensor<i64>) -> tensor<1x2x2xi64>
    %14 = stablehlo.convert %13 : (tensor<1x2x2xi64>) -> tensor<1x2x2xi32>
    func.return %14 : tensor<1x2x2xi32>
  }
}
// -----
// an argument of 48 bits, and one that is returned as it is: each changes the interface
func.func @main(%0: tensor<2xi48>, %1: tensor<2xi8> {tosa.quantized_type = !quant.uniform<u8:f32, 0.5:3>}) -> (tensor<2xi48>, tensor<2xi8> {tosa.quantized_type = !quant.uniform<u8:f32, 0.5:3>}) {
  %2 = "tosa.reverse"(%0) <{axis = 0 : i32}> : (tensor<2xi48>) -> tensor<2xi48>
  return %2, %1 : tensor<2xi48>, tensor<2xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2xi64>, %1: tensor<2xui8> {tosa.quantized_type = !quant.uniform<ui8:f32, 0.5:3>}) -> (tensor<2xi64>, tensor<2xui8> {tosa.quantized_type = !quant.uniform<ui8:f32, 0.5:3>}) {
    %2 = stablehlo.reverse %0, dims = [0] : tensor<2xi64>
    func.return %2, %1 : tensor<2xi64>, tensor<2xui8>
  }
}
