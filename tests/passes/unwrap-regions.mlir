// the float ops stand where the region stood, names and all
func.func @main(%x: tensor<1x2xf32>) -> tensor<1x3xf32> {
  %w = stablehlo.constant dense<[[0.5, -1.0, 0.25], [2.0, 0.0, -0.5]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf32>
  %0 = "quant.region"(%x, %w, %b) <{logical_kernel = "fully_connected", input_specs = [!quant.uniform<i8:f32, 0.5:3>, none, none], output_specs = [none]}> ({
  ^bb0(%p: tensor<1x2xf32>, %q: tensor<2x3xf32>, %r: tensor<3xf32>):
    %1 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x3xf32>) -> tensor<1x3xf32> loc("gemm")
    %2 = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32> loc("gemm")
    %3 = stablehlo.add %1, %2 {qconvert.hint = !quant.any<i8:f32>} : tensor<1x3xf32> loc("gemm")
    %zero = stablehlo.constant dense<0.0> : tensor<1x3xf32> loc("relu")
    %4 = stablehlo.maximum %3, %zero : tensor<1x3xf32> loc("relu")
    "quant.return"(%4) : (tensor<1x3xf32>) -> ()
  }) : (tensor<1x2xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x2xf32>) -> tensor<1x3xf32> {
    %1 = stablehlo.constant dense<[[5.000000e-01, -1.000000e+00, 2.500000e-01], [2.000000e+00, 0.000000e+00, -5.000000e-01]]> : tensor<2x3xf32>
    %2 = stablehlo.constant dense<[5.000000e-01, -1.000000e+00, 2.000000e+00]> : tensor<3xf32>
    %3 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x3xf32>) -> tensor<1x3xf32> loc("gemm")
    %4 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32> loc("gemm")
    %5 = stablehlo.add %3, %4 : tensor<1x3xf32> loc("gemm")
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<1x3xf32> loc("relu")
    %7 = stablehlo.maximum %5, %6 : tensor<1x3xf32> loc("relu")
    func.return %7 : tensor<1x3xf32>
  }
}
// -----
// regions in a row, and one that returns what it takes
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = "quant.region"(%x) <{logical_kernel = "negate", input_specs = [none], output_specs = [none]}> ({
  ^bb0(%a: tensor<2xf32>):
    %1 = stablehlo.negate %a : tensor<2xf32>
    "quant.return"(%1) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  %2, %3 = "quant.region"(%0) <{logical_kernel = "pair", input_specs = [none], output_specs = [none, none]}> ({
  ^bb0(%a: tensor<2xf32>):
    %1 = stablehlo.abs %a : tensor<2xf32>
    "quant.return"(%1, %a) : (tensor<2xf32>, tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %2, %3 : tensor<2xf32>, tensor<2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %1 = stablehlo.negate %0 : tensor<2xf32>
    %2 = stablehlo.abs %1 : tensor<2xf32>
    func.return %2, %1 : tensor<2xf32>, tensor<2xf32>
  }
}
