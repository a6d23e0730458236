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
// zero point 200 is outside the storage range of i8
// StableHLO accepts this one
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:200>>) {
  return
}
// -----
// scale -0.5 is not a finite number above 0
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, -0.5>>) {
  return
}
// -----
// storage type i33 is not supported
func.func @main(%a: tensor<2x!quant.uniform<i33:f32, 0.5>>) {
  return
}
// -----
// the result has type tensor<3x3xf32>, expected tensor<3x2xf32>
func.func @main(%a: tensor<2x3xf32>) -> tensor<3x3xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
// -----
// wrong.mlir:2:3: unknown op 'stablehlo.frobnicate'
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
// -----
// element types f32, f32, f64 do not go together
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  %0 = stablehlo.add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}
// -----
// add (C2): all or none must be quantized
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<2x3xf32>) {
  %0 = stablehlo.add %a, %b : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// element types
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<2x3x!quant.uniform<i8:f64, 0.5>>) {
  %0 = stablehlo.add %a, %b : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x3x!quant.uniform<i8:f64, 0.5>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// add (C5): the result must be per-axis
func.func @main(%a: tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>, %b: tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) {
  %0 = stablehlo.add %a, %b : (tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>, tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) -> tensor<2x3x!quant.uniform<i32:f32, 0.5>>
  return
}
// -----
// add (C7): quantization dimensions differ
func.func @main(%a: tensor<2x3x!quant.uniform<i32:f32, 0.5>>, %b: tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) {
  %0 = stablehlo.add %a, %b : (tensor<2x3x!quant.uniform<i32:f32, 0.5>>, tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) -> tensor<2x3x!quant.uniform<i32:f32:0, {0.5,0.25}>>
  return
}
// -----
// add (C6): quantization dimensions differ
func.func @main(%a: tensor<2x3x!quant.uniform<i32:f32:0, {0.5,0.25}>>, %b: tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) {
  %0 = stablehlo.add %a, %b : (tensor<2x3x!quant.uniform<i32:f32:0, {0.5,0.25}>>, tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) -> tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>
  return
}
// -----
// multiply (C1): storage and expressed types must be equal
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<2x3x!quant.uniform<i8<-127:127>:f32, 0.5:3>>) {
  %0 = stablehlo.multiply %a, %b : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x3x!quant.uniform<i8<-127:127>:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// maximum (I1): per-axis quantization is not accepted
func.func @main(%a: tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>, %b: tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) {
  %0 = stablehlo.maximum %a, %b : (tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>, tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) -> tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>
  return
}
// -----
// atan2 (I1): float or complex or quantized is needed, found i32
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  %0 = stablehlo.atan2 %a, %b : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}
// -----
// subtract (I1)
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  %0 = stablehlo.subtract %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}
// -----
// and (I1): signed integer or unsigned integer or boolean is needed
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  %0 = stablehlo.and %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
// shift_left (I1)
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x3x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.shift_left %a, %b : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5>>
  return
}
// -----
// abs (I1)
func.func @main(%a: tensor<2x3xui8>) {
  %0 = stablehlo.abs %a : (tensor<2x3xui8>) -> tensor<2x3xui8>
  return
}
// -----
// abs (C2)
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.abs %a : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i16:f32, 0.5>>
  return
}
// -----
// logistic (C1)
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.logistic %a : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  return
}
// -----
// operands of an elementwise op must have one shape, found 4, 3
func.func @main(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  %0 = stablehlo.add %a, %b : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}
// -----
// compare (C1): storage and expressed types must be equal
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x!quant.uniform<i16:f32, 0.5>>) {
  %0 = stablehlo.compare LT, %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i16:f32, 0.5>>) -> tensor<4xi1>
  return
}
// -----
// stablehlo.compare: the result has type tensor<4xi8>, expected tensor<4xi1>
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.compare LT, %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
  return
}
// -----
// compare (I1): per-axis quantization
func.func @main(%a: tensor<4x!quant.uniform<i32:f32:0, {0.5,0.25,0.125,1.0}>>) {
  %0 = stablehlo.compare LT, %a, %a : (tensor<4x!quant.uniform<i32:f32:0, {0.5,0.25,0.125,1.0}>>, tensor<4x!quant.uniform<i32:f32:0, {0.5,0.25,0.125,1.0}>>) -> tensor<4xi1>
  return
}
// -----
// select (C2): StableHLO's verifier requires equal parameters
func.func @main(%p: tensor<i1>, %a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x!quant.uniform<i8:f32, 0.25:1>>) {
  %0 = stablehlo.select %p, %a, %b : (tensor<i1>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// select (I2): per-axis quantization
func.func @main(%p: tensor<i1>, %a: tensor<4x!quant.uniform<i32:f32:0, {0.5,0.25,0.125,1.0}>>) {
  %0 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<4x!quant.uniform<i32:f32:0, {0.5,0.25,0.125,1.0}>>
  return
}
// -----
// stablehlo.select: a tensor of i1 is needed
func.func @main(%p: tensor<4xi8>, %a: tensor<4xf32>) {
  %0 = stablehlo.select %p, %a, %a : tensor<4xi8>, tensor<4xf32>
  return
}
// -----
// stablehlo.select: operands of an elementwise op must have one shape, found 4, 4, 3
func.func @main(%p: tensor<3xi1>, %a: tensor<4xf32>) {
  %0 = stablehlo.select %p, %a, %a : tensor<3xi1>, tensor<4xf32>
  return
}
// -----
// clamp (C3): storage and expressed types must be equal
func.func @main(%l: tensor<!quant.uniform<i16:f32, 0.5>>, %a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.clamp %l, %a, %l : (tensor<!quant.uniform<i16:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i16:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// clamp (C4)
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.clamp %a, %a, %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i16:f32, 0.5>>
  return
}
// -----
// clamp (I1): per-axis
func.func @main(%a: tensor<4x!quant.uniform<i32:f32:0, {0.5,0.25,0.125,1.0}>>) {
  %0 = stablehlo.clamp %a, %a, %a : tensor<4x!quant.uniform<i32:f32:0, {0.5,0.25,0.125,1.0}>>
  return
}
// -----
// stablehlo.convert (I1): neither side may be quantized
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.convert %a : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  return
}
// -----
// stablehlo.bitcast_convert (C1): f32 and i8 differ in width
func.func @main(%a: tensor<2x3xf32>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// uniform_quantize (I1): the operand must be float or quantized
func.func @main(%a: tensor<2x3xi32>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xi32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// uniform_quantize (C2)
func.func @main(%a: tensor<2x3xf64>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf64>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// uniform_quantize: the result must be quantized
func.func @main(%a: tensor<2x3xf32>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3xi8>
  return
}
// -----
// uniform_dequantize (C2): f64 is not f32
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf64>
  return
}
// -----
// constant (C1): value of type tensor<2xi8>
func.func @main() {
  %0 = stablehlo.constant() <{value = dense<1> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i16:f32, 0.5>>
  return
}
// -----
// quantized type (C12): dimension 1 of a tensor of rank 1
func.func @main() {
  %0 = stablehlo.constant() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2x!quant.uniform<i32:f32:1, {0.5,0.25}>>
  return
}
// -----
// quantized type (C4): scale 1e-50 is out of the range of f32
func.func @main(%a: tensor<2xf32>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 1.0e-50>>
  return
}
// -----
// quantized type: !quant.any<i8:f32> has no parameters yet
func.func @main(%a: tensor<2x!quant.any<i8:f32>>) {
  %0 = stablehlo.negate %a : tensor<2x!quant.any<i8:f32>>
  return
}
// -----
// quantized type (C10)
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5}, {0.25}}>>) {
  %0 = stablehlo.negate %a : tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5}, {0.25}}>>
  return
}
// -----
// the counts of elements differ
func.func @main(%a: tensor<2x3xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<7xf32>
  return
}
// -----
// mixes the slices of quantization dimension 1
func.func @main(%a: tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) {
  %0 = stablehlo.reshape %a : (tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) -> tensor<3x2x!quant.uniform<i32:f32:0, {0.5,0.25,0.125}>>
  return
}
// -----
// expected tensor<6x!quant.uniform<i8:f32, 0.5:3>>
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.reshape %a : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<6x!quant.uniform<i8:f32, 0.25:1>>
  return
}
// -----
// [0, 0] is not a permutation
func.func @main(%a: tensor<2x3xf32>) {
  %0 = stablehlo.transpose %a, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
// -----
// expected tensor<3x3x!quant.uniform<i32:f32:0
func.func @main(%a: tensor<3x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) -> tensor<3x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>
  return
}
// -----
// cannot broadcast (2, 3) to (2, 4)
func.func @main(%a: tensor<2x3xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}
// -----
// are not different dimensions of a tensor of rank 2
func.func @main(%a: tensor<2x3xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
// expected tensor<2x!quant.uniform<i8:f32:0, {0.5,0.5}>>
func.func @main(%a: tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>
  return
}
// -----
// stablehlo.concatenate (C1): the inputs have element types
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<2x!quant.uniform<i8:f32, 0.25:1>>) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.25:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// concatenate (I1): per-axis
func.func @main(%a: tensor<2x!quant.uniform<i32:f32:0, {0.5,0.25}>>) {
  %0 = stablehlo.concatenate %a, dim = 0 : (tensor<2x!quant.uniform<i32:f32:0, {0.5,0.25}>>) -> tensor<2x!quant.uniform<i32:f32:0, {0.5,0.25}>>
  return
}
// -----
// cannot concatenate (3,) with (2, 3) along 0
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}
// -----
// slice 0:4:1 is outside a dimension of size 3
func.func @main(%a: tensor<3xf32>) {
  %0 = stablehlo.slice %a [0:4] : (tensor<3xf32>) -> tensor<4xf32>
  return
}
// -----
// slice (I1): per-axis
func.func @main(%a: tensor<2x!quant.uniform<i32:f32:0, {0.5,0.25}>>) {
  %0 = stablehlo.slice %a [0:2] : (tensor<2x!quant.uniform<i32:f32:0, {0.5,0.25}>>) -> tensor<2x!quant.uniform<i32:f32:0, {0.5,0.25}>>
  return
}
// -----
// 2 entries for a tensor of rank 1
func.func @main(%a: tensor<3xf32>) {
  %0 = stablehlo.slice %a [0:1, 0:1] : (tensor<3xf32>) -> tensor<1xf32>
  return
}
// -----
// stablehlo.pad (C1): a padding value of type
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.25:1>>) {
  %0 = stablehlo.pad %a, %b, low = [0], high = [0], interior = [0] : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.25:1>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// removes more than a tensor of (2,) has
func.func @main(%a: tensor<2xf32>, %b: tensor<f32>) {
  %0 = stablehlo.pad %a, %b, low = [-3], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<0xf32>
  return
}
// -----
// reverse (I1): per-axis
func.func @main(%a: tensor<2x!quant.uniform<i32:f32:0, {0.5,0.25}>>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<2x!quant.uniform<i32:f32:0, {0.5,0.25}>>
  return
}
// -----
// [1] are not different dimensions
func.func @main(%a: tensor<2xf32>) {
  %0 = stablehlo.reverse %a, dims = [1] : tensor<2xf32>
  return
}
// -----
// [1] are not different dimensions
func.func @main() {
  %0 = stablehlo.iota dim = 1 : tensor<2xf32>
  return
}
// -----
// slices of size 3 in a dimension of size 2 (C21)
func.func @main(%a: tensor<4x2xf32>, %i: tensor<3x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
  return
}
// -----
// stablehlo.gather (I2): indices of type tensor<3x1xf32>
func.func @main(%a: tensor<4x2xf32>, %i: tensor<3x1xf32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  return
}
// -----
// gather (I1): per-axis
func.func @main(%a: tensor<4x2x!quant.uniform<i32:f32:1, {0.5,0.25}>>, %i: tensor<3x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x2x!quant.uniform<i32:f32:1, {0.5,0.25}>>, tensor<3x1xi32>) -> tensor<3x2x!quant.uniform<i32:f32:1, {0.5,0.25}>>
  return
}
// -----
// dot_general (I1): per-axis
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,0.125}>>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,0.125}>>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// dot_general (C14): rhs must be quantized
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// dot_general (C14): rhs must be quantized
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf32>
  return
}
// -----
// dot_general (C16): rhs is quantized along a contracted dimension
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x4x!quant.uniform<i8:f32:0, {0.5,0.25,0.125}>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x4x!quant.uniform<i8:f32:0, {0.5,0.25,0.125}>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// dot_general (C17, RFC C16): storage types of lhs and rhs differ
func.func @main(%a: tensor<2x3x!quant.uniform<i16:f32, 0.5>>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i16:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// dot_general (C18, RFC C17): element types
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x4x!quant.uniform<i8:f64, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x4x!quant.uniform<i8:f64, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// dot_general (C19): a per-axis result of a per-tensor rhs
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i32:f32:1, {0.5,0.25,0.125,1.0}>>
  return
}
// -----
// dot_general (C20, RFC C18): element types
func.func @main(%a: tensor<2x3xf64>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf64>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf64>
  return
}
// -----
// dot_general (C13): element types f32, f64 do not go together
// StableHLO accepts this one
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf64>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<2x4xf64>
  return
}
// -----
// matrix product of (2, 3) and (2, 4)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}
// -----
// differ in number
func.func @main(%a: tensor<2x3xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
// convolution (I1): per-axis
func.func @main(%a: tensor<1x4x4x2x!quant.uniform<i8:f32:3, {0.5,0.25}>>, %b: tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32:3, {0.5,0.25}>>, tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// convolution (C28): rhs must be quantized
func.func @main(%a: tensor<1x4x4x2xf32>, %b: tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// convolution (C29): rhs must be quantized along its output features (3)
func.func @main(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x3x2x4x!quant.uniform<i8:f32:2, {0.5,0.25}>>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x3x2x4x!quant.uniform<i8:f32:2, {0.5,0.25}>>) -> tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// convolution (C30): the result must be quantized along its features (3)
func.func @main(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x3x2x4x!quant.uniform<i8:f32:3, {0.5,0.25,0.125,1.0}>>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x3x2x4x!quant.uniform<i8:f32:3, {0.5,0.25,0.125,1.0}>>) -> tensor<1x2x2x4x!quant.uniform<i32:f32:1, {0.5,0.25}>>
  return
}
// -----
// convolution (C31): storage types of lhs and rhs differ
func.func @main(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x3x2x4x!quant.uniform<ui8:f32, 0.5:3>>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x3x2x4x!quant.uniform<ui8:f32, 0.5:3>>) -> tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// convolution (C33): a per-axis result of a per-tensor rhs
func.func @main(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x2x4x!quant.uniform<i32:f32:3, {0.5,0.25,0.125,1.0}>>
  return
}
// -----
// expected tensor<1x2x2x4xf32>
func.func @main(%a: tensor<1x4x4x2xf32>, %b: tensor<3x3x2x4xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return
}
// -----
// 2 input features in 2 groups do not fit
func.func @main(%a: tensor<1x4x4x2xf32>, %b: tensor<3x3x2x4xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// -----
// strides and dilations must be positive
func.func @main(%a: tensor<1x4x4x2xf32>, %b: tensor<3x3x2x4xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// -----
// 1 entries for a tensor of rank 2
func.func @main(%a: tensor<1x4x4x2xf32>, %b: tensor<3x3x2x4xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// -----
// a reversed window is not supported
// StableHLO accepts this one
func.func @main(%a: tensor<1x4x4x2xf32>, %b: tensor<3x3x2x4xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// -----
// unknown window entry strides
func.func @main(%a: tensor<1x4x4x2xf32>, %b: tensor<3x3x2x4xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {strides = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// -----
// [0, 1, i, i] has no 'o'
func.func @main(%a: tensor<1x4x4x2xf32>, %b: tensor<3x3x2x4xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, i]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// -----
// an initial value of
// StableHLO accepts this one
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.25:1>>) {
  %0 = stablehlo.reduce(%a init: %b) across dimensions = [1] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.25:1>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
   reducer(%c: tensor<!quant.uniform<i8:f32, 0.5:3>>, %d: tensor<!quant.uniform<i8:f32, 0.5:3>>) {
    %1 = stablehlo.add %c, %d : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }
  return
}
// -----
// expected tensor<2x!quant.uniform<i8:f32, 0.5:3>>
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.reduce(%a init: %b) across dimensions = [1] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>>
   reducer(%c: tensor<!quant.uniform<i8:f32, 0.5:3>>, %d: tensor<!quant.uniform<i8:f32, 0.5:3>>) {
    %1 = stablehlo.add %c, %d : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }
  return
}
// -----
// reduce (C6)
func.func @main(%a: tensor<2x3x!quant.uniform<i16:f32, 0.5>>, %b: tensor<!quant.uniform<i16:f32, 0.5>>) {
  %0 = stablehlo.reduce(%a init: %b) across dimensions = [1] : (tensor<2x3x!quant.uniform<i16:f32, 0.5>>, tensor<!quant.uniform<i16:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
   reducer(%c: tensor<!quant.uniform<i8:f32, 0.5>>, %d: tensor<!quant.uniform<i8:f32, 0.5>>) {
    %1 = stablehlo.add %c, %d : tensor<!quant.uniform<i8:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.5>>
  }
  return
}
// -----
// reduce (C6): f32 cannot be promoted to i32
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %b) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xi32>
   reducer(%c: tensor<i32>, %d: tensor<i32>) {
    %1 = stablehlo.add %c, %d : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return
}
// -----
// [2] are not different dimensions
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %b) across dimensions = [2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%c: tensor<f32>, %d: tensor<f32>) {
    %1 = stablehlo.add %c, %d : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return
}
// -----
// a reduction applies a commutative op
func.func @main(%a: tensor<2xf32>, %b: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.subtract across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return
}
// -----
// expected tensor<3xf32>
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.add %c, %d : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
// -----
// must be positive
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 0>}> ({
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.add %c, %d : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  return
}
// -----
// a window of rank 2 over a tensor of rank 1
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.add %c, %d : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
// reduce_window (C13)
func.func @main(%a: tensor<4x!quant.uniform<i16:f32, 0.5>>, %b: tensor<!quant.uniform<i16:f32, 0.5>>) {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%c: tensor<!quant.uniform<i8:f32, 0.5>>, %d: tensor<!quant.uniform<i8:f32, 0.5>>):
    %1 = stablehlo.add %c, %d : tensor<!quant.uniform<i8:f32, 0.5>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.5>>
  }) : (tensor<4x!quant.uniform<i16:f32, 0.5>>, tensor<!quant.uniform<i16:f32, 0.5>>) -> tensor<3x!quant.uniform<i8:f32, 0.5>>
  return
}
// -----
// reduce: StableHLO has no conversion regions
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  }, {
  ^bb0(%c: tensor<!quant.uniform<i8:f32, 0.5:3>>, %d: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.maximum %c, %d : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }, {
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// only quantized elements are converted (RFC, case A), found tensor<f32>
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  }, {
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.add %c, %d : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}
// -----
// reduce: StableHLO requires initial values of the inputs' element types
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i32:f32, 0.5>>) {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%c: tensor<!quant.uniform<i8:f32, 0.5:3>>, %d: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.uniform_quantize %c : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    %2 = stablehlo.add %1, %d : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %2 : tensor<!quant.uniform<i32:f32, 0.5>>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
  return
}
// -----
// select_and_scatter (C1): elements !quant.uniform<i8:f32, 0.5:3> and f32 differ
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %s: tensor<2xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
// -----
// select_and_scatter (C2): a source of shape (3,), not (2,)
func.func @main(%x: tensor<4xf32>, %s: tensor<3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
// -----
// select_and_scatter (C9): select must take two scalars of tensor<f32> and give a boolean
func.func @main(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
// -----
// StableHLO does not have this op; lower it first
func.func @main(%a: tensor<4xf32>) {
  %0 = "qconvert.erf"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
// a value is used before it is defined
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.add %1, %a : tensor<4xf32>
  %1 = stablehlo.negate %a : tensor<4xf32>
  return
}
// -----
// wrong.mlir:2:22: no value %b is defined here
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.add %b, %a : tensor<4xf32>
  return
}
// -----
// wrong.mlir:3:3: SSA value %0 is already defined
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.negate %a : tensor<4xf32>
  %0 = stablehlo.negate %a : tensor<4xf32>
  return
}
// -----
// dimension 1 is 'arg0.1'. Give it a size: --dim arg0.1=SIZE
// StableHLO accepts this one
func.func @main(%a: tensor<2x?xf32>) {
  %0 = stablehlo.negate %a : tensor<2x?xf32>
  return
}
// -----
// a tensor of unknown rank
func.func @main(%a: tensor<*xf32>) {
  %0 = stablehlo.negate %a : tensor<*xf32>
  return
}
// -----
// 300 does not fit i8
func.func @main() {
  %0 = stablehlo.constant dense<300> : tensor<2xi8>
  return
}
// -----
// '1.5' is not an integer
func.func @main() {
  %0 = stablehlo.constant dense<1.5> : tensor<2xi8>
  return
}
// -----
// the lists are not nested as tensor<2x2xi8> needs
func.func @main() {
  %0 = stablehlo.constant dense<[[1, 2, 3], [4]]> : tensor<2x2xi8>
  return
}
// -----
// hex text has a character that is not a hex digit
func.func @main() {
  %0 = stablehlo.constant dense<"0x00zz"> : tensor<2xi8>
  return
}
// -----
// hex text has an odd number of digits
func.func @main() {
  %0 = stablehlo.constant dense<"0x000"> : tensor<2xi8>
  return
}
// -----
// 3 bytes are not a whole number of elements of i16
func.func @main() {
  %0 = stablehlo.constant dense<"0x000000"> : tensor<2xi16>
  return
}
// -----
// dense_resource<__elided__> has no data in this file
// StableHLO accepts this one
func.func @main() {
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<2xi8>
  return
}
// -----
// a constant must be a tensor, found vector<2xi8>
func.func @main() {
  %0 = stablehlo.constant dense<1> : vector<2xi8>
  return
}
// -----
// dot_general (C14): rhs must be quantized, and lhs and result alike
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
// -----
// dot_general (C15): rhs must have zero point 0
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4xf32>
  return
}
// -----
// dot_general (C16): rhs is quantized along a contracted dimension
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4x!quant.uniform<i8:f32:0, {0.5,0.25,0.125}>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4x!quant.uniform<i8:f32:0, {0.5,0.25,0.125}>>) -> tensor<2x4xf32>
  return
}
// -----
// dot_general (C20, RFC C18): element types
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf64>
  return
}
// -----
// dot_general (C20, RFC C18): element types
func.func @main(%a: tensor<2x3xi8>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xi32>
  return
}
// -----
// convolution (C29): rhs must be quantized along its output features (3)
func.func @main(%a: tensor<1x4x4x2xf32>, %b: tensor<3x3x2x4x!quant.uniform<i8:f32:2, {0.5,0.25}>>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4x!quant.uniform<i8:f32:2, {0.5,0.25}>>) -> tensor<1x2x2x4xf32>
  return
}
// -----
// convolution (C32): element types
func.func @main(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<3x3x2x4x!quant.uniform<i8:f64, 0.5>>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x3x2x4x!quant.uniform<i8:f64, 0.5>>) -> tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// -----
// convolution (C34): element types
func.func @main(%a: tensor<1x4x4x2xf64>, %b: tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf64>, tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x2x4xf64>
  return
}
// -----
// composite (C1): 'foo' is not a name with a namespace
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  %0 = stablehlo.composite "foo" %x {decomposition = @f} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// composite (C1): '.foo' is not a name with a namespace
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  %0 = stablehlo.composite ".foo" %x {decomposition = @f} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// composite (C2): there is no function @g
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  %0 = stablehlo.composite "a.b" %x {decomposition = @g} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// composite (C3): @f takes (tensor<2xf32>), the op (tensor<3xf32>)
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  %0 = stablehlo.composite "a.b" %y {decomposition = @f} : (tensor<3xf32>) -> tensor<2xf32>
  return
}
// -----
// composite (C4): @f gives (tensor<2xf32>), the op (tensor<3xf32>)
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  %0 = stablehlo.composite "a.b" %x {decomposition = @f} : (tensor<2xf32>) -> tensor<3xf32>
  return
}
// -----
// constant (C1): elements of type index
func.func @f() -> tensor<2xindex> {
  %0 = stablehlo.constant dense<1> : tensor<2xindex>
  return %0 : tensor<2xindex>
}
// -----
// padding and gaps need an initial value of the elements' type
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i32:f32, 0.5>>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{base_dilations = array<i64: 2>, window_dimensions = array<i64: 2>}> ({
  ^bb0(%c: tensor<!quant.uniform<i8:f32, 0.5:3>>, %d: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.uniform_quantize %c : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    %2 = stablehlo.add %d, %1 : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %2 : tensor<!quant.uniform<i32:f32, 0.5>>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<6x!quant.uniform<i32:f32, 0.5>>
  return
}
// -----
// padding and gaps need an initial value of the elements' type
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %z: tensor<!quant.uniform<i32:f32, 0.5>>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[1, 2]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>}> ({
  ^bb0(%c: tensor<!quant.uniform<i8:f32, 0.5:3>>, %d: tensor<!quant.uniform<i32:f32, 0.5>>):
    %1 = stablehlo.uniform_quantize %c : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
    %2 = stablehlo.add %d, %1 : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %2 : tensor<!quant.uniform<i32:f32, 0.5>>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<6x!quant.uniform<i32:f32, 0.5>>
  return
}
