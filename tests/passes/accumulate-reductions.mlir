// conversions in regions: the one of the elements goes into the body, the one of the results behind
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 4.0:-7>> {
  %c = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.uniform_quantize %a : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>, %b: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.uniform_quantize %a : (tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 4.0:-7>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 4.0:-7>>
  }) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 4.0:-7>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 4.0:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 4.0:-7>> {
    %1 = stablehlo.constant() <{value = dense<0> : tensor<i32>}> : () -> tensor<!quant.uniform<i32:f32, 0.5>>
    %2 = stablehlo.reduce(%0 init: %1) across dimensions = [1] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<2x!quant.uniform<i32:f32, 0.5>>
     reducer(%3: tensor<!quant.uniform<i8:f32, 0.5:3>>, %4: tensor<!quant.uniform<i32:f32, 0.5>>)  {
      %5 = stablehlo.uniform_quantize %3 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
      %6 = stablehlo.add %4, %5 : tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %6 : tensor<!quant.uniform<i32:f32, 0.5>>
    }
    %7 = stablehlo.uniform_quantize %2 : (tensor<2x!quant.uniform<i32:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 4.0:-7>>
    func.return %7 : tensor<2x!quant.uniform<i8:f32, 4.0:-7>>
  }
}
// -----
// a body wider than its elements converts by its type
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %s: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i32:f32, 0.5>> {
  %c = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>, %b: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i32:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<i32:f32, 0.5>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i32:f32, 0.5>> {
    %2 = stablehlo.constant() <{value = dense<0> : tensor<i32>}> : () -> tensor<!quant.uniform<i32:f32, 0.5>>
    %3 = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%4: tensor<!quant.uniform<i8:f32, 0.5:3>>, %5: tensor<!quant.uniform<i8:f32, 0.5:3>>):
      %6 = stablehlo.compare GE, %4, %5 : (tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    }, {
    ^bb0(%7: tensor<!quant.uniform<i8:f32, 0.5:3>>, %8: tensor<!quant.uniform<i32:f32, 0.5>>):
      %9 = stablehlo.uniform_quantize %7 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
      %10 = stablehlo.add %8, %9 : tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %10 : tensor<!quant.uniform<i32:f32, 0.5>>
    }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<4x!quant.uniform<i32:f32, 0.5>>
    func.return %3 : tensor<4x!quant.uniform<i32:f32, 0.5>>
  }
}
