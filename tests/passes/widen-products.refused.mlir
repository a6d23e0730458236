// nothing to do
// one type; integers; quantized types
func.func @main(%x: tensor<2x2xbf16>, %i: tensor<2x2xi8>, %q: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xbf16> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xbf16>
  %1 = stablehlo.dot_general %i, %i, contracting_dims = [1] x [0] : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi32>
  %2 = stablehlo.dot_general %q, %q, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.25>>
  return %0 : tensor<2x2xbf16>
}
