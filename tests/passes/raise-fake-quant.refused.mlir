// nothing to do
// another scale behind
func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<4x8xf32>
  %4 = stablehlo.constant dense<3.0> : tensor<4x8xf32>
  %5 = stablehlo.add %3, %4 : tensor<4x8xf32>
  %6 = stablehlo.constant dense<-128.0> : tensor<f32>
  %7 = stablehlo.constant dense<127.0> : tensor<f32>
  %8 = stablehlo.clamp %6, %5, %7 : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %9 = stablehlo.constant dense<3.0> : tensor<4x8xf32>
  %10 = stablehlo.subtract %8, %9 : tensor<4x8xf32>
  %11 = stablehlo.constant dense<0.06> : tensor<4x8xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<4x8xf32>
  return %12 : tensor<4x8xf32>
}
// -----
// nothing to do
// another zero point behind
func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<4x8xf32>
  %4 = stablehlo.constant dense<3.0> : tensor<4x8xf32>
  %5 = stablehlo.add %3, %4 : tensor<4x8xf32>
  %6 = stablehlo.constant dense<-128.0> : tensor<f32>
  %7 = stablehlo.constant dense<127.0> : tensor<f32>
  %8 = stablehlo.clamp %6, %5, %7 : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %9 = stablehlo.constant dense<4.0> : tensor<4x8xf32>
  %10 = stablehlo.subtract %8, %9 : tensor<4x8xf32>
  %11 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<4x8xf32>
  return %12 : tensor<4x8xf32>
}
// -----
// nothing to do
// a bound that is no integer
func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<4x8xf32>
  %4 = stablehlo.constant dense<3.0> : tensor<4x8xf32>
  %5 = stablehlo.add %3, %4 : tensor<4x8xf32>
  %6 = stablehlo.constant dense<-127.5> : tensor<f32>
  %7 = stablehlo.constant dense<127.0> : tensor<f32>
  %8 = stablehlo.clamp %6, %5, %7 : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %9 = stablehlo.constant dense<3.0> : tensor<4x8xf32>
  %10 = stablehlo.subtract %8, %9 : tensor<4x8xf32>
  %11 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<4x8xf32>
  return %12 : tensor<4x8xf32>
}
// -----
// nothing to do
// a zero point that is none
func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<4x8xf32>
  %4 = stablehlo.constant dense<3.5> : tensor<4x8xf32>
  %5 = stablehlo.add %3, %4 : tensor<4x8xf32>
  %6 = stablehlo.constant dense<-128.0> : tensor<f32>
  %7 = stablehlo.constant dense<127.0> : tensor<f32>
  %8 = stablehlo.clamp %6, %5, %7 : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %9 = stablehlo.constant dense<3.5> : tensor<4x8xf32>
  %10 = stablehlo.subtract %8, %9 : tensor<4x8xf32>
  %11 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<4x8xf32>
  return %12 : tensor<4x8xf32>
}
// -----
// nothing to do
// a bound beyond 16 bits
func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<4x8xf32>
  %4 = stablehlo.constant dense<3.0> : tensor<4x8xf32>
  %5 = stablehlo.add %3, %4 : tensor<4x8xf32>
  %6 = stablehlo.constant dense<-70000.0> : tensor<f32>
  %7 = stablehlo.constant dense<127.0> : tensor<f32>
  %8 = stablehlo.clamp %6, %5, %7 : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %9 = stablehlo.constant dense<3.0> : tensor<4x8xf32>
  %10 = stablehlo.subtract %8, %9 : tensor<4x8xf32>
  %11 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<4x8xf32>
  return %12 : tensor<4x8xf32>
}
// -----
// nothing to do
// a negative scale
func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = stablehlo.constant dense<-0.05> : tensor<4x8xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<4x8xf32>
  %4 = stablehlo.constant dense<3.0> : tensor<4x8xf32>
  %5 = stablehlo.add %3, %4 : tensor<4x8xf32>
  %6 = stablehlo.constant dense<-128.0> : tensor<f32>
  %7 = stablehlo.constant dense<127.0> : tensor<f32>
  %8 = stablehlo.clamp %6, %5, %7 : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %9 = stablehlo.constant dense<3.0> : tensor<4x8xf32>
  %10 = stablehlo.subtract %8, %9 : tensor<4x8xf32>
  %11 = stablehlo.constant dense<-0.05> : tensor<4x8xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<4x8xf32>
  return %12 : tensor<4x8xf32>
}
// -----
// nothing to do
// a zero point outside of the bounds
func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<4x8xf32>
  %4 = stablehlo.constant dense<200.0> : tensor<4x8xf32>
  %5 = stablehlo.add %3, %4 : tensor<4x8xf32>
  %6 = stablehlo.constant dense<-128.0> : tensor<f32>
  %7 = stablehlo.constant dense<127.0> : tensor<f32>
  %8 = stablehlo.clamp %6, %5, %7 : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %9 = stablehlo.constant dense<200.0> : tensor<4x8xf32>
  %10 = stablehlo.subtract %8, %9 : tensor<4x8xf32>
  %11 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<4x8xf32>
  return %12 : tensor<4x8xf32>
}
// -----
// nothing to do
// a scale of zero
func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<4x8xf32>
  %4 = stablehlo.constant dense<-128.0> : tensor<f32>
  %5 = stablehlo.constant dense<127.0> : tensor<f32>
  %6 = stablehlo.clamp %4, %3, %5 : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %7 = stablehlo.constant dense<0.0> : tensor<4x8xf32>
  %8 = stablehlo.multiply %6, %7 : tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}
// -----
// nothing to do
// no elements, so no scale
func.func @main(%0: tensor<0xf32>) -> tensor<0xf32> {
  %1 = stablehlo.constant dense<7.0> : tensor<0xf32>
  %2 = stablehlo.divide %0, %1 : tensor<0xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<0xf32>
  %4 = stablehlo.constant dense<-128.0> : tensor<f32>
  %5 = stablehlo.constant dense<127.0> : tensor<f32>
  %6 = stablehlo.clamp %4, %3, %5 : (tensor<f32>, tensor<0xf32>, tensor<f32>) -> tensor<0xf32>
  %7 = stablehlo.multiply %6, %1 : tensor<0xf32>
  return %7 : tensor<0xf32>
}
