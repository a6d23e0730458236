// references with one key share its range
func.func @main(%x: tensor<2x3xf32>, %y: tensor<4xf64>) -> (tensor<2x3xf32>, tensor<4xf64>) {
  %0 = "quant.stats_ref"(%x) {statsKey = "x"} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("input")
  %1 = "quant.stats_ref"(%y) {statsKey = "x"} : (tensor<4xf64>) -> tensor<4xf64>
  return %0, %1 : tensor<2x3xf32>, tensor<4xf64>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xf32>, %1: tensor<4xf64>) -> (tensor<2x3xf32>, tensor<4xf64>) {
    %2 = "quant.stats"(%0) <{layerStats = dense<[-1.500000e+00, 5.000000e-01]> : tensor<2xf32>}> : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("input")
    %3 = "quant.stats"(%1) <{layerStats = dense<[-1.500000e+00, 5.000000e-01]> : tensor<2xf64>}> : (tensor<4xf64>) -> tensor<4xf64>
    func.return %2, %3 : tensor<2x3xf32>, tensor<4xf64>
  }
}
// -----
// keys whose values are coupled have the range of both; another key keeps its own
func.func @main(%x: tensor<2x3xf32>, %y: tensor<4xf32>) -> (tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "quant.stats_ref"(%x) {statsKey = "x"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "quant.coupled_ref"(%0) {coupledKey = "state"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "quant.coupled_ref"(%y) {coupledKey = "state"} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "quant.stats_ref"(%2) {statsKey = "y"} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = stablehlo.abs %3 : tensor<4xf32>
  %5 = "quant.stats_ref"(%4) {statsKey = "y2"} : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %5 : tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xf32>, %1: tensor<4xf32>) -> (tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>) {
    %2 = "quant.stats"(%0) <{layerStats = dense<[-1.500000e+00, 3.000000e+00]> : tensor<2xf32>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = "quant.coupled_ref"(%2) <{coupledKey = "state"}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %4 = "quant.coupled_ref"(%1) <{coupledKey = "state"}> : (tensor<4xf32>) -> tensor<4xf32>
    %5 = "quant.stats"(%4) <{layerStats = dense<[-1.500000e+00, 3.000000e+00]> : tensor<2xf32>}> : (tensor<4xf32>) -> tensor<4xf32>
    %6 = stablehlo.abs %5 : tensor<4xf32>
    %7 = "quant.stats"(%6) <{layerStats = dense<[0.000000e+00, 3.000000e+00]> : tensor<2xf32>}> : (tensor<4xf32>) -> tensor<4xf32>
    func.return %3, %5, %7 : tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
// -----
// a key without a range takes that of the value it is coupled to; a value under two keys couples nothing
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = "quant.stats_ref"(%x) {statsKey = "x"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "quant.stats_ref"(%0) {statsKey = "y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "quant.stats_ref"(%y) {statsKey = "y2"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = "quant.coupled_ref"(%2) {coupledKey = "k"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "quant.coupled_ref"(%y) {coupledKey = "l"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = "quant.stats_ref"(%4) {statsKey = "unseen"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1, %5 : tensor<2x3xf32>, tensor<2x3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xf32>, %1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %2 = "quant.stats"(%0) <{layerStats = dense<[-1.500000e+00, 5.000000e-01]> : tensor<2xf32>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = "quant.stats"(%2) <{layerStats = dense<[-2.500000e-01, 3.000000e+00]> : tensor<2xf32>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %4 = "quant.coupled_ref"(%1) <{coupledKey = "l"}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %5 = "quant.stats"(%4) <{layerStats = dense<[0.000000e+00, 3.000000e+00]> : tensor<2xf32>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    func.return %3, %5 : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
// -----
// ranges for slices, in the type that a quantized value expresses
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5>> {
  %0 = "quant.stats_ref"(%x) {statsKey = "columns"} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32, 0.5>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5>> {
    %1 = "quant.stats"(%0) <{axis = 1 : i64, axisStats = dense<[[-1.000000e+00, 1.000000e+00], [0.000000e+00, 2.000000e+00], [5.000000e-01, 4.000000e+00]]> : tensor<3x2xf32>, layerStats = dense<[-1.000000e+00, 4.000000e+00]> : tensor<2xf32>}> : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5>>
    func.return %1 : tensor<2x3x!quant.uniform<i8:f32, 0.5>>
  }
}
