// height and width, odd and even
func.func @main(%0: tensor<1x3x4x2xi8>) -> tensor<1x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x3x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x3x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x3x4x2xi32>) -> tensor<1x1x4x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x4x2xi32>) -> tensor<1x1x1x2xi32>
  return %7 : tensor<1x1x1x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x3x4x2xi8>) -> tensor<1x1x1x2xi32> {
    %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const_shape"() <{values = dense<[0, 2, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %6 = "tosa.const_shape"() <{values = dense<[1, 1, 4, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %7 = "tosa.slice"(%0, %5, %6) : (tensor<1x3x4x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x4x2xi8>
    %8 = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %9 = "tosa.slice"(%0, %8, %6) : (tensor<1x3x4x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x4x2xi8>
    %10 = "tosa.const_shape"() <{values = dense<[0, 1, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %11 = "tosa.slice"(%0, %10, %6) : (tensor<1x3x4x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x4x2xi8>
    %12 = "tosa.rescale"(%9, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x4x2xi32>
    %13 = "tosa.rescale"(%11, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x4x2xi32>
    %14 = "tosa.add"(%12, %13) : (tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) -> tensor<1x1x4x2xi32>
    %15 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %17 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %19 = "tosa.rescale"(%14, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x4x2xi16>
    %20 = "tosa.const"() <{values = dense<-7> : tensor<1x1x1x1xi8>}> : () -> tensor<1x1x1x1xi8>
    %21 = "tosa.rescale"(%7, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x4x2xi32>
    %22 = "tosa.rescale"(%20, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %23 = "tosa.add"(%21, %22) : (tensor<1x1x4x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x4x2xi32>
    %24 = "tosa.rescale"(%23, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x4x2xi16>
    %25 = "tosa.rescale"(%19, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x4x2xi32>
    %26 = "tosa.rescale"(%24, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x4x2xi32>
    %27 = "tosa.add"(%25, %26) : (tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) -> tensor<1x1x4x2xi32>
    %28 = "tosa.rescale"(%27, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x4x2xi16>
    %29 = "tosa.const_shape"() <{values = dense<[1, 1, 2, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %30 = "tosa.slice"(%28, %8, %29) : (tensor<1x1x4x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x2x2xi16>
    %31 = "tosa.const_shape"() <{values = dense<[0, 0, 2, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %32 = "tosa.slice"(%28, %31, %29) : (tensor<1x1x4x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x2x2xi16>
    %33 = "tosa.rescale"(%30, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x2x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x2x2xi32>
    %34 = "tosa.rescale"(%32, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x2x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x2x2xi32>
    %35 = "tosa.add"(%33, %34) : (tensor<1x1x2x2xi32>, tensor<1x1x2x2xi32>) -> tensor<1x1x2x2xi32>
    %36 = "tosa.rescale"(%35, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x2x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x2x2xi16>
    %37 = "tosa.const_shape"() <{values = dense<[1, 1, 1, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %38 = "tosa.slice"(%36, %8, %37) : (tensor<1x1x2x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi16>
    %39 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %40 = "tosa.slice"(%36, %39, %37) : (tensor<1x1x2x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi16>
    %41 = "tosa.rescale"(%38, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %42 = "tosa.rescale"(%40, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %43 = "tosa.add"(%41, %42) : (tensor<1x1x1x2xi32>, tensor<1x1x1x2xi32>) -> tensor<1x1x1x2xi32>
    func.return %43 : tensor<1x1x1x2xi32>
  }
}
// -----
// width and height of several images, times a power of two
func.func @main(%0: tensor<2x3x4x2xi8>) -> tensor<2x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<29> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 2 : i32}> : (tensor<2x3x4x2xi32>) -> tensor<2x3x1x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 1 : i32}> : (tensor<2x3x1x2xi32>) -> tensor<2x1x1x2xi32>
  return %7 : tensor<2x1x1x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3x4x2xi8>) -> tensor<2x1x1x2xi32> {
    %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<29> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const_shape"() <{values = dense<[0, 2, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %6 = "tosa.const_shape"() <{values = dense<[2, 1, 4, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %7 = "tosa.slice"(%0, %5, %6) : (tensor<2x3x4x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x1x4x2xi8>
    %8 = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %9 = "tosa.slice"(%0, %8, %6) : (tensor<2x3x4x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x1x4x2xi8>
    %10 = "tosa.const_shape"() <{values = dense<[0, 1, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %11 = "tosa.slice"(%0, %10, %6) : (tensor<2x3x4x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x1x4x2xi8>
    %12 = "tosa.rescale"(%9, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x1x4x2xi32>
    %13 = "tosa.rescale"(%11, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x1x4x2xi32>
    %14 = "tosa.add"(%12, %13) : (tensor<2x1x4x2xi32>, tensor<2x1x4x2xi32>) -> tensor<2x1x4x2xi32>
    %15 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %17 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %19 = "tosa.rescale"(%14, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x1x4x2xi16>
    %20 = "tosa.const"() <{values = dense<-7> : tensor<1x1x1x1xi8>}> : () -> tensor<1x1x1x1xi8>
    %21 = "tosa.rescale"(%7, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x1x4x2xi32>
    %22 = "tosa.rescale"(%20, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %23 = "tosa.add"(%21, %22) : (tensor<2x1x4x2xi32>, tensor<1x1x1x1xi32>) -> tensor<2x1x4x2xi32>
    %24 = "tosa.rescale"(%23, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x1x4x2xi16>
    %25 = "tosa.rescale"(%19, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<2x1x4x2xi32>
    %26 = "tosa.rescale"(%24, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<2x1x4x2xi32>
    %27 = "tosa.add"(%25, %26) : (tensor<2x1x4x2xi32>, tensor<2x1x4x2xi32>) -> tensor<2x1x4x2xi32>
    %28 = "tosa.rescale"(%27, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x1x4x2xi16>
    %29 = "tosa.const_shape"() <{values = dense<[2, 1, 2, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %30 = "tosa.slice"(%28, %8, %29) : (tensor<2x1x4x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x1x2x2xi16>
    %31 = "tosa.const_shape"() <{values = dense<[0, 0, 2, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %32 = "tosa.slice"(%28, %31, %29) : (tensor<2x1x4x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x1x2x2xi16>
    %33 = "tosa.rescale"(%30, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x2x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<2x1x2x2xi32>
    %34 = "tosa.rescale"(%32, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x2x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<2x1x2x2xi32>
    %35 = "tosa.add"(%33, %34) : (tensor<2x1x2x2xi32>, tensor<2x1x2x2xi32>) -> tensor<2x1x2x2xi32>
    %36 = "tosa.rescale"(%35, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x2x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<2x1x2x2xi16>
    %37 = "tosa.const_shape"() <{values = dense<[2, 1, 1, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %38 = "tosa.slice"(%36, %8, %37) : (tensor<2x1x2x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x1x1x2xi16>
    %39 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %40 = "tosa.slice"(%36, %39, %37) : (tensor<2x1x2x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x1x1x2xi16>
    %41 = "tosa.rescale"(%38, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<2x1x1x2xi32>
    %42 = "tosa.rescale"(%40, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<2x1x1x2xi32>
    %43 = "tosa.add"(%41, %42) : (tensor<2x1x1x2xi32>, tensor<2x1x1x2xi32>) -> tensor<2x1x1x2xi32>
    func.return %43 : tensor<2x1x1x2xi32>
  }
}
// -----
// 16 bits: partial sums have 32
func.func @main(%0: tensor<1x3x4x2xi16>) -> tensor<1x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x3x4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x3x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x3x4x2xi32>) -> tensor<1x1x4x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x4x2xi32>) -> tensor<1x1x1x2xi32>
  return %7 : tensor<1x1x1x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x3x4x2xi16>) -> tensor<1x1x1x2xi32> {
    %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const_shape"() <{values = dense<[0, 2, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %6 = "tosa.const_shape"() <{values = dense<[1, 1, 4, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %7 = "tosa.slice"(%0, %5, %6) : (tensor<1x3x4x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x4x2xi16>
    %8 = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %9 = "tosa.slice"(%0, %8, %6) : (tensor<1x3x4x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x4x2xi16>
    %10 = "tosa.const_shape"() <{values = dense<[0, 1, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %11 = "tosa.slice"(%0, %10, %6) : (tensor<1x3x4x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x4x2xi16>
    %12 = "tosa.rescale"(%9, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x4x2xi32>
    %13 = "tosa.rescale"(%11, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x4x2xi32>
    %14 = "tosa.add"(%12, %13) : (tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) -> tensor<1x1x4x2xi32>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %16 = "tosa.rescale"(%7, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x4x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x4x2xi32>
    %17 = "tosa.rescale"(%15, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x1xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %18 = "tosa.add"(%16, %17) : (tensor<1x1x4x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x4x2xi32>
    %19 = "tosa.add"(%14, %18) : (tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) -> tensor<1x1x4x2xi32>
    %20 = "tosa.const_shape"() <{values = dense<[1, 1, 2, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %21 = "tosa.slice"(%19, %8, %20) : (tensor<1x1x4x2xi32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x2x2xi32>
    %22 = "tosa.const_shape"() <{values = dense<[0, 0, 2, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %23 = "tosa.slice"(%19, %22, %20) : (tensor<1x1x4x2xi32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x2x2xi32>
    %24 = "tosa.add"(%21, %23) : (tensor<1x1x2x2xi32>, tensor<1x1x2x2xi32>) -> tensor<1x1x2x2xi32>
    %25 = "tosa.const_shape"() <{values = dense<[1, 1, 1, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %26 = "tosa.slice"(%24, %8, %25) : (tensor<1x1x2x2xi32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi32>
    %27 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %28 = "tosa.slice"(%24, %27, %25) : (tensor<1x1x2x2xi32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi32>
    %29 = "tosa.add"(%26, %28) : (tensor<1x1x1x2xi32>, tensor<1x1x1x2xi32>) -> tensor<1x1x1x2xi32>
    func.return %29 : tensor<1x1x1x2xi32>
  }
}
// -----
// only one of the dimensions has elements
func.func @main(%0: tensor<1x1x4x2xi8>) -> tensor<1x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x4x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x1x4x2xi32>) -> tensor<1x1x4x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x4x2xi32>) -> tensor<1x1x1x2xi32>
  return %7 : tensor<1x1x1x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x1x4x2xi8>) -> tensor<1x1x1x2xi32> {
    %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %6 = "tosa.const_shape"() <{values = dense<[1, 1, 2, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %7 = "tosa.slice"(%0, %5, %6) : (tensor<1x1x4x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x2x2xi8>
    %8 = "tosa.const_shape"() <{values = dense<[0, 0, 2, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %9 = "tosa.slice"(%0, %8, %6) : (tensor<1x1x4x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x2x2xi8>
    %10 = "tosa.rescale"(%7, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x2x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x2x2xi32>
    %11 = "tosa.rescale"(%9, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x2x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x2x2xi32>
    %12 = "tosa.add"(%10, %11) : (tensor<1x1x2x2xi32>, tensor<1x1x2x2xi32>) -> tensor<1x1x2x2xi32>
    %13 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %17 = "tosa.rescale"(%12, %13, %14, %15, %16) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x2x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x2x2xi16>
    %18 = "tosa.const_shape"() <{values = dense<[1, 1, 1, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %19 = "tosa.slice"(%17, %5, %18) : (tensor<1x1x2x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi16>
    %20 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %21 = "tosa.slice"(%17, %20, %18) : (tensor<1x1x2x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi16>
    %22 = "tosa.rescale"(%19, %13, %14, %16, %15) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %23 = "tosa.rescale"(%21, %13, %14, %16, %15) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %24 = "tosa.add"(%22, %23) : (tensor<1x1x1x2xi32>, tensor<1x1x1x2xi32>) -> tensor<1x1x1x2xi32>
    func.return %24 : tensor<1x1x1x2xi32>
  }
}
// -----
// more terms than 16 bits hold, an odd number
func.func @main(%0: tensor<1x3x61x2xi8>) -> tensor<1x1x1x2xi32> {
  %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %5 = tosa.rescale %0, %1, %2, %3, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x3x61x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x3x61x2xi32>
  %6 = "tosa.reduce_sum"(%5) <{axis = 1 : i32}> : (tensor<1x3x61x2xi32>) -> tensor<1x1x61x2xi32>
  %7 = "tosa.reduce_sum"(%6) <{axis = 2 : i32}> : (tensor<1x1x61x2xi32>) -> tensor<1x1x1x2xi32>
  return %7 : tensor<1x1x1x2xi32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<1x3x61x2xi8>) -> tensor<1x1x1x2xi32> {
    %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const_shape"() <{values = dense<[0, 2, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %6 = "tosa.const_shape"() <{values = dense<[1, 1, 61, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %7 = "tosa.slice"(%0, %5, %6) : (tensor<1x3x61x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x61x2xi8>
    %8 = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %9 = "tosa.slice"(%0, %8, %6) : (tensor<1x3x61x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x61x2xi8>
    %10 = "tosa.const_shape"() <{values = dense<[0, 1, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %11 = "tosa.slice"(%0, %10, %6) : (tensor<1x3x61x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x61x2xi8>
    %12 = "tosa.rescale"(%9, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x61x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x61x2xi32>
    %13 = "tosa.rescale"(%11, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x61x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x61x2xi32>
    %14 = "tosa.add"(%12, %13) : (tensor<1x1x61x2xi32>, tensor<1x1x61x2xi32>) -> tensor<1x1x61x2xi32>
    %15 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %17 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %19 = "tosa.rescale"(%14, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x61x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x61x2xi16>
    %20 = "tosa.const"() <{values = dense<-7> : tensor<1x1x1x1xi8>}> : () -> tensor<1x1x1x1xi8>
    %21 = "tosa.rescale"(%7, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x61x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x61x2xi32>
    %22 = "tosa.rescale"(%20, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %23 = "tosa.add"(%21, %22) : (tensor<1x1x61x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x61x2xi32>
    %24 = "tosa.rescale"(%23, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x61x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x61x2xi16>
    %25 = "tosa.rescale"(%19, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x61x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x61x2xi32>
    %26 = "tosa.rescale"(%24, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x61x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x61x2xi32>
    %27 = "tosa.add"(%25, %26) : (tensor<1x1x61x2xi32>, tensor<1x1x61x2xi32>) -> tensor<1x1x61x2xi32>
    %28 = "tosa.rescale"(%27, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x61x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x61x2xi16>
    %29 = "tosa.const_shape"() <{values = dense<[0, 0, 60, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %30 = "tosa.const_shape"() <{values = dense<[1, 1, 1, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %31 = "tosa.slice"(%28, %29, %30) : (tensor<1x1x61x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi16>
    %32 = "tosa.const_shape"() <{values = dense<[1, 1, 30, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %33 = "tosa.slice"(%28, %8, %32) : (tensor<1x1x61x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x30x2xi16>
    %34 = "tosa.const_shape"() <{values = dense<[0, 0, 30, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %35 = "tosa.slice"(%28, %34, %32) : (tensor<1x1x61x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x30x2xi16>
    %36 = "tosa.rescale"(%33, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x30x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x30x2xi32>
    %37 = "tosa.rescale"(%35, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x30x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x30x2xi32>
    %38 = "tosa.add"(%36, %37) : (tensor<1x1x30x2xi32>, tensor<1x1x30x2xi32>) -> tensor<1x1x30x2xi32>
    %39 = "tosa.rescale"(%38, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x30x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x30x2xi16>
    %40 = "tosa.const_shape"() <{values = dense<[1, 1, 15, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %41 = "tosa.slice"(%39, %8, %40) : (tensor<1x1x30x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x15x2xi16>
    %42 = "tosa.const_shape"() <{values = dense<[0, 0, 15, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %43 = "tosa.slice"(%39, %42, %40) : (tensor<1x1x30x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x15x2xi16>
    %44 = "tosa.rescale"(%41, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x15x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x15x2xi32>
    %45 = "tosa.rescale"(%43, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x15x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x15x2xi32>
    %46 = "tosa.add"(%44, %45) : (tensor<1x1x15x2xi32>, tensor<1x1x15x2xi32>) -> tensor<1x1x15x2xi32>
    %47 = "tosa.rescale"(%46, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x15x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x15x2xi16>
    %48 = "tosa.const_shape"() <{values = dense<[0, 0, 14, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %49 = "tosa.slice"(%47, %48, %30) : (tensor<1x1x15x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi16>
    %50 = "tosa.const_shape"() <{values = dense<[1, 1, 7, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %51 = "tosa.slice"(%47, %8, %50) : (tensor<1x1x15x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x7x2xi16>
    %52 = "tosa.const_shape"() <{values = dense<[0, 0, 7, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %53 = "tosa.slice"(%47, %52, %50) : (tensor<1x1x15x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x7x2xi16>
    %54 = "tosa.rescale"(%51, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x7x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x7x2xi32>
    %55 = "tosa.rescale"(%53, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x7x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x7x2xi32>
    %56 = "tosa.add"(%54, %55) : (tensor<1x1x7x2xi32>, tensor<1x1x7x2xi32>) -> tensor<1x1x7x2xi32>
    %57 = "tosa.rescale"(%56, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x7x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x7x2xi16>
    %58 = "tosa.const_shape"() <{values = dense<[0, 0, 6, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %59 = "tosa.slice"(%57, %58, %30) : (tensor<1x1x7x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi16>
    %60 = "tosa.const_shape"() <{values = dense<[1, 1, 3, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %61 = "tosa.slice"(%57, %8, %60) : (tensor<1x1x7x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x3x2xi16>
    %62 = "tosa.const_shape"() <{values = dense<[0, 0, 3, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %63 = "tosa.slice"(%57, %62, %60) : (tensor<1x1x7x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x3x2xi16>
    %64 = "tosa.rescale"(%61, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x3x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x3x2xi32>
    %65 = "tosa.rescale"(%63, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x3x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x3x2xi32>
    %66 = "tosa.add"(%64, %65) : (tensor<1x1x3x2xi32>, tensor<1x1x3x2xi32>) -> tensor<1x1x3x2xi32>
    %67 = "tosa.rescale"(%66, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x3x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x3x2xi16>
    %68 = "tosa.const_shape"() <{values = dense<[0, 0, 2, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %69 = "tosa.slice"(%67, %68, %30) : (tensor<1x1x3x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi16>
    %70 = "tosa.slice"(%67, %8, %30) : (tensor<1x1x3x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi16>
    %71 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %72 = "tosa.slice"(%67, %71, %30) : (tensor<1x1x3x2xi16>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x1x2xi16>
    %73 = "tosa.rescale"(%70, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %74 = "tosa.rescale"(%72, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %75 = "tosa.add"(%73, %74) : (tensor<1x1x1x2xi32>, tensor<1x1x1x2xi32>) -> tensor<1x1x1x2xi32>
    %76 = "tosa.rescale"(%75, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x1x2xi16>
    %77 = "tosa.rescale"(%76, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %78 = "tosa.rescale"(%69, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %79 = "tosa.add"(%77, %78) : (tensor<1x1x1x2xi32>, tensor<1x1x1x2xi32>) -> tensor<1x1x1x2xi32>
    %80 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %81 = "tosa.rescale"(%59, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %82 = "tosa.rescale"(%80, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x1xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %83 = "tosa.add"(%81, %82) : (tensor<1x1x1x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x2xi32>
    %84 = "tosa.rescale"(%83, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x1x2xi16>
    %85 = "tosa.rescale"(%84, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %86 = "tosa.add"(%79, %85) : (tensor<1x1x1x2xi32>, tensor<1x1x1x2xi32>) -> tensor<1x1x1x2xi32>
    %87 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %88 = "tosa.rescale"(%49, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %89 = "tosa.rescale"(%87, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x1xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %90 = "tosa.add"(%88, %89) : (tensor<1x1x1x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x2xi32>
    %91 = "tosa.rescale"(%90, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x1x2xi16>
    %92 = "tosa.rescale"(%91, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %93 = "tosa.add"(%86, %92) : (tensor<1x1x1x2xi32>, tensor<1x1x1x2xi32>) -> tensor<1x1x1x2xi32>
    %94 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi16>}> : () -> tensor<1x1x1x1xi16>
    %95 = "tosa.rescale"(%31, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %96 = "tosa.rescale"(%94, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x1xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %97 = "tosa.add"(%95, %96) : (tensor<1x1x1x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x2xi32>
    %98 = "tosa.rescale"(%97, %15, %16, %17, %18) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi16>) -> tensor<1x1x1x2xi16>
    %99 = "tosa.rescale"(%98, %15, %16, %18, %17) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1x1x2xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi32>) -> tensor<1x1x1x2xi32>
    %100 = "tosa.add"(%93, %99) : (tensor<1x1x1x2xi32>, tensor<1x1x1x2xi32>) -> tensor<1x1x1x2xi32>
    func.return %100 : tensor<1x1x1x2xi32>
  }
}
