// nothing to do
// operands are RESCALEs already
builtin.module {
  func.func @main(%0: tensor<2x3xi8>, %1: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.rescale"(%0, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %7 = "tosa.const"() <{values = dense<-4> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = "tosa.rescale"(%1, %2, %3, %7, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %9 = "tosa.add"(%6, %8) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %10 = "tosa.const"() <{values = dense<1670265060> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "tosa.const"() <{values = dense<50> : tensor<1xi8>}> : () -> tensor<1xi8>
    %12 = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = "tosa.rescale"(%9, %10, %11, %5, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    func.return %13 : tensor<2x3xi8>
  }
}
// -----
// nothing to do
// the number of places is computed
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi32> {
    %2 = "tosa.cast"(%0) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %3 = "tosa.cast"(%1) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %4 = "tosa.logical_left_shift"(%2, %3) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %5 = "tosa.cast"(%1) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %6 = "tosa.const"() <{values = dense<14> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %7 = "tosa.logical_left_shift"(%5, %6) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %8 = "tosa.add"(%4, %7) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    func.return %8 : tensor<2x3xi32>
  }
}
// -----
// nothing to do
// the operand is rounded once
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi32> {
    %2 = "tosa.cast"(%0) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %3 = "tosa.const"() <{values = dense<15> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %4 = "tosa.logical_left_shift"(%2, %3) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %5 = "tosa.const"() <{values = dense<1557527444> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.rescale"(%4, %5, %6, %7, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %9 = "tosa.cast"(%1) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %10 = "tosa.const"() <{values = dense<14> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %11 = "tosa.logical_left_shift"(%9, %10) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %12 = "tosa.add"(%8, %11) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    func.return %12 : tensor<2x3xi32>
  }
}
