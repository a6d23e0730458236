// a sum with its conversions in regions
func.func @main(%x: tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.125:-7>> {
  %c = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.uniform_quantize %a : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>, %b: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.bitcast_convert %a : (tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.0416666679084301>>
    %2 = stablehlo.uniform_quantize %1 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<!quant.uniform<i32:f32, 0.0416666679084301>>) -> tensor<!quant.uniform<i8:f32, 0.125:-7>>
    stablehlo.return %2 : tensor<!quant.uniform<i8:f32, 0.125:-7>>
  }) {qconvert.tensor = "mean_q"} : (tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.125:-7>> loc("mean")
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.125:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.125:-7>> {
    %1 = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
    %2 = stablehlo.reduce(%0 init: %1) across dimensions = [1, 2] : (tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.5>>
     reducer(%3: tensor<!quant.uniform<i32:f32, 0.5>>, %4: tensor<!quant.uniform<i32:f32, 0.5>>)  {
      %5 = stablehlo.add %3, %4 : tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %5 : tensor<!quant.uniform<i32:f32, 0.5>>
    } loc("mean")
    %6 = stablehlo.bitcast_convert %2 : (tensor<2x!quant.uniform<i32:f32, 0.5>>) -> tensor<2x!quant.uniform<i32:f32, 0.0416666679084301>> loc("mean")
    %7 = stablehlo.uniform_quantize %6 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "mean_q"} : (tensor<2x!quant.uniform<i32:f32, 0.0416666679084301>>) -> tensor<2x!quant.uniform<i8:f32, 0.125:-7>> loc("mean")
    func.return %7 : tensor<2x!quant.uniform<i8:f32, 0.125:-7>>
  }
}
