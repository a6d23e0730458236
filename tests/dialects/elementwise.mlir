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
