// An op on constants is a constant.
func.func @main() -> tensor<2xf32> {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %c = stablehlo.add %a, %b : tensor<2xf32>
  return %c : tensor<2xf32>
}
// becomes
func.func @main() -> tensor<2xf32> {
  %c = stablehlo.constant dense<[1.5, 2.25]> : tensor<2xf32>
  return %c : tensor<2xf32>
}
// -----
// A weight held in float under a quantize becomes a quantized constant; its dequantize stays.
func.func @main() -> tensor<2xf32> {
  %a = stablehlo.constant dense<[1.0, 2.1]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %d = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  return %d : tensor<2xf32>
}
// becomes
func.func @main() -> tensor<2xf32> {
  %q = stablehlo.constant() <{value = dense<[2, 4]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %d = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  return %d : tensor<2xf32>
}
// -----
// A transpose of a dequantized weight moves its integers, and its axis with them.
func.func @main() -> tensor<3x2xf32> {
  %w = stablehlo.constant() <{value = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>}> : () -> tensor<2x3x!quant.uniform<i8:f32:0, {0.5,0.25}>>
  %d = stablehlo.uniform_dequantize %w : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5,0.25}>>) -> tensor<2x3xf32>
  %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %t : tensor<3x2xf32>
}
// becomes
func.func @main() -> tensor<3x2xf32> {
  %w = stablehlo.constant() <{value = dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi8>}> : () -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>
  %d = stablehlo.uniform_dequantize %w : (tensor<3x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<3x2xf32>
  return %d : tensor<3x2xf32>
}
// -----
// Arithmetic on dequantized constants is computed through them.
func.func @main() -> tensor<2x!quant.uniform<i8:f32, 0.5>> {
  %a = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %d = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  %s = stablehlo.add %d, %d : tensor<2xf32>
  %q = stablehlo.uniform_quantize %s : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return %q : tensor<2x!quant.uniform<i8:f32, 0.5>>
}
// becomes
func.func @main() -> tensor<2x!quant.uniform<i8:f32, 0.5>> {
  %q = stablehlo.constant() <{value = dense<[2, 4]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return %q : tensor<2x!quant.uniform<i8:f32, 0.5>>
}
// -----
// Integers of fewer than 8 bits wrap, a scalar too.
func.func @main() -> (tensor<i4>, tensor<2xui4>) {
  %a = stablehlo.constant dense<7> : tensor<i4>
  %b = stablehlo.constant dense<[15, 3]> : tensor<2xui4>
  %c = stablehlo.add %a, %a : tensor<i4>
  %d = stablehlo.multiply %b, %b : tensor<2xui4>
  return %c, %d : tensor<i4>, tensor<2xui4>
}
// becomes
func.func @main() -> (tensor<i4>, tensor<2xui4>) {
  %c = stablehlo.constant dense<-2> : tensor<i4>
  %d = stablehlo.constant dense<[1, 9]> : tensor<2xui4>
  return %c, %d : tensor<i4>, tensor<2xui4>
}
