func.func @casts(%f: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.uniform_quantize %f : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<ui8:f32, 0.5:128>>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2x3x!quant.uniform<ui8:f32, 0.5:128>>) -> tensor<2x3x!quant.uniform<i16<-32767:32767>:f32, 1.0e-20:-5>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x3x!quant.uniform<i16<-32767:32767>:f32, 1.0e-20:-5>>) -> tensor<2x3xf32>
  %3 = stablehlo.uniform_quantize %f : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i4:f32:1, {0.5,0.25:1,0.125}>>
  return %2 : tensor<2x3xf32>
}
// -----
func.func @constants() -> tensor<2x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = stablehlo.constant dense<[1.5, 0x7F800000]> : tensor<2xf32>
  %1 = stablehlo.constant dense<3> : tensor<4x4xi64>
  %2 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %3 = stablehlo.constant dense<"0x000102030405060708090A0B0C0D0E0F"> : tensor<16xui8>
  %4 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
  %5 = stablehlo.constant dense<1.5> : tensor<2xbf16>
  %6 = stablehlo.constant dense<[1.0e-300, -2.0]> : tensor<2xf64>
  %7 = stablehlo.constant() <{value = dense<[-128, 127]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  return %7 : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
}
