func.func @checks(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<i1> {
  %0 = stablehlo.custom_call @check.eq(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i1>
  stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %1:2 = stablehlo.custom_call @foreign(%a) {backend_config = "x", note = "kept"} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<i1>)
  return %0 : tensor<i1>
}
