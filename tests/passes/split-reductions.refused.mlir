// nothing to do
// a search that does not convert
func.func @main(%x: tensor<2x5x!quant.uniform<i8:f32, 0.25:7>>) -> (tensor<2x!quant.uniform<i8:f32, 0.25:7>>, tensor<2xi32>) {
 %i = stablehlo.constant() <{value = dense<-128> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.25:7>>
 %z = stablehlo.constant dense<0> : tensor<i32>
 %io = stablehlo.iota dim = 1 : tensor<2x5xi32>
 %r:2 = "stablehlo.reduce"(%x, %io, %i, %z) ({
 ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.25:7>>, %b: tensor<i32>, %c: tensor<!quant.uniform<i8:f32, 0.25:7>>, %d: tensor<i32>):
  %g = "stablehlo.compare"(%a, %c) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<!quant.uniform<i8:f32, 0.25:7>>, tensor<!quant.uniform<i8:f32, 0.25:7>>) -> tensor<i1>
  %m = "stablehlo.select"(%g, %a, %c) : (tensor<i1>, tensor<!quant.uniform<i8:f32, 0.25:7>>, tensor<!quant.uniform<i8:f32, 0.25:7>>) -> tensor<!quant.uniform<i8:f32, 0.25:7>>
  %n = "stablehlo.select"(%g, %b, %d) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
  "stablehlo.return"(%m, %n) : (tensor<!quant.uniform<i8:f32, 0.25:7>>, tensor<i32>) -> ()
 }) {dimensions = array<i64: 1>} : (tensor<2x5x!quant.uniform<i8:f32, 0.25:7>>, tensor<2x5xi32>, tensor<!quant.uniform<i8:f32, 0.25:7>>, tensor<i32>) -> (tensor<2x!quant.uniform<i8:f32, 0.25:7>>, tensor<2xi32>)
 func.return %r#0, %r#1 : tensor<2x!quant.uniform<i8:f32, 0.25:7>>, tensor<2xi32> }
// -----
// nothing to do
func.func @main(%x: tensor<2x3xf32>, %z: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// its operands depend on each other
func.func @main(%x: tensor<2x5x!quant.uniform<i8:f32, 0.25:7>>, %y: tensor<2x5x!quant.uniform<i8:f32, 0.25:7>>, %i: tensor<!quant.uniform<i8:f32, 0.25:7>>) -> (tensor<2x!quant.uniform<i32:f32, 0.25>>, tensor<2x!quant.uniform<i32:f32, 0.25>>) {
  %0, %1 = stablehlo.reduce(%x init: %i), (%y init: %i) across dimensions = [1] : (tensor<2x5x!quant.uniform<i8:f32, 0.25:7>>, tensor<2x5x!quant.uniform<i8:f32, 0.25:7>>, tensor<!quant.uniform<i8:f32, 0.25:7>>, tensor<!quant.uniform<i8:f32, 0.25:7>>) -> (tensor<2x!quant.uniform<i32:f32, 0.25>>, tensor<2x!quant.uniform<i32:f32, 0.25>>)
   reducer(%a: tensor<!quant.uniform<i32:f32, 0.25>>, %b: tensor<!quant.uniform<i32:f32, 0.25>>) (%c: tensor<!quant.uniform<i32:f32, 0.25>>, %d: tensor<!quant.uniform<i32:f32, 0.25>>) {
    %2 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.25>>
    %3 = stablehlo.add %2, %d : tensor<!quant.uniform<i32:f32, 0.25>>
    stablehlo.return %2, %3 : tensor<!quant.uniform<i32:f32, 0.25>>, tensor<!quant.uniform<i32:f32, 0.25>>
  }
  return %0, %1 : tensor<2x!quant.uniform<i32:f32, 0.25>>, tensor<2x!quant.uniform<i32:f32, 0.25>>
}
