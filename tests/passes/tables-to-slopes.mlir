// a magnitude
func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %1 = "tosa.const"() <{values = dense<"0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7d7c7a797776747371706e6d6b6a6867656462615f5e5c5b595856555352504f4d4c4a494746444341403e3d3b3a3837353432312f2e2c2b292826252322201f1d1c1a191716141311100e0d0b0a080705040201fffefcfbf9fbfcfeff0102040507080a0b0d0e101113141617191a1c1d1f202223252628292b2c2e2f3132343537383a3b3d3e404143444647494a4c4d4f505253555658595b5c5e5f6162646567686a6b6d6e707173747677797a7c7d7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f"> : tensor<256xi8>}> : () -> tensor<256xi8>
  %2 = tosa.table %0, %1 : (tensor<4x8xi8>, tensor<256xi8>) -> tensor<4x8xi8>
  return %2 : tensor<4x8xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi8> {
    %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.rescale"(%0, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x8xi32>
    %6 = "tosa.abs"(%5) : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %7 = "tosa.const"() <{values = dense<1613663139> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.rescale"(%6, %7, %8, %9, %10) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
    func.return %11 : tensor<4x8xi8>
  }
}
// -----
// a negative
func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %1 = "tosa.const"() <{values = dense<"0x7f7f7f7f7f7e7d7c7b7a797877767574737271706f6e6d6c6b6a696867666564636261605f5e5d5c5b5a595857565554535251504f4e4d4c4b4a494847464544434241403f3e3d3c3b3a393837363534333231302f2e2d2c2b2a292827262524232221201f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0efeeedecebeae9e8e7e6e5e4e3e2e1e0dfdedddcdbdad9d8d7d6d5d4d3d2d1d0cfcecdcccbcac9c8c7c6c5c4c3c2c1c0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0afaeadacabaaa9a8a7a6a5a4a3a2a1a09f9e9d9c9b9a999897969594939291908f8e8d8c8b8a898887868584"> : tensor<256xi8>}> : () -> tensor<256xi8>
  %2 = tosa.table %0, %1 : (tensor<4x8xi8>, tensor<256xi8>) -> tensor<4x8xi8>
  return %2 : tensor<4x8xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi8> {
    %1 = "tosa.const"() <{values = dense<-124> : tensor<1x1xi8>}> : () -> tensor<1x1xi8>
    %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<-124> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.rescale"(%1, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1xi32>
    %7 = "tosa.rescale"(%0, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x8xi32>
    %8 = "tosa.sub"(%6, %7) : (tensor<1x1xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    %9 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.const"() <{values = dense<127> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = "tosa.rescale"(%8, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
    func.return %13 : tensor<4x8xi8>
  }
}
// -----
// a negative of which the low bits stay
func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %1 = "tosa.const"() <{values = dense<"0x807f7e7d7c7b7a797877767574737271706f6e6d6c6b6a696867666564636261605f5e5d5c5b5a595857565554535251504f4e4d4c4b4a494847464544434241403f3e3d3c3b3a393837363534333231302f2e2d2c2b2a292827262524232221201f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0efeeedecebeae9e8e7e6e5e4e3e2e1e0dfdedddcdbdad9d8d7d6d5d4d3d2d1d0cfcecdcccbcac9c8c7c6c5c4c3c2c1c0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0afaeadacabaaa9a8a7a6a5a4a3a2a1a09f9e9d9c9b9a999897969594939291908f8e8d8c8b8a898887868584838281"> : tensor<256xi8>}> : () -> tensor<256xi8>
  %2 = tosa.table %0, %1 : (tensor<4x8xi8>, tensor<256xi8>) -> tensor<4x8xi8>
  return %2 : tensor<4x8xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi8> {
    %1 = "tosa.const"() <{values = dense<0> : tensor<1x1xi8>}> : () -> tensor<1x1xi8>
    %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.rescale"(%1, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1xi32>
    %7 = "tosa.rescale"(%0, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x8xi32>
    %8 = "tosa.sub"(%6, %7) : (tensor<1x1xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    %9 = "tosa.cast"(%8) : (tensor<4x8xi32>) -> tensor<4x8xi8>
    func.return %9 : tensor<4x8xi8>
  }
}
// -----
// what is above a zero point
func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %1 = "tosa.const"() <{values = dense<"0x09090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090a0a0a0b0b0c0c0c0d0d0d0e0e0f0f0f1010101111121212131313141414151516161617171718181919191a1a1a1b1b1c1c1c1d1d1d1e1e1e1f1f2020202121212222232323242424252525262627272728282829292a2a2a2b2b2b2c2c2d2d2d2e2e2e2f2f2f3030313131323232333334343435353536363737373838383939393a"> : tensor<256xi8>}> : () -> tensor<256xi8>
  %2 = tosa.table %0, %1 : (tensor<4x8xi8>, tensor<256xi8>) -> tensor<4x8xi8>
  return %2 : tensor<4x8xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<4x8xi8>) -> tensor<4x8xi8> {
    %1 = "tosa.const"() <{values = dense<1589416794> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.rescale"(%0, %1, %2, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4x8xi32>
    %6 = "tosa.const"() <{values = dense<-5> : tensor<1x1xi8>}> : () -> tensor<1x1xi8>
    %7 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "tosa.rescale"(%6, %7, %8, %9, %10) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1xi32>
    %12 = "tosa.maximum"(%5, %11) : (tensor<4x8xi32>, tensor<1x1xi32>) -> tensor<4x8xi32>
    %13 = "tosa.const"() <{values = dense<9> : tensor<1xi8>}> : () -> tensor<1xi8>
    %14 = "tosa.rescale"(%12, %7, %8, %10, %13) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
    func.return %14 : tensor<4x8xi8>
  }
}
