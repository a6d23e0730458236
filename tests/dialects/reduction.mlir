func.func @reduce(%x: tensor<2x3xf32>, %z: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<2xf32>
}
// -----
func.func @body(%x: tensor<2x3xf32>, %z: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = stablehlo.multiply %a, %b : tensor<f32>
    %2 = stablehlo.abs %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return %0 : tensor<2xf32>
}
// -----
func.func @window(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x2x2x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.maximum %a, %b : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }) : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x2x2x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<1x2x2x2x!quant.uniform<i8:f32, 0.5:3>>
}
