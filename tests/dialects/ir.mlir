func.func @conversions(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 1.0:-1>> {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.uniform_quantize %a : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  ^bb0(%b: tensor<!quant.uniform<i32:f32, 0.5>>, %c: tensor<!quant.uniform<i32:f32, 0.5>>):
    %2 = stablehlo.add %b, %c : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %2 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  ^bb0(%d: tensor<!quant.uniform<i32:f32, 0.5>>):
    %3 = stablehlo.uniform_quantize %d : (tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 1.0:-1>>
    stablehlo.return %3 : tensor<!quant.uniform<i8:f32, 1.0:-1>>
  }) {qconvert.tensor = "sum"} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 1.0:-1>> loc("Reduce_1")
  return %0 : tensor<2x!quant.uniform<i8:f32, 1.0:-1>>
}
// -----
func.func @identity_conversion(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<2xi8> {
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
  ^bb0(%c: tensor<f32>):
    %2 = stablehlo.convert %c : (tensor<f32>) -> tensor<i8>
    stablehlo.return %2 : tensor<i8>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}
// -----
module attributes {qconvert.note = "kept"} {
  func.func @composites(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>> loc("input"), %f: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "qconvert.softmax"(%x) <{axis = 1 : i64}> {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<ui8:f32, 0.00390625>> loc(fused["Softmax", "caf\C3\A9 \22quoted\22 \0A"])
    %1 = "qconvert.erf"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("Erf")
    %2 = stablehlo.uniform_quantize %1 {qconvert.arithmetic = #qconvert.arithmetic<litert, 16, DOUBLE_ROUND, 32, 20>} : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>> loc(#loc1)
    return %1 : tensor<2x3xf32>
  }
}
#loc = loc("Quantize")
#loc1 = loc(fused[#loc, "Conv"])
