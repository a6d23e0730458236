// a shape from constants and sizes; what makes the shape is not needed any more
func.func @main(%x: tensor<3x4xf32>) -> tensor<12xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<3x4xf32>) -> tensor<i32>
  %c = stablehlo.constant dense<4> : tensor<i32>
  %m = stablehlo.multiply %n, %c : tensor<i32>
  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<3x4xf32>, tensor<1xi32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<3x4xf32>) -> tensor<12xf32> {
    %1 = stablehlo.reshape %0 : (tensor<3x4xf32>) -> tensor<12xf32>
    func.return %1 : tensor<12xf32>
  }
}
// -----
// amounts and starts
func.func @main(%x: tensor<3x4xf32>, %y: tensor<f32>) -> tensor<3x2xf32> {
  %a = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %b = stablehlo.constant dense<[3, 5]> : tensor<2xi64>
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %z = stablehlo.constant dense<0> : tensor<2xi64>
  %0 = stablehlo.dynamic_pad %x, %y, %a, %z, %z : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x5xf32>
  %1 = stablehlo.real_dynamic_slice %0, %a, %b, %c : (tensor<3x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<3x4xf32>, %1: tensor<f32>) -> tensor<3x2xf32> {
    %2 = stablehlo.pad %0, %1, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x5xf32>
    %3 = stablehlo.slice %2 [0:3, 1:5:2] : (tensor<3x5xf32>) -> tensor<3x2xf32>
    func.return %3 : tensor<3x2xf32>
  }
}
