func.func @convolution(%x: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>, %w: tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>
}
// -----
func.func @one_dimension(%x: tensor<2x5x4xf32>, %w: tensor<3x2x8xf32>) -> tensor<2x2x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[0, 0]], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x5x4xf32>, tensor<3x2x8xf32>) -> tensor<2x2x8xf32>
  return %0 : tensor<2x2x8xf32>
}
// -----
func.func @dot(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %q: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, %w: tensor<4x3x!quant.uniform<i8:f32:1, {0.5,0.25,1.0}>>) -> tensor<2x3x!quant.uniform<i32:f32:1, {0.25,0.125,0.5}>> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = stablehlo.dot_general %q, %w, contracting_dims = [1] x [0] : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x3x!quant.uniform<i8:f32:1, {0.5,0.25,1.0}>>) -> tensor<2x3x!quant.uniform<i32:f32:1, {0.25,0.125,0.5}>>
  return %1 : tensor<2x3x!quant.uniform<i32:f32:1, {0.25,0.125,0.5}>>
}
// -----
func.func @windows(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x4x2xf32>, %g: tensor<3x3x1x8xf32>, %v: tensor<5x3xf32>, %k: tensor<3x7xf32>) -> tensor<1x4x4x2xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x4x4x2xf32>
  %1 = stablehlo.convolution(%x, %g) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[f, b, 0, 1], window = {stride = [2, 1], pad = [[0, 1], [-1, 2]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, note = 1 : i32, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<1x6x6x4xf32>, tensor<3x3x1x8xf32>) -> tensor<8x1x2x10xf32>
  %2 = stablehlo.convolution(%v, %k) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x3xf32>, tensor<3x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<1x4x4x2xf32>
}
// -----
func.func @per_tensor(%x: tensor<1x4x4x1x!quant.uniform<ui8:f32, 0.5:128>>, %w: tensor<3x3x1x2x!quant.uniform<ui8:f32, 0.25:7>>, %i: tensor<1x4x4x1xi8>, %k: tensor<3x3x1x2xi8>) -> tensor<1x2x2x2x!quant.uniform<i8:f32, 1.0:-3>> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1x!quant.uniform<ui8:f32, 0.5:128>>, tensor<3x3x1x2x!quant.uniform<ui8:f32, 0.25:7>>) -> tensor<1x2x2x2x!quant.uniform<i8:f32, 1.0:-3>>
  %1 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xi8>, tensor<3x3x1x2xi8>) -> tensor<1x2x2x2xi32>
  return %0 : tensor<1x2x2x2x!quant.uniform<i8:f32, 1.0:-3>>
}
// -----
func.func @hybrid(%x: tensor<1x4x4x1xf32>, %w: tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>, %a: tensor<2x4xf32>, %k: tensor<4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>) -> tensor<1x2x2x2xf32>
  %1 = stablehlo.dot_general %a, %k, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
// -----
func.func @products(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %i: tensor<2x3xi8>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] {note = "kept"} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [] x [] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3x3x2xf32>
  %2 = stablehlo.dot_general %a, %b, batching_dims = [0, 1] x [1, 0], contracting_dims = [] x [] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.dot_general %i, %i, contracting_dims = [1] x [1] : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xf32>
}
// -----
func.func @sums_in_another_type(%x: tensor<2x3xbf16>, %w: tensor<3x2xbf16>, %y: tensor<2x3xf32>, %v: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x2xbf16>) -> tensor<2x2xf32>
  %1 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf32>
}
