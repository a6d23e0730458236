// both operands on twice the larger scale with 20 fractional bits
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, %b: tensor<2x3x!quant.uniform<i8:f32, 0.077:-2>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>> {
  %0 = stablehlo.add %a, %b {qconvert.tensor = "sum"} : (tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, tensor<2x3x!quant.uniform<i8:f32, 0.077:-2>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, %1: tensor<2x3x!quant.uniform<i8:f32, 0.077:-2>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>> {
    %2 = "tosa.const"() <{values = dense<1394469901> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<13> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<-1> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.rescale"(%0, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %7 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<-2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "tosa.rescale"(%1, %7, %8, %9, %10) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3x!quant.uniform<i8:f32, 0.077:-2>>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %12 = stablehlo.add %6, %11 : tensor<2x3xi32>
    %13 = "tosa.const"() <{values = dense<1095074443> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<50> : tensor<1xi8>}> : () -> tensor<1xi8>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %17 = "tosa.rescale"(%12, %13, %14, %15, %16) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> {qconvert.tensor = "sum"} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>>
    func.return %17 : tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>>
  }
}
// -----
// a matrix product: integers less their zero point, the bias as it is, a multiplier for each channel
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.31:7>> {
  %w = stablehlo.constant() <{value = dense<[[1, -2], [3, 4], [-5, 6]]> : tensor<3x2xi8>}> : () -> tensor<3x2x!quant.uniform<i8:f32:1, {0.125, 0.25}>>
  %b = stablehlo.constant() <{value = dense<[10, -20]> : tensor<2xi32>}> : () -> tensor<2x!quant.uniform<i32:f32:0, {0.0625, 0.125}>>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x2x!quant.uniform<i8:f32:1, {0.125, 0.25}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.0625, 0.125}>>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2x!quant.uniform<i32:f32:0, {0.0625, 0.125}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.0625, 0.125}>>
  %2 = stablehlo.add %0, %1 : tensor<2x2x!quant.uniform<i32:f32:1, {0.0625, 0.125}>>
  %3 = stablehlo.uniform_quantize %2 : (tensor<2x2x!quant.uniform<i32:f32:1, {0.0625, 0.125}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.31:7>>
  return %3 : tensor<2x2x!quant.uniform<i8:f32, 0.31:7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.31:7>> {
    %1 = stablehlo.bitcast_convert %0 : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xi8>
    %2 = stablehlo.convert %1 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %3 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %4 = stablehlo.subtract %2, %3 : tensor<2x3xi32>
    %5 = stablehlo.constant dense<[[1, -2], [3, 4], [-5, 6]]> : tensor<3x2xi8>
    %6 = stablehlo.convert %5 : (tensor<3x2xi8>) -> tensor<3x2xi32>
    %7 = stablehlo.dot_general %4, %6, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
    %8 = stablehlo.constant dense<[10, -20]> : tensor<2xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<2xi32>) -> tensor<2x2xi32>
    %10 = stablehlo.add %7, %9 : tensor<2x2xi32>
    %11 = "tosa.const"() <{values = dense<1731841652> : tensor<2xi32>}> : () -> tensor<2xi32>
    %12 = "tosa.const"() <{values = dense<[33, 32]> : tensor<2xi8>}> : () -> tensor<2xi8>
    %13 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %15 = "tosa.rescale"(%10, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x2x!quant.uniform<i8:f32, 0.31:7>>
    func.return %15 : tensor<2x2x!quant.uniform<i8:f32, 0.31:7>>
  }
}
// -----
// sums that are rescaled to 8 bits at once
func.func @main(%x: tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<1x3x3x2x!quant.uniform<i8:f32, 1.03:5>> {
  %w = stablehlo.constant() <{value = dense<[[[[1, -2]], [[3, 4]]], [[[-5, 6]], [[7, 20]]]]> : tensor<2x2x1x2xi8>}> : () -> tensor<2x2x1x2x!quant.uniform<i8:f32, 0.25:0>>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x2x1x2x!quant.uniform<i8:f32, 0.25:0>>) -> tensor<1x3x3x2x!quant.uniform<i8:f32, 1.03:5>>
  return %0 : tensor<1x3x3x2x!quant.uniform<i8:f32, 1.03:5>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x3x3x2x!quant.uniform<i8:f32, 1.03:5>> {
    %1 = stablehlo.bitcast_convert %0 : (tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x1xi8>
    %2 = stablehlo.convert %1 : (tensor<1x4x4x1xi8>) -> tensor<1x4x4x1xi32>
    %3 = stablehlo.constant dense<[[[[1, -2]], [[3, 4]]], [[[-5, 6]], [[7, 20]]]]> : tensor<2x2x1x2xi8>
    %4 = stablehlo.convert %3 : (tensor<2x2x1x2xi8>) -> tensor<2x2x1x2xi32>
    %5 = stablehlo.convolution(%2, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xi32>, tensor<2x2x1x2xi32>) -> tensor<1x3x3x2xi32>
    %6 = "tosa.const"() <{values = dense<2084935581> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "tosa.const"() <{values = dense<34> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
    %10 = "tosa.rescale"(%5, %6, %7, %8, %9) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x3x3x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x3x2x!quant.uniform<i8:f32, 1.03:5>>
    func.return %10 : tensor<1x3x3x2x!quant.uniform<i8:f32, 1.03:5>>
  }
}
// -----
// movements and comparisons of one type use the integers themselves
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, %b: tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>) -> (tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>, tensor<3x2xi1>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>
  %1 = stablehlo.compare LT, %0, %b : (tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>, tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<3x2xi1>
  %2 = stablehlo.select %1, %0, %b : tensor<3x2xi1>, tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>
  %low = stablehlo.constant() <{value = dense<-1> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.025:-1>>
  %high = stablehlo.constant() <{value = dense<99> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.025:-1>>
  %3 = stablehlo.clamp %low, %2, %high : (tensor<!quant.uniform<i8:f32, 0.025:-1>>, tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>, tensor<!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>
  %4 = stablehlo.maximum %3, %b : tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>
  return %4, %1 : tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>, tensor<3x2xi1>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, %1: tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>) -> (tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>, tensor<3x2xi1>) {
    %2 = stablehlo.bitcast_convert %0 : (tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x3xi8>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
    %4 = stablehlo.bitcast_convert %1 : (tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<3x2xi8>
    %5 = stablehlo.compare LT, %3, %4 : (tensor<3x2xi8>, tensor<3x2xi8>) -> tensor<3x2xi1>
    %6 = stablehlo.bitcast_convert %1 : (tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<3x2xi8>
    %7 = stablehlo.select %5, %3, %6 : tensor<3x2xi1>, tensor<3x2xi8>
    %8 = stablehlo.constant dense<-1> : tensor<i8>
    %9 = stablehlo.constant dense<99> : tensor<i8>
    %10 = stablehlo.clamp %8, %7, %9 : (tensor<i8>, tensor<3x2xi8>, tensor<i8>) -> tensor<3x2xi8>
    %11 = stablehlo.bitcast_convert %1 : (tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<3x2xi8>
    %12 = stablehlo.maximum %10, %11 : tensor<3x2xi8>
    %13 = stablehlo.bitcast_convert %12 : (tensor<3x2xi8>) -> tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>
    func.return %13, %5 : tensor<3x2x!quant.uniform<i8:f32, 0.025:-1>>, tensor<3x2xi1>
  }
}
// -----
// comparisons of two scales, with 15 fractional bits for 16-bit integers
func.func @main(%a: tensor<4x!quant.uniform<i16:f32, 0.025>>, %b: tensor<4x!quant.uniform<i16:f32, 0.075>>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<4x!quant.uniform<i16:f32, 0.025>>, tensor<4x!quant.uniform<i16:f32, 0.075>>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i16:f32, 0.025>>, %1: tensor<4x!quant.uniform<i16:f32, 0.075>>) -> tensor<4xi1> {
    %2 = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<17> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.rescale"(%0, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x!quant.uniform<i16:f32, 0.025>>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<4xi32>
    %7 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<15> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "tosa.rescale"(%1, %7, %8, %9, %10) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x!quant.uniform<i16:f32, 0.075>>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<4xi32>
    %12 = stablehlo.compare LT, %6, %11 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    func.return %12 : tensor<4xi1>
  }
}
// -----
// unsigned integers are read without a sign, where RESCALE can; otherwise widened first
func.func @main(%a: tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.negate %a : tensor<4x!quant.uniform<ui8:f32, 0.5:131>>
  return %0, %1 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<ui8:f32, 0.5:131>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) {
    %1 = stablehlo.bitcast_convert %0 : (tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<4xi8>
    %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<-125> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.rescale"(%1, %2, %3, %4, %5) <{input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    %7 = stablehlo.bitcast_convert %0 : (tensor<4x!quant.uniform<ui8:f32, 0.5:131>>) -> tensor<4xui8>
    %8 = stablehlo.convert %7 : (tensor<4xui8>) -> tensor<4xi32>
    %9 = stablehlo.constant dense<131> : tensor<4xi32>
    %10 = stablehlo.subtract %8, %9 : tensor<4xi32>
    %11 = stablehlo.negate %10 : tensor<4xi32>
    %12 = stablehlo.constant dense<-131> : tensor<i32>
    %13 = stablehlo.constant dense<124> : tensor<i32>
    %14 = stablehlo.clamp %12, %11, %13 : (tensor<i32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %15 = stablehlo.constant dense<131> : tensor<4xi32>
    %16 = stablehlo.add %14, %15 : tensor<4xi32>
    %17 = stablehlo.convert %16 : (tensor<4xi32>) -> tensor<4xui8>
    %18 = stablehlo.bitcast_convert %17 : (tensor<4xui8>) -> tensor<4x!quant.uniform<ui8:f32, 0.5:131>>
    func.return %6, %18 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<ui8:f32, 0.5:131>>
  }
}
// -----
// integers of 4 bits, and a range narrower than its storage, are clamped in 32 bits
func.func @main(%a: tensor<4x!quant.uniform<i4:f32, 0.5:1>>, %b: tensor<4x!quant.uniform<i8<-127:127>:f32, 0.25:4>>) -> (tensor<4x!quant.uniform<i4:f32, 4.0:-2>>, tensor<4x!quant.uniform<i8<-127:127>:f32, 0.25:4>>) {
  %0 = stablehlo.multiply %a, %a : (tensor<4x!quant.uniform<i4:f32, 0.5:1>>, tensor<4x!quant.uniform<i4:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i4:f32, 4.0:-2>>
  %1 = stablehlo.abs %b : tensor<4x!quant.uniform<i8<-127:127>:f32, 0.25:4>>
  return %0, %1 : tensor<4x!quant.uniform<i4:f32, 4.0:-2>>, tensor<4x!quant.uniform<i8<-127:127>:f32, 0.25:4>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i4:f32, 0.5:1>>, %1: tensor<4x!quant.uniform<i8<-127:127>:f32, 0.25:4>>) -> (tensor<4x!quant.uniform<i4:f32, 4.0:-2>>, tensor<4x!quant.uniform<i8<-127:127>:f32, 0.25:4>>) {
    %2 = stablehlo.bitcast_convert %0 : (tensor<4x!quant.uniform<i4:f32, 0.5:1>>) -> tensor<4xi4>
    %3 = stablehlo.convert %2 : (tensor<4xi4>) -> tensor<4xi32>
    %4 = stablehlo.constant dense<1> : tensor<4xi32>
    %5 = stablehlo.subtract %3, %4 : tensor<4xi32>
    %6 = stablehlo.bitcast_convert %0 : (tensor<4x!quant.uniform<i4:f32, 0.5:1>>) -> tensor<4xi4>
    %7 = stablehlo.convert %6 : (tensor<4xi4>) -> tensor<4xi32>
    %8 = stablehlo.constant dense<1> : tensor<4xi32>
    %9 = stablehlo.subtract %7, %8 : tensor<4xi32>
    %10 = stablehlo.multiply %5, %9 : tensor<4xi32>
    %11 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.const"() <{values = dense<34> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %15 = "tosa.rescale"(%10, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %16 = stablehlo.constant dense<-6> : tensor<i32>
    %17 = stablehlo.constant dense<9> : tensor<i32>
    %18 = stablehlo.clamp %16, %15, %17 : (tensor<i32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %19 = stablehlo.constant dense<-2> : tensor<4xi32>
    %20 = stablehlo.add %18, %19 : tensor<4xi32>
    %21 = stablehlo.convert %20 : (tensor<4xi32>) -> tensor<4xi4>
    %22 = stablehlo.bitcast_convert %21 : (tensor<4xi4>) -> tensor<4x!quant.uniform<i4:f32, 4.0:-2>>
    %23 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %24 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %25 = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
    %26 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %27 = "tosa.rescale"(%1, %23, %24, %25, %26) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x!quant.uniform<i8<-127:127>:f32, 0.25:4>>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4xi32>
    %28 = stablehlo.abs %27 : tensor<4xi32>
    %29 = stablehlo.constant dense<-131> : tensor<i32>
    %30 = stablehlo.constant dense<123> : tensor<i32>
    %31 = stablehlo.clamp %29, %28, %30 : (tensor<i32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %32 = stablehlo.constant dense<4> : tensor<4xi32>
    %33 = stablehlo.add %31, %32 : tensor<4xi32>
    %34 = stablehlo.convert %33 : (tensor<4xi32>) -> tensor<4xi8>
    %35 = stablehlo.bitcast_convert %34 : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8<-127:127>:f32, 0.25:4>>
    func.return %22, %35 : tensor<4x!quant.uniform<i4:f32, 4.0:-2>>, tensor<4x!quant.uniform<i8<-127:127>:f32, 0.25:4>>
  }
}
// -----
// a quotient with 21 fractional bits, and what a division by zero saturates to
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, %b: tensor<2x3x!quant.uniform<i8:f32, 0.077:-2>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>> {
  %0 = stablehlo.divide %a, %b : (tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, tensor<2x3x!quant.uniform<i8:f32, 0.077:-2>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, %1: tensor<2x3x!quant.uniform<i8:f32, 0.077:-2>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>> {
    %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<9> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<-1> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.rescale"(%0, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3x!quant.uniform<i8:f32, 0.025:-1>>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %7 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<-2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "tosa.rescale"(%1, %7, %8, %9, %10) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3x!quant.uniform<i8:f32, 0.077:-2>>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %12 = stablehlo.constant dense<0> : tensor<2x3xi32>
    %13 = stablehlo.compare EQ, %11, %12 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %14 = stablehlo.constant dense<1> : tensor<2x3xi32>
    %15 = stablehlo.select %13, %14, %11 : tensor<2x3xi1>, tensor<2x3xi32>
    %16 = stablehlo.divide %6, %15 : tensor<2x3xi32>
    %17 = "tosa.const"() <{values = dense<1154362501> : tensor<1xi32>}> : () -> tensor<1xi32>
    %18 = "tosa.const"() <{values = dense<50> : tensor<1xi8>}> : () -> tensor<1xi8>
    %19 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %20 = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %21 = "tosa.rescale"(%16, %17, %18, %19, %20) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    %22 = stablehlo.constant dense<0> : tensor<2x3xi32>
    %23 = stablehlo.constant dense<127> : tensor<2x3xi8>
    %24 = stablehlo.constant dense<-128> : tensor<2x3xi8>
    %25 = stablehlo.constant dense<0> : tensor<2x3xi8>
    %26 = stablehlo.compare LT, %6, %22 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %27 = stablehlo.compare GT, %6, %22 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %28 = stablehlo.select %26, %24, %25 : tensor<2x3xi1>, tensor<2x3xi8>
    %29 = stablehlo.select %27, %23, %28 : tensor<2x3xi1>, tensor<2x3xi8>
    %30 = stablehlo.select %13, %29, %21 : tensor<2x3xi1>, tensor<2x3xi8>
    %31 = stablehlo.bitcast_convert %30 : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>>
    func.return %31 : tensor<2x3x!quant.uniform<i8:f32, 0.151:-3>>
  }
}
// -----
// the mean of four: widened, added, divided by a cast, rescaled; and a maximum over windows
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x1x!quant.uniform<i8:f32, 0.7:-4>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4x!quant.uniform<i32:f32, 0.5>>
  %z = stablehlo.constant() <{value = dense<0> : tensor<i32>}> : () -> tensor<!quant.uniform<i32:f32, 0.5>>
  %1 = "stablehlo.reduce_window"(%0, %z) <{window_dimensions = array<i64: 1, 4>}> ({
  ^bb0(%l: tensor<!quant.uniform<i32:f32, 0.5>>, %r: tensor<!quant.uniform<i32:f32, 0.5>>):
    %s = stablehlo.add %l, %r : tensor<!quant.uniform<i32:f32, 0.5>>
    stablehlo.return %s : tensor<!quant.uniform<i32:f32, 0.5>>
  }) : (tensor<2x4x!quant.uniform<i32:f32, 0.5>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<2x1x!quant.uniform<i32:f32, 0.5>>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2x1x!quant.uniform<i32:f32, 0.5>>) -> tensor<2x1x!quant.uniform<i32:f32, 0.125>>
  %3 = stablehlo.uniform_quantize %2 : (tensor<2x1x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x1x!quant.uniform<i8:f32, 0.7:-4>>
  %m = stablehlo.constant() <{value = dense<-128> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %4 = "stablehlo.reduce_window"(%x, %m) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%l: tensor<!quant.uniform<i8:f32, 0.5:3>>, %r: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %s = stablehlo.maximum %l, %r : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }) : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  return %3, %4 : tensor<2x1x!quant.uniform<i8:f32, 0.7:-4>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x1x!quant.uniform<i8:f32, 0.7:-4>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) {
    %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.rescale"(%0, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x4xi32>
    %6 = stablehlo.constant dense<0> : tensor<i32>
    %7 = "stablehlo.reduce_window"(%5, %6) <{window_dimensions = array<i64: 1, 4>}> ({
    ^bb0(%8: tensor<i32>, %9: tensor<i32>):
      %10 = stablehlo.add %8, %9 : tensor<i32>
      stablehlo.return %10 : tensor<i32>
    }) : (tensor<2x4xi32>, tensor<i32>) -> tensor<2x1xi32>
    %11 = "tosa.const"() <{values = dense<1533916891> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<-4> : tensor<1xi8>}> : () -> tensor<1xi8>
    %15 = "tosa.rescale"(%7, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x1x!quant.uniform<i8:f32, 0.7:-4>>
    %16 = stablehlo.bitcast_convert %0 : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4xi8>
    %17 = stablehlo.constant dense<-128> : tensor<i8>
    %18 = "stablehlo.reduce_window"(%16, %17) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%19: tensor<i8>, %20: tensor<i8>):
      %21 = stablehlo.maximum %19, %20 : tensor<i8>
      stablehlo.return %21 : tensor<i8>
    }) : (tensor<2x4xi8>, tensor<i8>) -> tensor<2x2xi8>
    %22 = stablehlo.bitcast_convert %18 : (tensor<2x2xi8>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
    func.return %15, %22 : tensor<2x1x!quant.uniform<i8:f32, 0.7:-4>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// 32-bit integers times 6 are clamped where TOSA leaves the result open
func.func @main(%a: tensor<4x!quant.uniform<i32:f32, 3.0>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:-7>> {
  %0 = stablehlo.uniform_quantize %a : (tensor<4x!quant.uniform<i32:f32, 3.0>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:-7>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i32:f32, 3.0>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:-7>> {
    %1 = stablehlo.bitcast_convert %0 : (tensor<4x!quant.uniform<i32:f32, 3.0>>) -> tensor<4xi32>
    %2 = stablehlo.constant dense<-134217728> : tensor<i32>
    %3 = stablehlo.constant dense<134217727> : tensor<i32>
    %4 = stablehlo.clamp %2, %1, %3 : (tensor<i32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %5 = "tosa.const"() <{values = dense<1610612736> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.const"() <{values = dense<28> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.rescale"(%4, %5, %6, %7, %8) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.5:-7>>
    func.return %9 : tensor<4x!quant.uniform<i8:f32, 0.5:-7>>
  }
}
// -----
// storage of one bit is widened: plain integers of one bit are truth values
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant() <{value = dense<[-1, 0, -1, 0]> : tensor<4xi1>}> : () -> tensor<4x!quant.uniform<i1:f32, 0.5>>
  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i1:f32, 0.5>>
  %a = stablehlo.add %q, %c : tensor<4x!quant.uniform<i1:f32, 0.5>>
  %d = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i1:f32, 0.5>>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
    %1 = stablehlo.uniform_quantize %0 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i2<-1:0>:f32, 0.5>>
    %2 = stablehlo.bitcast_convert %1 : (tensor<4x!quant.uniform<i2<-1:0>:f32, 0.5>>) -> tensor<4xi2>
    %3 = stablehlo.convert %2 : (tensor<4xi2>) -> tensor<4xi32>
    %4 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.rescale"(%3, %4, %5, %6, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %9 = stablehlo.constant dense<[-1, 0, -1, 0]> : tensor<4xi2>
    %10 = stablehlo.convert %9 : (tensor<4xi2>) -> tensor<4xi32>
    %11 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %15 = "tosa.rescale"(%10, %11, %12, %13, %14) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %16 = stablehlo.add %8, %15 : tensor<4xi32>
    %17 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %18 = "tosa.const"() <{values = dense<49> : tensor<1xi8>}> : () -> tensor<1xi8>
    %19 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %20 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %21 = "tosa.rescale"(%16, %17, %18, %19, %20) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %22 = stablehlo.constant dense<-1> : tensor<i32>
    %23 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.clamp %22, %21, %23 : (tensor<i32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %25 = stablehlo.convert %24 : (tensor<4xi32>) -> tensor<4xi2>
    %26 = stablehlo.bitcast_convert %25 : (tensor<4xi2>) -> tensor<4x!quant.uniform<i2<-1:0>:f32, 0.5>>
    %27 = stablehlo.uniform_dequantize %26 : (tensor<4x!quant.uniform<i2<-1:0>:f32, 0.5>>) -> tensor<4xf32>
    func.return %27 : tensor<4xf32>
  }
}
