// quant.qcast: shapes [2, 3] and [2, 4] differ
// MLIR refuses this one too
func.func @main(%x: tensor<2x3xf32>) {
  %0 = quant.qcast %x : tensor<2x3xf32> to tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// -----
// quant.qcast: !quant.uniform<i8:f64, 0.5> does not express f32
// MLIR refuses this one too
func.func @main(%x: tensor<2x3xf32>) {
  %0 = quant.qcast %x : tensor<2x3xf32> to tensor<2x3x!quant.uniform<i8:f64, 0.5>>
  return
}
// -----
// quant.qcast: a float is needed on one side, found !quant.uniform<i8:f32, 0.5>
// MLIR refuses this one too
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = quant.qcast %x : tensor<2x!quant.uniform<i8:f32, 0.5>> to tensor<2xf32>
  return
}
// -----
// quant.dcast: a quantized type is needed on one side, found i8
// MLIR refuses this one too
func.func @main(%x: tensor<2xi8>) {
  %0 = quant.dcast %x : tensor<2xi8> to tensor<2xf32>
  return
}
// -----
// quantized type (C13): 2 scales for a dimension of size 3
// MLIR refuses this one too
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32:1, {0.5,1.0}>>) {
  %0 = quant.dcast %x : tensor<2x3x!quant.uniform<i8:f32:1, {0.5,1.0}>> to tensor<2x3xf32>
  return
}
// -----
// quantized type (C12): dimension 2 of a tensor of rank 2
// MLIR refuses this one too
func.func @main(%x: tensor<2x3xf32>) {
  %0 = quant.qcast %x : tensor<2x3xf32> to tensor<2x3x!quant.uniform<i8:f32:2, {0.5,1.0}>>
  return
}
// -----
// blocks of 3 do not divide dimension 0 of [4, 4]
// MLIR refuses this one too
func.func @main(%x: tensor<4x4xf32>) {
  %0 = quant.qcast %x : tensor<4x4xf32> to tensor<4x4x!quant.uniform<i8:f32:{0:3, 1:4}, {{0.5},{0.25}}>>
  return
}
// -----
// (1,) scales, but the number of blocks is (1, 1)
// MLIR refuses this one too
func.func @main(%x: tensor<2x4xf32>) {
  %0 = quant.qcast %x : tensor<2x4xf32> to tensor<2x4x!quant.uniform<i8:f32:{0:2}, {0.5}>>
  return
}
// -----
// (2, 1) scales, but the number of blocks is (2, 2)
// MLIR refuses this one too
func.func @main(%x: tensor<4x4xf32>) {
  %0 = quant.qcast %x : tensor<4x4xf32> to tensor<4x4x!quant.uniform<i8:f32:{0:2, 1:2}, {{0.5},{0.25}}>>
  return
}
// -----
// a block size is below 1
// MLIR refuses this one too
func.func @main(%x: tensor<4x4xf32>) {
  %0 = quant.qcast %x : tensor<4x4xf32> to tensor<4x4x!quant.uniform<i8:f32:{0:0, 1:4}, {{0.5},{0.25}}>>
  return
}
// -----
// quant.scast: i16 is not the storage type of !quant.uniform<i8:f32, 0.5>
// MLIR refuses this one too
func.func @main(%x: tensor<2xi16>) {
  %0 = quant.scast %x : tensor<2xi16> to tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// -----
// quant.scast: ui8 is not the storage type of !quant.uniform<i8:f32, 0.5>
// MLIR refuses this one too
func.func @main(%x: tensor<2xui8>) {
  %0 = quant.scast %x : tensor<2xui8> to tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// -----
// quant.scast: a quantized type and an integer are needed, found f32 and !quant.uniform<i8:f32, 0.5>
// MLIR refuses this one too
func.func @main(%x: tensor<2xf32>) {
  %0 = quant.scast %x : tensor<2xf32> to tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// -----
// quant.scast: a quantized type and an integer are needed, found i8 and i8
// MLIR refuses this one too
func.func @main(%x: tensor<2xi8>) {
  %0 = quant.scast %x : tensor<2xi8> to tensor<2xi8>
  return
}
// -----
// quant.const_fake_quant: fake quantization to 17 bits is not supported. Use 2 to 16 bits
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.const_fake_quant"(%x) {min = 0.0 : f32, max = 1.0 : f32, num_bits = 17} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// quant.const_fake_quant: the range [1.5, 1.0] (channel 0) cannot be quantized
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.const_fake_quant"(%x) {min = 1.5 : f32, max = 1.0 : f32, num_bits = 8} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// quant.const_fake_quant: operand and result differ in type: tensor<2xf32> and tensor<3xf32>
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.const_fake_quant"(%x) {min = 0.0 : f32, max = 1.0 : f32, num_bits = 8} : (tensor<2xf32>) -> tensor<3xf32>
  return
}
// -----
// quant.const_fake_quant: f32 is needed, found f64
func.func @main(%x: tensor<2xf64>) {
  %0 = "quant.const_fake_quant"(%x) {min = 0.0 : f32, max = 1.0 : f32, num_bits = 8} : (tensor<2xf64>) -> tensor<2xf64>
  return
}
// -----
// property 'max' expected in operation 'quant.const_fake_quant'
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.const_fake_quant"(%x) {min = 0.0 : f32, num_bits = 8} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// quant.const_fake_quant_per_axis: 2 minima for 1 maxima
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.const_fake_quant_per_axis"(%x) {min = [0.0 : f32, 0.0 : f32], max = [1.0 : f32], num_bits = 8, axis = 0} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// quant.const_fake_quant_per_axis: quantized type (C13): 1 scales for a dimension of size 2
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.const_fake_quant_per_axis"(%x) {min = [0.0 : f32], max = [1.0 : f32], num_bits = 8, axis = 0} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// quant.const_fake_quant_per_axis: quantized type (C12): dimension -1 of a tensor of rank 1
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.const_fake_quant_per_axis"(%x) {min = [0.0 : f32], max = [1.0 : f32], num_bits = 8, axis = -1} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// quant.stats: layerStats must hold floats, found i8
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.stats"(%x) {layerStats = dense<[-1, 1]> : tensor<2xi8>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// quant.stats: layerStats must have shape [2], found [3]
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.stats"(%x) {layerStats = dense<0.0> : tensor<3xf32>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// quant.stats: layerStats must hold a minimum and a maximum that is not below it
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.stats"(%x) {layerStats = dense<[1.0, -1.0]> : tensor<2xf32>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// quant.stats: axis must be given with axisStats
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.stats"(%x) {layerStats = dense<0.0> : tensor<2xf32>, axisStats = dense<0.0> : tensor<2x2xf32>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// quant.stats: axisStats must have shape [6, 2], found [3, 2]
func.func @main(%x: tensor<4x3x2xf32>) {
  %0 = "quant.stats"(%x) {layerStats = dense<0.0> : tensor<2xf32>, axisStats = dense<0.0> : tensor<3x2xf32>, axis = 1} : (tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  return
}
// -----
// quant.stats: axis 3 of a tensor of rank 3
func.func @main(%x: tensor<4x3x2xf32>) {
  %0 = "quant.stats"(%x) {layerStats = dense<0.0> : tensor<2xf32>, axisStats = dense<0.0> : tensor<3x2xf32>, axis = 3} : (tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  return
}
// -----
// quant.stats_ref: a float or quantized type is needed, found i32
func.func @main(%x: tensor<2xi32>) {
  %0 = "quant.stats_ref"(%x) {statsKey = "a"} : (tensor<2xi32>) -> tensor<2xi32>
  return
}
// -----
// quant.coupled_ref: operand and result differ in type: tensor<2xf32> and tensor<2xf64>
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.coupled_ref"(%x) {coupledKey = "a"} : (tensor<2xf32>) -> tensor<2xf64>
  return
}
// -----
// property 'coupledKey' expected in operation 'quant.coupled_ref'
func.func @main(%x: tensor<2xf32>) {
  %0 = "quant.coupled_ref"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
// quant.region: input_specs: 0 for 1 ports
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "k", input_specs = [], output_specs = [none]}> ({
  ^bb0(%a: tensor<2xf32>):
    "quant.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// quant.region: input_specs: port 0 must be a quantized type, none or f32, found i8
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "k", input_specs = [i8], output_specs = [none]}> ({
  ^bb0(%a: tensor<2xf32>):
    "quant.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// quant.region: output_specs: !quant.uniform<i8:f64, 0.5> does not express port 0, which is f32
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "k", input_specs = [none], output_specs = [!quant.uniform<i8:f64, 0.5>]}> ({
  ^bb0(%a: tensor<2xf32>):
    "quant.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// quant.region: quantized type (C13): 3 scales for a dimension of size 2
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "k", input_specs = [none], output_specs = [!quant.uniform<i8:f32:0, {1.0,0.5,0.25}>]}> ({
  ^bb0(%a: tensor<2xf32>):
    "quant.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// quant.region: logical_kernel is empty
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "", input_specs = [none], output_specs = [none]}> ({
  ^bb0(%a: tensor<2xf32>):
    "quant.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// quant.region: the body's arguments are not of the inputs' types
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "k", input_specs = [none], output_specs = [none]}> ({
  ^bb0(%a: tensor<2xf64>):
    "quant.return"(%a) : (tensor<2xf64>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// terminates with operation stablehlo.return instead of quant.return
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "k", input_specs = [none], output_specs = [none]}> ({
  ^bb0(%a: tensor<2xf32>):
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// calibrated type: dimension 1 of a tensor of rank 1
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "k", input_specs = [!quant.calibrated<f32:1, {-1.0:2.0,0.0:1.0}>], output_specs = [none]}> ({
  ^bb0(%a: tensor<2xf32>):
    "quant.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// calibrated type: 3 ranges for a dimension of size 2
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "k", input_specs = [!quant.calibrated<f32:0, {-1.0:2.0,0.0:1.0,0.0:1.0}>], output_specs = [none]}> ({
  ^bb0(%a: tensor<2xf32>):
    "quant.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// calibrated range 1.0:0.5 of a slice is empty
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "k", input_specs = [!quant.calibrated<f32:0, {-1.0:2.0,1.0:0.5}>], output_specs = [none]}> ({
  ^bb0(%a: tensor<2xf32>):
    "quant.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// a range is needed for each slice
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "k", input_specs = [!quant.calibrated<f32:0, {}>], output_specs = [none]}> ({
  ^bb0(%a: tensor<2xf32>):
    "quant.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
// quant.region needs the name of its kernel
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = quant.region (%x) {
    quant.return %x : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
// -----
// the body of quant.region is one block that ends in quant.return
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = quant.region (%x) {} {kernel = "k"}
  return %0 : tensor<2xf32>
}
// -----
// no value %y is defined here
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = quant.region (%y) {
    quant.return %x : tensor<2xf32>
  } {kernel = "k"}
  return %0 : tensor<2xf32>
}
// -----
// the types of the inputs and of the returned values are not (tensor<2xf32>) -> tensor<3xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = quant.region (%x) {
    quant.return %x : tensor<2xf32>
  } {kernel = "k"} : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<2xf32>
}
