// a quantize of floats, and of an accumulator
func.func @main(%x: tensor<64xf32>, %a: tensor<64x!quant.uniform<i32:f32, 0.0625>>) -> (tensor<64x!quant.uniform<i8:f32, 0.25:3>>, tensor<64x!quant.uniform<ui8:f32, 0.125:7>>) {
  %0 = stablehlo.uniform_quantize %x {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "x_q"} : (tensor<64xf32>) -> tensor<64x!quant.uniform<i8:f32, 0.25:3>> loc("q")
  %1 = stablehlo.uniform_quantize %a {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<64x!quant.uniform<i32:f32, 0.0625>>) -> tensor<64x!quant.uniform<ui8:f32, 0.125:7>>
  return %0, %1 : tensor<64x!quant.uniform<i8:f32, 0.25:3>>, tensor<64x!quant.uniform<ui8:f32, 0.125:7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<64xf32>, %1: tensor<64x!quant.uniform<i32:f32, 0.0625>>) -> (tensor<64x!quant.uniform<i8:f32, 0.25:3>>, tensor<64x!quant.uniform<ui8:f32, 0.125:7>>) {
    %2 = stablehlo.uniform_quantize %0 : (tensor<64xf32>) -> tensor<64x!quant.uniform<i32:f32, 0.25>> loc("q")
    %3 = stablehlo.uniform_quantize %2 {qconvert.tensor = "x_q"} : (tensor<64x!quant.uniform<i32:f32, 0.25>>) -> tensor<64x!quant.uniform<i8:f32, 0.25:3>> loc("q")
    %4 = stablehlo.uniform_quantize %1 : (tensor<64x!quant.uniform<i32:f32, 0.0625>>) -> tensor<64x!quant.uniform<i32:f32, 0.125>>
    %5 = stablehlo.uniform_quantize %4 : (tensor<64x!quant.uniform<i32:f32, 0.125>>) -> tensor<64x!quant.uniform<ui8:f32, 0.125:7>>
    func.return %3, %5 : tensor<64x!quant.uniform<i8:f32, 0.25:3>>, tensor<64x!quant.uniform<ui8:f32, 0.125:7>>
  }
}
// -----
// elementwise ops in 32-bit storage, constants too
func.func @main(%x: tensor<64x!quant.uniform<i8:f32, 0.5:3>>, %y: tensor<64x!quant.uniform<i8:f32, 0.25:-5>>) -> tensor<64x!quant.uniform<i8:f32, 0.75:1>> {
  %c = stablehlo.constant() <{value = dense<9> : tensor<64xi8>}> : () -> tensor<64x!quant.uniform<i8:f32, 0.25:-5>>
  %0 = stablehlo.multiply %x, %y {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<64x!quant.uniform<i8:f32, 0.5:3>>, tensor<64x!quant.uniform<i8:f32, 0.25:-5>>) -> tensor<64x!quant.uniform<i8:f32, 0.75:1>>
  %1 = stablehlo.add %0, %c {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "z_q"} : (tensor<64x!quant.uniform<i8:f32, 0.75:1>>, tensor<64x!quant.uniform<i8:f32, 0.25:-5>>) -> tensor<64x!quant.uniform<i8:f32, 0.75:1>>
  return %1 : tensor<64x!quant.uniform<i8:f32, 0.75:1>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<64x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<64x!quant.uniform<i8:f32, 0.25:-5>>) -> tensor<64x!quant.uniform<i8:f32, 0.75:1>> {
    %2 = stablehlo.uniform_quantize %0 : (tensor<64x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<64x!quant.uniform<i32:f32, 0.5>>
    %3 = stablehlo.uniform_quantize %1 : (tensor<64x!quant.uniform<i8:f32, 0.25:-5>>) -> tensor<64x!quant.uniform<i32:f32, 0.25>>
    %4 = stablehlo.multiply %2, %3 : (tensor<64x!quant.uniform<i32:f32, 0.5>>, tensor<64x!quant.uniform<i32:f32, 0.25>>) -> tensor<64x!quant.uniform<i32:f32, 0.75>>
    %5 = stablehlo.uniform_quantize %4 : (tensor<64x!quant.uniform<i32:f32, 0.75>>) -> tensor<64x!quant.uniform<i8:f32, 0.75:1>>
    %6 = stablehlo.uniform_quantize %5 : (tensor<64x!quant.uniform<i8:f32, 0.75:1>>) -> tensor<64x!quant.uniform<i32:f32, 0.75>>
    %7 = stablehlo.constant() <{value = dense<14> : tensor<64xi32>}> : () -> tensor<64x!quant.uniform<i32:f32, 0.25>>
    %8 = stablehlo.add %6, %7 : (tensor<64x!quant.uniform<i32:f32, 0.75>>, tensor<64x!quant.uniform<i32:f32, 0.25>>) -> tensor<64x!quant.uniform<i32:f32, 0.75>>
    %9 = stablehlo.uniform_quantize %8 {qconvert.tensor = "z_q"} : (tensor<64x!quant.uniform<i32:f32, 0.75>>) -> tensor<64x!quant.uniform<i8:f32, 0.75:1>>
    func.return %9 : tensor<64x!quant.uniform<i8:f32, 0.75:1>>
  }
}
// -----
// a contraction that requantizes by itself
func.func @main(%x: tensor<8x4x!quant.uniform<i16:f32, 0.5>>, %y: tensor<4x8x!quant.uniform<i16:f32, 0.25>>) -> tensor<8x8x!quant.uniform<i16:f32, 0.75:1>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<8x4x!quant.uniform<i16:f32, 0.5>>, tensor<4x8x!quant.uniform<i16:f32, 0.25>>) -> tensor<8x8x!quant.uniform<i16:f32, 0.75:1>>
  return %0 : tensor<8x8x!quant.uniform<i16:f32, 0.75:1>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<8x4x!quant.uniform<i16:f32, 0.5>>, %1: tensor<4x8x!quant.uniform<i16:f32, 0.25>>) -> tensor<8x8x!quant.uniform<i16:f32, 0.75:1>> {
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<8x4x!quant.uniform<i16:f32, 0.5>>, tensor<4x8x!quant.uniform<i16:f32, 0.25>>) -> tensor<8x8x!quant.uniform<i32:f32, 0.75>>
    %3 = stablehlo.uniform_quantize %2 : (tensor<8x8x!quant.uniform<i32:f32, 0.75>>) -> tensor<8x8x!quant.uniform<i16:f32, 0.75:1>>
    func.return %3 : tensor<8x8x!quant.uniform<i16:f32, 0.75:1>>
  }
}
