func.func @functions(%x: tensor<2x3xf32>, %y: tensor<2x3xf64>, %h: tensor<4xf16>, %n: tensor<4xi32>) -> tensor<2x3xf32> {
  %0 = chlo.acos %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = chlo.acosh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = chlo.asin %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = chlo.asinh %y : tensor<2x3xf64> -> tensor<2x3xf64>
  %4 = chlo.atan %h : tensor<4xf16> -> tensor<4xf16>
  %5 = chlo.atanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %6 = chlo.bessel_i1e %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %7 = chlo.conj %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %8 = chlo.cosh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %9 = chlo.digamma %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %10 = chlo.erf %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %11 = chlo.erf_inv %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %12 = chlo.erfc %h : tensor<4xf16> -> tensor<4xf16>
  %13 = chlo.is_inf %x : tensor<2x3xf32> -> tensor<2x3xi1>
  %14 = chlo.is_neg_inf %x : tensor<2x3xf32> -> tensor<2x3xi1>
  %15 = chlo.is_pos_inf %x : tensor<2x3xf32> -> tensor<2x3xi1>
  %16 = chlo.lgamma %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %17 = chlo.next_after %h, %h : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  %18 = chlo.polygamma %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %19 = chlo.sinh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %20 = chlo.square %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %21 = chlo.tan %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %22 = chlo.zeta %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %23 = chlo.constant dense<[1, 2]> : tensor<2xi32>
  %24 = "chlo.constant_like"(%x) <{value = 5.000000e-01 : f32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %25, %26 = chlo.top_k(%x, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %27, %28 = chlo.top_k(%n, k = 4) : tensor<4xi32> -> (tensor<4xi32>, tensor<4xi32>)
  return %x : tensor<2x3xf32>
}
// -----
func.func @broadcasts(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %z: tensor<2x1xf32>, %i: tensor<2x3xi32>, %j: tensor<i32>, %p: tensor<3xi1>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = chlo.broadcast_and %i, %j : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %2 = chlo.broadcast_atan2 %z, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %3 = chlo.broadcast_compare %x, %y {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %4 = chlo.broadcast_complex %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
  %5 = chlo.broadcast_divide %x, %z : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %6 = chlo.broadcast_maximum %x, %z : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %7 = chlo.broadcast_minimum %y, %x : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = chlo.broadcast_multiply %x, %y {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %9 = chlo.broadcast_next_after %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %10 = chlo.broadcast_or %i, %j : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %11 = chlo.broadcast_polygamma %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %12 = chlo.broadcast_power %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %13 = chlo.broadcast_remainder %i, %j : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %14 = chlo.broadcast_select %p, %x, %y : (tensor<3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %15 = chlo.broadcast_shift_left %i, %j : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %16 = chlo.broadcast_shift_right_arithmetic %i, %j : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %17 = chlo.broadcast_shift_right_logical %i, %j : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %18 = chlo.broadcast_subtract %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %19 = chlo.broadcast_xor %i, %j : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %20 = chlo.broadcast_zeta %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
func.func @groups(%x: tensor<11x5xf32>, %y: tensor<3x5x7xf32>, %n: tensor<3xi64>) -> tensor<11x7xf32> {
  %0 = "chlo.ragged_dot"(%x, %y, %n) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}
