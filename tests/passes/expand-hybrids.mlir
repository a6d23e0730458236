// a symmetric product
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0>} : (tensor<2x3xf32>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xf32>, %1: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf32> {
    %2 = stablehlo.bitcast_convert %1 : (tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x4xi8>
    %3 = stablehlo.convert %2 : (tensor<3x4xi8>) -> tensor<3x4xi32>
    %4 = stablehlo.abs %0 : tensor<2x3xf32>
    %5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %7 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %8 = stablehlo.compare EQ, %6, %7 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %9 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    %10 = stablehlo.select %8, %9, %6 : tensor<2xi1>, tensor<2xf32>
    %11 = stablehlo.constant dense<1.270000e+02> : tensor<2xf32>
    %12 = stablehlo.divide %11, %10 : tensor<2xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %14 = stablehlo.multiply %0, %13 : tensor<2x3xf32>
    %15 = stablehlo.round_nearest_afz %14 : tensor<2x3xf32>
    %16 = stablehlo.convert %15 : (tensor<2x3xf32>) -> tensor<2x3xi8>
    %17 = stablehlo.convert %16 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %18 = stablehlo.constant dense<1.270000e+02> : tensor<2xf32>
    %19 = stablehlo.divide %10, %18 : tensor<2xf32>
    %20 = stablehlo.dot_general %17, %3, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
    %21 = stablehlo.convert %20 : (tensor<2x4xi32>) -> tensor<2x4xf32>
    %22 = stablehlo.constant dense<5.000000e-01> : tensor<2xf32>
    %23 = stablehlo.multiply %19, %22 : tensor<2xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
    %25 = stablehlo.multiply %21, %24 : tensor<2x4xf32>
    func.return %25 : tensor<2x4xf32>
  }
}
// -----
// an asymmetric convolution with a scale of each feature
func.func @main(%x: tensor<2x5x1xf32>) -> tensor<2x5x2xf32> {
  %w = stablehlo.constant() <{value = dense<[[[-3, 4]], [[5, 6]], [[0, 7]]]> : tensor<3x1x2xi8>}> : () -> tensor<3x1x2x!quant.uniform<i8:f32:2, {0.5,0.25}>>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0, asymmetric>} : (tensor<2x5x1xf32>, tensor<3x1x2x!quant.uniform<i8:f32:2, {0.5,0.25}>>) -> tensor<2x5x2xf32>
  return %0 : tensor<2x5x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x5x1xf32>) -> tensor<2x5x2xf32> {
    %1 = stablehlo.constant dense<[[[-3, 4]], [[5, 6]], [[0, 7]]]> : tensor<3x1x2xi8>
    %2 = stablehlo.convert %1 : (tensor<3x1x2xi8>) -> tensor<3x1x2xi32>
    %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%0 init: %3) applies stablehlo.minimum across dimensions = [1, 2] : (tensor<2x5x1xf32>, tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%0 init: %5) applies stablehlo.maximum across dimensions = [1, 2] : (tensor<2x5x1xf32>, tensor<f32>) -> tensor<2xf32>
    %7 = stablehlo.subtract %6, %4 : tensor<2xf32>
    %8 = stablehlo.constant dense<2.550000e+02> : tensor<2xf32>
    %9 = stablehlo.divide %7, %8 : tensor<2xf32>
    %10 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %11 = stablehlo.compare EQ, %7, %10 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %12 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    %13 = stablehlo.select %11, %12, %9 : tensor<2xi1>, tensor<2xf32>
    %14 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    %15 = stablehlo.divide %14, %13 : tensor<2xf32>
    %16 = stablehlo.multiply %4, %15 : tensor<2xf32>
    %17 = stablehlo.multiply %6, %15 : tensor<2xf32>
    %18 = stablehlo.constant dense<-1.280000e+02> : tensor<2xf32>
    %19 = stablehlo.subtract %18, %16 : tensor<2xf32>
    %20 = stablehlo.constant dense<1.270000e+02> : tensor<2xf32>
    %21 = stablehlo.subtract %20, %17 : tensor<2xf32>
    %22 = stablehlo.abs %16 : tensor<2xf32>
    %23 = stablehlo.constant dense<1.280000e+02> : tensor<2xf32>
    %24 = stablehlo.add %23, %22 : tensor<2xf32>
    %25 = stablehlo.abs %17 : tensor<2xf32>
    %26 = stablehlo.constant dense<1.270000e+02> : tensor<2xf32>
    %27 = stablehlo.add %26, %25 : tensor<2xf32>
    %28 = stablehlo.compare LT, %24, %27 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %29 = stablehlo.select %28, %19, %21 : tensor<2xi1>, tensor<2xf32>
    %30 = stablehlo.round_nearest_afz %29 : tensor<2xf32>
    %31 = stablehlo.constant dense<-1.280000e+02> : tensor<2xf32>
    %32 = stablehlo.constant dense<1.270000e+02> : tensor<2xf32>
    %33 = stablehlo.clamp %31, %30, %32 : tensor<2xf32>
    %34 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<2xf32>) -> tensor<2x5x1xf32>
    %35 = stablehlo.multiply %0, %34 : tensor<2x5x1xf32>
    %36 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<2xf32>) -> tensor<2x5x1xf32>
    %37 = stablehlo.add %36, %35 : tensor<2x5x1xf32>
    %38 = stablehlo.round_nearest_afz %37 : tensor<2x5x1xf32>
    %39 = stablehlo.constant dense<-1.280000e+02> : tensor<f32>
    %40 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %41 = stablehlo.clamp %39, %38, %40 : (tensor<f32>, tensor<2x5x1xf32>, tensor<f32>) -> tensor<2x5x1xf32>
    %42 = stablehlo.convert %33 : (tensor<2xf32>) -> tensor<2xi8>
    %43 = stablehlo.convert %42 : (tensor<2xi8>) -> tensor<2xi32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0] : (tensor<2xi32>) -> tensor<2x5x1xi32>
    %45 = stablehlo.convert %41 : (tensor<2x5x1xf32>) -> tensor<2x5x1xi8>
    %46 = stablehlo.convert %45 : (tensor<2x5x1xi8>) -> tensor<2x5x1xi32>
    %47 = stablehlo.subtract %46, %44 : tensor<2x5x1xi32>
    %48 = stablehlo.convolution(%47, %2) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x1xi32>, tensor<3x1x2xi32>) -> tensor<2x5x2xi32>
    %49 = stablehlo.convert %48 : (tensor<2x5x2xi32>) -> tensor<2x5x2xf32>
    %50 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<2xf32>) -> tensor<2x5x2xf32>
    %51 = stablehlo.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [2] : (tensor<2xf32>) -> tensor<2x5x2xf32>
    %53 = stablehlo.multiply %50, %52 : tensor<2x5x2xf32>
    %54 = stablehlo.multiply %49, %53 : tensor<2x5x2xf32>
    func.return %54 : tensor<2x5x2xf32>
  }
}
