// its input conversion is more than a promotion to the accumulator
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i32:f32, 0.5>> {
  %c = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %r = stablehlo.negate %a : tensor<!quant.uniform<i8:f32, 0.5:3>>
    %1 = stablehlo.uniform_quantize %r : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>, %b: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  }) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i32:f32, 0.5>>
  return %0 : tensor<3x!quant.uniform<i32:f32, 0.5>>
}
