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
func.func @identity_conversion(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.25>> {
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.maximum %a, %b : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }, {
  ^bb0(%c: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %2 = stablehlo.uniform_quantize %c : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.25>>
    stablehlo.return %2 : tensor<!quant.uniform<i8:f32, 0.25>>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.25>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.25>>
}
// -----
func.func @dynamic_range(%x: tensor<2x3xf32>, %w: tensor<3x2xi8>, %i: tensor<1x2x2xi8>, %k: tensor<1x2x2xui8>, %n: tensor<i8>, %m: tensor<2xui8>) -> tensor<2x2xi32> {
  %q, %s, %z = "qconvert.dynamic_range_quantize"(%x) : (tensor<2x3xf32>) -> (tensor<2x3xui8>, tensor<f32>, tensor<ui8>)
  %0 = "qconvert.dynamic_range_dot_general"(%q, %w, %z, %n) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xui8>, tensor<3x2xi8>, tensor<ui8>, tensor<i8>) -> tensor<2x2xi32>
  %1 = "qconvert.dynamic_range_convolution"(%i, %k, %n, %m) <{window_strides = array<i64: 1>, padding = dense<1> : tensor<1x2xi64>, rhs_dilation = array<i64: 1>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x2x2xi8>, tensor<1x2x2xui8>, tensor<i8>, tensor<2xui8>) -> tensor<1x4x2xi32>
  return %0 : tensor<2x2xi32>
}
// -----
func.func @lstm(%x: tensor<1x4x3x!quant.uniform<i8:f32, 0.5:3>>, %w: tensor<3x2x!quant.uniform<i8:f32, 0.01>>, %r: tensor<2x2x!quant.uniform<i8:f32, 0.02>>, %b: tensor<2x!quant.uniform<i32:f32, 0.005>>) -> tensor<1x4x2x!quant.uniform<i8:f32, 0.0078125:-1>> {
  %0 = "qconvert.lstm"(%x, %w, %w, %w, %r, %r, %r, %b, %b, %b) <{gate_type = !quant.uniform<i16:f32, 2.44140625e-4>, cell_type = !quant.uniform<i16:f32, 4.8828125e-4>, cell_clip = 1.000000e+01 : f64}> {qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0>} : (tensor<1x4x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x2x!quant.uniform<i8:f32, 0.01>>, tensor<3x2x!quant.uniform<i8:f32, 0.01>>, tensor<3x2x!quant.uniform<i8:f32, 0.01>>, tensor<2x2x!quant.uniform<i8:f32, 0.02>>, tensor<2x2x!quant.uniform<i8:f32, 0.02>>, tensor<2x2x!quant.uniform<i8:f32, 0.02>>, tensor<2x!quant.uniform<i32:f32, 0.005>>, tensor<2x!quant.uniform<i32:f32, 0.005>>, tensor<2x!quant.uniform<i32:f32, 0.005>>) -> tensor<1x4x2x!quant.uniform<i8:f32, 0.0078125:-1>>
  return %0 : tensor<1x4x2x!quant.uniform<i8:f32, 0.0078125:-1>>
}
// -----
module attributes {qconvert.note = "kept"} {
  func.func @composites(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>> loc("input"), %f: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "qconvert.softmax"(%x) <{axis = 1 : i64}> {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<ui8:f32, 0.00390625>> loc(fused["Softmax", "caf\C3\A9 \22quoted\22 \0A"])
    %1 = "qconvert.erf"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("Erf")
    %2 = stablehlo.uniform_quantize %1 {qconvert.arithmetic = #qconvert.arithmetic<litert, 16, DOUBLE_ROUND, 32, 20>} : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>> loc(#loc1)
    %3 = stablehlo.uniform_quantize %1 {qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0, asymmetric>} : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>> loc(#loc1)
    return %1 : tensor<2x3xf32>
  }
}
#loc = loc("Quantize")
#loc1 = loc(fused[#loc, "Conv"])
// -----
func.func @input_conversion_only(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.25>> {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.uniform_quantize %a : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.25>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.25>>
  }, {
  ^bb0(%b: tensor<!quant.uniform<i8:f32, 0.25>>, %c: tensor<!quant.uniform<i8:f32, 0.25>>):
    %2 = stablehlo.add %b, %c : tensor<!quant.uniform<i8:f32, 0.25>>
    stablehlo.return %2 : tensor<!quant.uniform<i8:f32, 0.25>>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.25>>
  return %0 : tensor<!quant.uniform<i8:f32, 0.25>>
}
// -----
func.func @output_conversion_only(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.25>> {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%b: tensor<!quant.uniform<i8:f32, 0.5:3>>, %c: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %2 = stablehlo.maximum %b, %c : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %2 : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.uniform_quantize %a : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.25>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.25>>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.25>>
  return %0 : tensor<!quant.uniform<i8:f32, 0.25>>
}
// -----
func.func @left_to_right(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.5>> {
  %0 = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
   reducer(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i32:f32, 0.5>>) {
    %1 = stablehlo.uniform_quantize %a : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    %2 = stablehlo.add %b, %1 : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %2 : tensor<!quant.uniform<i32:f32, 0.5>>
  }
  return %0 : tensor<!quant.uniform<i32:f32, 0.5>>
}
// -----
func.func @scatter_with_conversions(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %s: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 1.0>> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.uniform_quantize %a : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  ^bb0(%b: tensor<!quant.uniform<i32:f32, 0.5>>, %c: tensor<!quant.uniform<i32:f32, 0.5>>):
    %2 = stablehlo.add %b, %c : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %2 : tensor<!quant.uniform<i32:f32, 0.5>>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.uniform_quantize %a : (tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 1.0>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 1.0>>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 1.0>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 1.0>>
}
