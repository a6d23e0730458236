// nothing to do
// a maximum of one type needs no conversion
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>> {
  %c = stablehlo.constant() <{value = dense<-128> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<3x!quant.uniform<i8:f32, 0.5:3>>
}
// -----
// nothing to do
// what is converted has a name in the source
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x1x!quant.uniform<i32:f32, 0.5>> {
  %c = stablehlo.constant() <{value = dense<0> : tensor<i32>}> : () -> tensor<!quant.uniform<i32:f32, 0.5>>
  %0 = stablehlo.uniform_quantize %x {qconvert.tensor = "wide"} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i32:f32, 0.5>>
  %1 = "stablehlo.reduce_window"(%0, %c) <{window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>, %b: tensor<!quant.uniform<i32:f32, 0.5>>):
    %2 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %2 : tensor<!quant.uniform<i32:f32, 0.5>>
  }) : (tensor<2x3x!quant.uniform<i32:f32, 0.5>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<2x1x!quant.uniform<i32:f32, 0.5>>
  return %1 : tensor<2x1x!quant.uniform<i32:f32, 0.5>>
}
