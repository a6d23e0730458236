// nothing to do
// one scale for each column: StableHLO has this type
func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.constant() <{value = dense<[[1, 2], [-3, 4], [5, -6], [7, -8]]> : tensor<4x2xi8>}> : () -> tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<4x2xf32>
  %2 = stablehlo.add %x, %1 : tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
