// sums that are reshaped, repeated and joined; the name of the tensor stays behind the movement
func.func @main(%x: tensor<2x!quant.uniform<i32:f32, 0.125>>, %y: tensor<2x!quant.uniform<i32:f32, 0.125>>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x!quant.uniform<i8:f32, 0.5:1>>) {
  %0 = stablehlo.reshape %x : (tensor<2x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x1x!quant.uniform<i32:f32, 0.125>>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x1x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x3x!quant.uniform<i32:f32, 0.125>>
  %2 = stablehlo.uniform_quantize %1 {qconvert.tensor = "repeated"} : (tensor<2x3x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>
  %a = stablehlo.add %y, %y : tensor<2x!quant.uniform<i32:f32, 0.125>>
  %b = stablehlo.negate %y : tensor<2x!quant.uniform<i32:f32, 0.125>>
  %3 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x!quant.uniform<i32:f32, 0.125>>, tensor<2x!quant.uniform<i32:f32, 0.125>>) -> tensor<4x!quant.uniform<i32:f32, 0.125>>
  %4 = stablehlo.uniform_quantize %3 : (tensor<4x!quant.uniform<i32:f32, 0.125>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  return %2, %4 : tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x!quant.uniform<i8:f32, 0.5:1>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x!quant.uniform<i32:f32, 0.125>>, %1: tensor<2x!quant.uniform<i32:f32, 0.125>>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x!quant.uniform<i8:f32, 0.5:1>>) {
    %2 = stablehlo.uniform_quantize %0 : (tensor<2x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
    %3 = stablehlo.reshape %2 : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x1x!quant.uniform<i8:f32, 0.5:1>>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] {qconvert.tensor = "repeated"} : (tensor<2x1x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>
    %5 = stablehlo.add %1, %1 : tensor<2x!quant.uniform<i32:f32, 0.125>>
    %6 = stablehlo.negate %1 : tensor<2x!quant.uniform<i32:f32, 0.125>>
    %7 = stablehlo.uniform_quantize %5 : (tensor<2x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
    %8 = stablehlo.uniform_quantize %6 : (tensor<2x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
    %9 = stablehlo.concatenate %7, %8, dim = 0 : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
    func.return %4, %9 : tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  }
}
