// the three casts; the order of rounding matters where the zero point is not 0
func.func @main(%x: tensor<64xf32>, %i: tensor<4xi8>) -> (tensor<64xi8>, tensor<64xf32>, tensor<64x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5>>) {
  %0 = quant.qcast %x : tensor<64xf32> to tensor<64x!quant.uniform<i8:f32, 0.25:3>> loc("q")
  %1 = quant.scast %0 : tensor<64x!quant.uniform<i8:f32, 0.25:3>> to tensor<64xi8>
  %2 = quant.dcast %0 : tensor<64x!quant.uniform<i8:f32, 0.25:3>> to tensor<64xf32>
  %3 = quant.qcast %x : tensor<64xf32> to tensor<64x!quant.uniform<i8:f32, 0.25>>
  %4 = quant.scast %i : tensor<4xi8> to tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %1, %2, %3, %4 : tensor<64xi8>, tensor<64xf32>, tensor<64x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<64xf32>, %1: tensor<4xi8>) -> (tensor<64xi8>, tensor<64xf32>, tensor<64x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5>>) {
    %2 = stablehlo.uniform_quantize %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<64xf32>) -> tensor<64x!quant.uniform<i8:f32, 0.25:3>> loc("q")
    %3 = stablehlo.bitcast_convert %2 : (tensor<64x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<64xi8>
    %4 = stablehlo.uniform_dequantize %2 : (tensor<64x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<64xf32>
    %5 = stablehlo.uniform_quantize %0 : (tensor<64xf32>) -> tensor<64x!quant.uniform<i8:f32, 0.25>>
    %6 = stablehlo.bitcast_convert %1 : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
    func.return %3, %4, %5, %6 : tensor<64xi8>, tensor<64xf32>, tensor<64x!quant.uniform<i8:f32, 0.25>>, tensor<4x!quant.uniform<i8:f32, 0.5>>
  }
}
// -----
// a cast that follows StableHLO's arithmetic, and slices
func.func @main(%x: tensor<32x2xf32>) -> (tensor<32x2x!quant.uniform<ui8:f32, 0.25:3>>, tensor<32x2xf32>) {
  %0 = quant.qcast %x {qconvert.arithmetic = #qconvert.arithmetic<stablehlo, 32, SINGLE_ROUND, 64, 0>} : tensor<32x2xf32> to tensor<32x2x!quant.uniform<ui8:f32, 0.25:3>>
  %1 = quant.qcast %x : tensor<32x2xf32> to tensor<32x2x!quant.uniform<i8:f32:1, {0.5:1,0.25:-1}>>
  %2 = quant.dcast %1 : tensor<32x2x!quant.uniform<i8:f32:1, {0.5:1,0.25:-1}>> to tensor<32x2xf32>
  return %0, %2 : tensor<32x2x!quant.uniform<ui8:f32, 0.25:3>>, tensor<32x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<32x2xf32>) -> (tensor<32x2x!quant.uniform<ui8:f32, 0.25:3>>, tensor<32x2xf32>) {
    %1 = stablehlo.uniform_quantize %0 : (tensor<32x2xf32>) -> tensor<32x2x!quant.uniform<ui8:f32, 0.25:3>>
    %2 = stablehlo.uniform_quantize %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<32x2xf32>) -> tensor<32x2x!quant.uniform<i8:f32:1, {0.5:1,0.25:-1}>>
    %3 = stablehlo.uniform_dequantize %2 : (tensor<32x2x!quant.uniform<i8:f32:1, {0.5:1,0.25:-1}>>) -> tensor<32x2xf32>
    func.return %1, %3 : tensor<32x2x!quant.uniform<ui8:f32, 0.25:3>>, tensor<32x2xf32>
  }
}
// -----
// statistics and couplings compute nothing
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "quant.stats"(%x) {layerStats = dense<[-1.0, 1.0]> : tensor<2xf32>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "quant.stats_ref"(%0) {statsKey = "a"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "quant.coupled_ref"(%1) {coupledKey = "a"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    func.return %0 : tensor<2x3xf32>
  }
}
// -----
// the same bits read as unsigned storage
func.func @main(%x: tensor<64x!quant.uniform<i4:f32, 0.5>>) -> tensor<64x!quant.uniform<ui4:f32, 0.25:3>> {
  %0 = quant.scast %x : tensor<64x!quant.uniform<i4:f32, 0.5>> to tensor<64xi4>
  %1 = quant.scast %0 : tensor<64xi4> to tensor<64x!quant.uniform<ui4:f32, 0.25:3>>
  return %1 : tensor<64x!quant.uniform<ui4:f32, 0.25:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<64x!quant.uniform<i4:f32, 0.5>>) -> tensor<64x!quant.uniform<ui4:f32, 0.25:3>> {
    %1 = stablehlo.bitcast_convert %0 : (tensor<64x!quant.uniform<i4:f32, 0.5>>) -> tensor<64xi4>
    %2 = stablehlo.bitcast_convert %1 : (tensor<64xi4>) -> tensor<64x!quant.uniform<ui4:f32, 0.25:3>>
    func.return %2 : tensor<64x!quant.uniform<ui4:f32, 0.25:3>>
  }
}
