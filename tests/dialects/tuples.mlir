func.func @tuples(%x: tensor<3x4xf32>, %q: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %t: !stablehlo.token) -> tuple<tensor<3x4xf32>, !stablehlo.token> {
  %0 = stablehlo.tuple %x, %t : tuple<tensor<3x4xf32>, !stablehlo.token>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<3x4xf32>, !stablehlo.token>) -> !stablehlo.token
  %2, %3 = stablehlo.optimization_barrier %x, %q : tensor<3x4xf32>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %4 = stablehlo.tuple %0, %q : tuple<tuple<tensor<3x4xf32>, !stablehlo.token>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>>
  return %0 : tuple<tensor<3x4xf32>, !stablehlo.token>
}
