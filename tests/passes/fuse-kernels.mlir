// convolution, bias, the transpose back and the activation are one kernel
func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %w = stablehlo.constant dense<[[[[0.5, -1.0, 0.25], [2.0, 0.0, -0.5]]]]> : tensor<1x1x2x3xf32>
  %b = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<1x1x2x3xf32>) -> tensor<1x4x4x3xf32> loc("conv")
  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<3xf32>) -> tensor<1x4x4x3xf32> loc("conv")
  %2 = stablehlo.add %0, %1 : tensor<1x4x4x3xf32> loc("conv")
  %3 = stablehlo.transpose %2, dims = [0, 3, 1, 2] : (tensor<1x4x4x3xf32>) -> tensor<1x3x4x4xf32> loc("conv")
  %zero = stablehlo.constant dense<0.0> : tensor<1x3x4x4xf32> loc("relu")
  %4 = stablehlo.maximum %3, %zero : tensor<1x3x4x4xf32> loc("relu")
  return %4 : tensor<1x3x4x4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
    %1 = stablehlo.constant dense<[[[[5.000000e-01, -1.000000e+00, 2.500000e-01], [2.000000e+00, 0.000000e+00, -5.000000e-01]]]]> : tensor<1x1x2x3xf32>
    %2 = stablehlo.constant dense<[5.000000e-01, -1.000000e+00, 2.000000e+00]> : tensor<3xf32>
    %3 = quant.region (%0, %1, %2) {
    ^bb0(%4: tensor<1x2x4x4xf32>, %5: tensor<1x1x2x3xf32>, %6: tensor<3xf32>):
      %7 = stablehlo.convolution(%4, %5) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<1x1x2x3xf32>) -> tensor<1x4x4x3xf32> loc("conv")
      %8 = stablehlo.broadcast_in_dim %6, dims = [3] : (tensor<3xf32>) -> tensor<1x4x4x3xf32> loc("conv")
      %9 = stablehlo.add %7, %8 : tensor<1x4x4x3xf32> loc("conv")
      %10 = stablehlo.transpose %9, dims = [0, 3, 1, 2] : (tensor<1x4x4x3xf32>) -> tensor<1x3x4x4xf32> loc("conv")
      %11 = stablehlo.constant dense<0.000000e+00> : tensor<1x3x4x4xf32> loc("relu")
      %12 = stablehlo.maximum %10, %11 : tensor<1x3x4x4xf32> loc("relu")
      quant.return %12 : tensor<1x3x4x4xf32>
    } {kernel = "convolution"} : (tensor<1x2x4x4xf32>, tensor<1x1x2x3xf32>, tensor<3xf32>) -> tensor<1x3x4x4xf32> loc(fused["conv", "relu"])
    func.return %3 : tensor<1x3x4x4xf32>
  }
}
// -----
// a bias that is held repeated becomes the vector that is repeated
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x3xf32> {
  %w = stablehlo.constant dense<[[0.5, -1.0, 0.25], [2.0, 0.0, -0.5]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<2x3xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.add %0, %b : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x2xf32>) -> tensor<2x3xf32> {
    %1 = stablehlo.constant dense<[[5.000000e-01, -1.000000e+00, 2.500000e-01], [2.000000e+00, 0.000000e+00, -5.000000e-01]]> : tensor<2x3xf32>
    %2 = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
    %3 = quant.region (%0, %1, %2) {
    ^bb0(%4: tensor<2x2xf32>, %5: tensor<2x3xf32>, %6: tensor<3xf32>):
      %7 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      %8 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
      %9 = stablehlo.add %7, %8 : tensor<2x3xf32>
      quant.return %9 : tensor<2x3xf32>
    } {kernel = "fully_connected"} : (tensor<2x2xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    func.return %3 : tensor<2x3xf32>
  }
}
// -----
// between dequantize and quantize the ports know their types
func.func @main(%x: tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.25>> {
  %w = stablehlo.constant() <{value = dense<[[1, -2, 3], [4, 5, -6]]> : tensor<2x3xi8>}> : () -> tensor<2x3x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25, 0.125}>>
  %0 = stablehlo.uniform_dequantize %x : (tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2xf32>
  %1 = stablehlo.uniform_dequantize %w : (tensor<2x3x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25, 0.125}>>) -> tensor<2x3xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x3xf32>) -> tensor<1x3xf32>
  %3 = stablehlo.uniform_quantize %2 : (tensor<1x3xf32>) -> tensor<1x3x!quant.uniform<i8:f32, 0.25>>
  return %3 : tensor<1x3x!quant.uniform<i8:f32, 0.25>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.25>> {
    %1 = stablehlo.constant() <{value = dense<[[1, -2, 3], [4, 5, -6]]> : tensor<2x3xi8>}> : () -> tensor<2x3x!quant.uniform<i8<-127:127>:f32:1, {0.5,0.25,0.125}>>
    %2 = stablehlo.uniform_dequantize %0 : (tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2xf32>
    %3 = stablehlo.uniform_dequantize %1 : (tensor<2x3x!quant.uniform<i8<-127:127>:f32:1, {0.5,0.25,0.125}>>) -> tensor<2x3xf32>
    %4 = quant.region (%2, %3) {
    ^bb0(%5: tensor<1x2xf32>, %6: tensor<2x3xf32>):
      %7 = stablehlo.dot_general %5, %6, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x3xf32>) -> tensor<1x3xf32>
      quant.return %7 : tensor<1x3xf32>
    } {input_specs = [!quant.uniform<i8:f32, 0.5:3>, !quant.uniform<i8<-127:127>:f32:1, {0.5,0.25,0.125}>], kernel = "fully_connected", output_specs = [!quant.uniform<i8:f32, 0.25>]} : (tensor<1x2xf32>, tensor<2x3xf32>) -> tensor<1x3xf32>
    %5 = stablehlo.uniform_quantize %4 : (tensor<1x3xf32>) -> tensor<1x3x!quant.uniform<i8:f32, 0.25>>
    func.return %5 : tensor<1x3x!quant.uniform<i8:f32, 0.25>>
  }
}
// -----
// what several ops use is an output of its own; constants they share are copied
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  %1 = stablehlo.maximum %0, %zero : tensor<2xf32>
  %2 = stablehlo.subtract %x, %0 : tensor<2xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<2xf32>
  return %1, %3 : tensor<2xf32>, tensor<2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %1 = quant.region (%0, %0) {
    ^bb0(%2: tensor<2xf32>, %3: tensor<2xf32>):
      %4 = stablehlo.add %2, %3 : tensor<2xf32>
      quant.return %4 : tensor<2xf32>
    } {kernel = "add"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %2 = quant.region (%1) {
    ^bb0(%3: tensor<2xf32>):
      %4 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
      %5 = stablehlo.maximum %3, %4 : tensor<2xf32>
      quant.return %5 : tensor<2xf32>
    } {kernel = "relu"} : (tensor<2xf32>) -> tensor<2xf32>
    %3 = quant.region (%0, %1) {
    ^bb0(%4: tensor<2xf32>, %5: tensor<2xf32>):
      %6 = stablehlo.subtract %4, %5 : tensor<2xf32>
      %7 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
      %8 = stablehlo.maximum %6, %7 : tensor<2xf32>
      quant.return %8 : tensor<2xf32>
    } {kernel = "subtract"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    func.return %2, %3 : tensor<2xf32>, tensor<2xf32>
  }
}
// -----
// a broadcast belongs to what uses it, a constant of one value is a scalar
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %half = stablehlo.constant dense<0.5> : tensor<2x3xf32>
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2x3xf32>
  %2 = stablehlo.multiply %0, %half : tensor<2x3xf32>
  return %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xf32>, %1: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %2 = quant.region (%0, %1) {
    ^bb0(%3: tensor<2x3xf32>, %4: tensor<3xf32>):
      %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
      %6 = stablehlo.multiply %3, %5 : tensor<2x3xf32>
      quant.return %6 : tensor<2x3xf32>
    } {kernel = "multiply"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %4 = quant.region (%1, %3) {
    ^bb0(%5: tensor<3xf32>, %6: tensor<f32>):
      %7 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
      %8 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
      %9 = stablehlo.multiply %7, %8 : tensor<2x3xf32>
      quant.return %9 : tensor<2x3xf32>
    } {kernel = "multiply"} : (tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
    func.return %2, %4 : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
// -----
// a mean is a sum that a constant divides
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %four = stablehlo.constant dense<4.0> : tensor<2xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.divide %0, %four : tensor<2xf32>
  %2 = stablehlo.reshape %1 : (tensor<2xf32>) -> tensor<2x1xf32>
  %3 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  return %2, %3 : tensor<2x1xf32>, tensor<2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2xf32>) {
    %1 = quant.region (%0) {
    ^bb0(%2: tensor<2x4xf32>):
      %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.reduce(%2 init: %3) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
      %5 = stablehlo.constant dense<4.000000e+00> : tensor<2xf32>
      %6 = stablehlo.divide %4, %5 : tensor<2xf32>
      %7 = stablehlo.reshape %6 : (tensor<2xf32>) -> tensor<2x1xf32>
      quant.return %7 : tensor<2x1xf32>
    } {kernel = "mean"} : (tensor<2x4xf32>) -> tensor<2x1xf32>
    %2 = quant.region (%0) {
    ^bb0(%3: tensor<2x4xf32>):
      %4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.reduce(%3 init: %4) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
      quant.return %5 : tensor<2xf32>
    } {kernel = "sum"} : (tensor<2x4xf32>) -> tensor<2xf32>
    func.return %1, %2 : tensor<2x1xf32>, tensor<2xf32>
  }
}
// -----
// pools, a pad with its value inside, a concatenation of all it joins
func.func @main(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x1x5xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %four = stablehlo.constant dense<4.0> : tensor<1x1x1x1xf32>
  %c = stablehlo.constant dense<[[[[1.0, 2.0]]]]> : tensor<1x1x1x2xf32>
  %0 = "stablehlo.reduce_window"(%x, %least) <{window_dimensions = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x1x1xf32>
  %2 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%d: tensor<f32>, %e: tensor<f32>):
    %3 = stablehlo.add %d, %e : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x1x1xf32>
  %4 = stablehlo.divide %2, %four : tensor<1x1x1x1xf32>
  %5 = stablehlo.pad %4, %zero, low = [0, 0, 0, 1], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x1x1x1xf32>, tensor<f32>) -> tensor<1x1x1x2xf32>
  %6 = stablehlo.concatenate %0, %5, %c, dim = 3 : (tensor<1x1x1x1xf32>, tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x1x1x5xf32>
  return %6 : tensor<1x1x1x5xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x1x2x2xf32>) -> tensor<1x1x1x5xf32> {
    %1 = stablehlo.constant dense<[[[[1.000000e+00, 2.000000e+00]]]]> : tensor<1x1x1x2xf32>
    %2 = quant.region (%0) {
    ^bb0(%3: tensor<1x1x2x2xf32>):
      %4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %5 = "stablehlo.reduce_window"(%3, %4) <{window_dimensions = array<i64: 1, 1, 2, 2>}> ({
      ^bb0(%6: tensor<f32>, %7: tensor<f32>):
        %8 = stablehlo.maximum %6, %7 : tensor<f32>
        stablehlo.return %8 : tensor<f32>
      }) : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x1x1xf32>
      quant.return %5 : tensor<1x1x1x1xf32>
    } {kernel = "max_pool"} : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
    %3 = quant.region (%0) {
    ^bb0(%4: tensor<1x1x2x2xf32>):
      %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = "stablehlo.reduce_window"(%4, %5) <{window_dimensions = array<i64: 1, 1, 2, 2>}> ({
      ^bb0(%7: tensor<f32>, %8: tensor<f32>):
        %9 = stablehlo.add %7, %8 : tensor<f32>
        stablehlo.return %9 : tensor<f32>
      }) : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x1x1xf32>
      %10 = stablehlo.constant dense<4.000000e+00> : tensor<1x1x1x1xf32>
      %11 = stablehlo.divide %6, %10 : tensor<1x1x1x1xf32>
      quant.return %11 : tensor<1x1x1x1xf32>
    } {kernel = "average_pool"} : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
    %4 = quant.region (%3) {
    ^bb0(%5: tensor<1x1x1x1xf32>):
      %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.pad %5, %6, low = [0, 0, 0, 1], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x1x1x1xf32>, tensor<f32>) -> tensor<1x1x1x2xf32>
      quant.return %7 : tensor<1x1x1x2xf32>
    } {kernel = "pad"} : (tensor<1x1x1x1xf32>) -> tensor<1x1x1x2xf32>
    %5 = quant.region (%2, %4, %1) {
    ^bb0(%6: tensor<1x1x1x1xf32>, %7: tensor<1x1x1x2xf32>, %8: tensor<1x1x1x2xf32>):
      %9 = stablehlo.concatenate %6, %7, %8, dim = 3 : (tensor<1x1x1x1xf32>, tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x1x1x5xf32>
      quant.return %9 : tensor<1x1x1x5xf32>
    } {kernel = "concatenate"} : (tensor<1x1x1x1xf32>, tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x1x1x5xf32>
    func.return %5 : tensor<1x1x1x5xf32>
  }
}
