func.func @bits(%a: tensor<2xui64>, %b: tensor<3xui64>) -> tensor<4xui32> {
  %0, %1 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %2, %3 = stablehlo.rng_bit_generator %b, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x2xui8>)
  %4, %5 = stablehlo.rng_bit_generator %b, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x2xf32>)
  return %1 : tensor<4xui32>
}
