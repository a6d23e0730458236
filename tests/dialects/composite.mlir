func.func @main(%x: tensor<2xf32>, %y: tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
  %0:2 = stablehlo.composite "a_b.two.of$them" %x, %y {composite_attributes = {axis = 1 : i64, name = "n"}, decomposition = @swapped, version = 3 : i32} : (tensor<2xf32>, tensor<f32>) -> (tensor<f32>, tensor<2xf32>)
  %1 = stablehlo.composite "a.none" {decomposition = @none} : () -> tensor<f32>
  return %0#1, %1 : tensor<2xf32>, tensor<f32>
}
func.func private @swapped(%a: tensor<2xf32>, %b: tensor<f32>) -> (tensor<f32>, tensor<2xf32>) {
  return %b, %a : tensor<f32>, tensor<2xf32>
}
func.func private @none() -> tensor<f32> {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
