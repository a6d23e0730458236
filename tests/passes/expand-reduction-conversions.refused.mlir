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
// -----
// its initial value, in the accumulator's type, is not a constant
func.func @main(%input: tensor<2x5x!quant.uniform<u8:f32, 0.25:7>>, %init: tensor<!quant.uniform<i32:f32, 0.125:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.125:3>> {
  %result = "stablehlo.reduce"(%input, %init) ({
    ^reduce_computation(%elem: tensor<!quant.uniform<u8:f32, 0.25:7>>, %acc: tensor<!quant.uniform<i32:f32, 0.125:3>>):
        %elem_rescaled = "stablehlo.uniform_quantize"(%elem) : (tensor<!quant.uniform<u8:f32, 0.25:7>>) -> tensor<!quant.uniform<i32:f32, 0.125:3>>
        %add = "stablehlo.add"(%elem_rescaled, %acc) : (tensor<!quant.uniform<i32:f32, 0.125:3>>, tensor<!quant.uniform<i32:f32, 0.125:3>>) -> tensor<!quant.uniform<i32:f32, 0.125:3>>
        "stablehlo.return"(%add) : (tensor<!quant.uniform<i32:f32, 0.125:3>>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x5x!quant.uniform<u8:f32, 0.25:7>>, tensor<!quant.uniform<i32:f32, 0.125:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.125:3>>
  func.return %result : tensor<2x!quant.uniform<i32:f32, 0.125:3>>
}
// -----
// its elements' type !quant.uniform<ui8:f32, 0.25:7> cannot represent the initial value 8
builtin.module {
  func.func @main(%0: tensor<2x5x!quant.uniform<ui8:f32, 0.25:7>>) -> tensor<2x!quant.uniform<ui8:f32, 1.5:20>> {
    %1 = stablehlo.constant() <{value = dense<9> : tensor<ui8>}> : () -> tensor<!quant.uniform<ui8:f32, 0.25:7>>
    %2 = stablehlo.constant() <{value = dense<8> : tensor<i32>}> : () -> tensor<!quant.uniform<i32:f32, 0.125:3>>
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
// -----
// its result stays in !quant.uniform<i32:f32, 0.5>: conversions keep the elements' storage (baseline_element_type)
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
