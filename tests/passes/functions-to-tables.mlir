// a value times a function of it
func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %t = "tosa.const"() <{values = dense<36> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %w = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %n = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %e = "tosa.const"() <{values = dense<"0x8a8b8c8c8d8e8e8f9090919292939494959696979898999a9a9b9c9c9d9e9e9fa0a0a1a2a2a3a4a4a5a6a6a7a8a8a9aaaaabacacadaeaeafb0b0b1b2b2b3b4b4b5b6b6b7b8b8b9bababbbcbcbdbebebfc0c0c1c2c2c3c4c4c5c6c6c7c8c8c9cacacbcccccdcececfd0d0d1d2d2d3d4d4d5d6d6d7d8d8d9dadadbdcdcdddededfe0e0e1e2e2e3e4e4e5e6e6e7e8e8e9eaeaebececedeeeeeff0f0f1f2f2f3f4f4f5f6f6f7f8f8f9fafafbfcfcfdfefeff0000010202030404050606070808090a0a0b0c0c0d0e0e0f1010111212131414151616171818191a1a1b1c1c1d1e1e1f2020212222232424252626272828292a2a2b2c2c2d2e2e2f3030313232333434"> : tensor<256xi8>}> : () -> tensor<256xi8>
  %g = "tosa.table"(%0, %e) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
  %a = tosa.rescale %0, %m, %s, %z, %w {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
  %b = tosa.rescale %g, %m, %s, %z, %w {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
  %p = "tosa.mul"(%a, %b, %n) : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<1xi8>) -> tensor<2x3xi32>
  %r = tosa.rescale %p, %m, %t, %w, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  return %r : tensor<2x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %1 = "tosa.const"() <{values = dense<"0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7c7a787573716e6d6a676663615f5d5a59575453514e4d4b4948454342403e3d3b3938363433312f2e2c2a292826252322211f1e1d1b1a19171615141312100f0e0d0c0b0a090807060605040302020100fffffefdfdfcfcfbfbfaf9f9f9f8f8f7f7f7f6f6f6f5f5f5f5f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f5f5f5f5f5f6f6f6f7f7f7f8f8f8f9fafafbfbfbfcfdfdfeffff0001010203040506060709090a0c0c0d0f0f1012121415161719191b1d1d1f212123252628292a2c2e2f3133333638383b3d3e4042434548484b4d4e51535457595a5d60616366676a6d6e717475"> : tensor<256xi8>}> : () -> tensor<256xi8>
    %2 = "tosa.table"(%0, %1) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
    func.return %2 : tensor<2x3xi8>
  }
}
// -----
// a TABLE of a TABLE
func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %t = "tosa.const"() <{values = dense<36> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %w = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %n = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %e = "tosa.const"() <{values = dense<"0x8a8b8c8c8d8e8e8f9090919292939494959696979898999a9a9b9c9c9d9e9e9fa0a0a1a2a2a3a4a4a5a6a6a7a8a8a9aaaaabacacadaeaeafb0b0b1b2b2b3b4b4b5b6b6b7b8b8b9bababbbcbcbdbebebfc0c0c1c2c2c3c4c4c5c6c6c7c8c8c9cacacbcccccdcececfd0d0d1d2d2d3d4d4d5d6d6d7d8d8d9dadadbdcdcdddededfe0e0e1e2e2e3e4e4e5e6e6e7e8e8e9eaeaebececedeeeeeff0f0f1f2f2f3f4f4f5f6f6f7f8f8f9fafafbfcfcfdfefeff0000010202030404050606070808090a0a0b0c0c0d0e0e0f1010111212131414151616171818191a1a1b1c1c1d1e1e1f2020212222232424252626272828292a2a2b2c2c2d2e2e2f3030313232333434"> : tensor<256xi8>}> : () -> tensor<256xi8>
  %g = "tosa.table"(%0, %e) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
  %a = tosa.rescale %g, %m, %s, %z, %w {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
  %b = tosa.rescale %a, %m, %t, %w, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %r = "tosa.table"(%b, %e) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
  return %r : tensor<2x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %1 = "tosa.const"() <{values = dense<"0xdadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdc"> : tensor<256xi8>}> : () -> tensor<256xi8>
    %2 = "tosa.table"(%0, %1) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
    func.return %2 : tensor<2x3xi8>
  }
}
// -----
// in other shapes
func.func @main(%0: tensor<2x3xi8>) -> tensor<6xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %t = "tosa.const"() <{values = dense<36> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %w = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %n = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %e = "tosa.const"() <{values = dense<"0x8a8b8c8c8d8e8e8f9090919292939494959696979898999a9a9b9c9c9d9e9e9fa0a0a1a2a2a3a4a4a5a6a6a7a8a8a9aaaaabacacadaeaeafb0b0b1b2b2b3b4b4b5b6b6b7b8b8b9bababbbcbcbdbebebfc0c0c1c2c2c3c4c4c5c6c6c7c8c8c9cacacbcccccdcececfd0d0d1d2d2d3d4d4d5d6d6d7d8d8d9dadadbdcdcdddededfe0e0e1e2e2e3e4e4e5e6e6e7e8e8e9eaeaebececedeeeeeff0f0f1f2f2f3f4f4f5f6f6f7f8f8f9fafafbfcfcfdfefeff0000010202030404050606070808090a0a0b0c0c0d0e0e0f1010111212131414151616171818191a1a1b1c1c1d1e1e1f2020212222232424252626272828292a2a2b2c2c2d2e2e2f3030313232333434"> : tensor<256xi8>}> : () -> tensor<256xi8>
  %h = "tosa.const_shape"() <{values = dense<[6]> : tensor<1xindex>}> : () -> !tosa.shape<1>
  %q = "tosa.reshape"(%0, %h) : (tensor<2x3xi8>, !tosa.shape<1>) -> tensor<6xi8>
  %g = "tosa.table"(%q, %e) : (tensor<6xi8>, tensor<256xi8>) -> tensor<6xi8>
  %a = tosa.rescale %0, %m, %s, %z, %w {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
  %x = "tosa.reshape"(%a, %h) : (tensor<2x3xi32>, !tosa.shape<1>) -> tensor<6xi32>
  %b = tosa.rescale %g, %m, %s, %z, %w {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<6xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<6xi32>
  %p = "tosa.mul"(%x, %b, %n) : (tensor<6xi32>, tensor<6xi32>, tensor<1xi8>) -> tensor<6xi32>
  %r = tosa.rescale %p, %m, %t, %w, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<6xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<6xi8>
  return %r : tensor<6xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<6xi8> {
    %1 = "tosa.const_shape"() <{values = dense<6> : tensor<1xindex>}> : () -> !tosa.shape<1>
    %2 = "tosa.reshape"(%0, %1) : (tensor<2x3xi8>, !tosa.shape<1>) -> tensor<6xi8>
    %3 = "tosa.const"() <{values = dense<"0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7c7a787573716e6d6a676663615f5d5a59575453514e4d4b4948454342403e3d3b3938363433312f2e2c2a292826252322211f1e1d1b1a19171615141312100f0e0d0c0b0a090807060605040302020100fffffefdfdfcfcfbfbfaf9f9f9f8f8f7f7f7f6f6f6f5f5f5f5f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f5f5f5f5f5f6f6f6f7f7f7f8f8f8f9fafafbfbfbfcfdfdfeffff0001010203040506060709090a0c0c0d0f0f1012121415161719191b1d1d1f212123252628292a2c2e2f3133333638383b3d3e4042434548484b4d4e51535457595a5d60616366676a6d6e717475"> : tensor<256xi8>}> : () -> tensor<256xi8>
    %4 = "tosa.table"(%2, %3) : (tensor<6xi8>, tensor<256xi8>) -> tensor<6xi8>
    func.return %4 : tensor<6xi8>
  }
}
