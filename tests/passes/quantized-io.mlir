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
