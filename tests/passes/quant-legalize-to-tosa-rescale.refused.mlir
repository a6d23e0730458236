// nothing to do
func.func @main(%a: tensor<2xi8>) -> tensor<2xi8> {
  %0 = stablehlo.add %a, %a : tensor<2xi8>
  return %0 : tensor<2xi8>
}
// -----
// its operand is f32, not a quantized value
func.func @main(%a: tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>> {
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
}
// -----
// its result is f32, not a quantized value
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// its integers need a table
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>> {
  %0 = stablehlo.tanh %a : (tensor<2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
}
// -----
// it follows LiteRT's arithmetic, which differs from StableHLO's specification
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>> {
  %0 = stablehlo.abs %a {qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0>} : (tensor<2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
}
// -----
// the factor 2e+10 cannot be written as a 32-bit multiplier and a shift of 2 to 62
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 200.0>>) -> tensor<2x!quant.uniform<i8:f32, 1.0e-08>> {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x!quant.uniform<i8:f32, 200.0>>) -> tensor<2x!quant.uniform<i8:f32, 1.0e-08>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 1.0e-08>>
}
// -----
// a rescale of 32-bit integers by 6 takes integers up to 134217728 only, larger ones occur
func.func @main(%a: tensor<2x!quant.uniform<i32:f32, 3.0>>) -> tensor<2x!quant.uniform<i32:f32, 0.5>> {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x!quant.uniform<i32:f32, 3.0>>) -> tensor<2x!quant.uniform<i32:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i32:f32, 0.5>>
}
// -----
// an integer of i32 minus its zero point may exceed 32 bits
func.func @main(%a: tensor<2x!quant.uniform<i32:f32, 3.0:5>>) -> tensor<2x!quant.uniform<i8:f32, 9.0>> {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x!quant.uniform<i32:f32, 3.0:5>>) -> tensor<2x!quant.uniform<i8:f32, 9.0>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 9.0>>
}
// -----
// its scales are along dimension 0, RESCALE needs them along the last dimension
func.func @main(%a: tensor<2x3x!quant.uniform<i32:f32:0, {0.5,0.25}>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>> {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3x!quant.uniform<i32:f32:0, {0.5,0.25}>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>
}
// -----
// the result has several zero points, RESCALE takes one
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5:1,0.25:2}>> {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5:1,0.25:2}>>
  return %0 : tensor<2x!quant.uniform<i8:f32:0, {0.5:1,0.25:2}>>
}
// -----
// operands of i32 leave no spare bits in 32 bits
func.func @main(%a: tensor<2x!quant.uniform<i32:f32, 0.5>>) -> tensor<2x!quant.uniform<i32:f32, 0.5>> {
  %0 = stablehlo.abs %a : (tensor<2x!quant.uniform<i32:f32, 0.5>>) -> tensor<2x!quant.uniform<i32:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i32:f32, 0.5>>
}
// -----
// a product of i16 and i16 reaches 4294836225, outside 32 bits
func.func @main(%a: tensor<2x!quant.uniform<i16:f32, 0.5:-32768>>, %b: tensor<2x!quant.uniform<i16:f32, 0.5:-32768>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>> {
  %0 = stablehlo.multiply %a, %b : (tensor<2x!quant.uniform<i16:f32, 0.5:-32768>>, tensor<2x!quant.uniform<i16:f32, 0.5:-32768>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i16:f32, 0.5>>
}
// -----
// the scales are too far apart: one unit of a 32-bit sum is 190.735 LSB of the result
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 100.0>>, %b: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 1.0e-06>> {
  %0 = stablehlo.add %a, %b : (tensor<2x!quant.uniform<i8:f32, 100.0>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 1.0e-06>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 1.0e-06>>
}
// -----
// an operand or result is quantized per axis, which elementwise ops cannot be
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>, %b: tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>> {
  %0 = stablehlo.add %a, %b : (tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>
  return %0 : tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>
}
// -----
// the values to choose from differ in type
func.func @main(%p: tensor<2xi1>, %a: tensor<2x!quant.uniform<i8:f32, 0.025:-1>>, %b: tensor<2x!quant.uniform<i8:f32, 0.077:-2>>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>> {
  %0 = stablehlo.select %p, %a, %b : (tensor<2xi1>, tensor<2x!quant.uniform<i8:f32, 0.025:-1>>, tensor<2x!quant.uniform<i8:f32, 0.077:-2>>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
}
// -----
// operands and result differ in their quantization
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.025:-1>>, %b: tensor<2x!quant.uniform<i8:f32, 0.077:-2>>) -> tensor<4x!quant.uniform<i8:f32, 0.025:-1>> {
  %0 = "stablehlo.concatenate"(%a, %b) <{dimension = 0 : i64}> : (tensor<2x!quant.uniform<i8:f32, 0.025:-1>>, tensor<2x!quant.uniform<i8:f32, 0.077:-2>>) -> tensor<4x!quant.uniform<i8:f32, 0.025:-1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.025:-1>>
}
// -----
// it is a hybrid op: its weights are quantized, its activations are floats
func.func @main(%a: tensor<2x3xf32>, %w: tensor<3x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// -----
// its sums may reach 3221225472, outside 32 bits
func.func @main(%a: tensor<2x3x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x2x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x2x!quant.uniform<i16:f32, 0.5>> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i16:f32, 0.5>>, tensor<3x2x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x2x!quant.uniform<i16:f32, 0.5>>
}
// -----
// its body's stablehlo.add rounds or saturates at each step
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.025:-1>>, %z: tensor<!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x4x!quant.uniform<i8:f32, 0.025:-1>>, tensor<!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.025:-1>>
}
// -----
// it has conversion regions; run the pass widen-reductions first
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.5>> {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<!quant.uniform<i32:f32, 0.5>>, %r: tensor<!quant.uniform<i32:f32, 0.5>>):
    %s = stablehlo.add %l, %r : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %s : tensor<!quant.uniform<i32:f32, 0.5>>
  }) : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i32:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i32:f32, 0.5>>
}
