// operands that do not depend on each other
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, %y: tensor<2x4x!quant.uniform<i8:f32, 0.25:0>>, %i: tensor<!quant.uniform<i8:f32, 0.5:3>>, %j: tensor<!quant.uniform<i8:f32, 0.25:0>>) -> (tensor<2x!quant.uniform<i8:f32, 2.0:1>>, tensor<2x!quant.uniform<i8:f32, 1.0:0>>) {
 %r:2 = "stablehlo.reduce"(%x, %y, %i, %j) ({ ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.25:0>>):
 %c = "stablehlo.uniform_quantize"(%a) : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
 %d = "stablehlo.uniform_quantize"(%b) : (tensor<!quant.uniform<i8:f32, 0.25:0>>) -> tensor<!quant.uniform<i32:f32, 0.25>>
 "stablehlo.return"(%c, %d) : (tensor<!quant.uniform<i32:f32, 0.5>>, tensor<!quant.uniform<i32:f32, 0.25>>) -> () }, { ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>, %b: tensor<!quant.uniform<i32:f32, 0.25>>, %c: tensor<!quant.uniform<i32:f32, 0.5>>, %d: tensor<!quant.uniform<i32:f32, 0.25>>):
 %e = "stablehlo.add"(%a, %c) : (tensor<!quant.uniform<i32:f32, 0.5>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
 %f = "stablehlo.maximum"(%b, %d) : (tensor<!quant.uniform<i32:f32, 0.25>>, tensor<!quant.uniform<i32:f32, 0.25>>) -> tensor<!quant.uniform<i32:f32, 0.25>>
 "stablehlo.return"(%e, %f) : (tensor<!quant.uniform<i32:f32, 0.5>>, tensor<!quant.uniform<i32:f32, 0.25>>) -> () }, { ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>, %b: tensor<!quant.uniform<i32:f32, 0.25>>):
 %c = "stablehlo.uniform_quantize"(%a) : (tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 2.0:1>>
 %d = "stablehlo.uniform_quantize"(%b) : (tensor<!quant.uniform<i32:f32, 0.25>>) -> tensor<!quant.uniform<i8:f32, 1.0:0>>
 "stablehlo.return"(%c, %d) : (tensor<!quant.uniform<i8:f32, 2.0:1>>, tensor<!quant.uniform<i8:f32, 1.0:0>>) -> () }) {dimensions = array<i64: 1>} : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x4x!quant.uniform<i8:f32, 0.25:0>>, tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.25:0>>) -> (tensor<2x!quant.uniform<i8:f32, 2.0:1>>, tensor<2x!quant.uniform<i8:f32, 1.0:0>>)
 func.return %r#0, %r#1 : tensor<2x!quant.uniform<i8:f32, 2.0:1>>, tensor<2x!quant.uniform<i8:f32, 1.0:0>> }
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<2x4x!quant.uniform<i8:f32, 0.25>>, %2: tensor<!quant.uniform<i8:f32, 0.5:3>>, %3: tensor<!quant.uniform<i8:f32, 0.25>>) -> (tensor<2x!quant.uniform<i8:f32, 2.0:1>>, tensor<2x!quant.uniform<i8:f32, 1.0>>) {
    %4 = "stablehlo.reduce"(%0, %2) <{dimensions = array<i64: 1>}> ({
    ^bb0(%5: tensor<!quant.uniform<i8:f32, 0.5:3>>):
      %6 = stablehlo.uniform_quantize %5 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %6 : tensor<!quant.uniform<i32:f32, 0.5>>
    }, {
    ^bb0(%7: tensor<!quant.uniform<i32:f32, 0.5>>, %8: tensor<!quant.uniform<i32:f32, 0.5>>):
      %9 = stablehlo.add %7, %8 : tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %9 : tensor<!quant.uniform<i32:f32, 0.5>>
    }, {
    ^bb0(%10: tensor<!quant.uniform<i32:f32, 0.5>>):
      %11 = stablehlo.uniform_quantize %10 : (tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 2.0:1>>
      stablehlo.return %11 : tensor<!quant.uniform<i8:f32, 2.0:1>>
    }) : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 2.0:1>>
    %12 = "stablehlo.reduce"(%1, %3) <{dimensions = array<i64: 1>}> ({
    ^bb0(%13: tensor<!quant.uniform<i8:f32, 0.25>>):
      %14 = stablehlo.uniform_quantize %13 : (tensor<!quant.uniform<i8:f32, 0.25>>) -> tensor<!quant.uniform<i32:f32, 0.25>>
      stablehlo.return %14 : tensor<!quant.uniform<i32:f32, 0.25>>
    }, {
    ^bb0(%15: tensor<!quant.uniform<i32:f32, 0.25>>, %16: tensor<!quant.uniform<i32:f32, 0.25>>):
      %17 = stablehlo.maximum %15, %16 : tensor<!quant.uniform<i32:f32, 0.25>>
      stablehlo.return %17 : tensor<!quant.uniform<i32:f32, 0.25>>
    }, {
    ^bb0(%18: tensor<!quant.uniform<i32:f32, 0.25>>):
      %19 = stablehlo.uniform_quantize %18 : (tensor<!quant.uniform<i32:f32, 0.25>>) -> tensor<!quant.uniform<i8:f32, 1.0>>
      stablehlo.return %19 : tensor<!quant.uniform<i8:f32, 1.0>>
    }) : (tensor<2x4x!quant.uniform<i8:f32, 0.25>>, tensor<!quant.uniform<i8:f32, 0.25>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
    func.return %4, %12 : tensor<2x!quant.uniform<i8:f32, 2.0:1>>, tensor<2x!quant.uniform<i8:f32, 1.0>>
  }
}
