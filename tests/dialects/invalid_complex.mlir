// stablehlo.complex (C1): tensor<2xf32> and tensor<2xf64> differ
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}
// -----
// the result has type tensor<2xcomplex<f64>>, expected tensor<2xcomplex<f32>>
func.func @main(%a: tensor<2xf32>) {
  %0 = "stablehlo.complex"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}
// -----
// there are no complex numbers of f16
func.func @main(%a: tensor<2xf16>) {
  %0 = "stablehlo.complex"(%a, %a) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xcomplex<f32>>
  return
}
// -----
// the result has type tensor<2xcomplex<f32>>, expected tensor<2xf32>
func.func @main(%a: tensor<2xcomplex<f32>>) {
  %0 = "stablehlo.real"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}
// -----
// imag (I1): float or complex is needed, found i32
func.func @main(%a: tensor<2xi32>) {
  %0 = "stablehlo.imag"(%a) : (tensor<2xi32>) -> tensor<2xi32>
  return
}
// -----
// the result has type tensor<2xf64>, expected tensor<2xf32>
func.func @main(%a: tensor<2xcomplex<f32>>) {
  %0 = "stablehlo.abs"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}
// -----
// floor (I1): float or quantized is needed, found complex<f32>
func.func @main(%a: tensor<2xcomplex<f32>>) {
  %0 = "stablehlo.floor"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}
// -----
// stablehlo.bitcast_convert (C2): complex<f32> and f64
func.func @main(%a: tensor<2xcomplex<f32>>) {
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}
// -----
// (C1, C3) 4 lengths for a tensor of rank 5
func.func @main(%a: tensor<1x1x1x1x2xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 1, 1, 1, 2>}> : (tensor<1x1x1x1x2xcomplex<f32>>) -> tensor<1x1x1x1x2xcomplex<f32>>
  return
}
// -----
// (C2) RFFT of elements of complex<f32>
func.func @main(%a: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>}> : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return
}
// -----
// (C4, C5) RFFT of lengths [6] along [4]
func.func @main(%a: tensor<4xf32>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 6>}> : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}
// -----
// stablehlo.rng_bit_generator (C1): states of tensor<2xui64> and tensor<3xui64>
func.func @main(%a: tensor<2xui64>) {
  %0, %1 = "stablehlo.rng_bit_generator"(%a) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}
// -----
// stablehlo.rng_bit_generator (C2): THREE_FRY of a state of tensor<3xui64>
// StableHLO accepts this one
func.func @main(%a: tensor<3xui64>) {
  %0, %1 = "stablehlo.rng_bit_generator"(%a) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}
