func.func @sort(%x: tensor<3x4xf32>, %i: tensor<3x4xi32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %1, %2 = "stablehlo.sort"(%x, %i) <{dimension = -2 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %e = stablehlo.compare GT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %e : tensor<i1>
  }) : (tensor<3x4xf32>, tensor<3x4xi32>) -> (tensor<3x4xf32>, tensor<3x4xi32>)
  return %0 : tensor<3x4xf32>
}
// -----
func.func @map(%x: tensor<3x4xf32>, %q: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %s: tensor<i32>) -> tensor<3x4xi1> {
  %0 = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
  %1 = "stablehlo.map"(%q) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %c = stablehlo.tanh %a : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %c : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %2 = "stablehlo.map"(%s) <{dimensions = array<i64>}> ({
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<3x4xi1>
}
