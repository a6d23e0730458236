// each selected value must be 0 or a RESCALE of the integers whose sign selects
// a slope for each element
builtin.module {
  func.func @main(%0: tensor<2x3xi16>, %1: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %2 = "tosa.cast"(%0) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.mul"(%0, %1, %3) : (tensor<2x3xi16>, tensor<2x3xi16>, tensor<1xi8>) -> tensor<2x3xi32>
    %5 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.const"() <{values = dense<35> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.rescale"(%4, %5, %6, %7, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %10 = "tosa.greater_equal"(%2, %9) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi1>
    %11 = "tosa.select"(%10, %2, %8) : (tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %12 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %14 = "tosa.rescale"(%11, %5, %12, %7, %13) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %14 : tensor<2x3xi16>
  }
}
// -----
// neither MAXIMUM nor MINIMUM gives the selected value for each integer
// almost equal factors whose roundings differ
builtin.module {
  func.func @main(%0: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %1 = "tosa.cast"(%0) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %2 = "tosa.const"() <{values = dense<0> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %3 = "tosa.greater_equal"(%1, %2) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi1>
    %4 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "tosa.rescale"(%1, %4, %5, %6, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %8 = "tosa.const"() <{values = dense<1073610752> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "tosa.rescale"(%1, %8, %5, %6, %6) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %10 = "tosa.select"(%3, %7, %9) : (tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %11 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %13 = "tosa.rescale"(%10, %4, %11, %6, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %13 : tensor<2x3xi16>
  }
}
// -----
// nothing to do
// another bound than 0
builtin.module {
  func.func @main(%0: tensor<2x3xi16>) -> tensor<2x3xi16> {
    %1 = "tosa.cast"(%0) : (tensor<2x3xi16>) -> tensor<2x3xi32>
    %2 = "tosa.const"() <{values = dense<1288490240> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.rescale"(%1, %2, %3, %4, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %6 = "tosa.const"() <{values = dense<1> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %7 = "tosa.greater_equal"(%1, %6) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi1>
    %8 = "tosa.select"(%7, %1, %5) : (tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %9 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %12 = "tosa.rescale"(%8, %9, %10, %4, %11) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x3xi16>
    func.return %12 : tensor<2x3xi16>
  }
}
