// key 'unseen': no range was observed
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "quant.stats_ref"(%x) {statsKey = "unseen"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// key 'columns': 3 slices at axis 1 are not those of tensor<2x4xf32>
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = "quant.stats_ref"(%x) {statsKey = "columns"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// -----
// nothing to do
// statistics in place
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "quant.stats"(%x) {layerStats = dense<[-1.0, 1.0]> : tensor<2xf32>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
