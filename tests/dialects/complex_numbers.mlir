func.func @parts(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %w: tensor<4xcomplex<f64>>) -> tensor<2x3xf32> {
  %0 = stablehlo.complex %a, %b : tensor<2x3xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %2 = stablehlo.imag %w : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  %3 = stablehlo.real %a : tensor<2x3xf32>
  %4 = stablehlo.abs %0 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %5 = stablehlo.compare  EQ, %0, %0,  FLOAT : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xi1>
  %6 = stablehlo.convert %a : (tensor<2x3xf32>) -> tensor<2x3xcomplex<f64>>
  return %1 : tensor<2x3xf32>
}
// -----
func.func @functions(%z: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.constant dense<(1.000000e+00,-2.500000e-01)> : tensor<4xcomplex<f32>>
  %1 = stablehlo.constant dense<[(0.000000e+00,0x7F800000), (3.000000e+00,0x7FC00000)]> : tensor<2xcomplex<f32>>
  %2 = stablehlo.add %z, %0 : tensor<4xcomplex<f32>>
  %3 = stablehlo.cbrt %2 : tensor<4xcomplex<f32>>
  %4 = stablehlo.negate %3 : tensor<4xcomplex<f32>>
  %5 = stablehlo.sign %4 : tensor<4xcomplex<f32>>
  %6 = stablehlo.power %5, %z : tensor<4xcomplex<f32>>
  %7 = stablehlo.atan2 %6, %z : tensor<4xcomplex<f32>>
  %8 = stablehlo.bitcast_convert %7 : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %9 = stablehlo.transpose %8, dims = [0] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %9 : tensor<4xcomplex<f32>>
}
// -----
func.func @transforms(%x: tensor<3x4x6xf32>, %z: tensor<3x4x6xcomplex<f32>>, %e: tensor<2x0xf64>) -> tensor<3x4x6xf32> {
  %0 = stablehlo.fft %z, type = FFT, length = [6] : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IFFT, length = [3, 4, 6] : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
  %2 = stablehlo.fft %x, type = RFFT, length = [4, 6] : (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>
  %3 = stablehlo.fft %2, type = IRFFT, length = [4, 6] : (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x6xf32>
  return %3 : tensor<3x4x6xf32>
}
