// gelu as PyTorch's exporter spells it; last bits
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %root = stablehlo.constant dense<1.41421354> : tensor<2x3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %half = stablehlo.constant dense<0.5> : tensor<2x3xf32>
  %0 = stablehlo.divide %x, %root : tensor<2x3xf32> loc("Div")
  %1 = "qconvert.erf"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("Erf")
  %2 = stablehlo.add %1, %one : tensor<2x3xf32> loc("Add")
  %3 = stablehlo.multiply %x, %2 : tensor<2x3xf32> loc("Mul")
  %4 = stablehlo.multiply %3, %half : tensor<2x3xf32> loc("Mul_1")
  return %4 : tensor<2x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %1 = "qconvert.gelu"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc(fused["Div", "Erf", "Add", "Mul", "Mul_1"])
    func.return %1 : tensor<2x3xf32>
  }
}
// -----
// gelu by tanh, of what other ops of elements give; last bits
func.func @main(%y: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.constant dense<0.044715> : tensor<4xf32>
  %b = stablehlo.constant dense<0.797884583> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %half = stablehlo.constant dense<0.5> : tensor<4xf32>
  %x = stablehlo.add %y, %one : tensor<4xf32> loc("before")
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  %1 = stablehlo.multiply %0, %x : tensor<4xf32>
  %2 = stablehlo.multiply %a, %1 : tensor<4xf32>
  %3 = stablehlo.add %x, %2 : tensor<4xf32>
  %4 = stablehlo.multiply %b, %3 : tensor<4xf32>
  %5 = stablehlo.tanh %4 : tensor<4xf32>
  %6 = stablehlo.add %one, %5 : tensor<4xf32>
  %7 = stablehlo.multiply %half, %6 : tensor<4xf32>
  %8 = stablehlo.multiply %x, %7 : tensor<4xf32> loc("gelu")
  return %8 : tensor<4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
    %2 = stablehlo.add %0, %1 : tensor<4xf32> loc("before")
    %3 = "qconvert.gelu"(%2) <{tanh}> : (tensor<4xf32>) -> tensor<4xf32> loc("gelu")
    func.return %3 : tensor<4xf32>
  }
}
// -----
// hard_swish and swish; last bits
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %three = stablehlo.constant dense<3.0> : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %six = stablehlo.constant dense<6.0> : tensor<f32>
  %sixth = stablehlo.constant dense<0.16666667> : tensor<4xf32>
  %0 = stablehlo.add %x, %three : tensor<4xf32>
  %1 = stablehlo.clamp %zero, %0, %six : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.multiply %1, %sixth : tensor<4xf32>
  %3 = stablehlo.multiply %x, %2 : tensor<4xf32>
  %4 = stablehlo.logistic %3 : tensor<4xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<4xf32>
  return %3, %5 : tensor<4xf32>, tensor<4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = "qconvert.hard_swish"(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "qconvert.swish"(%1) <{alpha = 1.000000e+00 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
    func.return %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
}
// -----
// softmax as JAX spells it; last bits
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %1 = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
  %2 = stablehlo.maximum %1, %0 : tensor<2x4xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 2] : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %5 = stablehlo.subtract %x, %4 : tensor<2x3x4xf32>
  %6 = stablehlo.exponential %5 : tensor<2x3x4xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %8 = stablehlo.reshape %7 : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %10 = stablehlo.divide %6, %9 : tensor<2x3x4xf32> loc("softmax")
  return %10 : tensor<2x3x4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %1 = "qconvert.softmax"(%0) <{axis = 1 : i64}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> loc("softmax")
    func.return %1 : tensor<2x3x4xf32>
  }
}
// -----
// composites by their names; last bits
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = stablehlo.composite "qconvert.softmax" %x {composite_attributes = {axis = 1 : i64}, decomposition = @qconvert.softmax_0} : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("softmax")
  %1 = stablehlo.composite "other.softmax" %x {decomposition = @other} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}
func.func private @qconvert.softmax_0(%0: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %4 = stablehlo.subtract %0, %3 : tensor<2x4xf32>
  %5 = stablehlo.exponential %4 : tensor<2x4xf32>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %9 = stablehlo.divide %5, %8 : tensor<2x4xf32>
  return %9 : tensor<2x4xf32>
}
func.func private @other(%0: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %1 = stablehlo.negate %0 : tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
    %1 = "qconvert.softmax"(%0) <{axis = 1 : i64}> : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("softmax")
    %2 = stablehlo.composite "other.softmax" %0 {decomposition = @other} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    func.return %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  func.func private @other(%0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %1 = stablehlo.negate %0 : tensor<2x4xf32>
    func.return %1 : tensor<2x4xf32>
  }
}
