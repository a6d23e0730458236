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
// -----
func.func @per_axis(%f: tensor<2x3xf64>, %x: tensor<2x3x!quant.uniform<i32:f32, 0.1>>) -> tensor<2x3xf32> {
  %0 = stablehlo.uniform_quantize %f : (tensor<2x3xf64>) -> tensor<2x3x!quant.uniform<ui4<1:14>:f64:0, {1.0e-300:3,2.6e-7:1}>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x3x!quant.uniform<ui4<1:14>:f64:0, {1.0e-300:3,2.6e-7:1}>>) -> tensor<2x3xf64>
  %2 = stablehlo.uniform_quantize %x : (tensor<2x3x!quant.uniform<i32:f32, 0.1>>) -> tensor<2x3x!quant.uniform<i16:f32:1, {0.5,0.25,0.125}>>
  %3 = stablehlo.uniform_quantize %x : tensor<2x3x!quant.uniform<i32:f32, 0.1>>
  %4 = stablehlo.uniform_dequantize %2 : (tensor<2x3x!quant.uniform<i16:f32:1, {0.5,0.25,0.125}>>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}
// -----
func.func @every_storage(%f: tensor<2xf16>, %b: tensor<2xbf16>) -> tensor<2xf16> {
  %0 = stablehlo.uniform_quantize %b : (tensor<2xbf16>) -> tensor<2x!quant.uniform<i2:bf16, 0.5:1>>
  %1 = stablehlo.uniform_quantize %f : (tensor<2xf16>) -> tensor<2x!quant.uniform<i4:f16, 0.5:1>>
  %2 = stablehlo.uniform_quantize %b : (tensor<2xbf16>) -> tensor<2x!quant.uniform<i8:bf16, 0.5:1>>
  %3 = stablehlo.uniform_quantize %f : (tensor<2xf16>) -> tensor<2x!quant.uniform<i16:f16, 0.5:1>>
  %4 = stablehlo.uniform_quantize %b : (tensor<2xbf16>) -> tensor<2x!quant.uniform<i32:bf16, 0.5:1>>
  %5 = stablehlo.uniform_quantize %f : (tensor<2xf16>) -> tensor<2x!quant.uniform<ui2:f16, 0.5:1>>
  %6 = stablehlo.uniform_quantize %b : (tensor<2xbf16>) -> tensor<2x!quant.uniform<ui4:bf16, 0.5:1>>
  %7 = stablehlo.uniform_quantize %f : (tensor<2xf16>) -> tensor<2x!quant.uniform<ui8:f16, 0.5:1>>
  %8 = stablehlo.uniform_quantize %b : (tensor<2xbf16>) -> tensor<2x!quant.uniform<ui16:bf16, 0.5:1>>
  return %f : tensor<2xf16>
}
// -----
func.func @long_constants() -> tensor<65xi1> {
  %0 = stablehlo.constant dense<[true, false, false, true, true, true, false, false, true, true, true, false, false, true, true, true, false, false, true, true, true, false, false, true, true, true, false, false, true, true, true, false, false, true, true, true, false, false, true, true, true, false, false, true, true, true, false, false, true, true, true, false, false, true, true, true, false, false, true, true, true, false, false, true, true]> : tensor<65xi1>
  %1 = stablehlo.constant dense<[-8, -1, 6, -3, 4, -5, 2, -7, 0, 7, -2, 5, -4, 3, -6, 1, -8, -1, 6, -3, 4, -5, 2, -7, 0, 7, -2, 5, -4, 3, -6, 1, -8, -1, 6, -3, 4, -5, 2, -7, 0, 7, -2, 5, -4, 3, -6, 1, -8, -1, 6, -3, 4, -5, 2, -7, 0, 7, -2, 5, -4, 3, -6, 1, -8, -1]> : tensor<66xi4>
  %2 = stablehlo.constant dense<"0x00000205040a060f08140a190c1e0e231028122d14321637183c1a411c461e4b20502255245a265f28642a692c6e2e733078327d34823687388c3a913c963e9b40a042a544aa46af48b44ab94cbe4ec350c852cd54d256d758dc5ae15ce65eeb60f062f564fa66ff69046b096d0e6f137118731d75227727792c7b317d367f3b81408345854a874f89548b59"> : tensor<70xbf16>
  %3 = stablehlo.constant {note = "kept"} dense<[0xFFC00001, -0.0, 0xFF800000, 1.0e-45, 16777217.0]> : tensor<5xf32>
  %4 = stablehlo.constant dense<> : tensor<0x2xf32>
  %5 = stablehlo.constant dense<[0x7FF0000000000001, 0.1]> : tensor<2xf64>
  %6 = stablehlo.constant dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xui64>
  %7 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi32>}> {note = 1 : i8} : () -> tensor<2x!quant.uniform<i32:f32:0, {0.5,0.25}>>
  return %0 : tensor<65xi1>
}
