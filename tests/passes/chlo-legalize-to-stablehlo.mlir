// a broadcast and a function
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = chlo.acos %0 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xf32>, %1: tensor<3xf32>) -> tensor<2x3xf32> {
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x3xf32>
    %4 = stablehlo.constant dense<1.000000e+00> : tensor<2x3xf32>
    %5 = stablehlo.subtract %4, %3 : tensor<2x3xf32>
    %6 = stablehlo.sqrt %5 : tensor<2x3xf32>
    %7 = stablehlo.constant dense<1.000000e+00> : tensor<2x3xf32>
    %8 = stablehlo.add %7, %3 : tensor<2x3xf32>
    %9 = stablehlo.sqrt %8 : tensor<2x3xf32>
    %10 = stablehlo.atan2 %6, %9 : tensor<2x3xf32>
    %11 = stablehlo.add %10, %10 : tensor<2x3xf32>
    func.return %11 : tensor<2x3xf32>
  }
}
// -----
// a narrow float is computed in 32 bits; the error function is a composite
func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = chlo.erf %x : tensor<4xf16> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xf16>) -> tensor<4xf16> {
    %1 = stablehlo.convert %0 : (tensor<4xf16>) -> tensor<4xf32>
    %2 = "qconvert.erf"(%1) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.convert %2 : (tensor<4xf32>) -> tensor<4xf16>
    func.return %3 : tensor<4xf16>
  }
}
// -----
// the largest elements
func.func @main(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0, %1 = chlo.top_k(%x, k = 3) : tensor<2x5xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
    %1 = stablehlo.iota dim = 1 : tensor<2x5xi32>
    %2, %3 = "stablehlo.sort"(%0, %1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%4: tensor<f32>, %5: tensor<f32>, %6: tensor<i32>, %7: tensor<i32>):
      %8 = stablehlo.compare GT, %4, %5, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }) : (tensor<2x5xf32>, tensor<2x5xi32>) -> (tensor<2x5xf32>, tensor<2x5xi32>)
    %9 = stablehlo.slice %2 [0:2, 0:3] : (tensor<2x5xf32>) -> tensor<2x3xf32>
    %10 = stablehlo.slice %3 [0:2, 0:3] : (tensor<2x5xi32>) -> tensor<2x3xi32>
    func.return %9, %10 : tensor<2x3xf32>, tensor<2x3xi32>
  }
}
