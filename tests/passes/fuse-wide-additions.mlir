// 16 bits, one scale: both operands are shifted by RESCALEs
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %2 = "tosa.cast"(%0) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %3 = "tosa.const"() <{values = dense<14> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %4 = "tosa.logical_left_shift"(%2, %3) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %5 = "tosa.cast"(%1) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %6 = "tosa.const"() <{values = dense<14> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %7 = "tosa.logical_left_shift"(%5, %6) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %8 = "tosa.add"(%4, %7) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %9 = "tosa.const"() <{values = dense<1670265060> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<45> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %13 = "tosa.rescale"(%8, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %13 : tensor<2x3xi16>
  }
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<16> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.rescale"(%0, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<2x3xi32>
    %7 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<16> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "tosa.rescale"(%1, %7, %8, %9, %10) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<2x3xi32>
    %12 = "tosa.add"(%6, %11) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %13 = "tosa.const"() <{values = dense<1670265060> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<45> : tensor<1xi8>}> : () -> tensor<1xi8>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %17 = "tosa.rescale"(%12, %13, %14, %15, %16) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %17 : tensor<2x3xi16>
  }
}
// -----
// 16 bits, the operand's rounding is symmetric: a product by -2^15
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %2 = "tosa.cast"(%0) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %3 = "tosa.const"() <{values = dense<14> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %4 = "tosa.logical_left_shift"(%2, %3) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %5 = "tosa.cast"(%1) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %6 = "tosa.const"() <{values = dense<15> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %7 = "tosa.logical_left_shift"(%5, %6) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %8 = "tosa.const"() <{values = dense<1450454667> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "tosa.rescale"(%7, %8, %9, %10, %10) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %12 = "tosa.add"(%4, %11) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %13 = "tosa.const"() <{values = dense<1889429391> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<45> : tensor<1xi8>}> : () -> tensor<1xi8>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %16 = "tosa.rescale"(%12, %13, %14, %10, %15) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %16 : tensor<2x3xi16>
  }
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<-32768> : tensor<1x1xi16>}> : () -> tensor<1x1xi16>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.mul"(%1, %3, %4) : (tensor<2x3xi16>, tensor<1x1xi16>, tensor<1xi8>) -> tensor<2x3xi32>
    %6 = "tosa.const"() <{values = dense<1450454667> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.rescale"(%5, %6, %7, %8, %9) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %11 = "tosa.const"() <{values = dense<16384> : tensor<1x1xi16>}> : () -> tensor<1x1xi16>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = "tosa.mul"(%0, %11, %12) : (tensor<2x3xi16>, tensor<1x1xi16>, tensor<1xi8>) -> tensor<2x3xi32>
    %14 = "tosa.sub"(%13, %10) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %15 = "tosa.const"() <{values = dense<1889429391> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "tosa.const"() <{values = dense<45> : tensor<1xi8>}> : () -> tensor<1xi8>
    %17 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %18 = "tosa.rescale"(%14, %15, %16, %2, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %18 : tensor<2x3xi16>
  }
}
// -----
// the same in a SUB that has the operand on its left
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %2 = "tosa.cast"(%0) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %3 = "tosa.const"() <{values = dense<15> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %4 = "tosa.logical_left_shift"(%2, %3) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %5 = "tosa.const"() <{values = dense<1149107243> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.rescale"(%4, %5, %6, %7, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %9 = "tosa.cast"(%1) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %10 = "tosa.const"() <{values = dense<14> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %11 = "tosa.logical_left_shift"(%9, %10) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %12 = "tosa.sub"(%8, %11) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %13 = "tosa.const"() <{values = dense<1425257283> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<43> : tensor<1xi8>}> : () -> tensor<1xi8>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %16 = "tosa.rescale"(%12, %13, %14, %7, %15) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %16 : tensor<2x3xi16>
  }
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<-32768> : tensor<1x1xi16>}> : () -> tensor<1x1xi16>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.mul"(%0, %3, %4) : (tensor<2x3xi16>, tensor<1x1xi16>, tensor<1xi8>) -> tensor<2x3xi32>
    %6 = "tosa.const"() <{values = dense<1149107243> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.rescale"(%5, %6, %7, %8, %9) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %11 = "tosa.const"() <{values = dense<-16384> : tensor<1x1xi16>}> : () -> tensor<1x1xi16>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = "tosa.mul"(%1, %11, %12) : (tensor<2x3xi16>, tensor<1x1xi16>, tensor<1xi8>) -> tensor<2x3xi32>
    %14 = "tosa.sub"(%13, %10) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %15 = "tosa.const"() <{values = dense<1425257283> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "tosa.const"() <{values = dense<43> : tensor<1xi8>}> : () -> tensor<1xi8>
    %17 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %18 = "tosa.rescale"(%14, %15, %16, %2, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %18 : tensor<2x3xi16>
  }
}
// -----
// 16 bits, a product of the operand lies halfway: the double of a product
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %2 = "tosa.cast"(%0) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %3 = "tosa.const"() <{values = dense<15> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %4 = "tosa.logical_left_shift"(%2, %3) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %5 = "tosa.const"() <{values = dense<1831796901> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.rescale"(%4, %5, %6, %7, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %9 = "tosa.cast"(%1) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %10 = "tosa.const"() <{values = dense<14> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %11 = "tosa.logical_left_shift"(%9, %10) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %12 = "tosa.add"(%8, %11) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %13 = "tosa.const"() <{values = dense<2126005341> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<44> : tensor<1xi8>}> : () -> tensor<1xi8>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %16 = "tosa.rescale"(%12, %13, %14, %7, %15) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %16 : tensor<2x3xi16>
  }
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<16384> : tensor<1x1xi16>}> : () -> tensor<1x1xi16>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.mul"(%0, %3, %4) : (tensor<2x3xi16>, tensor<1x1xi16>, tensor<1xi8>) -> tensor<2x3xi32>
    %6 = "tosa.add"(%5, %5) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %7 = "tosa.const"() <{values = dense<1831796901> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "tosa.rescale"(%6, %7, %8, %9, %10) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %12 = "tosa.const"() <{values = dense<16384> : tensor<1x1xi16>}> : () -> tensor<1x1xi16>
    %13 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %14 = "tosa.mul"(%1, %12, %13) : (tensor<2x3xi16>, tensor<1x1xi16>, tensor<1xi8>) -> tensor<2x3xi32>
    %15 = "tosa.add"(%11, %14) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %16 = "tosa.const"() <{values = dense<2126005341> : tensor<1xi32>}> : () -> tensor<1xi32>
    %17 = "tosa.const"() <{values = dense<44> : tensor<1xi8>}> : () -> tensor<1xi8>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %19 = "tosa.rescale"(%15, %16, %17, %2, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %19 : tensor<2x3xi16>
  }
}
// -----
// 16 bits, the result has the scale of the larger operand: one rounding changes no result
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %2 = "tosa.cast"(%0) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %3 = "tosa.const"() <{values = dense<14> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %4 = "tosa.logical_left_shift"(%2, %3) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %5 = "tosa.cast"(%1) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %6 = "tosa.const"() <{values = dense<15> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %7 = "tosa.logical_left_shift"(%5, %6) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %8 = "tosa.const"() <{values = dense<1624774677> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "tosa.rescale"(%7, %8, %9, %10, %10) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %12 = "tosa.add"(%4, %11) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %13 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<44> : tensor<1xi8>}> : () -> tensor<1xi8>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %16 = "tosa.rescale"(%12, %13, %14, %10, %15) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %16 : tensor<2x3xi16>
  }
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<1624774677> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = "tosa.const"() <{values = dense<18> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "tosa.rescale"(%1, %3, %4, %5, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<2x3xi32>
    %8 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "tosa.const"() <{values = dense<16> : tensor<1xi8>}> : () -> tensor<1xi8>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.rescale"(%0, %8, %9, %10, %11) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<2x3xi32>
    %13 = "tosa.add"(%12, %7) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %14 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %15 = "tosa.const"() <{values = dense<44> : tensor<1xi8>}> : () -> tensor<1xi8>
    %16 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %17 = "tosa.rescale"(%13, %14, %15, %2, %16) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %17 : tensor<2x3xi16>
  }
}
// -----
// 8 bits that have no pair of multipliers
builtin.module {
  func.func @main(%0: tensor<2x3xi8>, %1: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<74> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.rescale"(%0, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %7 = "tosa.const"() <{values = dense<2019448021> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.rescale"(%6, %7, %8, %5, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %10 = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<72> : tensor<1xi8>}> : () -> tensor<1xi8>
    %12 = "tosa.rescale"(%1, %2, %10, %11, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %13 = "tosa.sub"(%9, %12) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %14 = "tosa.const"() <{values = dense<1084985432> : tensor<1xi32>}> : () -> tensor<1xi32>
    %15 = "tosa.const"() <{values = dense<49> : tensor<1xi8>}> : () -> tensor<1xi8>
    %16 = "tosa.const"() <{values = dense<-117> : tensor<1xi8>}> : () -> tensor<1xi8>
    %17 = "tosa.rescale"(%13, %14, %15, %5, %16) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    func.return %17 : tensor<2x3xi8>
  }
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>, %1: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<74> : tensor<1x1xi8>}> : () -> tensor<1x1xi8>
    %4 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const"() <{values = dense<24> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.const"() <{values = dense<74> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.rescale"(%0, %4, %5, %6, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %9 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<24> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<74> : tensor<1xi8>}> : () -> tensor<1xi8>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %13 = "tosa.rescale"(%3, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1xi32>
    %14 = "tosa.add"(%8, %13) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %15 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %17 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %19 = "tosa.rescale"(%14, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    %20 = "tosa.const"() <{values = dense<16384> : tensor<1x1xi16>}> : () -> tensor<1x1xi16>
    %21 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %22 = "tosa.mul"(%19, %20, %21) : (tensor<2x3xi16>, tensor<1x1xi16>, tensor<1xi8>) -> tensor<2x3xi32>
    %23 = "tosa.const"() <{values = dense<2019448021> : tensor<1xi32>}> : () -> tensor<1xi32>
    %24 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %25 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %26 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %27 = "tosa.rescale"(%22, %23, %24, %25, %26) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %28 = "tosa.const"() <{values = dense<72> : tensor<1x1xi8>}> : () -> tensor<1x1xi8>
    %29 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %30 = "tosa.const"() <{values = dense<24> : tensor<1xi8>}> : () -> tensor<1xi8>
    %31 = "tosa.const"() <{values = dense<72> : tensor<1xi8>}> : () -> tensor<1xi8>
    %32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %33 = "tosa.rescale"(%1, %29, %30, %31, %32) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %34 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %35 = "tosa.const"() <{values = dense<24> : tensor<1xi8>}> : () -> tensor<1xi8>
    %36 = "tosa.const"() <{values = dense<72> : tensor<1xi8>}> : () -> tensor<1xi8>
    %37 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %38 = "tosa.rescale"(%28, %34, %35, %36, %37) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1xi32>
    %39 = "tosa.add"(%33, %38) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %40 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %41 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %42 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %43 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %44 = "tosa.rescale"(%39, %40, %41, %42, %43) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    %45 = "tosa.const"() <{values = dense<8192> : tensor<1x1xi16>}> : () -> tensor<1x1xi16>
    %46 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %47 = "tosa.mul"(%44, %45, %46) : (tensor<2x3xi16>, tensor<1x1xi16>, tensor<1xi8>) -> tensor<2x3xi32>
    %48 = "tosa.sub"(%27, %47) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %49 = "tosa.const"() <{values = dense<1084985432> : tensor<1xi32>}> : () -> tensor<1xi32>
    %50 = "tosa.const"() <{values = dense<49> : tensor<1xi8>}> : () -> tensor<1xi8>
    %51 = "tosa.const"() <{values = dense<-117> : tensor<1xi8>}> : () -> tensor<1xi8>
    %52 = "tosa.rescale"(%48, %49, %50, %2, %51) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    func.return %52 : tensor<2x3xi8>
  }
}
