// An elementwise op on a dequantized value becomes the op on quantized types.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %b = stablehlo.tanh %a : tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
    %1 = stablehlo.tanh %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
    func.return %1 : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// Both operands of a binary op are dequantized values.
func.func @main(%l: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %r: tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.uniform_dequantize %l : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %c = stablehlo.uniform_dequantize %r : (tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4xf32>
  %b = stablehlo.add %a, %c : tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
    %2 = stablehlo.add %0, %1 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    func.return %2 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// A composite is fused whole.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %b = "qconvert.softmax"(%a) <{axis = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
    %1 = "qconvert.softmax"(%0) <{axis = 0 : i64}> {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
    func.return %1 : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// ReLU with a quantize of other parameters: requantize, then clamp the integers.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %b = stablehlo.maximum %a, %z : tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
    %1 = stablehlo.uniform_quantize %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
    %2 = stablehlo.constant() <{value = dense<-7> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.25:-7>>
    %3 = stablehlo.constant() <{value = dense<127> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.25:-7>>
    %4 = stablehlo.clamp %2, %1, %3 {qconvert.tensor = "y"} : (tensor<!quant.uniform<i8:f32, 0.25:-7>>, tensor<4x!quant.uniform<i8:f32, 0.25:-7>>, tensor<!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
    func.return %4 : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// A clamp that the storage range covers vanishes with its requantization.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %z = stablehlo.constant dense<-1000.0> : tensor<4xf32>
  %b = stablehlo.maximum %a, %z : tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
    func.return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// Two clamps in a row are one.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %m = stablehlo.maximum %a, %z : tensor<4xf32>
  %s = stablehlo.constant dense<6.0> : tensor<4xf32>
  %b = stablehlo.minimum %m, %s : tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
    %1 = stablehlo.uniform_quantize %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
    %2 = stablehlo.constant() <{value = dense<-7> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.25:-7>>
    %3 = stablehlo.constant() <{value = dense<17> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.25:-7>>
    %4 = stablehlo.clamp %2, %1, %3 {qconvert.tensor = "y"} : (tensor<!quant.uniform<i8:f32, 0.25:-7>>, tensor<4x!quant.uniform<i8:f32, 0.25:-7>>, tensor<!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
    func.return %4 : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// A dequantize and a quantize of equal parameters cancel; q -> dq stays.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %q = stablehlo.uniform_quantize %x {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %a = stablehlo.uniform_dequantize %q : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %r = stablehlo.uniform_quantize %a {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "z"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %y = stablehlo.uniform_dequantize %r : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
    %1 = stablehlo.uniform_quantize %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    %2 = stablehlo.uniform_dequantize %1 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
    func.return %2 : tensor<4xf32>
  }
}
// -----
// A dequantize and a quantize of other parameters are one requantization.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %y = stablehlo.uniform_quantize %a {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
    %1 = stablehlo.uniform_quantize %0 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
    func.return %1 : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// A movement keeps its integers.
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  %b = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<3x2xf32>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5:3>> {
    %1 = stablehlo.transpose %0, dims = [1, 0] {qconvert.tensor = "y"} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>
    func.return %1 : tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// Operands of differing types are requantized before they are concatenated.
func.func @main(%l: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %r: tensor<3x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<5x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.uniform_dequantize %l : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  %c = stablehlo.uniform_dequantize %r : (tensor<3x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<3xf32>
  %b = stablehlo.concatenate %a, %c, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<5xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<5x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<3x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<5x!quant.uniform<i8:f32, 0.5:3>> {
    %2 = stablehlo.uniform_quantize %1 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<3x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>>
    %3 = stablehlo.concatenate %0, %2, dim = 0 {qconvert.tensor = "y"} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<5x!quant.uniform<i8:f32, 0.5:3>>
    func.return %3 : tensor<5x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// A padding value the storage can say is padded as its integer.
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.pad %a, %z, low = [1], high = [1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
    %1 = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
    %2 = stablehlo.pad %0, %1, low = [1], high = [1], interior = [0] {qconvert.tensor = "y"} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    func.return %2 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// A padding value between two integers of the storage is rounded as its result is.
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  %z = stablehlo.constant dense<1.3> : tensor<f32>
  %b = stablehlo.pad %a, %z, low = [1], high = [1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
    %1 = stablehlo.constant() <{value = dense<6> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
    %2 = stablehlo.pad %0, %1, low = [1], high = [1], interior = [0] {qconvert.tensor = "y"} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    func.return %2 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// A padding value beyond the storage's range saturates.
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %b = stablehlo.pad %a, %z, low = [1], high = [1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
    %1 = stablehlo.constant() <{value = dense<-128> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
    %2 = stablehlo.pad %0, %1, low = [1], high = [1], interior = [0] {qconvert.tensor = "y"} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    func.return %2 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// A float constant that is joined to a quantized value becomes integers of the result's type.
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  %c = stablehlo.constant dense<[1.3, -0.4]> : tensor<2xf32>
  %b = stablehlo.concatenate %a, %c, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
    %1 = stablehlo.constant() <{value = dense<[6, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
    %2 = stablehlo.concatenate %0, %1, dim = 0 {qconvert.tensor = "y"} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    func.return %2 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// A select between values of one type selects integers.
func.func @main(%p: tensor<4xi1>, %l: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %r: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.uniform_dequantize %l : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %c = stablehlo.uniform_dequantize %r : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %b = stablehlo.select %p, %a, %c : tensor<4xi1>, tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi1>, %1: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %2: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
    %3 = stablehlo.select %0, %1, %2 {qconvert.tensor = "y"} : tensor<4xi1>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    func.return %3 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// A convolution with bias, ReLU and a transpose: accumulate, add integers, requantize, transpose, clamp.
func.func @main(%x: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x4x4x!quant.uniform<i8:f32, 0.25:-7>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x4x4xf32>
  %wq = stablehlo.constant() <{value = dense<[[[[1, -2]], [[3, 4]], [[-5, 6]]], [[[7, 8]], [[9, 1]], [[2, 3]]], [[[4, 5]], [[6, -7]], [[8, 9]]]]> : tensor<3x3x1x2xi8>}> : () -> tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>
  %w = stablehlo.uniform_dequantize %wq : (tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>) -> tensor<3x3x1x2xf32>
  %c = stablehlo.convolution(%a, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<3x3x1x2xf32>) -> tensor<1x4x4x2xf32>
  %bq = stablehlo.constant() <{value = dense<[10, -20]> : tensor<2xi32>}> : () -> tensor<2x!quant.uniform<i32:f32:0, {0.125,0.25}>>
  %bd = stablehlo.uniform_dequantize %bq : (tensor<2x!quant.uniform<i32:f32:0, {0.125,0.25}>>) -> tensor<2xf32>
  %bb = stablehlo.broadcast_in_dim %bd, dims = [3] : (tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %d = stablehlo.add %c, %bb : tensor<1x4x4x2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<1x4x4x2xf32>
  %e = stablehlo.maximum %d, %z : tensor<1x4x4x2xf32>
  %t = stablehlo.transpose %e, dims = [0, 3, 1, 2] : (tensor<1x4x4x2xf32>) -> tensor<1x2x4x4xf32>
  %y = stablehlo.uniform_quantize %t {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<1x2x4x4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x4x4x!quant.uniform<i8:f32, 0.25:-7>> {
    %1 = stablehlo.constant() <{value = dense<[[[[1, -2]], [[3, 4]], [[-5, 6]]], [[[7, 8]], [[9, 1]], [[2, 3]]], [[[4, 5]], [[6, -7]], [[8, 9]]]]> : tensor<3x3x1x2xi8>}> : () -> tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>
    %3 = stablehlo.constant() <{value = dense<[10, -20]> : tensor<2xi32>}> : () -> tensor<2x!quant.uniform<i32:f32:0, {0.125,0.25}>>
    %4 = stablehlo.broadcast_in_dim %3, dims = [3] : (tensor<2x!quant.uniform<i32:f32:0, {0.125,0.25}>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>
    %5 = stablehlo.add %2, %4 : tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>
    %6 = stablehlo.uniform_quantize %5 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>) -> tensor<1x4x4x2x!quant.uniform<i8:f32, 0.25:-7>>
    %7 = stablehlo.constant() <{value = dense<-7> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.25:-7>>
    %8 = stablehlo.constant() <{value = dense<127> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.25:-7>>
    %9 = stablehlo.clamp %7, %6, %8 : (tensor<!quant.uniform<i8:f32, 0.25:-7>>, tensor<1x4x4x2x!quant.uniform<i8:f32, 0.25:-7>>, tensor<!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<1x4x4x2x!quant.uniform<i8:f32, 0.25:-7>>
    %10 = stablehlo.transpose %9, dims = [0, 3, 1, 2] {qconvert.tensor = "y"} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<1x2x4x4x!quant.uniform<i8:f32, 0.25:-7>>
    func.return %10 : tensor<1x2x4x4x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// A float bias is added in steps finer than the accumulator's, which is scaled exactly.
func.func @main(%x: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x4x4x2x!quant.uniform<i8:f32, 0.25:-7>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x4x4xf32>
  %wq = stablehlo.constant() <{value = dense<[[[[1, -2]], [[3, 4]], [[-5, 6]]], [[[7, 8]], [[9, 1]], [[2, 3]]], [[[4, 5]], [[6, -7]], [[8, 9]]]]> : tensor<3x3x1x2xi8>}> : () -> tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>
  %w = stablehlo.uniform_dequantize %wq : (tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>) -> tensor<3x3x1x2xf32>
  %c = stablehlo.convolution(%a, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<3x3x1x2xf32>) -> tensor<1x4x4x2xf32>
  %bd = stablehlo.constant dense<[0.3125, -0.75]> : tensor<2xf32>
  %bb = stablehlo.broadcast_in_dim %bd, dims = [3] : (tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %d = stablehlo.add %c, %bb : tensor<1x4x4x2xf32>
  %y = stablehlo.uniform_quantize %d {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<1x4x4x2x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x4x4x2x!quant.uniform<i8:f32, 0.25:-7>> {
    %1 = stablehlo.constant() <{value = dense<[[[[1, -2]], [[3, 4]], [[-5, 6]]], [[[7, 8]], [[9, 1]], [[2, 3]]], [[[4, 5]], [[6, -7]], [[8, 9]]]]> : tensor<3x3x1x2xi8>}> : () -> tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>
    %3 = stablehlo.uniform_quantize %2 : (tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32:3, {3.0517578125e-05,6.103515625e-05}>>
    %4 = stablehlo.constant() <{value = dense<[10240, -12288]> : tensor<2xi32>}> : () -> tensor<2x!quant.uniform<i32:f32:0, {3.0517578125e-05,6.103515625e-05}>>
    %5 = stablehlo.broadcast_in_dim %4, dims = [3] : (tensor<2x!quant.uniform<i32:f32:0, {3.0517578125e-05,6.103515625e-05}>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32:3, {3.0517578125e-05,6.103515625e-05}>>
    %6 = stablehlo.add %3, %5 : tensor<1x4x4x2x!quant.uniform<i32:f32:3, {3.0517578125e-05,6.103515625e-05}>>
    %7 = stablehlo.uniform_quantize %6 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<1x4x4x2x!quant.uniform<i32:f32:3, {3.0517578125e-05,6.103515625e-05}>>) -> tensor<1x4x4x2x!quant.uniform<i8:f32, 0.25:-7>>
    func.return %7 : tensor<1x4x4x2x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// A contraction whose result stays float: its accumulator is dequantized.
func.func @main(%x: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x4x4x2xf32> {
  %a = stablehlo.uniform_dequantize %x : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x4x4xf32>
  %wq = stablehlo.constant() <{value = dense<[[[[1, -2]], [[3, 4]], [[-5, 6]]], [[[7, 8]], [[9, 1]], [[2, 3]]], [[[4, 5]], [[6, -7]], [[8, 9]]]]> : tensor<3x3x1x2xi8>}> : () -> tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>
  %w = stablehlo.uniform_dequantize %wq : (tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>) -> tensor<3x3x1x2xf32>
  %c = stablehlo.convolution(%a, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<3x3x1x2xf32>) -> tensor<1x4x4x2xf32>
  return %c : tensor<1x4x4x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x4x4x2xf32> {
    %1 = stablehlo.constant() <{value = dense<[[[[1, -2]], [[3, 4]], [[-5, 6]]], [[[7, 8]], [[9, 1]], [[2, 3]]], [[[4, 5]], [[6, -7]], [[8, 9]]]]> : tensor<3x3x1x2xi8>}> : () -> tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x3x1x2x!quant.uniform<i8:f32:3, {0.25,0.5}>>) -> tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>
    %3 = stablehlo.uniform_dequantize %2 : (tensor<1x4x4x2x!quant.uniform<i32:f32:3, {0.125,0.25}>>) -> tensor<1x4x4x2xf32>
    func.return %3 : tensor<1x4x4x2xf32>
  }
}
// -----
// Activations on both sides of a matrix product, with zero points.
func.func @main(%l: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %r: tensor<3x4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.uniform_dequantize %l : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  %c = stablehlo.uniform_dequantize %r : (tensor<3x4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<3x4xf32>
  %b = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<3x4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>> {
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<2x4x!quant.uniform<i32:f32, 0.125>>
    %3 = stablehlo.uniform_quantize %2 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<2x4x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
    func.return %3 : tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// A mean: the sum in i32, read at a quarter of the scale, quantized once.
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-7>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %n = stablehlo.constant dense<4.0> : tensor<2xf32>
  %b = stablehlo.divide %s, %n : tensor<2xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<2x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-7>> {
    %1 = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%3: tensor<!quant.uniform<i8:f32, 0.5:3>>):
      %4 = stablehlo.uniform_quantize %3 : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %4 : tensor<!quant.uniform<i32:f32, 0.5>>
    }, {
    ^bb0(%5: tensor<!quant.uniform<i32:f32, 0.5>>, %6: tensor<!quant.uniform<i32:f32, 0.5>>):
      %7 = stablehlo.add %5, %6 : tensor<!quant.uniform<i32:f32, 0.5>>
      stablehlo.return %7 : tensor<!quant.uniform<i32:f32, 0.5>>
    }, {
    ^bb0(%8: tensor<!quant.uniform<i32:f32, 0.5>>):
      %9 = stablehlo.bitcast_convert %8 : (tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.125>>
      %10 = stablehlo.uniform_quantize %9 {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>} : (tensor<!quant.uniform<i32:f32, 0.125>>) -> tensor<!quant.uniform<i8:f32, 0.25:-7>>
      stablehlo.return %10 : tensor<!quant.uniform<i8:f32, 0.25:-7>>
    }) {qconvert.tensor = "y"} : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-7>>
    func.return %2 : tensor<2x!quant.uniform<i8:f32, 0.25:-7>>
  }
}
// -----
// A maximum of integers.
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4xf32>
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %y = stablehlo.uniform_quantize %s {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  return %y : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>> {
    %1 = stablehlo.constant() <{value = dense<-128> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [1] {qconvert.tensor = "y"} : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
    func.return %2 : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  }
}
// -----
// An accumulator is transposed before it gets scales for each slice of the transposed dimension.
func.func @main(%x: tensor<3x2x!quant.uniform<i32:f32, 0.25>>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,2.0}>> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x2x!quant.uniform<i32:f32, 0.25>>) -> tensor<2x3x!quant.uniform<i32:f32, 0.25>>
  %a = stablehlo.uniform_dequantize %t : (tensor<2x3x!quant.uniform<i32:f32, 0.25>>) -> tensor<2x3xf32>
  %y = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,2.0}>>
  return %y : tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,2.0}>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<3x2x!quant.uniform<i32:f32, 0.25>>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,2.0}>> {
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2x!quant.uniform<i32:f32, 0.25>>) -> tensor<2x3x!quant.uniform<i32:f32, 0.25>>
    %2 = stablehlo.uniform_quantize %1 : (tensor<2x3x!quant.uniform<i32:f32, 0.25>>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,2.0}>>
    func.return %2 : tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,2.0}>>
  }
}
// -----
// bounds behind a sum: the quantize rises above them, to meet the sum
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %y: tensor<2x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x!quant.uniform<i8:f32, 0.75:-20>> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  %1 = stablehlo.uniform_dequantize %y : (tensor<2x!quant.uniform<i8:f32, 0.25>>) -> tensor<2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2xf32> loc("add")
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %six = stablehlo.constant dense<6.0> : tensor<2xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<2xf32> loc("relu")
  %4 = stablehlo.minimum %3, %six : tensor<2xf32> loc("six")
  %5 = stablehlo.uniform_quantize %4 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.75:-20>>
  return %5 : tensor<2x!quant.uniform<i8:f32, 0.75:-20>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %1: tensor<2x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x!quant.uniform<i8:f32, 0.75:-20>> {
    %2 = stablehlo.add %0, %1 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x!quant.uniform<i8:f32, 0.75:-20>> loc(fused["add", "six"])
    %3 = stablehlo.constant() <{value = dense<-20> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.75:-20>> loc("six")
    %4 = stablehlo.constant() <{value = dense<-12> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.75:-20>> loc("six")
    %5 = stablehlo.clamp %3, %2, %4 : (tensor<!quant.uniform<i8:f32, 0.75:-20>>, tensor<2x!quant.uniform<i8:f32, 0.75:-20>>, tensor<!quant.uniform<i8:f32, 0.75:-20>>) -> tensor<2x!quant.uniform<i8:f32, 0.75:-20>> loc("six")
    func.return %5 : tensor<2x!quant.uniform<i8:f32, 0.75:-20>>
  }
}
// -----
// a quantize that rises above a movement fuses with what is moved
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.01>> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  %1 = stablehlo.logistic %0 : tensor<2x3xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = stablehlo.uniform_quantize %2 : (tensor<3x2xf32>) -> tensor<3x2x!quant.uniform<i8:f32, 0.01>>
  return %3 : tensor<3x2x!quant.uniform<i8:f32, 0.01>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.01>> {
    %1 = stablehlo.logistic %0 : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.01>>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32, 0.01>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.01>>
    func.return %2 : tensor<3x2x!quant.uniform<i8:f32, 0.01>>
  }
}
