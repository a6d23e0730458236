func.func @tokens(%x: tensor<3x4xf32>, %q: tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %0, %t : !stablehlo.token
  %2, %3 = "stablehlo.infeed"(%1) <{infeed_config = "x", layout = [[0, 1]]}> : (!stablehlo.token) -> (tensor<3x4xf32>, !stablehlo.token)
  %4 = "stablehlo.outfeed"(%x, %q, %3) <{outfeed_config = ""}> : (tensor<3x4xf32>, tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>, !stablehlo.token) -> !stablehlo.token
  %5 = "stablehlo.send"(%x, %4) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
  %6, %7 = "stablehlo.recv"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3x4xf32>, !stablehlo.token)
  %8 = "stablehlo.send"(%6, %7) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
  return %8 : !stablehlo.token
}
