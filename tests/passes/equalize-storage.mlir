// unsigned activations, arguments and results keep their types
func.func @main(%x: tensor<2x4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<2x3x!quant.uniform<ui8:f32, 0.75:7>> {
  %w = stablehlo.constant() <{value = dense<[[1, -2, 3], [4, 5, -6], [7, -8, 9], [-10, 11, 12]]> : tensor<4x3xi8>}> : () -> tensor<4x3x!quant.uniform<i8:f32:1, {0.125, 0.25, 0.5}>>
  %0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x4x!quant.uniform<ui8:f32, 0.5:131>>, tensor<4x3x!quant.uniform<i8:f32:1, {0.125, 0.25, 0.5}>>) -> tensor<2x3x!quant.uniform<i32:f32:1, {0.0625, 0.125, 0.25}>>
  %1 = stablehlo.uniform_quantize %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y_q"} : (tensor<2x3x!quant.uniform<i32:f32:1, {0.0625, 0.125, 0.25}>>) -> tensor<2x3x!quant.uniform<ui8:f32, 0.75:7>>
  %low = stablehlo.constant() <{value = dense<7> : tensor<ui8>}> : () -> tensor<!quant.uniform<ui8:f32, 0.75:7>>
  %high = stablehlo.constant() <{value = dense<200> : tensor<ui8>}> : () -> tensor<!quant.uniform<ui8:f32, 0.75:7>>
  %2 = stablehlo.clamp %low, %1, %high : (tensor<!quant.uniform<ui8:f32, 0.75:7>>, tensor<2x3x!quant.uniform<ui8:f32, 0.75:7>>, tensor<!quant.uniform<ui8:f32, 0.75:7>>) -> tensor<2x3x!quant.uniform<ui8:f32, 0.75:7>>
  return %2 : tensor<2x3x!quant.uniform<ui8:f32, 0.75:7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<2x3x!quant.uniform<ui8:f32, 0.75:7>> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<2x4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
    %2 = stablehlo.constant() <{value = dense<[[1, -2, 3], [4, 5, -6], [7, -8, 9], [-10, 11, 12]]> : tensor<4x3xi8>}> : () -> tensor<4x3x!quant.uniform<i8:f32:1, {0.125,0.25,0.5}>>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x3x!quant.uniform<i8:f32:1, {0.125,0.25,0.5}>>) -> tensor<2x3x!quant.uniform<i32:f32:1, {0.0625,0.125,0.25}>>
    %4 = stablehlo.uniform_quantize %3 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y_q"} : (tensor<2x3x!quant.uniform<i32:f32:1, {0.0625,0.125,0.25}>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.75:-121>>
    %5 = stablehlo.constant() <{value = dense<-121> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.75:-121>>
    %6 = stablehlo.constant() <{value = dense<72> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.75:-121>>
    %7 = stablehlo.clamp %5, %4, %6 : (tensor<!quant.uniform<i8:f32, 0.75:-121>>, tensor<2x3x!quant.uniform<i8:f32, 0.75:-121>>, tensor<!quant.uniform<i8:f32, 0.75:-121>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.75:-121>>
    %8 = stablehlo.uniform_quantize %7 : (tensor<2x3x!quant.uniform<i8:f32, 0.75:-121>>) -> tensor<2x3x!quant.uniform<ui8:f32, 0.75:7>>
    func.return %8 : tensor<2x3x!quant.uniform<ui8:f32, 0.75:7>>
  }
}
// -----
// plain integers read as an unsigned quantized type and back
func.func @main(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xui8>) -> tensor<4x!quant.uniform<ui8:f32, 0.5:131>>
  %1 = stablehlo.negate %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : tensor<4x!quant.uniform<ui8:f32, 0.5:131>>
  %2 = stablehlo.bitcast_convert %1 : (tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<4xui8>
  return %2 : tensor<4xui8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xui8>) -> tensor<4xui8> {
    %1 = stablehlo.bitcast_convert %0 : (tensor<4xui8>) -> tensor<4x!quant.uniform<ui8:f32, 0.5:131>>
    %2 = stablehlo.uniform_quantize %1 : (tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    %3 = stablehlo.negate %2 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    %4 = stablehlo.uniform_quantize %3 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<ui8:f32, 0.5:131>>
    %5 = stablehlo.bitcast_convert %4 : (tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<4xui8>
    func.return %5 : tensor<4xui8>
  }
}
// -----
// 16-bit activations, 8-bit weights
func.func @main(%x: tensor<2x4x!quant.uniform<ui16:f32, 0.5:32768>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0625>> {
  %w = stablehlo.constant() <{value = dense<[[1, -2], [4, 5], [7, -8], [-10, 11]]> : tensor<4x2xi8>}> : () -> tensor<4x2x!quant.uniform<i8:f32, 0.125>>
  %0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x4x!quant.uniform<ui16:f32, 0.5:32768>>, tensor<4x2x!quant.uniform<i8:f32, 0.125>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0625>>
  return %0 : tensor<2x2x!quant.uniform<i32:f32, 0.0625>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4x!quant.uniform<ui16:f32, 0.5:32768>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0625>> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<2x4x!quant.uniform<ui16:f32, 0.5:32768>>) -> tensor<2x4x!quant.uniform<i16:f32, 0.5>>
    %2 = stablehlo.constant() <{value = dense<[[1, -2], [4, 5], [7, -8], [-10, 11]]> : tensor<4x2xi16>}> : () -> tensor<4x2x!quant.uniform<i16:f32, 0.125>>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<2x4x!quant.uniform<i16:f32, 0.5>>, tensor<4x2x!quant.uniform<i16:f32, 0.125>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0625>>
    func.return %3 : tensor<2x2x!quant.uniform<i32:f32, 0.0625>>
  }
}
// -----
// a product of two activations, the right one with a zero point
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, %y: tensor<4x2x!quant.uniform<i8:f32, 0.125:-8>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0625>> {
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x2x!quant.uniform<i8:f32, 0.125:-8>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0625>> loc("matmul")
  return %0 : tensor<2x2x!quant.uniform<i32:f32, 0.0625>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<4x2x!quant.uniform<i8:f32, 0.125:-8>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0625>> {
    %2 = stablehlo.uniform_quantize %0 : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4x!quant.uniform<i16:f32, 0.5>> loc("matmul")
    %3 = stablehlo.uniform_quantize %1 : (tensor<4x2x!quant.uniform<i8:f32, 0.125:-8>>) -> tensor<4x2x!quant.uniform<i16:f32, 0.125>> loc("matmul")
    %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<2x4x!quant.uniform<i16:f32, 0.5>>, tensor<4x2x!quant.uniform<i16:f32, 0.125>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0625>> loc("matmul")
    func.return %4 : tensor<2x2x!quant.uniform<i32:f32, 0.0625>>
  }
}
// -----
// weights with zero points, one for each output
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.0625, 0.125}>> {
  %w = stablehlo.constant() <{value = dense<[[1, -2], [4, 5], [127, -8], [-10, -128]]> : tensor<4x2xi8>}> : () -> tensor<4x2x!quant.uniform<i8:f32:1, {0.125:-1, 0.25:2}>>
  %0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x2x!quant.uniform<i8:f32:1, {0.125:-1, 0.25:2}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.0625, 0.125}>>
  return %0 : tensor<2x2x!quant.uniform<i32:f32:1, {0.0625, 0.125}>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.0625,0.125}>> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4x!quant.uniform<i16:f32, 0.5>>
    %2 = stablehlo.constant() <{value = dense<[[2, -4], [5, 3], [128, -10], [-9, -130]]> : tensor<4x2xi16>}> : () -> tensor<4x2x!quant.uniform<i16:f32:1, {0.125,0.25}>>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<2x4x!quant.uniform<i16:f32, 0.5>>, tensor<4x2x!quant.uniform<i16:f32:1, {0.125,0.25}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.0625,0.125}>>
    func.return %3 : tensor<2x2x!quant.uniform<i32:f32:1, {0.0625,0.125}>>
  }
}
// -----
// elementwise ops of differing storages
func.func @main(%x: tensor<4x!quant.uniform<i16:f32, 0.5:3>>, %y: tensor<4x!quant.uniform<i8:f32, 0.125:-8>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:1>> {
  %0 = stablehlo.multiply %x, %y {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "z_q"} : (tensor<4x!quant.uniform<i16:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.125:-8>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:1>> loc("mul")
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.25:1>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i16:f32, 0.5:3>>, %1: tensor<4x!quant.uniform<i8:f32, 0.125:-8>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:1>> {
    %2 = stablehlo.uniform_quantize %1 : (tensor<4x!quant.uniform<i8:f32, 0.125:-8>>) -> tensor<4x!quant.uniform<i16:f32, 0.125:-8>> loc("mul")
    %3 = stablehlo.multiply %0, %2 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<4x!quant.uniform<i16:f32, 0.5:3>>, tensor<4x!quant.uniform<i16:f32, 0.125:-8>>) -> tensor<4x!quant.uniform<i16:f32, 0.25:1>> loc("mul")
    %4 = stablehlo.uniform_quantize %3 {qconvert.tensor = "z_q"} : (tensor<4x!quant.uniform<i16:f32, 0.25:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:1>> loc("mul")
    func.return %4 : tensor<4x!quant.uniform<i8:f32, 0.25:1>>
  }
}
// -----
// a narrow range on one side only
func.func @main(%x: tensor<4x!quant.uniform<i8<-127:127>:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:1>> {
  %c = stablehlo.constant() <{value = dense<3> : tensor<4xi8>}> : () -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  %0 = stablehlo.add %x, %c {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<4x!quant.uniform<i8<-127:127>:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.25:1>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8<-127:127>:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:1>> {
    %1 = stablehlo.constant() <{value = dense<3> : tensor<4xi8>}> : () -> tensor<4x!quant.uniform<i8:f32, 0.5>>
    %2 = stablehlo.uniform_quantize %0 : (tensor<4x!quant.uniform<i8<-127:127>:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
    %3 = stablehlo.add %2, %1 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:1>>
    func.return %3 : tensor<4x!quant.uniform<i8:f32, 0.25:1>>
  }
}
// -----
// a region's types follow
func.func @main(%x: tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<!quant.uniform<ui8:f32, 0.5:131>> {
  %c = stablehlo.constant() <{value = dense<0> : tensor<ui8>}> : () -> tensor<!quant.uniform<ui8:f32, 0.5:131>>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<!quant.uniform<ui8:f32, 0.5:131>>, %b: tensor<!quant.uniform<ui8:f32, 0.5:131>>):
    %1 = stablehlo.maximum %a, %b : tensor<!quant.uniform<ui8:f32, 0.5:131>>
    stablehlo.return %1 : tensor<!quant.uniform<ui8:f32, 0.5:131>>
  }) : (tensor<4x!quant.uniform<ui8:f32, 0.5:131>>, tensor<!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<!quant.uniform<ui8:f32, 0.5:131>>
  return %0 : tensor<!quant.uniform<ui8:f32, 0.5:131>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<!quant.uniform<ui8:f32, 0.5:131>> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    %2 = stablehlo.constant() <{value = dense<-128> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
    %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.maximum across dimensions = [0] : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.5:3>>
    %4 = stablehlo.uniform_quantize %3 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<ui8:f32, 0.5:131>>
    func.return %4 : tensor<!quant.uniform<ui8:f32, 0.5:131>>
  }
}
// -----
// a hybrid product's weights lose their zero point; a hybrid convolution's keep theirs
func.func @main(%x: tensor<1x2xf32>, %i: tensor<1x2x1xf32>) -> (tensor<1x2xf32>, tensor<1x2x1xf32>) {
  %w = stablehlo.constant() <{value = dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>}> : () -> tensor<2x2x!quant.uniform<ui8:f32:1, {0.5,0.25:128}>>
  %k = stablehlo.constant() <{value = dense<5> : tensor<1x1x1xi8>}> : () -> tensor<1x1x1x!quant.uniform<i8:f32, 0.5:3>>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<ui8:f32:1, {0.5,0.25:128}>>) -> tensor<1x2xf32>
  %1 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<1x1x1x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x1xf32>
  return %0, %1 : tensor<1x2xf32>, tensor<1x2x1xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2xf32>, %1: tensor<1x2x1xf32>) -> (tensor<1x2xf32>, tensor<1x2x1xf32>) {
    %2 = stablehlo.constant() <{value = dense<5> : tensor<1x1x1xi8>}> : () -> tensor<1x1x1x!quant.uniform<i8:f32, 0.5:3>>
    %3 = stablehlo.constant() <{value = dense<[[1, -126], [3, -124]]> : tensor<2x2xi16>}> : () -> tensor<2x2x!quant.uniform<i16:f32:1, {0.5,0.25}>>
    %4 = stablehlo.dot_general %0, %3, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<i16:f32:1, {0.5,0.25}>>) -> tensor<1x2xf32>
    %5 = stablehlo.convolution(%1, %2) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<1x1x1x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x1xf32>
    func.return %4, %5 : tensor<1x2xf32>, tensor<1x2x1xf32>
  }
}
// -----
// a function that is called keeps its types
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<ui8:f32, 0.5:131>>
  %1 = stablehlo.composite "a.negate" %0 {decomposition = @negate} : (tensor<2x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<2x!quant.uniform<ui8:f32, 0.5:131>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
func.func private @negate(%x: tensor<2x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<2x!quant.uniform<ui8:f32, 0.5:131>> {
  %0 = stablehlo.negate %x : tensor<2x!quant.uniform<ui8:f32, 0.5:131>>
  return %0 : tensor<2x!quant.uniform<ui8:f32, 0.5:131>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
    %2 = stablehlo.uniform_quantize %1 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<ui8:f32, 0.5:131>>
    %3 = stablehlo.composite "a.negate" %2 {decomposition = @negate} : (tensor<2x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<2x!quant.uniform<ui8:f32, 0.5:131>>
    %4 = stablehlo.uniform_quantize %3 : (tensor<2x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
    %5 = stablehlo.uniform_dequantize %4 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
    func.return %5 : tensor<2xf32>
  }
  func.func private @negate(%0: tensor<2x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<2x!quant.uniform<ui8:f32, 0.5:131>> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<2x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
    %2 = stablehlo.negate %1 : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
    %3 = stablehlo.uniform_quantize %2 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<ui8:f32, 0.5:131>>
    func.return %3 : tensor<2x!quant.uniform<ui8:f32, 0.5:131>>
  }
}
