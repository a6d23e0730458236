func.func @fake_quantization(%x: tensor<8x4x2xf32>) -> tensor<8x4x2xf32> {
  %0 = "quant.const_fake_quant"(%x) {min = -0.1 : f32, max = 1.0 : f32, num_bits = 8, narrow_range = true} : (tensor<8x4x2xf32>) -> tensor<8x4x2xf32>
  %1 = "quant.const_fake_quant"(%0) <{max = 1.0 : f32, min = 0.0 : f32, num_bits = 16 : i64, is_signed = true}> : (tensor<8x4x2xf32>) -> tensor<8x4x2xf32>
  %2 = "quant.const_fake_quant_per_axis"(%1) {min = [0.0 : f32, 1.0 : f32], max = [2.0 : f32, 3.0 : f32], axis = 2, num_bits = 2, narrow_range = false} : (tensor<8x4x2xf32>) -> tensor<8x4x2xf32>
  return %2 : tensor<8x4x2xf32>
}
// -----
func.func @statistics(%x: tensor<8x4x3xf32>, %q: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<8x4x3xf32> {
  %0 = "quant.stats_ref"(%x) {statsKey = "conv/out"} : (tensor<8x4x3xf32>) -> tensor<8x4x3xf32>
  %1 = "quant.stats"(%0) {layerStats = dense<[-1.0, 1.0]> : tensor<2xf32>} : (tensor<8x4x3xf32>) -> tensor<8x4x3xf32>
  %2 = "quant.stats"(%1) {layerStats = dense<[-8.0, 8.0]> : tensor<2xf32>, axisStats = dense<[[-1.0, 1.0], [-8.0, 8.0], [-0.5, 0.5]]> : tensor<3x2xf32>, axis = 2 : i64} : (tensor<8x4x3xf32>) -> tensor<8x4x3xf32>
  %3 = "quant.stats"(%2) {layerStats = dense<[-1.0, 1.0]> : tensor<2xf32>, axisStats = dense<0.0> : tensor<12x2xf32>, axis = 1 : i64} : (tensor<8x4x3xf32>) -> tensor<8x4x3xf32>
  %4 = "quant.coupled_ref"(%3) {coupledKey = "state"} : (tensor<8x4x3xf32>) -> tensor<8x4x3xf32>
  %5 = "quant.stats_ref"(%q) {statsKey = "q"} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  return %4 : tensor<8x4x3xf32>
}
