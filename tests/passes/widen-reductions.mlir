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
    %1 = stablehlo.uniform_quantize %0 : (tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x4x!quant.uniform<i32:f32, 0.5>> loc("mean")
    %2 = stablehlo.constant() <{value = dense<0> : tensor<i32>}> : () -> tensor<!quant.uniform<i32:f32, 0.5>> loc("mean")
    %3 = "stablehlo.reduce_window"(%1, %2) <{window_dimensions = array<i64: 1, 3, 4>}> ({
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
// -----
// a pool in the specification's form, its body wider than its operand
func.func @main(%x: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x2x2x!quant.uniform<i32:f32, 0.5>> {
  %c = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>, %b: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }) : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x2x2x!quant.uniform<i32:f32, 0.5>>
  return %0 : tensor<1x1x2x2x!quant.uniform<i32:f32, 0.5>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x2x2x!quant.uniform<i32:f32, 0.5>> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x4x4x!quant.uniform<i32:f32, 0.5>>
    %2 = stablehlo.constant() <{value = dense<0> : tensor<i32>}> : () -> tensor<!quant.uniform<i32:f32, 0.5>>
    %3 = "stablehlo.reduce_window"(%1, %2) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%4: tensor<!quant.uniform<i32:f32, 0.5>>, %5: tensor<!quant.uniform<i32:f32, 0.5>>):
      %6 = stablehlo.add %4, %5 : tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %6 : tensor<!quant.uniform<i32:f32, 0.5>>
    }) : (tensor<1x1x4x4x!quant.uniform<i32:f32, 0.5>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<1x1x2x2x!quant.uniform<i32:f32, 0.5>>
    func.return %3 : tensor<1x1x2x2x!quant.uniform<i32:f32, 0.5>>
  }
}
// -----
// a maximum over dimensions, which no real tool evaluates as a reduce
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>> {
  %c = stablehlo.constant() <{value = dense<-128> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.maximum %a, %b : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<3x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>> {
    %1 = stablehlo.constant() <{value = dense<-128> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
    %2 = "stablehlo.reduce_window"(%0, %1) <{window_dimensions = array<i64: 2, 1>}> ({
    ^bb0(%3: tensor<!quant.uniform<i8:f32, 0.5:3>>, %4: tensor<!quant.uniform<i8:f32, 0.5:3>>):
      %5 = stablehlo.maximum %3, %4 : tensor<!quant.uniform<i8:f32, 0.5:3>>
      stablehlo.return %5 : tensor<!quant.uniform<i8:f32, 0.5:3>>
    }) : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>
    %6 = stablehlo.reshape %2 : (tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>>
    func.return %6 : tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// an accumulation from any initial value
func.func @main(%input: tensor<2x5x!quant.uniform<u8:f32, 0.25:7>>, %init: tensor<!quant.uniform<i32:f32, 0.125:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.125:3>> {
  %result = "stablehlo.reduce"(%input, %init) ({
    ^reduce_computation(%elem: tensor<!quant.uniform<u8:f32, 0.25:7>>, %acc: tensor<!quant.uniform<i32:f32, 0.125:3>>):
        %elem_rescaled = "stablehlo.uniform_quantize"(%elem) : (tensor<!quant.uniform<u8:f32, 0.25:7>>) -> tensor<!quant.uniform<i32:f32, 0.125:3>>
        %add = "stablehlo.add"(%elem_rescaled, %acc) : (tensor<!quant.uniform<i32:f32, 0.125:3>>, tensor<!quant.uniform<i32:f32, 0.125:3>>) -> tensor<!quant.uniform<i32:f32, 0.125:3>>
        "stablehlo.return"(%add) : (tensor<!quant.uniform<i32:f32, 0.125:3>>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x5x!quant.uniform<u8:f32, 0.25:7>>, tensor<!quant.uniform<i32:f32, 0.125:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.125:3>>
  func.return %result : tensor<2x!quant.uniform<i32:f32, 0.125:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x5x!quant.uniform<ui8:f32, 0.25:7>>, %1: tensor<!quant.uniform<i32:f32, 0.125:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.125:3>> {
    %2 = stablehlo.uniform_quantize %0 : (tensor<2x5x!quant.uniform<ui8:f32, 0.25:7>>) -> tensor<2x5x!quant.uniform<i32:f32, 0.125:3>>
    %3 = "stablehlo.reduce_window"(%2, %1) <{window_dimensions = array<i64: 1, 5>}> ({
    ^bb0(%4: tensor<!quant.uniform<i32:f32, 0.125:3>>, %5: tensor<!quant.uniform<i32:f32, 0.125:3>>):
      %6 = stablehlo.add %5, %4 : tensor<!quant.uniform<i32:f32, 0.125:3>>
      stablehlo.return %6 : tensor<!quant.uniform<i32:f32, 0.125:3>>
    }) : (tensor<2x5x!quant.uniform<i32:f32, 0.125:3>>, tensor<!quant.uniform<i32:f32, 0.125:3>>) -> tensor<2x1x!quant.uniform<i32:f32, 0.125:3>>
    %7 = stablehlo.reshape %3 : (tensor<2x1x!quant.uniform<i32:f32, 0.125:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.125:3>>
    func.return %7 : tensor<2x!quant.uniform<i32:f32, 0.125:3>>
  }
}
// -----
// an accumulation that is scattered to the chosen elements
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %s: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<4x!quant.uniform<i32:f32, 0.5>> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.uniform_quantize %a : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    %2 = stablehlo.add %b, %1 : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %2 : tensor<!quant.uniform<i32:f32, 0.5>>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<4x!quant.uniform<i32:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<i32:f32, 0.5>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %2: tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<4x!quant.uniform<i32:f32, 0.5>> {
    %3 = stablehlo.uniform_quantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i32:f32, 0.5>>
    %4 = stablehlo.uniform_quantize %1 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.5>>
    %5 = "stablehlo.select_and_scatter"(%3, %4, %2) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%6: tensor<!quant.uniform<i32:f32, 0.5>>, %7: tensor<!quant.uniform<i32:f32, 0.5>>):
      %8 = stablehlo.compare GE, %6, %7 : (tensor<!quant.uniform<i32:f32, 0.5>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }, {
    ^bb0(%9: tensor<!quant.uniform<i32:f32, 0.5>>, %10: tensor<!quant.uniform<i32:f32, 0.5>>):
      %11 = stablehlo.add %9, %10 : tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %11 : tensor<!quant.uniform<i32:f32, 0.5>>
    }) : (tensor<4x!quant.uniform<i32:f32, 0.5>>, tensor<2x!quant.uniform<i32:f32, 0.5>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<4x!quant.uniform<i32:f32, 0.5>>
    func.return %5 : tensor<4x!quant.uniform<i32:f32, 0.5>>
  }
}
