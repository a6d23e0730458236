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
// -----
func.func @two_inputs(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>, %z: tensor<f32>, %k: tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0, %1 = stablehlo.reduce(%x init: %z), (%i init: %k) across dimensions = [0] {note = "kept"} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %2 = stablehlo.add %a, %b : tensor<f32>
    %3 = stablehlo.maximum %c, %d : tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }
  return %0, %1 : tensor<3xf32>, tensor<3xi32>
}
// -----
func.func @promoted(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.5:3>> {
  %0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.5:3>>
   reducer(%a: tensor<!quant.uniform<i32:f32, 0.5:3>>, %b: tensor<!quant.uniform<i32:f32, 0.5:3>>) {
    %1 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.5:3>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5:3>>
  }
  %2 = stablehlo.reduce(%x init: %z) applies stablehlo.minimum across dimensions = [] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<2x!quant.uniform<i32:f32, 0.5:3>>
}
// -----
func.func @swapped(%x: tensor<2x3xi1>, %z: tensor<i1>, %f: tensor<2x3xf32>, %s: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.or across dimensions = [0, 1] {note = "kept"} : (tensor<2x3xi1>, tensor<i1>) -> tensor<i1>
  %1 = stablehlo.reduce(%f init: %s) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %2 = stablehlo.subtract %b, %a : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  %3 = stablehlo.reduce(%f init: %s) across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %4 = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }
  return %0 : tensor<i1>
}
// -----
func.func @full_window(%x: tensor<4x4xf32>, %z: tensor<f32>) -> tensor<3x7xf32> {
  %0 = "stablehlo.reduce_window"(%x, %z) <{base_dilations = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 3>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {note = "kept"} : (tensor<4x4xf32>, tensor<f32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}
