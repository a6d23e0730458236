// a called function, arithmetic on sizes and an assertion about them
module {
  func.func private @plus_one(%n: tensor<i32>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %columns = stablehlo.constant dense<4> : tensor<1xi32>
    %s = stablehlo.concatenate %rows, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %b = stablehlo.dynamic_broadcast_in_dim %one, %s, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
    %0 = stablehlo.add %x, %b : tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
  func.func @main(%x: tensor<?x4xf32>) -> (tensor<?xf32>, tensor<f32>) {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %ok = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%ok, %n) {api_version = 2 : i32, error_message = "found {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %y = call @plus_one(%n, %x) : (tensor<i32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %four = stablehlo.constant dense<4> : tensor<i32>
    %m = stablehlo.multiply %n, %four : tensor<i32>
    %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
    %0 = stablehlo.dynamic_reshape %y, %s : (tensor<?x4xf32>, tensor<1xi32>) -> tensor<?xf32>
    %1 = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
    return %0, %1 : tensor<?xf32>, tensor<f32>
  }
}
// -----
// a matrix product, a reduction, a sort and a loop of the batch
func.func @main(%x: tensor<?x4xf32>) -> (tensor<?x3xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %w = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 0.0, 1.0]]> : tensor<4x3xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %3, %4 = stablehlo.while(%c = %i, %v = %x) : tensor<i32>, tensor<?x4xf32>
  cond {
    %n = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %p = stablehlo.compare LT, %c, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %step = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %c, %step : tensor<i32>
    %twice = stablehlo.add %v, %v : tensor<?x4xf32>
    stablehlo.return %next, %twice : tensor<i32>, tensor<?x4xf32>
  }
  return %0, %1, %2, %4 : tensor<?x3xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
// -----
// ops with sizes as values
func.func @main(%x: tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x4xi32>, tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x4xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %whole = stablehlo.concatenate %rows, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %limit = stablehlo.concatenate %rows, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %start = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %0 = stablehlo.real_dynamic_slice %x, %start, %limit, %ones : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  %1 = stablehlo.dynamic_iota %whole, dim = 0 : (tensor<2xi32>) -> tensor<?x4xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %nothing = stablehlo.constant dense<0> : tensor<1xi32>
  %high = stablehlo.concatenate %rows, %nothing, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = stablehlo.dynamic_pad %x, %zero, %none, %high, %none : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x4xf32>
  %sizes = stablehlo.concatenate %rows, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %places = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
  %3 = "stablehlo.dynamic_gather"(%x, %places, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  %4 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<?x4xf32>, tensor<i32>) -> tensor<?x4xf32>
  return %0, %1, %2, %3, %4 : tensor<?x2xf32>, tensor<?x4xi32>, tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x4xf32>
}
// -----
// a convolution whose padding is a value
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4x1xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %rest = stablehlo.constant dense<[4, 1]> : tensor<2xi32>
  %s = stablehlo.concatenate %rows, %rest, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x4x1xf32>
  %w = stablehlo.constant dense<[[[1.0]], [[2.0]], [[4.0]]]> : tensor<3x1x1xf32>
  %p = stablehlo.constant dense<1> : tensor<1x2xi32>
  %1 = "stablehlo.dynamic_conv"(%0, %w, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<?x4x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi32>) -> tensor<?x4x1xf32>
  return %1 : tensor<?x4x1xf32>
}
