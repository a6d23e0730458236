// changes the interface
// an argument that is quantized, one whose bits are read, a result that is dequantized
func.func @main(%x: tensor<2xf32>, %y: tensor<2xui8>) -> tensor<2xf32> attributes {input_names = ["x", "y"], output_names = ["z"]} {
  %0 = stablehlo.uniform_quantize %x {qconvert.tensor = "x_q"} : (tensor<2xf32>) -> tensor<2x!quant.uniform<ui8:f32, 0.5:3>>
  %1 = stablehlo.bitcast_convert %y : (tensor<2xui8>) -> tensor<2x!quant.uniform<ui8:f32, 0.5:3>>
  %2 = stablehlo.add %0, %1 : tensor<2x!quant.uniform<ui8:f32, 0.5:3>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<2x!quant.uniform<ui8:f32, 0.5:3>>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x!quant.uniform<ui8:f32, 0.5:3>>, %1: tensor<2x!quant.uniform<ui8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<ui8:f32, 0.5:3>> attributes {input_names = ["x", "y"], output_names = ["z"]} {
    %2 = stablehlo.add %0, %1 : tensor<2x!quant.uniform<ui8:f32, 0.5:3>>
    func.return %2 : tensor<2x!quant.uniform<ui8:f32, 0.5:3>>
  }
}
// -----
// changes the interface
// a reshape and a transpose between an argument and its quantize, a reshape behind a dequantize
func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<3x2xf32>) -> tensor<6xf32>
  %2 = stablehlo.uniform_quantize %1 {qconvert.tensor = "x_q"} : (tensor<6xf32>) -> tensor<6x!quant.uniform<i8:f32, 0.5>>
  %3 = stablehlo.add %2, %2 : tensor<6x!quant.uniform<i8:f32, 0.5>>
  %4 = stablehlo.reshape %3 : (tensor<6x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x6x!quant.uniform<i8:f32, 0.5>>
  %5 = stablehlo.uniform_dequantize %4 : (tensor<1x6x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x6xf32>
  %6 = stablehlo.reshape %5 : (tensor<1x6xf32>) -> tensor<6xf32>
  return %6 : tensor<6xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<6x!quant.uniform<i8:f32, 0.5>> {
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5>>
    %2 = stablehlo.reshape %1 {qconvert.tensor = "x_q"} : (tensor<3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<6x!quant.uniform<i8:f32, 0.5>>
    %3 = stablehlo.add %2, %2 : tensor<6x!quant.uniform<i8:f32, 0.5>>
    %4 = stablehlo.reshape %3 : (tensor<6x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x6x!quant.uniform<i8:f32, 0.5>>
    %5 = stablehlo.reshape %4 : (tensor<1x6x!quant.uniform<i8:f32, 0.5>>) -> tensor<6x!quant.uniform<i8:f32, 0.5>>
    func.return %5 : tensor<6x!quant.uniform<i8:f32, 0.5>>
  }
}
