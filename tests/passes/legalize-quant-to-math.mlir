// Floats are quantized in StableHLO's order; NaN, which alone is not equal to itself, becomes 0.
func.func @main(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.3:3>> {
  %y = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.3:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.3:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xf32>) -> tensor<4xi8> {
    %1 = stablehlo.constant dense<3.000000e-01> : tensor<4xf32>
    %2 = stablehlo.divide %0, %1 : tensor<4xf32>
    %3 = stablehlo.constant dense<3.000000e+00> : tensor<4xf32>
    %4 = stablehlo.add %2, %3 : tensor<4xf32>
    %5 = stablehlo.round_nearest_even %4 : tensor<4xf32>
    %6 = stablehlo.compare EQ, %5, %5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %7 = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
    %8 = stablehlo.select %6, %5, %7 : tensor<4xi1>, tensor<4xf32>
    %9 = stablehlo.constant dense<-1.280000e+02> : tensor<f32>
    %10 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %11 = stablehlo.clamp %9, %8, %10 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.convert %11 : (tensor<4xf32>) -> tensor<4xi8>
    func.return %12 : tensor<4xi8>
  }
}
// -----
// In ONNX's order the zero point is added last; the name of the tensor and the location stay.
func.func @main(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.3:3>> {
  %y = stablehlo.uniform_quantize %x {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.3:3>> loc("node")
  return %y : tensor<4x!quant.uniform<i8:f32, 0.3:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xf32>) -> tensor<4xi8> {
    %1 = stablehlo.constant dense<3.000000e-01> : tensor<4xf32> loc("node")
    %2 = stablehlo.divide %0, %1 : tensor<4xf32> loc("node")
    %3 = stablehlo.round_nearest_even %2 : tensor<4xf32> loc("node")
    %4 = stablehlo.constant dense<3.000000e+00> : tensor<4xf32> loc("node")
    %5 = stablehlo.add %3, %4 : tensor<4xf32> loc("node")
    %6 = stablehlo.compare EQ, %5, %5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1> loc("node")
    %7 = stablehlo.constant dense<-1.280000e+02> : tensor<4xf32> loc("node")
    %8 = stablehlo.select %6, %5, %7 : tensor<4xi1>, tensor<4xf32> loc("node")
    %9 = stablehlo.constant dense<-1.280000e+02> : tensor<f32> loc("node")
    %10 = stablehlo.constant dense<1.270000e+02> : tensor<f32> loc("node")
    %11 = stablehlo.clamp %9, %8, %10 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32> loc("node")
    %12 = stablehlo.convert %11 {qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4xi8> loc("node")
    func.return %12 : tensor<4xi8>
  }
}
// -----
// Integers at another scale go through the float between them.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %y = stablehlo.uniform_quantize %x : (tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>) -> tensor<4xi8> {
    %1 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %2 = stablehlo.constant dense<3> : tensor<4xi32>
    %3 = stablehlo.subtract %1, %2 : tensor<4xi32>
    %4 = stablehlo.convert %3 : (tensor<4xi32>) -> tensor<4xf32>
    %5 = stablehlo.constant dense<3.000000e-01> : tensor<4xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<4xf32>
    %7 = stablehlo.constant dense<2.500000e-01> : tensor<4xf32>
    %8 = stablehlo.divide %6, %7 : tensor<4xf32>
    %9 = stablehlo.constant dense<-7.000000e+00> : tensor<4xf32>
    %10 = stablehlo.add %8, %9 : tensor<4xf32>
    %11 = stablehlo.round_nearest_even %10 : tensor<4xf32>
    %12 = stablehlo.constant dense<-1.280000e+02> : tensor<f32>
    %13 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %14 = stablehlo.clamp %12, %11, %13 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %15 = stablehlo.convert %14 : (tensor<4xf32>) -> tensor<4xi8>
    func.return %15 : tensor<4xi8>
  }
}
// -----
// At the same scale integers only move.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4x!quant.uniform<ui8:f32, 0.3:131>> {
  %y = stablehlo.uniform_quantize %x : (tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4x!quant.uniform<ui8:f32, 0.3:131>>
  return %y : tensor<4x!quant.uniform<ui8:f32, 0.3:131>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>) -> tensor<4xui8> {
    %1 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %2 = stablehlo.constant dense<128> : tensor<4xi32>
    %3 = stablehlo.add %1, %2 : tensor<4xi32>
    %4 = stablehlo.convert %3 : (tensor<4xi32>) -> tensor<4xui8>
    func.return %4 : tensor<4xui8>
  }
}
// -----
// To wider storage nothing is clamped.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4x!quant.uniform<i16:f32, 0.3:-5>> {
  %y = stablehlo.uniform_quantize %x : (tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4x!quant.uniform<i16:f32, 0.3:-5>>
  return %y : tensor<4x!quant.uniform<i16:f32, 0.3:-5>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>) -> tensor<4xi16> {
    %1 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %2 = stablehlo.constant dense<-8> : tensor<4xi32>
    %3 = stablehlo.add %1, %2 : tensor<4xi32>
    %4 = stablehlo.convert %3 : (tensor<4xi32>) -> tensor<4xi16>
    func.return %4 : tensor<4xi16>
  }
}
// -----
// A 32-bit accumulator is scaled in f64; its scales lie along the first dimension.
func.func @main(%x: tensor<2x2x!quant.uniform<i32:f32:0, {0.3,0.2}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.25:-7>> {
  %y = stablehlo.uniform_quantize %x : (tensor<2x2x!quant.uniform<i32:f32:0, {0.3,0.2}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<2x2x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x2xi32>) -> tensor<2x2xi8> {
    %1 = stablehlo.convert %0 : (tensor<2x2xi32>) -> tensor<2x2xf64>
    %2 = stablehlo.constant dense<[[3.000000e-01], [2.000000e-01]]> : tensor<2x1xf64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x2xf64>
    %4 = stablehlo.multiply %1, %3 : tensor<2x2xf64>
    %5 = stablehlo.constant dense<2.500000e-01> : tensor<2x2xf64>
    %6 = stablehlo.divide %4, %5 : tensor<2x2xf64>
    %7 = stablehlo.constant dense<-7.000000e+00> : tensor<2x2xf64>
    %8 = stablehlo.add %6, %7 : tensor<2x2xf64>
    %9 = stablehlo.round_nearest_even %8 : tensor<2x2xf64>
    %10 = stablehlo.constant dense<-1.280000e+02> : tensor<f64>
    %11 = stablehlo.constant dense<1.270000e+02> : tensor<f64>
    %12 = stablehlo.clamp %10, %9, %11 : (tensor<f64>, tensor<2x2xf64>, tensor<f64>) -> tensor<2x2xf64>
    %13 = stablehlo.convert %12 : (tensor<2x2xf64>) -> tensor<2x2xi8>
    func.return %13 : tensor<2x2xi8>
  }
}
// -----
// A dequantize.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4xf32> {
  %y = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>) -> tensor<4xf32> {
    %1 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %2 = stablehlo.constant dense<3> : tensor<4xi32>
    %3 = stablehlo.subtract %1, %2 : tensor<4xi32>
    %4 = stablehlo.convert %3 : (tensor<4xi32>) -> tensor<4xf32>
    %5 = stablehlo.constant dense<3.000000e-01> : tensor<4xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<4xf32>
    func.return %6 : tensor<4xf32>
  }
}
// -----
// A sum of one scale is one of integers, whatever the zero points.
func.func @main(%l: tensor<4x!quant.uniform<i8:f32, 0.3:3>>, %r: tensor<4x!quant.uniform<i8:f32, 0.3:-9>>) -> tensor<4x!quant.uniform<i8:f32, 0.3:3>> {
  %y = stablehlo.add %l, %r : (tensor<4x!quant.uniform<i8:f32, 0.3:3>>, tensor<4x!quant.uniform<i8:f32, 0.3:-9>>) -> tensor<4x!quant.uniform<i8:f32, 0.3:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.3:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>, %1: tensor<4xi8>) -> tensor<4xi8> {
    %2 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %3 = stablehlo.convert %1 : (tensor<4xi8>) -> tensor<4xi32>
    %4 = stablehlo.add %2, %3 : tensor<4xi32>
    %5 = stablehlo.constant dense<9> : tensor<4xi32>
    %6 = stablehlo.add %4, %5 : tensor<4xi32>
    %7 = stablehlo.constant dense<-128> : tensor<i32>
    %8 = stablehlo.constant dense<127> : tensor<i32>
    %9 = stablehlo.clamp %7, %6, %8 : (tensor<i32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %10 = stablehlo.convert %9 : (tensor<4xi32>) -> tensor<4xi8>
    func.return %10 : tensor<4xi8>
  }
}
// -----
// A difference of two scales is one of floats.
func.func @main(%l: tensor<4x!quant.uniform<i8:f32, 0.3:3>>, %r: tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.3:3>> {
  %y = stablehlo.subtract %l, %r {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<4x!quant.uniform<i8:f32, 0.3:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 0.3:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.3:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>, %1: tensor<4xi8>) -> tensor<4xi8> {
    %2 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %3 = stablehlo.constant dense<3> : tensor<4xi32>
    %4 = stablehlo.subtract %2, %3 : tensor<4xi32>
    %5 = stablehlo.convert %4 : (tensor<4xi32>) -> tensor<4xf32>
    %6 = stablehlo.constant dense<3.000000e-01> : tensor<4xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<4xf32>
    %8 = stablehlo.convert %1 : (tensor<4xi8>) -> tensor<4xi32>
    %9 = stablehlo.constant dense<-7> : tensor<4xi32>
    %10 = stablehlo.subtract %8, %9 : tensor<4xi32>
    %11 = stablehlo.convert %10 : (tensor<4xi32>) -> tensor<4xf32>
    %12 = stablehlo.constant dense<2.500000e-01> : tensor<4xf32>
    %13 = stablehlo.multiply %11, %12 : tensor<4xf32>
    %14 = stablehlo.subtract %7, %13 : tensor<4xf32>
    %15 = stablehlo.constant dense<3.000000e-01> : tensor<4xf32>
    %16 = stablehlo.divide %14, %15 : tensor<4xf32>
    %17 = stablehlo.round_nearest_even %16 : tensor<4xf32>
    %18 = stablehlo.constant dense<3.000000e+00> : tensor<4xf32>
    %19 = stablehlo.add %17, %18 : tensor<4xf32>
    %20 = stablehlo.compare EQ, %19, %19 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %21 = stablehlo.constant dense<-1.280000e+02> : tensor<4xf32>
    %22 = stablehlo.select %20, %19, %21 : tensor<4xi1>, tensor<4xf32>
    %23 = stablehlo.constant dense<-1.280000e+02> : tensor<f32>
    %24 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %25 = stablehlo.clamp %23, %22, %24 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %26 = stablehlo.convert %25 {qconvert.tensor = "y"} : (tensor<4xf32>) -> tensor<4xi8>
    func.return %26 : tensor<4xi8>
  }
}
// -----
// A product of integers, scaled once, where all 65,536 pairs of operands give the same.
func.func @main(%l: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %r: tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 2.0:1>> {
  %y = stablehlo.multiply %l, %r : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.25:-7>>) -> tensor<4x!quant.uniform<i8:f32, 2.0:1>>
  return %y : tensor<4x!quant.uniform<i8:f32, 2.0:1>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>, %1: tensor<4xi8>) -> tensor<4xi8> {
    %2 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %3 = stablehlo.constant dense<3> : tensor<4xi32>
    %4 = stablehlo.subtract %2, %3 : tensor<4xi32>
    %5 = stablehlo.convert %1 : (tensor<4xi8>) -> tensor<4xi32>
    %6 = stablehlo.constant dense<-7> : tensor<4xi32>
    %7 = stablehlo.subtract %5, %6 : tensor<4xi32>
    %8 = stablehlo.multiply %4, %7 : tensor<4xi32>
    %9 = stablehlo.convert %8 : (tensor<4xi32>) -> tensor<4xf64>
    %10 = stablehlo.constant dense<1.250000e-01> : tensor<4xf64>
    %11 = stablehlo.multiply %9, %10 : tensor<4xf64>
    %12 = stablehlo.constant dense<2.000000e+00> : tensor<4xf64>
    %13 = stablehlo.divide %11, %12 : tensor<4xf64>
    %14 = stablehlo.constant dense<1.000000e+00> : tensor<4xf64>
    %15 = stablehlo.add %13, %14 : tensor<4xf64>
    %16 = stablehlo.round_nearest_even %15 : tensor<4xf64>
    %17 = stablehlo.constant dense<-1.280000e+02> : tensor<f64>
    %18 = stablehlo.constant dense<1.270000e+02> : tensor<f64>
    %19 = stablehlo.clamp %17, %16, %18 : (tensor<f64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %20 = stablehlo.convert %19 : (tensor<4xf64>) -> tensor<4xi8>
    func.return %20 : tensor<4xi8>
  }
}
// -----
// A product of floats where a pair of operands gives another integer.
func.func @main(%l: tensor<4x!quant.uniform<i8:f32, 0.3:3>>, %r: tensor<4x!quant.uniform<i8:f32, 0.7>>) -> tensor<4x!quant.uniform<i8:f32, 0.3>> {
  %y = stablehlo.multiply %l, %r : (tensor<4x!quant.uniform<i8:f32, 0.3:3>>, tensor<4x!quant.uniform<i8:f32, 0.7>>) -> tensor<4x!quant.uniform<i8:f32, 0.3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>, %1: tensor<4xi8>) -> tensor<4xi8> {
    %2 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %3 = stablehlo.constant dense<3> : tensor<4xi32>
    %4 = stablehlo.subtract %2, %3 : tensor<4xi32>
    %5 = stablehlo.convert %4 : (tensor<4xi32>) -> tensor<4xf32>
    %6 = stablehlo.constant dense<3.000000e-01> : tensor<4xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<4xf32>
    %8 = stablehlo.convert %1 : (tensor<4xi8>) -> tensor<4xi32>
    %9 = stablehlo.convert %8 : (tensor<4xi32>) -> tensor<4xf32>
    %10 = stablehlo.constant dense<7.000000e-01> : tensor<4xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<4xf32>
    %12 = stablehlo.multiply %7, %11 : tensor<4xf32>
    %13 = stablehlo.constant dense<3.000000e-01> : tensor<4xf32>
    %14 = stablehlo.divide %12, %13 : tensor<4xf32>
    %15 = stablehlo.round_nearest_even %14 : tensor<4xf32>
    %16 = stablehlo.compare EQ, %15, %15 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %17 = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
    %18 = stablehlo.select %16, %15, %17 : tensor<4xi1>, tensor<4xf32>
    %19 = stablehlo.constant dense<-1.280000e+02> : tensor<f32>
    %20 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %21 = stablehlo.clamp %19, %18, %20 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %22 = stablehlo.convert %21 : (tensor<4xf32>) -> tensor<4xi8>
    func.return %22 : tensor<4xi8>
  }
}
// -----
// Another elementwise op is a float op between dequantize and quantize.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %y = stablehlo.floor %x : (tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>) -> tensor<4xi8> {
    %1 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %2 = stablehlo.constant dense<3> : tensor<4xi32>
    %3 = stablehlo.subtract %1, %2 : tensor<4xi32>
    %4 = stablehlo.convert %3 : (tensor<4xi32>) -> tensor<4xf32>
    %5 = stablehlo.constant dense<3.000000e-01> : tensor<4xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<4xf32>
    %7 = stablehlo.floor %6 : tensor<4xf32>
    %8 = stablehlo.constant dense<2.500000e-01> : tensor<4xf32>
    %9 = stablehlo.divide %7, %8 : tensor<4xf32>
    %10 = stablehlo.constant dense<-7.000000e+00> : tensor<4xf32>
    %11 = stablehlo.add %9, %10 : tensor<4xf32>
    %12 = stablehlo.round_nearest_even %11 : tensor<4xf32>
    %13 = stablehlo.compare EQ, %12, %12 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %14 = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
    %15 = stablehlo.select %13, %12, %14 : tensor<4xi1>, tensor<4xf32>
    %16 = stablehlo.constant dense<-1.280000e+02> : tensor<f32>
    %17 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %18 = stablehlo.clamp %16, %15, %17 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %19 = stablehlo.convert %18 : (tensor<4xf32>) -> tensor<4xi8>
    func.return %19 : tensor<4xi8>
  }
}
// -----
// An order of values of one type is one of integers; a constant holds its integers.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.3:3>> {
  %k = stablehlo.constant() <{value = dense<5> : tensor<4xi8>}> : () -> tensor<4x!quant.uniform<i8:f32, 0.3:3>>
  %m = stablehlo.maximum %x, %k : tensor<4x!quant.uniform<i8:f32, 0.3:3>>
  %p = stablehlo.compare LT, %x, %m : (tensor<4x!quant.uniform<i8:f32, 0.3:3>>, tensor<4x!quant.uniform<i8:f32, 0.3:3>>) -> tensor<4xi1>
  %y = stablehlo.select %p, %x, %m : tensor<4xi1>, tensor<4x!quant.uniform<i8:f32, 0.3:3>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.3:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>) -> tensor<4xi8> {
    %1 = stablehlo.constant dense<5> : tensor<4xi8>
    %2 = stablehlo.maximum %0, %1 : tensor<4xi8>
    %3 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %4 = stablehlo.constant dense<3> : tensor<4xi32>
    %5 = stablehlo.subtract %3, %4 : tensor<4xi32>
    %6 = stablehlo.convert %5 : (tensor<4xi32>) -> tensor<4xf32>
    %7 = stablehlo.constant dense<3.000000e-01> : tensor<4xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<4xf32>
    %9 = stablehlo.convert %2 : (tensor<4xi8>) -> tensor<4xi32>
    %10 = stablehlo.constant dense<3> : tensor<4xi32>
    %11 = stablehlo.subtract %9, %10 : tensor<4xi32>
    %12 = stablehlo.convert %11 : (tensor<4xi32>) -> tensor<4xf32>
    %13 = stablehlo.constant dense<3.000000e-01> : tensor<4xf32>
    %14 = stablehlo.multiply %12, %13 : tensor<4xf32>
    %15 = stablehlo.compare LT, %8, %14 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %16 = stablehlo.select %15, %0, %2 : tensor<4xi1>, tensor<4xi8>
    func.return %16 : tensor<4xi8>
  }
}
// -----
// A padded convolution with zero points on both sides, accumulator and bias in i32.
func.func @main(%x: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.3:3>>, %w: tensor<2x2x2x2x!quant.uniform<i8:f32:3, {0.02:1,0.03:-2}>>, %b: tensor<1x3x3x2x!quant.uniform<i32:f32:3, {0.006,0.009}>>) -> tensor<1x3x3x2x!quant.uniform<i8:f32, 0.25:-7>> {
  %c = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 0], [0, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x3x2x!quant.uniform<i8:f32, 0.3:3>>, tensor<2x2x2x2x!quant.uniform<i8:f32:3, {0.02:1,0.03:-2}>>) -> tensor<1x3x3x2x!quant.uniform<i32:f32:3, {0.006,0.009}>>
  %s = stablehlo.add %c, %b : tensor<1x3x3x2x!quant.uniform<i32:f32:3, {0.006,0.009}>>
  %y = stablehlo.uniform_quantize %s : (tensor<1x3x3x2x!quant.uniform<i32:f32:3, {0.006,0.009}>>) -> tensor<1x3x3x2x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<1x3x3x2x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x3x3x2xi8>, %1: tensor<2x2x2x2xi8>, %2: tensor<1x3x3x2xi32>) -> tensor<1x3x3x2xi8> {
    %3 = stablehlo.convert %0 : (tensor<1x3x3x2xi8>) -> tensor<1x3x3x2xi32>
    %4 = stablehlo.constant dense<3> : tensor<1x3x3x2xi32>
    %5 = stablehlo.subtract %3, %4 : tensor<1x3x3x2xi32>
    %6 = stablehlo.convert %1 : (tensor<2x2x2x2xi8>) -> tensor<2x2x2x2xi32>
    %7 = stablehlo.constant dense<[[[[1, -2]]]]> : tensor<1x1x1x2xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xi32>) -> tensor<2x2x2x2xi32>
    %9 = stablehlo.subtract %6, %8 : tensor<2x2x2x2xi32>
    %10 = stablehlo.convolution(%5, %9) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 0], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x3x2xi32>, tensor<2x2x2x2xi32>) -> tensor<1x3x3x2xi32>
    %11 = stablehlo.add %10, %2 : tensor<1x3x3x2xi32>
    %12 = stablehlo.convert %11 : (tensor<1x3x3x2xi32>) -> tensor<1x3x3x2xf64>
    %13 = stablehlo.constant dense<[[[[6.000000e-03, 9.000000e-03]]]]> : tensor<1x1x1x2xf64>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf64>) -> tensor<1x3x3x2xf64>
    %15 = stablehlo.multiply %12, %14 : tensor<1x3x3x2xf64>
    %16 = stablehlo.constant dense<2.500000e-01> : tensor<1x3x3x2xf64>
    %17 = stablehlo.divide %15, %16 : tensor<1x3x3x2xf64>
    %18 = stablehlo.constant dense<-7.000000e+00> : tensor<1x3x3x2xf64>
    %19 = stablehlo.add %17, %18 : tensor<1x3x3x2xf64>
    %20 = stablehlo.round_nearest_even %19 : tensor<1x3x3x2xf64>
    %21 = stablehlo.constant dense<-1.280000e+02> : tensor<f64>
    %22 = stablehlo.constant dense<1.270000e+02> : tensor<f64>
    %23 = stablehlo.clamp %21, %20, %22 : (tensor<f64>, tensor<1x3x3x2xf64>, tensor<f64>) -> tensor<1x3x3x2xf64>
    %24 = stablehlo.convert %23 : (tensor<1x3x3x2xf64>) -> tensor<1x3x3x2xi8>
    func.return %24 : tensor<1x3x3x2xi8>
  }
}
// -----
// A product of matrices with its result's type at once.
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.3:3>>, %w: tensor<3x2x!quant.uniform<i8:f32:1, {0.02,0.03}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.25:-7>> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>, qconvert.tensor = "y"} : (tensor<2x3x!quant.uniform<i8:f32, 0.3:3>>, tensor<3x2x!quant.uniform<i8:f32:1, {0.02,0.03}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<2x2x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>, %1: tensor<3x2xi8>) -> tensor<2x2xi8> {
    %2 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %3 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %4 = stablehlo.subtract %2, %3 : tensor<2x3xi32>
    %5 = stablehlo.convert %1 : (tensor<3x2xi8>) -> tensor<3x2xi32>
    %6 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
    %7 = stablehlo.convert %6 : (tensor<2x2xi32>) -> tensor<2x2xf64>
    %8 = stablehlo.constant dense<[[6.000000e-03, 9.000000e-03]]> : tensor<1x2xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x2xf64>) -> tensor<2x2xf64>
    %10 = stablehlo.multiply %7, %9 : tensor<2x2xf64>
    %11 = stablehlo.constant dense<2.500000e-01> : tensor<2x2xf64>
    %12 = stablehlo.divide %10, %11 : tensor<2x2xf64>
    %13 = stablehlo.round_nearest_even %12 : tensor<2x2xf64>
    %14 = stablehlo.constant dense<-7.000000e+00> : tensor<2x2xf64>
    %15 = stablehlo.add %13, %14 : tensor<2x2xf64>
    %16 = stablehlo.constant dense<-1.280000e+02> : tensor<f64>
    %17 = stablehlo.constant dense<1.270000e+02> : tensor<f64>
    %18 = stablehlo.clamp %16, %15, %17 : (tensor<f64>, tensor<2x2xf64>, tensor<f64>) -> tensor<2x2xf64>
    %19 = stablehlo.convert %18 {qconvert.tensor = "y"} : (tensor<2x2xf64>) -> tensor<2x2xi8>
    func.return %19 : tensor<2x2xi8>
  }
}
// -----
// Scales along what is summed: the sum is one of floats.
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.3:3>>, %w: tensor<3x2x!quant.uniform<i8:f32:0, {0.02,0.03,0.04}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.25:-7>> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.3:3>>, tensor<3x2x!quant.uniform<i8:f32:0, {0.02,0.03,0.04}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.25:-7>>
  return %y : tensor<2x2x!quant.uniform<i8:f32, 0.25:-7>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>, %1: tensor<3x2xi8>) -> tensor<2x2xi8> {
    %2 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %3 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %4 = stablehlo.subtract %2, %3 : tensor<2x3xi32>
    %5 = stablehlo.convert %4 : (tensor<2x3xi32>) -> tensor<2x3xf32>
    %6 = stablehlo.constant dense<3.000000e-01> : tensor<2x3xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<2x3xf32>
    %8 = stablehlo.convert %1 : (tensor<3x2xi8>) -> tensor<3x2xi32>
    %9 = stablehlo.convert %8 : (tensor<3x2xi32>) -> tensor<3x2xf32>
    %10 = stablehlo.constant dense<[[2.000000e-02], [3.000000e-02], [4.000000e-02]]> : tensor<3x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x2xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<3x2xf32>
    %13 = stablehlo.dot_general %7, %12, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %14 = stablehlo.constant dense<2.500000e-01> : tensor<2x2xf32>
    %15 = stablehlo.divide %13, %14 : tensor<2x2xf32>
    %16 = stablehlo.constant dense<-7.000000e+00> : tensor<2x2xf32>
    %17 = stablehlo.add %15, %16 : tensor<2x2xf32>
    %18 = stablehlo.round_nearest_even %17 : tensor<2x2xf32>
    %19 = stablehlo.compare EQ, %18, %18 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>
    %20 = stablehlo.constant dense<0.000000e+00> : tensor<2x2xf32>
    %21 = stablehlo.select %19, %18, %20 : tensor<2x2xi1>, tensor<2x2xf32>
    %22 = stablehlo.constant dense<-1.280000e+02> : tensor<f32>
    %23 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %24 = stablehlo.clamp %22, %21, %23 : (tensor<f32>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %25 = stablehlo.convert %24 : (tensor<2x2xf32>) -> tensor<2x2xi8>
    func.return %25 : tensor<2x2xi8>
  }
}
// -----
// A hybrid op on dequantized weights.
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x2x!quant.uniform<i8:f32:1, {0.02,0.03}>>) -> tensor<2x2xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2x!quant.uniform<i8:f32:1, {0.02,0.03}>>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xf32>, %1: tensor<3x2xi8>) -> tensor<2x2xf32> {
    %2 = stablehlo.convert %1 : (tensor<3x2xi8>) -> tensor<3x2xi32>
    %3 = stablehlo.convert %2 : (tensor<3x2xi32>) -> tensor<3x2xf32>
    %4 = stablehlo.constant dense<[[2.000000e-02, 3.000000e-02]]> : tensor<1x2xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<3x2xf32>
    %6 = stablehlo.multiply %3, %5 : tensor<3x2xf32>
    %7 = stablehlo.dot_general %0, %6, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    func.return %7 : tensor<2x2xf32>
  }
}
// -----
// Sums that may exceed 32 bits have 64.
func.func @main(%x: tensor<2x4096x!quant.uniform<i16:f32, 0.3>>, %w: tensor<4096x2x!quant.uniform<i16:f32, 0.2>>) -> tensor<2x2x!quant.uniform<i16:f32, 9.0>> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4096x!quant.uniform<i16:f32, 0.3>>, tensor<4096x2x!quant.uniform<i16:f32, 0.2>>) -> tensor<2x2x!quant.uniform<i16:f32, 9.0>>
  return %y : tensor<2x2x!quant.uniform<i16:f32, 9.0>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x4096xi16>, %1: tensor<4096x2xi16>) -> tensor<2x2xi16> {
    %2 = stablehlo.convert %0 : (tensor<2x4096xi16>) -> tensor<2x4096xi64>
    %3 = stablehlo.convert %1 : (tensor<4096x2xi16>) -> tensor<4096x2xi64>
    %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<2x4096xi64>, tensor<4096x2xi64>) -> tensor<2x2xi64>
    %5 = stablehlo.convert %4 : (tensor<2x2xi64>) -> tensor<2x2xf64>
    %6 = stablehlo.constant dense<6.000000e-02> : tensor<2x2xf64>
    %7 = stablehlo.multiply %5, %6 : tensor<2x2xf64>
    %8 = stablehlo.constant dense<9.000000e+00> : tensor<2x2xf64>
    %9 = stablehlo.divide %7, %8 : tensor<2x2xf64>
    %10 = stablehlo.round_nearest_even %9 : tensor<2x2xf64>
    %11 = stablehlo.constant dense<-3.276800e+04> : tensor<f64>
    %12 = stablehlo.constant dense<3.276700e+04> : tensor<f64>
    %13 = stablehlo.clamp %11, %10, %12 : (tensor<f64>, tensor<2x2xf64>, tensor<f64>) -> tensor<2x2xf64>
    %14 = stablehlo.convert %13 : (tensor<2x2xf64>) -> tensor<2x2xi16>
    func.return %14 : tensor<2x2xi16>
  }
}
// -----
// A region computes on integers too.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.3:3>>, %i: tensor<!quant.uniform<i8:f32, 0.3:3>>) -> tensor<!quant.uniform<i8:f32, 0.3:3>> {
  %y = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<4x!quant.uniform<i8:f32, 0.3:3>>, tensor<!quant.uniform<i8:f32, 0.3:3>>) -> tensor<!quant.uniform<i8:f32, 0.3:3>>
  return %y : tensor<!quant.uniform<i8:f32, 0.3:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>, %1: tensor<i8>) -> tensor<i8> {
    %2 = stablehlo.reduce(%0 init: %1) across dimensions = [0] : (tensor<4xi8>, tensor<i8>) -> tensor<i8>
     reducer(%3: tensor<i8>, %4: tensor<i8>)  {
      %5 = stablehlo.convert %3 : (tensor<i8>) -> tensor<i32>
      %6 = stablehlo.convert %4 : (tensor<i8>) -> tensor<i32>
      %7 = stablehlo.add %5, %6 : tensor<i32>
      %8 = stablehlo.constant dense<-3> : tensor<i32>
      %9 = stablehlo.add %7, %8 : tensor<i32>
      %10 = stablehlo.constant dense<-128> : tensor<i32>
      %11 = stablehlo.constant dense<127> : tensor<i32>
      %12 = stablehlo.clamp %10, %9, %11 : tensor<i32>
      %13 = stablehlo.convert %12 : (tensor<i32>) -> tensor<i8>
      stablehlo.return %13 : tensor<i8>
    }
    func.return %2 : tensor<i8>
  }
}
// -----
// Movements move integers; the same bits at another scale are the same integers.
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:1, {0.02,0.03}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.3:3>> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:1, {0.02,0.03}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.02,0.03}>>
  %y = stablehlo.bitcast_convert %t : (tensor<2x2x!quant.uniform<i8:f32:0, {0.02,0.03}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.3:3>>
  return %y : tensor<2x2x!quant.uniform<i8:f32, 0.3:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x2xi8>) -> tensor<2x2xi8> {
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x2xi8>) -> tensor<2x2xi8>
    func.return %1 : tensor<2x2xi8>
  }
}
// -----
// Unsigned integers read as quantized ones and back as signed.
func.func @main(%x: tensor<4xui8>) -> tensor<4xi8> {
  %q = stablehlo.bitcast_convert %x : (tensor<4xui8>) -> tensor<4x!quant.uniform<ui8:f32, 0.3:131>>
  %y = stablehlo.bitcast_convert %q : (tensor<4x!quant.uniform<ui8:f32, 0.3:131>>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xui8>) -> tensor<4xi8> {
    %1 = stablehlo.bitcast_convert %0 : (tensor<4xui8>) -> tensor<4xi8>
    func.return %1 : tensor<4xi8>
  }
}
// -----
// Half precision: products are rounded once from f32, divisions in f16.
func.func @main(%l: tensor<4x!quant.uniform<i8:f16, 0.3:3>>, %r: tensor<4x!quant.uniform<i8:f16, 0.3:3>>) -> tensor<4x!quant.uniform<i8:f16, 0.3:3>> {
  %y = stablehlo.divide %l, %r : (tensor<4x!quant.uniform<i8:f16, 0.3:3>>, tensor<4x!quant.uniform<i8:f16, 0.3:3>>) -> tensor<4x!quant.uniform<i8:f16, 0.3:3>>
  return %y : tensor<4x!quant.uniform<i8:f16, 0.3:3>>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4xi8>, %1: tensor<4xi8>) -> tensor<4xi8> {
    %2 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %3 = stablehlo.constant dense<3> : tensor<4xi32>
    %4 = stablehlo.subtract %2, %3 : tensor<4xi32>
    %5 = stablehlo.convert %4 : (tensor<4xi32>) -> tensor<4xf32>
    %6 = stablehlo.constant dense<0.300048828125> : tensor<4xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<4xf32>
    %8 = stablehlo.convert %7 : (tensor<4xf32>) -> tensor<4xf16>
    %9 = stablehlo.convert %1 : (tensor<4xi8>) -> tensor<4xi32>
    %10 = stablehlo.constant dense<3> : tensor<4xi32>
    %11 = stablehlo.subtract %9, %10 : tensor<4xi32>
    %12 = stablehlo.convert %11 : (tensor<4xi32>) -> tensor<4xf32>
    %13 = stablehlo.constant dense<0.300048828125> : tensor<4xf32>
    %14 = stablehlo.multiply %12, %13 : tensor<4xf32>
    %15 = stablehlo.convert %14 : (tensor<4xf32>) -> tensor<4xf16>
    %16 = stablehlo.divide %8, %15 : tensor<4xf16>
    %17 = stablehlo.constant dense<3.000488e-01> : tensor<4xf16>
    %18 = stablehlo.divide %16, %17 : tensor<4xf16>
    %19 = stablehlo.constant dense<3.000000e+00> : tensor<4xf16>
    %20 = stablehlo.add %18, %19 : tensor<4xf16>
    %21 = stablehlo.convert %20 : (tensor<4xf16>) -> tensor<4xf32>
    %22 = stablehlo.round_nearest_even %21 : tensor<4xf32>
    %23 = stablehlo.compare EQ, %22, %22 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %24 = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
    %25 = stablehlo.select %23, %22, %24 : tensor<4xi1>, tensor<4xf32>
    %26 = stablehlo.constant dense<-1.280000e+02> : tensor<f32>
    %27 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %28 = stablehlo.clamp %26, %25, %27 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %29 = stablehlo.convert %28 : (tensor<4xf32>) -> tensor<4xi8>
    func.return %29 : tensor<4xi8>
  }
}
// -----
// storage of one bit is widened: plain integers of one bit are truth values
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = stablehlo.constant() <{value = dense<[-1, 0, -1]> : tensor<3xi1>}> : () -> tensor<3x!quant.uniform<i1:f32, 0.5>>
  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i1:f32, 0.5>>
  %a = stablehlo.add %q, %c : tensor<3x!quant.uniform<i1:f32, 0.5>>
  %d = stablehlo.uniform_dequantize %a : (tensor<3x!quant.uniform<i1:f32, 0.5>>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<3xf32>) -> tensor<3xf32> {
    %1 = stablehlo.constant dense<[-1, 0, -1]> : tensor<3xi2>
    %2 = stablehlo.constant dense<5.000000e-01> : tensor<3xf32>
    %3 = stablehlo.divide %0, %2 : tensor<3xf32>
    %4 = stablehlo.round_nearest_even %3 : tensor<3xf32>
    %5 = stablehlo.compare EQ, %4, %4 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
    %7 = stablehlo.select %5, %4, %6 : tensor<3xi1>, tensor<3xf32>
    %8 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.clamp %8, %7, %9 : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %11 = stablehlo.convert %10 : (tensor<3xf32>) -> tensor<3xi2>
    %12 = stablehlo.convert %11 : (tensor<3xi2>) -> tensor<3xi32>
    %13 = stablehlo.convert %1 : (tensor<3xi2>) -> tensor<3xi32>
    %14 = stablehlo.add %12, %13 : tensor<3xi32>
    %15 = stablehlo.constant dense<-1> : tensor<i32>
    %16 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.clamp %15, %14, %16 : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %18 = stablehlo.convert %17 : (tensor<3xi32>) -> tensor<3xi2>
    %19 = stablehlo.convert %18 : (tensor<3xi2>) -> tensor<3xi32>
    %20 = stablehlo.convert %19 : (tensor<3xi32>) -> tensor<3xf32>
    %21 = stablehlo.constant dense<5.000000e-01> : tensor<3xf32>
    %22 = stablehlo.multiply %20, %21 : tensor<3xf32>
    func.return %22 : tensor<3xf32>
  }
}
