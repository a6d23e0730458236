// 8 bits, unsigned and signed, full and narrow
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = "quant.const_fake_quant"(%x) {min = 0.0 : f32, max = 6.375 : f32, num_bits = 8} : (tensor<64xf32>) -> tensor<64xf32> loc("relu")
  %1 = "quant.const_fake_quant"(%x) {min = -1.0 : f32, max = 0.9921875 : f32, num_bits = 8, is_signed = true} : (tensor<64xf32>) -> tensor<64xf32>
  %2 = "quant.const_fake_quant"(%x) {min = -3.175 : f32, max = 3.175 : f32, num_bits = 8, narrow_range = true, is_signed = true} : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %1 = quant.qcast %0 : tensor<64xf32> to tensor<64x!quant.uniform<ui8:f32, 0.02500000037252903>> loc("relu")
    %2 = quant.dcast %1 : tensor<64x!quant.uniform<ui8:f32, 0.02500000037252903>> to tensor<64xf32> loc("relu")
    %3 = quant.qcast %0 : tensor<64xf32> to tensor<64x!quant.uniform<i8:f32, 0.0078125>>
    %4 = quant.dcast %3 : tensor<64x!quant.uniform<i8:f32, 0.0078125>> to tensor<64xf32>
    %5 = quant.qcast %0 : tensor<64xf32> to tensor<64x!quant.uniform<i8<-127:127>:f32, 0.02500000037252903>>
    %6 = quant.dcast %5 : tensor<64x!quant.uniform<i8<-127:127>:f32, 0.02500000037252903>> to tensor<64xf32>
    func.return %2, %4, %6 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
}
// -----
// other widths: the storage that holds them, limited to their range
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = "quant.const_fake_quant"(%x) {min = -1.0 : f32, max = 0.5 : f32, num_bits = 2, is_signed = true} : (tensor<64xf32>) -> tensor<64xf32>
  %1 = "quant.const_fake_quant"(%x) {min = -0.5 : f32, max = 3.0 : f32, num_bits = 3} : (tensor<64xf32>) -> tensor<64xf32>
  %2 = "quant.const_fake_quant"(%x) {min = -8.0 : f32, max = 7.9375 : f32, num_bits = 12, is_signed = true} : (tensor<64xf32>) -> tensor<64xf32>
  %3 = "quant.const_fake_quant"(%x) {min = -16384.0 : f32, max = 16383.5 : f32, num_bits = 16} : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1, %2, %3 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %1 = quant.qcast %0 : tensor<64xf32> to tensor<64x!quant.uniform<i2:f32, 0.5>>
    %2 = quant.dcast %1 : tensor<64x!quant.uniform<i2:f32, 0.5>> to tensor<64xf32>
    %3 = quant.qcast %0 : tensor<64xf32> to tensor<64x!quant.uniform<ui4<0:7>:f32, 0.5:1>>
    %4 = quant.dcast %3 : tensor<64x!quant.uniform<ui4<0:7>:f32, 0.5:1>> to tensor<64xf32>
    %5 = quant.qcast %0 : tensor<64xf32> to tensor<64x!quant.uniform<i16<-2048:2047>:f32, 0.0038919413927942514:8>>
    %6 = quant.dcast %5 : tensor<64x!quant.uniform<i16<-2048:2047>:f32, 0.0038919413927942514:8>> to tensor<64xf32>
    %7 = quant.qcast %0 : tensor<64xf32> to tensor<64x!quant.uniform<ui16:f32, 0.5:32768>>
    %8 = quant.dcast %7 : tensor<64x!quant.uniform<ui16:f32, 0.5:32768>> to tensor<64xf32>
    func.return %2, %4, %6, %8 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
}
// -----
// ranges that exclude zero, and nothing but zero
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = "quant.const_fake_quant"(%x) {min = 2.0 : f32, max = 65.75 : f32, num_bits = 8} : (tensor<64xf32>) -> tensor<64xf32>
  %1 = "quant.const_fake_quant"(%x) {min = -65.75 : f32, max = -2.0 : f32, num_bits = 8, is_signed = true} : (tensor<64xf32>) -> tensor<64xf32>
  %2 = "quant.const_fake_quant"(%x) {min = 0.0 : f32, max = 0.0 : f32, num_bits = 8} : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %1 = quant.qcast %0 : tensor<64xf32> to tensor<64x!quant.uniform<ui8:f32, 0.25>>
    %2 = quant.dcast %1 : tensor<64x!quant.uniform<ui8:f32, 0.25>> to tensor<64xf32>
    %3 = quant.qcast %0 : tensor<64xf32> to tensor<64x!quant.uniform<i8:f32, 0.25:127>>
    %4 = quant.dcast %3 : tensor<64x!quant.uniform<i8:f32, 0.25:127>> to tensor<64xf32>
    %5 = quant.qcast %0 : tensor<64xf32> to tensor<64x!quant.uniform<ui8:f32, 1.1754943508222875e-38>>
    %6 = quant.dcast %5 : tensor<64x!quant.uniform<ui8:f32, 1.1754943508222875e-38>> to tensor<64xf32>
    func.return %2, %4, %6 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
}
// -----
// a range for each slice
func.func @main(%x: tensor<8x4x3xf32>) -> tensor<8x4x3xf32> {
  %0 = "quant.const_fake_quant_per_axis"(%x) {min = [-1.0 : f32, 0.0 : f32, 0.0 : f32], max = [0.9921875 : f32, 0.0 : f32, 1.0 : f32], num_bits = 8, narrow_range = false, is_signed = true, axis = 2} : (tensor<8x4x3xf32>) -> tensor<8x4x3xf32>
  return %0 : tensor<8x4x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<8x4x3xf32>) -> tensor<8x4x3xf32> {
    %1 = quant.qcast %0 : tensor<8x4x3xf32> to tensor<8x4x3x!quant.uniform<i8:f32:2, {0.0078125,1.1754943508222875e-38:-128,0.003921568859368563:-128}>>
    %2 = quant.dcast %1 : tensor<8x4x3x!quant.uniform<i8:f32:2, {0.0078125,1.1754943508222875e-38:-128,0.003921568859368563:-128}>> to tensor<8x4x3xf32>
    func.return %2 : tensor<8x4x3xf32>
  }
}
