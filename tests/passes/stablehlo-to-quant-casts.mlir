// the three conversions; a cast says whose rounding it follows where the zero point is not 0
func.func @main(%x: tensor<64xf32>, %i: tensor<4xi8>) -> (tensor<64xi8>, tensor<64xf32>, tensor<64x!quant.uniform<i8:f32, 0.25:3>>, tensor<64x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.uniform_quantize %x {qconvert.tensor = "x_q"} : (tensor<64xf32>) -> tensor<64x!quant.uniform<i8:f32, 0.25:3>> loc("q")
  %1 = stablehlo.bitcast_convert %0 : (tensor<64x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<64xi8>
  %2 = stablehlo.uniform_dequantize %0 : (tensor<64x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<64xf32>
  %3 = stablehlo.uniform_quantize %x {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<64xf32>) -> tensor<64x!quant.uniform<i8:f32, 0.25:3>>
  %4 = stablehlo.uniform_quantize %x : (tensor<64xf32>) -> tensor<64x!quant.uniform<i8:f32, 0.25>>
  %5 = stablehlo.bitcast_convert %i : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %1, %2, %3, %4, %5 : tensor<64xi8>, tensor<64xf32>, tensor<64x!quant.uniform<i8:f32, 0.25:3>>, tensor<64x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<64xf32>, %1: tensor<4xi8>) -> (tensor<64xi8>, tensor<64xf32>, tensor<64x!quant.uniform<i8:f32, 0.25:3>>, tensor<64x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5>>) {
    %2 = quant.qcast %0 {qconvert.arithmetic = #qconvert.arithmetic<stablehlo, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "x_q"} : tensor<64xf32> to tensor<64x!quant.uniform<i8:f32, 0.25:3>> loc("q")
    %3 = quant.scast %2 : tensor<64x!quant.uniform<i8:f32, 0.25:3>> to tensor<64xi8>
    %4 = quant.dcast %2 : tensor<64x!quant.uniform<i8:f32, 0.25:3>> to tensor<64xf32>
    %5 = quant.qcast %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : tensor<64xf32> to tensor<64x!quant.uniform<i8:f32, 0.25:3>>
    %6 = quant.qcast %0 : tensor<64xf32> to tensor<64x!quant.uniform<i8:f32, 0.25>>
    %7 = quant.scast %1 : tensor<4xi8> to tensor<4x!quant.uniform<i8:f32, 0.5>>
    func.return %3, %4, %5, %6, %7 : tensor<64xi8>, tensor<64xf32>, tensor<64x!quant.uniform<i8:f32, 0.25:3>>, tensor<64x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5>>
  }
}
