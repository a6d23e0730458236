func.func @one_kernel(%x: tensor<1x4xf32>, %w: tensor<4x2xf32>) -> tensor<1x2xf32> {
  %0 = "quant.region"(%x, %w) <{logical_kernel = "fully_connected", input_specs = [!quant.uniform<i8:f32, 0.5:3>, !quant.any<i8<-127:127>:f32>], output_specs = [!quant.calibrated<f32<-1.5:2.0>>]}> ({
  ^bb0(%a: tensor<1x4xf32>, %b: tensor<4x2xf32>):
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
    "quant.return"(%1) : (tensor<1x2xf32>) -> ()
  }) : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
// -----
func.func @left_float(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
  %0, %1 = "quant.region"(%x) <{logical_kernel = "pair", input_specs = [none], output_specs = [!quant.uniform<i8:f32:1, {0.5,0.25,0.1}>, !quant.calibrated<f32:0, {-1.5:2.0,0.0:0.0,-0.5:1.0e-20}>]}> ({
  ^bb0(%a: tensor<2x3xf32>):
    %2 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    "quant.return"(%a, %2) : (tensor<2x3xf32>, tensor<3x2xf32>) -> ()
  }) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>)
  return %0, %1 : tensor<2x3xf32>, tensor<3x2xf32>
}
// -----
func.func @form_of_the_document(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>) -> tensor<2x3xf32> {
  %0 = quant.region (%x, %i) {
  ^bb0(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>):
    %1 = stablehlo.abs %a : tensor<2x3xf32>
    quant.return %1 : tensor<2x3xf32>
  } {input_specs = [!quant.any<i4>, i32], kernel = "abs", output_specs = [none]} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
func.func @shortest_form(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = quant.region (%x) {
    %1 = stablehlo.abs %x : tensor<2x3xf32>
    quant.return %1 : tensor<2x3xf32>
  } {kernel = "abs"}
  return %0 : tensor<2x3xf32>
}
