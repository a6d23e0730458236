// nothing to do
// integers, comparisons and what is known already are no kernels
func.func @main(%x: tensor<2xi32>, %y: tensor<2xf32>) -> (tensor<2xi32>, tensor<2xi1>, tensor<2xf32>) {
  %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.add %x, %x : tensor<2xi32>
  %1 = stablehlo.compare LT, %y, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %2 = stablehlo.add %c, %c : tensor<2xf32>
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi1>, tensor<2xf32>
}
// -----
// nothing to do
// quantized and hybrid ops are kernels already
func.func @main(%x: tensor<1x2xf32>, %w: tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> (tensor<1x3xf32>, tensor<2x3x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x3xf32>
  %1 = stablehlo.add %w, %w : tensor<2x3x!quant.uniform<i8:f32, 0.5>>
  return %0, %1 : tensor<1x3xf32>, tensor<2x3x!quant.uniform<i8:f32, 0.5>>
}
// -----
// nothing to do
// the ops of a region are its own
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "twice", input_specs = [none], output_specs = [none]}> ({
  ^bb0(%a: tensor<2xf32>):
    %1 = stablehlo.add %a, %a : tensor<2xf32>
    "quant.return"(%1) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
