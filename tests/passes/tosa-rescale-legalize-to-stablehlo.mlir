// a quantized input becomes its storage integers
func.func @main(%0: tensor<2x2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x2xi32> {
  %1 = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<13> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-1> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x2x!quant.uniform<i8:f32, 0.025:-1>>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x2xi32>
  return %5 : tensor<2x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x2xi32> {
    %1 = stablehlo.bitcast_convert %0 : (tensor<2x2x!quant.uniform<i8:f32, 0.025:-1>>) -> tensor<2x2xi8>
    %2 = stablehlo.convert %1 : (tensor<2x2xi8>) -> tensor<2x2xi64>
    %3 = stablehlo.constant dense<1> : tensor<2x2xi64>
    %4 = stablehlo.add %2, %3 : tensor<2x2xi64>
    %5 = stablehlo.constant dense<1431655765> : tensor<2x2xi64>
    %6 = stablehlo.multiply %4, %5 : tensor<2x2xi64>
    %7 = stablehlo.constant dense<4096> : tensor<2x2xi64>
    %8 = stablehlo.add %6, %7 : tensor<2x2xi64>
    %9 = stablehlo.constant dense<13> : tensor<2x2xi64>
    %10 = stablehlo.shift_right_arithmetic %8, %9 : tensor<2x2xi64>
    %11 = stablehlo.constant dense<-2147483648> : tensor<i64>
    %12 = stablehlo.constant dense<2147483647> : tensor<i64>
    %13 = stablehlo.clamp %11, %10, %12 : (tensor<i64>, tensor<2x2xi64>, tensor<i64>) -> tensor<2x2xi64>
    %14 = stablehlo.convert %13 : (tensor<2x2xi64>) -> tensor<2x2xi32>
    func.return %14 : tensor<2x2xi32>
  }
}
// -----
// a multiplier and a shift for each channel, rounded twice where the shift passes 31
func.func @main(%0: tensor<2x3xi32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:7>> {
  %1 = "tosa.const"() <{values = dense<[1073741824, 1431655765, 1717986918]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %2 = "tosa.const"() <{values = dense<[32, 33, 31]> : tensor<3xi8>}> : () -> tensor<3xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %4 = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:7>>
  return %5 : tensor<2x3x!quant.uniform<i8:f32, 0.5:7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:7>> {
    %1 = stablehlo.convert %0 : (tensor<2x3xi32>) -> tensor<2x3xi64>
    %2 = stablehlo.constant dense<[1073741824, 1431655765, 1717986918]> : tensor<3xi64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<3xi64>) -> tensor<2x3xi64>
    %4 = stablehlo.multiply %1, %3 : tensor<2x3xi64>
    %5 = stablehlo.constant dense<0> : tensor<2x3xi64>
    %6 = stablehlo.compare GE, %1, %5 : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi1>
    %7 = stablehlo.constant dense<[3221225472, 5368709120, 1073741824]> : tensor<3xi64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<3xi64>) -> tensor<2x3xi64>
    %9 = stablehlo.constant dense<[1073741824, 3221225472, 1073741824]> : tensor<3xi64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<3xi64>) -> tensor<2x3xi64>
    %11 = stablehlo.select %6, %8, %10 : tensor<2x3xi1>, tensor<2x3xi64>
    %12 = stablehlo.add %4, %11 : tensor<2x3xi64>
    %13 = stablehlo.constant dense<[32, 33, 31]> : tensor<3xi64>
    %14 = stablehlo.broadcast_in_dim %13, dims = [1] : (tensor<3xi64>) -> tensor<2x3xi64>
    %15 = stablehlo.shift_right_arithmetic %12, %14 : tensor<2x3xi64>
    %16 = stablehlo.constant dense<7> : tensor<2x3xi64>
    %17 = stablehlo.add %15, %16 : tensor<2x3xi64>
    %18 = stablehlo.constant dense<-128> : tensor<i64>
    %19 = stablehlo.constant dense<127> : tensor<i64>
    %20 = stablehlo.clamp %18, %17, %19 : (tensor<i64>, tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
    %21 = stablehlo.convert %20 : (tensor<2x3xi64>) -> tensor<2x3xi8>
    %22 = stablehlo.bitcast_convert %21 : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:7>>
    func.return %22 : tensor<2x3x!quant.uniform<i8:f32, 0.5:7>>
  }
}
// -----
// two rescales in a row share no quantized type afterwards; the first reads 8 bits without a sign
func.func @main(%0: tensor<3xi8>) -> tensor<3xi16> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-126> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %6 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<3x!quant.uniform<i8:f32, 0.5:2>>
  %7 = tosa.rescale %6, %1, %2, %4, %5 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<3x!quant.uniform<i8:f32, 0.5:2>>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi16>) -> tensor<3xi16>
  return %7 : tensor<3xi16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<3xi8>) -> tensor<3xi16> {
    %1 = stablehlo.bitcast_convert %0 : (tensor<3xi8>) -> tensor<3xui8>
    %2 = stablehlo.convert %1 : (tensor<3xui8>) -> tensor<3xi64>
    %3 = stablehlo.constant dense<-130> : tensor<3xi64>
    %4 = stablehlo.add %2, %3 : tensor<3xi64>
    %5 = stablehlo.constant dense<1073741824> : tensor<3xi64>
    %6 = stablehlo.multiply %4, %5 : tensor<3xi64>
    %7 = stablehlo.constant dense<536870912> : tensor<3xi64>
    %8 = stablehlo.add %6, %7 : tensor<3xi64>
    %9 = stablehlo.constant dense<30> : tensor<3xi64>
    %10 = stablehlo.shift_right_arithmetic %8, %9 : tensor<3xi64>
    %11 = stablehlo.constant dense<2> : tensor<3xi64>
    %12 = stablehlo.add %10, %11 : tensor<3xi64>
    %13 = stablehlo.constant dense<-128> : tensor<i64>
    %14 = stablehlo.constant dense<127> : tensor<i64>
    %15 = stablehlo.clamp %13, %12, %14 : (tensor<i64>, tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
    %16 = stablehlo.convert %15 : (tensor<3xi64>) -> tensor<3xi8>
    %17 = stablehlo.convert %16 : (tensor<3xi8>) -> tensor<3xi64>
    %18 = stablehlo.constant dense<-2> : tensor<3xi64>
    %19 = stablehlo.add %17, %18 : tensor<3xi64>
    %20 = stablehlo.constant dense<1073741824> : tensor<3xi64>
    %21 = stablehlo.multiply %19, %20 : tensor<3xi64>
    %22 = stablehlo.constant dense<536870912> : tensor<3xi64>
    %23 = stablehlo.add %21, %22 : tensor<3xi64>
    %24 = stablehlo.constant dense<30> : tensor<3xi64>
    %25 = stablehlo.shift_right_arithmetic %23, %24 : tensor<3xi64>
    %26 = stablehlo.constant dense<-32768> : tensor<i64>
    %27 = stablehlo.constant dense<32767> : tensor<i64>
    %28 = stablehlo.clamp %26, %25, %27 : (tensor<i64>, tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
    %29 = stablehlo.convert %28 : (tensor<3xi64>) -> tensor<3xi16>
    func.return %29 : tensor<3xi16>
  }
}
