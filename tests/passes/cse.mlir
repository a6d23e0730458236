// two dequantizes of one value
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32> loc("first")
  %1 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32> loc("second")
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32> {
    %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32> loc(fused["first", "second"])
    %2 = stablehlo.add %1, %1 : tensor<2xf32>
    func.return %2 : tensor<2xf32>
  }
}
// -----
// equal constants
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %2 = stablehlo.add %x, %0 : tensor<2xf32>
  %3 = stablehlo.multiply %2, %1 : tensor<2xf32>
  return %3 : tensor<2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {
    %1 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    %2 = stablehlo.add %0, %1 : tensor<2xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<2xf32>
    func.return %3 : tensor<2xf32>
  }
}
// -----
// a name of the source's tensor moves to the op that is left
func.func @main(%x: tensor<2xf32>) -> (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.uniform_quantize %x {qconvert.tensor = "x_q"} : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return %0, %1 : tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2xf32>) -> (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) {
    %1 = stablehlo.uniform_quantize %0 {qconvert.tensor = "x_q"} : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
    func.return %1, %1 : tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>
  }
}
