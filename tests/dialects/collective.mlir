func.func @collectives(%x: tensor<3x4xf32>, %q: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x4xf32> {
  %0, %1 = "stablehlo.all_gather"(%x, %q) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<3x4xf32>, tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<3x8xf32>, tensor<2x8x!quant.uniform<i8:f32, 0.5:3>>)
  %2 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %4 = "stablehlo.all_to_all"(%q) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x2x!quant.uniform<i8:f32, 0.5:3>>
  %5 = "stablehlo.collective_permute"(%q) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
  %6 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %7 = stablehlo.replica_id : tensor<ui32>
  %8 = stablehlo.partition_id : tensor<ui32>
  return %6 : tensor<3x4xf32>
}
