func.func @unary(%f: tensor<2x3xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>) -> tensor<2x3xf32> {
  %0 = stablehlo.abs %f : tensor<2x3xf32>
  %1 = stablehlo.cbrt %0 : tensor<2x3xf32>
  %2 = stablehlo.ceil %1 : tensor<2x3xf32>
  %3 = stablehlo.cosine %2 : tensor<2x3xf32>
  %4 = stablehlo.exponential %3 : tensor<2x3xf32>
  %5 = stablehlo.exponential_minus_one %4 : tensor<2x3xf32>
  %6 = stablehlo.floor %5 : tensor<2x3xf32>
  %7 = stablehlo.log %6 : tensor<2x3xf32>
  %8 = stablehlo.log_plus_one %7 : tensor<2x3xf32>
  %9 = stablehlo.logistic %8 : tensor<2x3xf32>
  %10 = stablehlo.negate %9 : tensor<2x3xf32>
  %11 = stablehlo.round_nearest_even %10 : tensor<2x3xf32>
  %12 = stablehlo.round_nearest_afz %11 : tensor<2x3xf32>
  %13 = stablehlo.rsqrt %12 : tensor<2x3xf32>
  %14 = stablehlo.sign %13 : tensor<2x3xf32>
  %15 = stablehlo.sine %14 : tensor<2x3xf32>
  %16 = stablehlo.sqrt %15 : tensor<2x3xf32>
  %17 = stablehlo.tan %16 : tensor<2x3xf32>
  %18 = stablehlo.tanh %17 : tensor<2x3xf32>
  %19 = stablehlo.not %p : tensor<4xi1>
  %20 = stablehlo.not %i : tensor<4xi32>
  return %18 : tensor<2x3xf32>
}
// -----
func.func @binary(%f: tensor<4xf32>, %i: tensor<4xi32>, %u: tensor<4xui8>) -> tensor<4xf32> {
  %0 = stablehlo.add %f, %f : tensor<4xf32>
  %1 = stablehlo.atan2 %0, %f : tensor<4xf32>
  %2 = stablehlo.divide %1, %f : tensor<4xf32>
  %3 = stablehlo.maximum %2, %f : tensor<4xf32>
  %4 = stablehlo.minimum %3, %f : tensor<4xf32>
  %5 = stablehlo.multiply %4, %f : tensor<4xf32>
  %6 = stablehlo.power %5, %f : tensor<4xf32>
  %7 = stablehlo.remainder %6, %f : tensor<4xf32>
  %8 = stablehlo.subtract %7, %f : tensor<4xf32>
  %9 = stablehlo.and %i, %i : tensor<4xi32>
  %10 = stablehlo.or %9, %i : tensor<4xi32>
  %11 = stablehlo.xor %10, %i : tensor<4xi32>
  %12 = stablehlo.shift_left %11, %i : tensor<4xi32>
  %13 = stablehlo.shift_right_arithmetic %12, %i : tensor<4xi32>
  %14 = stablehlo.shift_right_logical %13, %i : tensor<4xi32>
  %15 = stablehlo.add %u, %u : tensor<4xui8>
  return %8 : tensor<4xf32>
}
// -----
func.func @choices(%f: tensor<4xf32>, %s: tensor<f32>, %p: tensor<4xi1>, %i: tensor<4xi32>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare GE, %f, %f, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = stablehlo.compare NE, %i, %i, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %3 = stablehlo.select %p, %f, %f : tensor<4xi1>, tensor<4xf32>
  %4 = stablehlo.clamp %s, %f, %s : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.clamp %f, %4, %f : tensor<4xf32>
  %6 = stablehlo.convert %f : (tensor<4xf32>) -> tensor<4xi32>
  %7 = stablehlo.convert %p : (tensor<4xi1>) -> tensor<4xf32>
  %8 = stablehlo.bitcast_convert %f : (tensor<4xf32>) -> tensor<4xi32>
  return %2 : tensor<4xi1>
}
// -----
func.func @quantized(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x!quant.uniform<i8:f32, 0.25>>) -> tensor<4x!quant.uniform<i8:f32, 0.1:-7>> {
  %0 = stablehlo.add %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25>>) -> tensor<4x!quant.uniform<i8:f32, 0.1:-7>>
  %1 = stablehlo.multiply %0, %0 : tensor<4x!quant.uniform<i8:f32, 0.1:-7>>
  %2 = stablehlo.tanh %1 : tensor<4x!quant.uniform<i8:f32, 0.1:-7>>
  %3 = stablehlo.bitcast_convert %2 : (tensor<4x!quant.uniform<i8:f32, 0.1:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.05>>
  %4 = stablehlo.clamp %2, %2, %2 : tensor<4x!quant.uniform<i8:f32, 0.1:-7>>
  return %4 : tensor<4x!quant.uniform<i8:f32, 0.1:-7>>
}
// -----
func.func @quantized_unary(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>> {
  %0 = stablehlo.abs %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %1 = stablehlo.cbrt %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %2 = stablehlo.ceil %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %3 = stablehlo.cosine %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %4 = stablehlo.exponential %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %5 = stablehlo.exponential_minus_one %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %6 = stablehlo.floor %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %7 = stablehlo.log %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %8 = stablehlo.log_plus_one %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %9 = stablehlo.logistic %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %10 = stablehlo.negate %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %11 = stablehlo.round_nearest_even %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %12 = stablehlo.round_nearest_afz %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %13 = stablehlo.rsqrt %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %14 = stablehlo.sign %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %15 = stablehlo.sine %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %16 = stablehlo.sqrt %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %17 = stablehlo.tan %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %18 = stablehlo.tanh %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
}
// -----
func.func @quantized_binary(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = stablehlo.atan2 %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.divide %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %2 = stablehlo.maximum %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %3 = stablehlo.minimum %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %4 = stablehlo.multiply %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %5 = stablehlo.power %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %6 = stablehlo.remainder %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %7 = stablehlo.subtract %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
// -----
func.func @quantized_choices(%p: tensor<i1>, %a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x!quant.uniform<i8:f32, 0.25:-1>>, %l: tensor<!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4xi1> {
  %0 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.select %p, %a, %a : (tensor<i1>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %2 = stablehlo.clamp %l, %a, %l : (tensor<!quant.uniform<i8:f32, 0.25:-1>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  %3 = stablehlo.compare EQ, %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<4xi1>
  return %3 : tensor<4xi1>
}
// -----
func.func @bias(%a: tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>, %b: tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>, %w: tensor<4x!quant.uniform<i16:f64, 0.5>>) -> tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>> {
  %0 = stablehlo.add %a, %b : tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>) -> tensor<2x3xi32>
  %2 = stablehlo.negate %w : tensor<4x!quant.uniform<i16:f64, 0.5>>
  return %0 : tensor<2x3x!quant.uniform<i32:f32:1, {0.5,0.25,0.125}>>
}
// -----
func.func @kinds(%h: tensor<3xf16>, %b: tensor<3xbf16>, %d: tensor<3xf64>, %p: tensor<3xi1>, %i: tensor<3xi8>, %u: tensor<3xui32>) -> tensor<3xi64> {
  %0 = stablehlo.add %h, %h {note = "kept"} : tensor<3xf16>
  %1 = stablehlo.maximum %b, %b : tensor<3xbf16>
  %2 = stablehlo.tanh %d : tensor<3xf64>
  %3 = stablehlo.and %p, %p : tensor<3xi1>
  %4 = stablehlo.abs %i : tensor<3xi8>
  %5 = stablehlo.shift_right_logical %u, %u : tensor<3xui32>
  %6 = stablehlo.compare GT, %u, %u, UNSIGNED : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xi1>
  %7 = stablehlo.compare LE, %d, %d, TOTALORDER : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  %8 = stablehlo.convert %b : tensor<3xbf16>
  %9 = stablehlo.convert %u : (tensor<3xui32>) -> tensor<3xi64>
  return %9 : tensor<3xi64>
}
