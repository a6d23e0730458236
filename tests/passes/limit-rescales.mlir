// 16 bits by a large factor
func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi16> {
  %1 = "tosa.const"() <{values = dense<1185021629> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<15> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %6 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi16>) -> tensor<4x2xi16>
  return %6 : tensor<4x2xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi16> {
    %1 = "tosa.const"() <{values = dense<1185021629> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<15> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %5 = "tosa.clamp"(%0) <{max_val = 16383 : i16, min_val = -16384 : i16}> : (tensor<4x2xi16>) -> tensor<4x2xi16>
    %6 = "tosa.rescale"(%5, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi16>) -> tensor<4x2xi16>
    func.return %6 : tensor<4x2xi16>
  }
}
// -----
// 8 bits with a zero point
func.func @main(%0: tensor<4x2xi8>) -> tensor<4x2xi8> {
  %1 = "tosa.const"() <{values = dense<1185021629> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %6 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x2xi8>
  return %6 : tensor<4x2xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x2xi8>) -> tensor<4x2xi8> {
    %1 = "tosa.const"() <{values = dense<1185021629> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.clamp"(%0) <{max_val = 58 : i8, min_val = -69 : i8}> : (tensor<4x2xi8>) -> tensor<4x2xi8>
    %6 = "tosa.rescale"(%5, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x2xi8>
    func.return %6 : tensor<4x2xi8>
  }
}
// -----
// i32 that was 16 bits
func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi16> {
  %1 = "tosa.const"() <{values = dense<1185021629> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<15> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %5 = "tosa.cast"(%0) : (tensor<4x2xi16>) -> tensor<4x2xi32>
  %6 = tosa.rescale %5, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<4x2xi16>
  return %6 : tensor<4x2xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi16> {
    %1 = "tosa.const"() <{values = dense<1185021629> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<15> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %5 = "tosa.cast"(%0) : (tensor<4x2xi16>) -> tensor<4x2xi32>
    %6 = "tosa.const"() <{values = dense<-16384> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %7 = "tosa.maximum"(%5, %6) : (tensor<4x2xi32>, tensor<1x1xi32>) -> tensor<4x2xi32>
    %8 = "tosa.const"() <{values = dense<16383> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %9 = "tosa.minimum"(%7, %8) : (tensor<4x2xi32>, tensor<1x1xi32>) -> tensor<4x2xi32>
    %10 = "tosa.rescale"(%9, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<4x2xi16>
    func.return %10 : tensor<4x2xi16>
  }
}
// -----
// 16 bits by factors of channels
func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi16> {
  %1 = "tosa.const"() <{values = dense<[1185021629, 1185021629]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %2 = "tosa.const"() <{values = dense<[12, 40]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %5 = "tosa.cast"(%0) : (tensor<4x2xi16>) -> tensor<4x2xi32>
  %6 = tosa.rescale %5, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<4x2xi16>
  return %6 : tensor<4x2xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi16> {
    %1 = "tosa.const"() <{values = dense<1185021629> : tensor<2xi32>}> : () -> tensor<2xi32>
    %2 = "tosa.const"() <{values = dense<[12, 40]> : tensor<2xi8>}> : () -> tensor<2xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %5 = "tosa.cast"(%0) : (tensor<4x2xi16>) -> tensor<4x2xi32>
    %6 = "tosa.const"() <{values = dense<[[-2048, -2147483648]]> : tensor<1x2xi32>}> : () -> tensor<1x2xi32>
    %7 = "tosa.maximum"(%5, %6) : (tensor<4x2xi32>, tensor<1x2xi32>) -> tensor<4x2xi32>
    %8 = "tosa.const"() <{values = dense<[[2047, 2147483647]]> : tensor<1x2xi32>}> : () -> tensor<1x2xi32>
    %9 = "tosa.minimum"(%7, %8) : (tensor<4x2xi32>, tensor<1x2xi32>) -> tensor<4x2xi32>
    %10 = "tosa.rescale"(%9, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<4x2xi16>
    func.return %10 : tensor<4x2xi16>
  }
}
// -----
// 16 bits by factors of channels, without a cast
func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi16> {
  %1 = "tosa.const"() <{values = dense<[1185021629, 1185021629]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %2 = "tosa.const"() <{values = dense<[12, 40]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %6 = tosa.rescale %0, %1, %2, %3, %3 {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x2xi16>, tensor<2xi32>, tensor<2xi8>, tensor<1xi16>, tensor<1xi16>) -> tensor<4x2xi16>
  return %6 : tensor<4x2xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x2xi16>) -> tensor<4x2xi16> {
    %1 = "tosa.const"() <{values = dense<1185021629> : tensor<2xi32>}> : () -> tensor<2xi32>
    %2 = "tosa.const"() <{values = dense<[12, 40]> : tensor<2xi8>}> : () -> tensor<2xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %4 = "tosa.cast"(%0) : (tensor<4x2xi16>) -> tensor<4x2xi32>
    %5 = "tosa.const"() <{values = dense<[[-2048, -32768]]> : tensor<1x2xi32>}> : () -> tensor<1x2xi32>
    %6 = "tosa.maximum"(%4, %5) : (tensor<4x2xi32>, tensor<1x2xi32>) -> tensor<4x2xi32>
    %7 = "tosa.const"() <{values = dense<[[2047, 32767]]> : tensor<1x2xi32>}> : () -> tensor<1x2xi32>
    %8 = "tosa.minimum"(%6, %7) : (tensor<4x2xi32>, tensor<1x2xi32>) -> tensor<4x2xi32>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.rescale"(%8, %1, %2, %9, %3) <{input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<4x2xi16>
    func.return %10 : tensor<4x2xi16>
  }
}
