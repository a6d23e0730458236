// a pool in the specification's form, its body wider than its operand, then a quantize
func.func @main(%x: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x2x2x!quant.uniform<i8:f32, 1.5:-1>> {
  %c = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>, %b: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }) : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x2x2x!quant.uniform<i32:f32, 0.5>>
  %2 = stablehlo.uniform_quantize %0 : (tensor<1x1x2x2x!quant.uniform<i32:f32, 0.5>>) -> tensor<1x1x2x2x!quant.uniform<i8:f32, 1.5:-1>>
  return %2 : tensor<1x1x2x2x!quant.uniform<i8:f32, 1.5:-1>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x2x2x!quant.uniform<i8:f32, 1.5:-1>> {
    %1 = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
    %2 = "stablehlo.reduce_window"(%0, %1) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%3: tensor<!quant.uniform<i8:f32, 0.5:3>>):
      %4 = stablehlo.uniform_quantize %3 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %4 : tensor<!quant.uniform<i32:f32, 0.5>>
    }, {
    ^bb0(%5: tensor<!quant.uniform<i32:f32, 0.5>>, %6: tensor<!quant.uniform<i32:f32, 0.5>>):
      %7 = stablehlo.add %5, %6 : tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %7 : tensor<!quant.uniform<i32:f32, 0.5>>
    }, {
    ^bb0(%8: tensor<!quant.uniform<i32:f32, 0.5>>):
      %9 = stablehlo.uniform_quantize %8 : (tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 1.5:-1>>
      stablehlo.return %9 : tensor<!quant.uniform<i8:f32, 1.5:-1>>
    }) : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x2x2x!quant.uniform<i8:f32, 1.5:-1>>
    func.return %2 : tensor<1x1x2x2x!quant.uniform<i8:f32, 1.5:-1>>
  }
}
// -----
// the widened form, conversions in front and behind
builtin.module {
  func.func @main(%0: tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.125:-7>> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x4x!quant.uniform<i32:f32, 0.5>> loc("mean")
    %2 = stablehlo.constant() <{value = dense<0> : tensor<i32>}> : () -> tensor<!quant.uniform<i32:f32, 0.5>> loc("mean")
    %3 = "stablehlo.reduce_window"(%1, %2) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<0> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 3, 4>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%4: tensor<!quant.uniform<i32:f32, 0.5>>, %5: tensor<!quant.uniform<i32:f32, 0.5>>):
      %6 = stablehlo.add %4, %5 : tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %6 : tensor<!quant.uniform<i32:f32, 0.5>>
    }) : (tensor<2x3x4x!quant.uniform<i32:f32, 0.5>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<2x1x1x!quant.uniform<i32:f32, 0.5>> loc("mean")
    %7 = stablehlo.reshape %3 : (tensor<2x1x1x!quant.uniform<i32:f32, 0.5>>) -> tensor<2x!quant.uniform<i32:f32, 0.5>> loc("mean")
    %8 = stablehlo.bitcast_convert %7 : (tensor<2x!quant.uniform<i32:f32, 0.5>>) -> tensor<2x!quant.uniform<i32:f32, 0.0416666679084301>> loc("mean")
    %9 = stablehlo.uniform_quantize %8 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "mean_q"} : (tensor<2x!quant.uniform<i32:f32, 0.0416666679084301>>) -> tensor<2x!quant.uniform<i8:f32, 0.125:-7>> loc("mean")
    func.return %9 : tensor<2x!quant.uniform<i8:f32, 0.125:-7>>
  }
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.125:-7>> {
    %1 = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>> loc("mean")
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<0> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 3, 4>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%3: tensor<!quant.uniform<i8:f32, 0.5:3>>):
      %4 = stablehlo.uniform_quantize %3 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %4 : tensor<!quant.uniform<i32:f32, 0.5>>
    }, {
    ^bb0(%5: tensor<!quant.uniform<i32:f32, 0.5>>, %6: tensor<!quant.uniform<i32:f32, 0.5>>):
      %7 = stablehlo.add %5, %6 : tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %7 : tensor<!quant.uniform<i32:f32, 0.5>>
    }, {
    ^bb0(%8: tensor<!quant.uniform<i32:f32, 0.5>>):
      %9 = stablehlo.bitcast_convert %8 : (tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.0416666679084301>> loc("mean")
      %10 = stablehlo.uniform_quantize %9 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<!quant.uniform<i32:f32, 0.0416666679084301>>) -> tensor<!quant.uniform<i8:f32, 0.125:-7>> loc("mean")
      stablehlo.return %10 : tensor<!quant.uniform<i8:f32, 0.125:-7>>
    }) : (tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x1x1x!quant.uniform<i8:f32, 0.125:-7>> loc("mean")
    %11 = stablehlo.reshape %2 {qconvert.tensor = "mean_q"} : (tensor<2x1x1x!quant.uniform<i8:f32, 0.125:-7>>) -> tensor<2x!quant.uniform<i8:f32, 0.125:-7>> loc("mean")
    func.return %11 : tensor<2x!quant.uniform<i8:f32, 0.125:-7>>
  }
}
// -----
// an accumulation from a constant that the elements can represent
builtin.module {
  func.func @main(%0: tensor<2x5x!quant.uniform<ui8:f32, 0.25:7>>) -> tensor<2x!quant.uniform<ui8:f32, 1.5:20>> {
    %1 = stablehlo.constant() <{value = dense<9> : tensor<ui8>}> : () -> tensor<!quant.uniform<ui8:f32, 0.25:7>>
    %2 = stablehlo.constant() <{value = dense<7> : tensor<i32>}> : () -> tensor<!quant.uniform<i32:f32, 0.125:3>>
    %3 = stablehlo.reduce(%0 init: %2) across dimensions = [1] : (tensor<2x5x!quant.uniform<ui8:f32, 0.25:7>>, tensor<!quant.uniform<i32:f32, 0.125:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.125:3>>
     reducer(%4: tensor<!quant.uniform<ui8:f32, 0.25:7>>, %5: tensor<!quant.uniform<i32:f32, 0.125:3>>)  {
      %6 = stablehlo.uniform_quantize %4 : (tensor<!quant.uniform<ui8:f32, 0.25:7>>) -> tensor<!quant.uniform<i32:f32, 0.125:3>>
      %7 = stablehlo.add %5, %6 : tensor<!quant.uniform<i32:f32, 0.125:3>>
      stablehlo.return %7 : tensor<!quant.uniform<i32:f32, 0.125:3>>
    }
    %8 = stablehlo.uniform_quantize %3 : (tensor<2x!quant.uniform<i32:f32, 0.125:3>>) -> tensor<2x!quant.uniform<ui8:f32, 1.5:20>>
    func.return %8 : tensor<2x!quant.uniform<ui8:f32, 1.5:20>>
  }
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x5x!quant.uniform<ui8:f32, 0.25:7>>) -> tensor<2x!quant.uniform<ui8:f32, 1.5:20>> {
    %1 = stablehlo.constant() <{value = dense<9> : tensor<ui8>}> : () -> tensor<!quant.uniform<ui8:f32, 0.25:7>>
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%3: tensor<!quant.uniform<ui8:f32, 0.25:7>>):
      %4 = stablehlo.uniform_quantize %3 : (tensor<!quant.uniform<ui8:f32, 0.25:7>>) -> tensor<!quant.uniform<i32:f32, 0.125:3>>
      stablehlo.return %4 : tensor<!quant.uniform<i32:f32, 0.125:3>>
    }, {
    ^bb0(%5: tensor<!quant.uniform<i32:f32, 0.125:3>>, %6: tensor<!quant.uniform<i32:f32, 0.125:3>>):
      %7 = stablehlo.add %5, %6 : tensor<!quant.uniform<i32:f32, 0.125:3>>
      stablehlo.return %7 : tensor<!quant.uniform<i32:f32, 0.125:3>>
    }, {
    ^bb0(%8: tensor<!quant.uniform<i32:f32, 0.125:3>>):
      %9 = stablehlo.uniform_quantize %8 : (tensor<!quant.uniform<i32:f32, 0.125:3>>) -> tensor<!quant.uniform<ui8:f32, 1.5:20>>
      stablehlo.return %9 : tensor<!quant.uniform<ui8:f32, 1.5:20>>
    }) : (tensor<2x5x!quant.uniform<ui8:f32, 0.25:7>>, tensor<!quant.uniform<ui8:f32, 0.25:7>>) -> tensor<2x!quant.uniform<ui8:f32, 1.5:20>>
    func.return %2 : tensor<2x!quant.uniform<ui8:f32, 1.5:20>>
  }
}
