// an operand is a float constant, which the model does not quantize
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %k = stablehlo.constant dense<3.0> : tensor<4xf32>
  %b = stablehlo.divide %a, %k : tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}

// -----
// an operand is a float that comes from an input of the model
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %v: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %b = stablehlo.add %a, %v : tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}

// -----
// its result is not quantized: it is used by func.return
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32> {
  %a = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %b = stablehlo.tanh %a : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----
// its float result is also used by func.return
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.25:-7>>, tensor<4xf32>) {
  %a = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %b = stablehlo.tanh %a : tensor<4xf32>
  %y = stablehlo.uniform_quantize %b {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y, %b : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>, tensor<4xf32>
}

// -----
// the weights are quantized along dimension 0, which is not their output dimension
func.func @main(%l: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %r: tensor<3x4x!quant.uniform<i8:f32:0, {0.25,0.5,1.0}>>) -> tensor<2x4xf32> {
  %a = stablehlo.uniform_dequantize %l : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  %c = stablehlo.uniform_dequantize %r : (tensor<3x4x!quant.uniform<i8:f32:0, {0.25,0.5,1.0}>>) -> tensor<3x4xf32>
  %b = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %b : tensor<2x4xf32>
}

// -----
// nothing to do
// only the weights are quantized: that is what hybridize is for
func.func @main(%a: tensor<2x3xf32>, %r: tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4xf32> {
  %c = stablehlo.uniform_dequantize %r : (tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x4xf32>
  %b = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %b : tensor<2x4xf32>
}

// -----
// the accumulator may reach 4.19e+11, which does not fit 32 bits
func.func @main(%l: tensor<2x100000x!quant.uniform<i16:f32, 0.5>>, %r: tensor<100000x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf32> {
  %a = stablehlo.uniform_dequantize %l : (tensor<2x100000x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x100000xf32>
  %c = stablehlo.uniform_dequantize %r : (tensor<100000x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<100000x4xf32>
  %b = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<2x100000xf32>, tensor<100000x4xf32>) -> tensor<2x4xf32>
  return %b : tensor<2x4xf32>
}

// -----
// only sums, maxima and minima of quantized values have an exact integer form
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32> {
  %a = stablehlo.uniform_dequantize %x : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4xf32>
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.multiply across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}

// -----
// the initial value is not neutral
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32> {
  %a = stablehlo.uniform_dequantize %x : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4xf32>
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}

// -----
// nothing to do
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %b = stablehlo.tanh %x : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----
// it is a hybrid op already: dehybridize comes first
func.func @main(%l: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %r: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf32> {
  %a = stablehlo.uniform_dequantize %l : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  %b = stablehlo.dot_general %a, %r, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf32>
  return %b : tensor<2x4xf32>
}

// -----
// nothing to do
// what is quantized already is rounded twice: by its own op, and by the requantization
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.1:-7>> {
  %a = "qconvert.leaky_relu"(%x) <{alpha = 0.25 : f64}> : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  %y = stablehlo.uniform_quantize %a : (tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.1:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.1:-7>>
}
// -----
// its products are summed in another float type
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %w: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf64> {
  %c = stablehlo.uniform_dequantize %x : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32>
  %d = stablehlo.uniform_dequantize %w : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32>
  %0 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// -----
// each operand has a part of the scales of its result
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %y: tensor<2x3x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<4x3x!quant.uniform<i8:f32:0, {0.1,0.2,0.3,0.4}>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  %b = stablehlo.uniform_dequantize %y : (tensor<2x3x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<2x3xf32>
  %c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %q = stablehlo.uniform_quantize %c : (tensor<4x3xf32>) -> tensor<4x3x!quant.uniform<i8:f32:0, {0.1,0.2,0.3,0.4}>>
  return %q : tensor<4x3x!quant.uniform<i8:f32:0, {0.1,0.2,0.3,0.4}>>
}

// -----
// the padding value has one scale, its result has several
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x3x!quant.uniform<i8:f32:1, {0.1,0.2,0.3}>> {
  %a = stablehlo.uniform_dequantize %x : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  %z = stablehlo.constant dense<1.1> : tensor<f32>
  %p = stablehlo.pad %a, %z, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  %q = stablehlo.uniform_quantize %p : (tensor<3x3xf32>) -> tensor<3x3x!quant.uniform<i8:f32:1, {0.1,0.2,0.3}>>
  return %q : tensor<3x3x!quant.uniform<i8:f32:1, {0.1,0.2,0.3}>>
}
