// its quantized right-hand side is computed, not a weight
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %q = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  %d = stablehlo.uniform_dequantize %q : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32>
  %0 = stablehlo.dot_general %x, %d, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// -----
// its weights are quantized along dimension 0, which is contracted (C16)
func.func @main(%x: tensor<2x2xf32>, %w: tensor<2x2x!quant.uniform<i8:f32:0, {0.5,0.25}>>) -> tensor<2x2xf32> {
  %d = stablehlo.uniform_dequantize %w : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5,0.25}>>) -> tensor<2x2xf32>
  %0 = stablehlo.dot_general %x, %d, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// -----
// its weights are quantized in blocks, which a hybrid op does not take
func.func @main(%x: tensor<2x2xf32>, %w: tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5}, {0.25}}>>) -> tensor<2x2xf32> {
  %d = stablehlo.uniform_dequantize %w : (tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5}, {0.25}}>>) -> tensor<2x2xf32>
  %0 = stablehlo.dot_general %x, %d, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// -----
// nothing to do
// quantized on both sides
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %w: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32> {
  %c = stablehlo.uniform_dequantize %x : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32>
  %d = stablehlo.uniform_dequantize %w : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32>
  %0 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// -----
// nothing to do
// quantized on the left alone, and nowhere
func.func @main(%x: tensor<2x2xf32>, %w: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32> {
  %c = stablehlo.uniform_dequantize %w : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32>
  %0 = stablehlo.dot_general %c, %x, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// -----
// its weights are quantized along dimension 1, not their output features 2 (C29)
func.func @main(%x: tensor<1x2x2xf32>, %w: tensor<1x2x1x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<1x2x1xf32> {
  %d = stablehlo.uniform_dequantize %w : (tensor<1x2x1x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<1x2x1xf32>
  %0 = stablehlo.convolution(%x, %d) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2xf32>, tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  return %0 : tensor<1x2x1xf32>
}
// -----
// its products are summed in another float type (C20 of dot_general, C34 of convolution)
func.func @main(%x: tensor<2x2xf32>, %w: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf64> {
  %d = stablehlo.uniform_dequantize %w : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32>
  %0 = stablehlo.dot_general %x, %d, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}
