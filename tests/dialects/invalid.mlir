// add (C3): storage types differ
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x!quant.uniform<ui8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = stablehlo.add %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<ui8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
// -----
// dot_general (C15): rhs must have zero point 0
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i32:f32, 0.25>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i32:f32, 0.25>>
  return %0 : tensor<2x3x!quant.uniform<i32:f32, 0.25>>
}
// -----
// tanh (I1): per-axis quantization is not accepted
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>> {
  %0 = stablehlo.tanh %a : tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>
  return %0 : tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>
}
// -----
// quantized type (C13): 3 scales for a dimension of size 2
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25,0.125}>> {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25,0.125}>>
  return %0 : tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25,0.125}>>
}
// -----
// uniform_dequantize (I1): found an operand of f32
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf64> {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x2xf32>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}
// -----
// wrong.mlir:1:44: zero point 200 is outside the storage range of i8
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:200>>) {
  return
}
// -----
// scale -0.5 is not a finite number above 0
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, -0.5>>) {
  return
}
// -----
// storage type i3 is not supported
func.func @main(%a: tensor<2x!quant.uniform<i3:f32, 0.5>>) {
  return
}
// -----
// the result has type tensor<3x3xf32>, expected tensor<3x2xf32>
func.func @main(%a: tensor<2x3xf32>) -> tensor<3x3xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
// -----
// wrong.mlir:2:29: Operation stablehlo.frobnicate is not registered
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.frobnicate %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// 3 elements for a constant of type tensor<2xi8>
func.func @main() -> tensor<2xi8> {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi8>
  return %0 : tensor<2xi8>
}
