// stablehlo.dynamic_slice (C2): 1 start indices for a tensor of rank 2
func.func @main(%a: tensor<3x4xf32>, %b: tensor<i64>) {
  %0 = "stablehlo.dynamic_slice"(%a, %b) <{slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<i64>) -> tensor<1x4xf32>
  return
}
// -----
// stablehlo.dynamic_slice (C3): start indices of different types
func.func @main(%a: tensor<3x4xf32>, %b: tensor<i64>, %c: tensor<i32>) {
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) <{slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<i64>, tensor<i32>) -> tensor<1x4xf32>
  return
}
// -----
// a start index of type tensor<1xi64>
func.func @main(%a: tensor<3x4xf32>, %b: tensor<1xi64>, %c: tensor<1xi64>) {
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) <{slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
  return
}
// -----
// slice 0:5:1 is outside a dimension of size 3
func.func @main(%a: tensor<3x4xf32>, %b: tensor<i64>, %c: tensor<i64>) {
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) <{slice_sizes = array<i64: 5, 4>}> : (tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<5x4xf32>
  return
}
// -----
// the result has type tensor<2x4xf32>, expected tensor<1x4xf32>
func.func @main(%a: tensor<3x4xf32>, %b: tensor<i64>, %c: tensor<i64>) {
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) <{slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x4xf32>
  return
}
// -----
// dynamic_slice (I1): per-axis quantization is not accepted
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32:0, {0.5,0.25}>>, %b: tensor<i64>, %c: tensor<i64>) {
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) <{slice_sizes = array<i64: 2, 4>}> : (tensor<2x4x!quant.uniform<i8:f32:0, {0.5,0.25}>>, tensor<i64>, tensor<i64>) -> tensor<2x4x!quant.uniform<i8:f32:0, {0.5,0.25}>>
  return
}
// -----
// stablehlo.dynamic_update_slice (C1): the result has type
func.func @main(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>, %c: tensor<i64>, %d: tensor<i64>) {
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<3x4xf16>
  return
}
// -----
// stablehlo.dynamic_update_slice (C2): an update of tensor<1x4xf16>
func.func @main(%a: tensor<3x4xf32>, %b: tensor<1x4xf16>, %c: tensor<i64>, %d: tensor<i64>) {
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<3x4xf32>, tensor<1x4xf16>, tensor<i64>, tensor<i64>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.dynamic_update_slice (C3): an update of rank 1 to 2
func.func @main(%a: tensor<3x4xf32>, %b: tensor<4xf32>, %c: tensor<i64>, %d: tensor<i64>) {
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<3x4xf32>, tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.dynamic_update_slice (C4): 1 start indices
func.func @main(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>, %c: tensor<i64>) {
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.dynamic_update_slice (C6): an update of shape (4, 4) does not fit (3, 4)
func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x4xf32>, %c: tensor<i64>, %d: tensor<i64>) {
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<3x4xf32>, tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.dynamic_broadcast_in_dim (C7): 3 integers are needed, found tensor<2xi64>
// StableHLO accepts this one
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2xi64>) {
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x3x4xf32>
  return
}
// -----
// stablehlo.dynamic_broadcast_in_dim (C8 to C10): [0, 0] are not different dimensions
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2xi64>) {
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.dynamic_broadcast_in_dim (C1): the result has type
// StableHLO accepts this one
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<1xi64>) {
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<1xi64>) -> tensor<2x!quant.uniform<i8:f32, 0.25:3>>
  return
}
// -----
// cannot reshape (3, 4) to (2, 5)
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2xi64>) {
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x5xf32>
  return
}
// -----
// stablehlo.dynamic_reshape (C4): 1 integers are needed
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2xi64>) {
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<12xf32>
  return
}
// -----
// stablehlo.dynamic_iota (C1): dimension 2 of a tensor of rank 2
func.func @main(%a: tensor<2xi64>) {
  %0 = "stablehlo.dynamic_iota"(%a) <{iota_dimension = 2 : i64}> : (tensor<2xi64>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.dynamic_iota (C2): 2 integers are needed, found tensor<3xi64>
// StableHLO accepts this one
func.func @main(%a: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_iota"(%a) <{iota_dimension = 1 : i64}> : (tensor<3xi64>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.dynamic_pad (C1): tensor<f16> pads
func.func @main(%a: tensor<3x4xf32>, %b: tensor<f16>, %c: tensor<2xi64>, %d: tensor<2xi64>, %e: tensor<2xi64>) {
  %0 = "stablehlo.dynamic_pad"(%a, %b, %c, %d, %e) : (tensor<3x4xf32>, tensor<f16>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.dynamic_pad (C2): 2 integers are needed, found tensor<1xi64>
func.func @main(%a: tensor<3x4xf32>, %b: tensor<f32>, %c: tensor<2xi64>, %d: tensor<2xi64>, %e: tensor<1xi64>) {
  %0 = "stablehlo.dynamic_pad"(%a, %b, %c, %d, %e) : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<1xi64>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.dynamic_pad (C4): tensor<3x4xf32> padded to tensor<4xf32>
func.func @main(%a: tensor<3x4xf32>, %b: tensor<f32>, %c: tensor<2xi64>, %d: tensor<2xi64>, %e: tensor<2xi64>) {
  %0 = "stablehlo.dynamic_pad"(%a, %b, %c, %d, %e) : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4xf32>
  return
}
// -----
// stablehlo.get_dimension_size (C1): dimension -1 of a tensor of rank 2
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.get_dimension_size"(%a) <{dimension = -1 : i64}> : (tensor<3x4xf32>) -> tensor<i32>
  return
}
// -----
// the result has type tensor<i64>, expected tensor<i32>
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.get_dimension_size"(%a) <{dimension = 1 : i64}> : (tensor<3x4xf32>) -> tensor<i64>
  return
}
// -----
// stablehlo.is_finite: the result has type tensor<3x4xf32>, expected tensor<3x4xi1>
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.is_finite"(%a) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// is_finite (I1): float or quantized is needed, found i32
func.func @main(%a: tensor<2xi32>) {
  %0 = "stablehlo.is_finite"(%a) : (tensor<2xi32>) -> tensor<2xi1>
  return
}
// -----
// stablehlo.reduce_precision (C2): 0 exponent bits
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 0 : i32, mantissa_bits = 3 : i32}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.reduce_precision (C3): -1 mantissa bits
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 3 : i32, mantissa_bits = -1 : i32}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// reduce_precision (I1): float or quantized is needed
func.func @main(%a: tensor<2xi8>) {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 3 : i32, mantissa_bits = 1 : i32}> : (tensor<2xi8>) -> tensor<2xi8>
  return
}
// -----
// reduce_precision (C1): storage and expressed types must be equal
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 3 : i32, mantissa_bits = 1 : i32}> : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i16:f32, 0.5:3>>
  return
}
// -----
// popcnt (I1): signed integer or unsigned integer is needed, found f32
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.popcnt"(%a) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// count_leading_zeros (I1): signed integer or unsigned integer is needed, found i1
func.func @main(%a: tensor<2xi1>) {
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<2xi1>) -> tensor<2xi1>
  return
}
// -----
// stablehlo.batch_norm_inference (C1): feature_index 2 of a tensor of rank 2
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
// -----
// stablehlo.batch_norm_inference (C3): tensor<2xf32> for 3 features
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
// -----
// stablehlo.batch_norm_inference (C6): tensor<2xf32> for 3 features
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<2xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}
// -----
// found tensor<3x2xf32> where the operand is tensor<2x3xf32>
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x2xf32>
  return
}
// -----
// batch_norm_inference (C2): storage and expressed types must be equal
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf16>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
// -----
// batch_norm_inference (I1): float or quantized is needed
func.func @main(%a: tensor<2x3xi8>, %b: tensor<3xi8>, %c: tensor<3xi8>, %d: tensor<3xi8>, %e: tensor<3xi8>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>) -> tensor<2x3xi8>
  return
}
// -----
// stablehlo.batch_norm_training (C5): tensor<2xf32> for 3 features
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  %0, %1, %2 = "stablehlo.batch_norm_training"(%a, %b, %c) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>)
  return
}
// -----
// stablehlo.batch_norm_grad (C4): tensor<2xf32> for 3 features
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>, %d: tensor<3xf32>, %e: tensor<2x3xf32>) {
  %0, %1, %2 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
// found tensor<2x3x1xf32> where the operand is tensor<2x3xf32>
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<2x3x1xf32>) {
  %0, %1, %2 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x1xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
// stablehlo.map (C1): shapes differ
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x0: tensor<f32>):
    stablehlo.return %x0 : tensor<f32>
  }) : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return
}
// -----
// stablehlo.map (C3): dimensions [1, 0] of rank 2
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x0: tensor<f32>):
    stablehlo.return %x0 : tensor<f32>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.map (C4): the computation takes (tensor<f16>), expected (tensor<f32>)
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x0: tensor<f16>):
    stablehlo.return %x0 : tensor<f16>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.map (C4): the computation returns (tensor<f32>, tensor<f32>)
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x0: tensor<f32>):
    stablehlo.return %x0, %x0 : tensor<f32>, tensor<f32>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// tensor<2xf32> is not a scalar
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x0: tensor<2xf32>):
    stablehlo.return %x0 : tensor<2xf32>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.sort (C2): results have other types
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.compare LT, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return
}
// -----
// stablehlo.sort (C3): shapes differ
func.func @main(%a: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %0, %1 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>):
    %z = stablehlo.compare LT, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)
  return
}
// -----
// stablehlo.sort (C4): dimension 2 of a tensor of rank 2
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 2 : i64}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.compare LT, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.sort (C5): the computation takes (tensor<i8>, tensor<i8>)
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%x0: tensor<i8>, %x1: tensor<i8>):
    %z = stablehlo.compare LT, %x0, %x1 : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.sort (C5): the computation returns (tensor<f32>), expected (tensor<i1>)
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// (C2) window, inserted and batching dimensions do not make up a rank of 2
func.func @main(%a: tensor<3x4xf32>, %b: tensor<6x1xi32>, %c: tensor<6x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<6x1xi32>, tensor<6x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// (C4) updates of shape (6, 5) to (3, 4)
func.func @main(%a: tensor<3x4xf32>, %b: tensor<6x1xi32>, %c: tensor<6x5xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<6x1xi32>, tensor<6x5xf32>) -> tensor<3x4xf32>
  return
}
// -----
// (C4) updates of shape (5, 4) to (3, 4)
func.func @main(%a: tensor<3x4xf32>, %b: tensor<6x1xi32>, %c: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<6x1xi32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.scatter (C6): updates of f16 to f32
// StableHLO accepts this one
func.func @main(%a: tensor<3x4xf32>, %b: tensor<6x1xi32>, %c: tensor<6x4xf16>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<6x1xi32>, tensor<6x4xf16>) -> tensor<3x4xf32>
  return
}
// -----
// (C7, C10, C12) dimensions [1, 0] are not in order
func.func @main(%a: tensor<3x4xf32>, %b: tensor<1xi32>, %c: tensor<3x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<1xi32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// [2] are not different dimensions of a tensor of rank 2
func.func @main(%a: tensor<3x4xf32>, %b: tensor<6x1xi32>, %c: tensor<6x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<6x1xi32>, tensor<6x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// (C16, C17) batching dimensions [0] and []
func.func @main(%a: tensor<3x4xf32>, %b: tensor<3x1xi32>, %c: tensor<3xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<3x4xf32>
  return
}
// -----
// (C18) batching dimensions of (3, 4) and (2, 1) differ in size
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<3x4xf32>
  return
}
// -----
// (C19) scatter_dims_to_operand_dims [0] for indices (6, 2)
func.func @main(%a: tensor<3x4xf32>, %b: tensor<6x2xi32>, %c: tensor<6x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<6x2xi32>, tensor<6x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// (C22) index_vector_dim 3 for indices of rank 2
func.func @main(%a: tensor<3x4xf32>, %b: tensor<6x1xi32>, %c: tensor<6x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 3>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<6x1xi32>, tensor<6x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.scatter (I2): indices of type tensor<6x1xf32>
func.func @main(%a: tensor<3x4xf32>, %b: tensor<6x1xf32>, %c: tensor<6x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<6x1xf32>, tensor<6x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.scatter (C23): the computation does not combine 1 pairs of scalars
func.func @main(%a: tensor<3x4xf32>, %b: tensor<6x1xi32>, %c: tensor<6x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.compare LT, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<3x4xf32>, tensor<6x1xi32>, tensor<6x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// scatter (C23): f32 cannot be promoted to i32
func.func @main(%a: tensor<3x4xf32>, %b: tensor<6x1xi32>, %c: tensor<6x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<i32>, %x1: tensor<i32>):
    %z = stablehlo.add %x0, %x1 : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<3x4xf32>, tensor<6x1xi32>, tensor<6x4xf32>) -> tensor<3x4xi32>
  return
}
// -----
// stablehlo.scatter (C24, C25): a result of tensor<3x4xf64>, expected tensor<3x4xf32>
func.func @main(%a: tensor<3x4xf32>, %b: tensor<6x1xi32>, %c: tensor<6x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<6x1xi32>, tensor<6x4xf32>) -> tensor<3x4xf64>
  return
}
// -----
// matrix product of (3, 4) and (3, 4): 4 and 3 differ
func.func @main(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>) {
  %0 = "stablehlo.dot"(%a, %b) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// a product of (3, 4, 1) and (3, 4)
func.func @main(%a: tensor<3x4x1xf32>, %b: tensor<3x4xf32>) {
  %0 = "stablehlo.dot"(%a, %b) : (tensor<3x4x1xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.cholesky (C2): tensor<3xf32> is not a matrix
func.func @main(%a: tensor<3xf32>) {
  %0 = "stablehlo.cholesky"(%a) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
// -----
// stablehlo.cholesky (C3): the matrices of tensor<3x4xf32> are not square
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.cholesky"(%a) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.cholesky (C1): tensor<3x3xf32> and tensor<1x3x3xf32>
func.func @main(%a: tensor<3x3xf32>) {
  %0 = "stablehlo.cholesky"(%a) : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
  return
}
// -----
// stablehlo.triangular_solve (C2): tensor<3x3xf32> and tensor<1x3x3xf32> differ in rank
func.func @main(%a: tensor<3x3xf32>, %b: tensor<1x3x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
  return
}
// -----
// stablehlo.triangular_solve (C3): tensor<3x3xf32> and tensor<4x3xf32> do not go together
func.func @main(%a: tensor<3x3xf32>, %b: tensor<4x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}
// -----
// stablehlo.triangular_solve (C4): a result of tensor<3x2xf32>
func.func @main(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x2xf32>
  return
}
// -----
// stablehlo.triangular_solve (C1, C4): element types f32, f16, f16 do not go together
func.func @main(%a: tensor<3x3xf32>, %b: tensor<3x3xf16>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf16>) -> tensor<3x3xf16>
  return
}
// -----
// stablehlo.tuple (C1): found tuple<tensor<i64>, tensor<3x4xf32>>
func.func @main(%a: tensor<3x4xf32>, %b: tensor<i64>) {
  %0 = "stablehlo.tuple"(%a, %b) : (tensor<3x4xf32>, tensor<i64>) -> tuple<tensor<i64>, tensor<3x4xf32>>
  return
}
// -----
// stablehlo.get_tuple_element (C1): index 2 of 2 values
func.func @main(%a: tuple<tensor<3x4xf32>, tensor<i64>>) {
  %0 = "stablehlo.get_tuple_element"(%a) <{index = 2 : i32}> : (tuple<tensor<3x4xf32>, tensor<i64>>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.get_tuple_element (C2): tensor<i64> is not tensor<3x4xf32>
func.func @main(%a: tuple<tensor<3x4xf32>, tensor<i64>>) {
  %0 = "stablehlo.get_tuple_element"(%a) <{index = 0 : i32}> : (tuple<tensor<3x4xf32>, tensor<i64>>) -> tensor<i64>
  return
}
// -----
// stablehlo.optimization_barrier (C1): results have other types
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.optimization_barrier"(%a) : (tensor<3x4xf32>) -> tensor<i64>
  return
}
// -----
// stablehlo.infeed (C1 to C3): results must be tensors and one token at the end
func.func @main(%a: !stablehlo.token) {
  %0 = "stablehlo.infeed"(%a) : (!stablehlo.token) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.send (C5): a channel of type 1, expected 2
func.func @main(%a: tensor<3x4xf32>, %b: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %b) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = true}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// -----
// stablehlo.recv (C5): a channel of type 3, expected 1
func.func @main(%a: !stablehlo.token) {
  %0, %1 = "stablehlo.recv"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = false}> : (!stablehlo.token) -> (tensor<3x4xf32>, !stablehlo.token)
  return
}
// -----
// stablehlo.send (C2): sources occur more than once
// StableHLO accepts this one
func.func @main(%a: tensor<3x4xf32>, %b: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %b) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// -----
// stablehlo.all_gather (C1): dimension 2 of a tensor of rank 2
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.all_gather (C2 to C4): groups must hold every device from 0 on once
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.all_gather (C2 to C4): groups must hold every device from 0 on once
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[1, 2]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.all_gather (C5): use_global_device_ids needs a channel above 0
// StableHLO accepts this one
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, use_global_device_ids, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.all_gather (C6): tensor<3x4xf32> and tensor<3x7xf32> do not go together
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x7xf32>
  return
}
// -----
// stablehlo.all_gather (C6): f32 becomes f16
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x8xf16>
  return
}
// -----
// all_gather (I1): per-axis quantization is not accepted
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32:0, {0.5,0.25}>>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4x!quant.uniform<i8:f32:0, {0.5,0.25}>>) -> tensor<2x8x!quant.uniform<i8:f32:0, {0.5,0.25}>>
  return
}
// -----
// stablehlo.all_reduce (C6): tensor<3x4xf32> gives tensor<4x3xf32>
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return
}
// -----
// stablehlo.all_reduce (C5, C7): the computation does not combine two
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x0: tensor<f16>, %x1: tensor<f16>):
    %z = stablehlo.add %x0, %x1 : tensor<f16>
    stablehlo.return %z : tensor<f16>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// all_reduce (C5): f32 cannot be promoted to i32
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x0: tensor<i32>, %x1: tensor<i32>):
    %z = stablehlo.add %x0, %x1 : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<3x4xf32>) -> tensor<3x4xi32>
  return
}
// -----
// stablehlo.reduce_scatter (C2): dimension 2 of a tensor of rank 2
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.reduce_scatter (C1, C8): tensor<3x3xf32> and tensor<3x4xf32> do not go together
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %z = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4xf32>) -> tensor<3x3xf32>
  return
}
// -----
// stablehlo.all_to_all (C1): dimension 2 of a tensor of rank 2
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, split_count = 2 : i64, split_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.all_to_all (C2): tensor<3x4xf32> does not split into 2 parts
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, split_count = 2 : i64, split_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.all_to_all (C3): dimension 2 of a tensor of rank 2
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 2 : i64, split_count = 2 : i64, split_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.all_to_all (C4): 0 parts
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, split_count = 0 : i64, split_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.all_to_all (C8): 4 parts for groups of 2 devices
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, split_count = 4 : i64, split_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<12x1xf32>
  return
}
// -----
// stablehlo.all_to_all (C9): a result of tensor<3x4xf32>
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, split_count = 2 : i64, split_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.collective_permute (C1): pairs of shape (1, 3)
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.collective_permute (C3): targets occur more than once
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.collective_permute (C4): a device with a negative number
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.collective_permute (C5): tensor<3x4xf32> gives tensor<3x4xf16>
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf16>
  return
}
// -----
// stablehlo.collective_broadcast (C1, C2): a device with a negative number or in two groups
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
// stablehlo.collective_broadcast (C3): tensor<3x4xf32> gives tensor<4x3xf32>
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return
}
// -----
// stablehlo.replica_id: the result has type tensor<i32>, expected tensor<ui32>
func.func @main() {
  %0 = "stablehlo.replica_id"() : () -> tensor<i32>
  return
}
