// LiteRT's exponentials of 31 bits
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi32> {
    %1 = "tosa.reduce_max"(%0) <{axis = 1 : i32}> : (tensor<2x3xi8>) -> tensor<2x1xi8>
    %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<23> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.rescale"(%0, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %7 = "tosa.rescale"(%1, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x1xi32>
    %8 = "tosa.sub"(%6, %7) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
    %9 = "tosa.cast"(%8) : (tensor<2x3xi32>) -> tensor<2x3xi16>
    %10 = "tosa.const"() <{values = dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001000100010001000100010001000100010001000100010001000200020002000200020002000200020002000300030003000300030004000400040004000400050005000500060006000600070007000700080008000800090009000a000a000b000c000c000d000e000e000f0010001100120013001400150016001700180019001b001c001d001f00210022002400260028002a002c002e0031003300360039003c003f004200450049004d005100550059005e00630068006d00730079007f0085008c0093009b00a300ab00b400be00c700d200dc00e800f40000010d011b012a01390149015a016c017e019201a601bc01d301eb0104021f023a02580276029702b902dd0202032a0353037f03ad03dd03100445047d04b804f60437057c05c4050f065f06b3060b076707c8072e089a080b098109fe09810a0b0b9c0b350cd50c7d0d2e0ee80eac0f7a10521136122513201428153e1662179518d7192a1b8f1c061e901f2e21e222ac248d2687289b2aca2c162f80310a34b5368339763c903fd2423f46d949a24d9d51cd55335ad35eaf63cc682b6ed173c179ff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7f"> : tensor<513xi16>}> : () -> tensor<513xi16>
    %11 = "tosa.table"(%9, %10) : (tensor<2x3xi16>, tensor<513xi16>) -> tensor<2x3xi32>
    %12 = "tosa.const"() <{values = dense<"0x940b2c0ccc0c740d240ede0ea10f6e10461129121713121419152e1651178318c519171b7b1cf11d7a1f1721c922922472266a287d2aab2cf52e5d31e5338e365a394b3c623fa2420d46a5496b4d63519055f3598f5e68638168dd6d7f736b79a47f3006110d4d14e71be5234d2c22356c3e2f4872523d5d946881740a01380e131ca42af3390c4af85ac26c767f1f13ca27843d5c54606c9e0528200e3c63593878a218b63a895e3204c92b68552a01292f855f5b12cc47fb7f0b3b2379693a087f2c470313bd628d36aa0e4b6bac4c0b33aa1ece0fbe06c7033a076a11b022683bf55bbd042d36b670ce34f502ae5b833f072fd12a8533cc49576ee22131651339631e0516ea200c407874453f9721a41cb03110622c2f7c1a8e25ff518921f7152d312a750264ea7f304b4348b179266277049c63b1020165f80d3b0198420f56d93f5b0444287430112285027657e5261877a94e8d340230c148d706bc7261151378bb24af25d1059a50fd11b256002cde1f0b41da1ea3497252374bdc461459d8160d16b96d2936a4081c00ab38e24ff6645b18aa0cf8653d4a89618a55ac5243071024835c2366f7797d5350317b55b80441087b2cc741f31c4016b20b615f8378fd431d33a03e78642c298e181c44dc4686424761a656735dbe3c2c443e4e7b41c30dad32db3adc3eb1665b660906181cc7102960bc15e3563a5b5171ff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7f"> : tensor<513xi16>}> : () -> tensor<513xi16>
    %13 = "tosa.table"(%9, %12) : (tensor<2x3xi16>, tensor<513xi16>) -> tensor<2x3xi32>
    %14 = "tosa.const"() <{values = dense<"0x010001000000000001000100010001000100000001000000010001000100010001000100000000000000000001000000000001000000000000000100010001000100010001000100010000000100010000000000010001000100000000000000010000000100000001000100000001000000000001000000010001000100010000000000010001000100010000000000010001000100000001000100010000000100010001000000000001000100000001000000000001000000010000000100010000000000000001000100010001000100010000000000010001000000000001000100010001000000010001000000000000000100010000000000000000000100010000000000010001000000000001000000010000000000000000000000000001000100000000000100000001000000010000000100010001000100010001000100010000000100000001000000010001000000000001000000000000000000000000000000000001000000000000000100000000000100010000000100000001000000000000000100010000000100000000000000000001000000010000000000000001000100010001000000000000000000000000000100000000000000000000000100010000000000000000000100010000000000010000000000010001000100010000000100000000000000000001000100000001000000010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100"> : tensor<513xi16>}> : () -> tensor<513xi16>
    %15 = "tosa.table"(%9, %14) : (tensor<2x3xi16>, tensor<513xi16>) -> tensor<2x3xi32>
    %16 = "tosa.const"() <{values = dense<9> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %17 = "tosa.logical_left_shift"(%11, %16) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %18 = "tosa.const"() <{values = dense<6> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %19 = "tosa.arithmetic_right_shift"(%13, %18) <{round = false}> : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %20 = "tosa.const"() <{values = dense<7> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %21 = "tosa.arithmetic_right_shift"(%15, %20) <{round = false}> : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %22 = "tosa.add"(%19, %21) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %23 = "tosa.add"(%17, %22) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    func.return %23 : tensor<2x3xi32>
  }
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi32> {
    %1 = "tosa.reduce_max"(%0) <{axis = 1 : i32}> : (tensor<2x3xi8>) -> tensor<2x1xi8>
    %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<23> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.rescale"(%0, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %7 = "tosa.rescale"(%1, %2, %3, %4, %5) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x1xi32>
    %8 = "tosa.sub"(%6, %7) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
    %9 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<37> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.const"() <{values = dense<127> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = "tosa.rescale"(%8, %9, %10, %11, %12) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    %14 = "tosa.const"() <{values = dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001010101010101010101010101010202020202020202030303030303040404040405050506060607070708080909090a0b0b0c0c0d0e0e0f101112131415161718191b1c1e1f21222426282a2c2f313436393c3f4246494d51555a5e63686e73797f"> : tensor<256xi8>}> : () -> tensor<256xi8>
    %15 = "tosa.table"(%13, %14) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
    %16 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %17 = "tosa.const"() <{values = dense<8> : tensor<1xi8>}> : () -> tensor<1xi8>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %19 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %20 = "tosa.rescale"(%15, %16, %17, %18, %19) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %21 = "tosa.const"() <{values = dense<"0x808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080818181818181818181818181818282828282828282828383838383848484848485858586868687878788888889898a8a8b8c8c8d8e8e8f909192939495969798999b9c9d9fa1a2a4a6a8aaacaeb1b3b6b9bcbfc2c5c9cdd1d5d9dee3e8edf3f9ff050c131b232b343e47525c6874808d9baab9c9daecfe12263c536b849fbad8f617395d82aad3ff2d5d90c5fd3876b7fc448fdf338be748ae1a8b017e018b1cb555fdae682cfad2b6a5a0a8bee21557aa0f8610ae622c0d071b4a96008a3503f61052bf59221d4db3532f4cab51417f"> : tensor<256xi8>}> : () -> tensor<256xi8>
    %22 = "tosa.table"(%13, %21) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
    %23 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %24 = "tosa.const"() <{values = dense<16> : tensor<1xi8>}> : () -> tensor<1xi8>
    %25 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %26 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %27 = "tosa.rescale"(%22, %23, %24, %25, %26) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %28 = "tosa.add"(%20, %27) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %29 = "tosa.const"() <{values = dense<"0x98999a9c9d9fa0a2a4a6a8aaacaeb1b3b6b8bbbec2c5c9ccd0d4d9dde2e7edf2f8fe050c131a222b333d46515b66727f8c9aa8b7c7d8eafc10243a5169829cb8d5f31435597ea6cffb28588bc0f83270b1f53d88d72a82de3fa40f7ff672f47e0ea645ed9d5619e6bd9f8d878ea2c5f63789ec61e98537ffded5e7135cc34af2bcacc10068fec3b9e344deb4cb23c3abe26a487f161073448847854a9b82052cff88d0e0c4852ecd6e1de9e0118d65aa70c9cb8b21a32dd8bf02bd1324160d32adac5bec9180f11f49b0994b14432b258ec8394c7326e22a8990d803b9ac973e7107e6fd48d2b1080d05422d3af9081c029be5f5fd4d4c8cb8a140ab2d36627f"> : tensor<256xi8>}> : () -> tensor<256xi8>
    %30 = "tosa.table"(%13, %29) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
    %31 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %32 = "tosa.const"() <{values = dense<22> : tensor<1xi8>}> : () -> tensor<1xi8>
    %33 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %34 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %35 = "tosa.rescale"(%30, %31, %32, %33, %34) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %36 = "tosa.const"() <{values = dense<"0xd91868c93dc35d0dd2afa4b3dd23870baf766274ae13a464557ad66a3b4b9d351745c59bca5747a0669f51833a7e56c9e0a31a4f4b1ac558de65faa98395f1a6c8679971056cbe15893940bdd19d46f1c5ed92e41351d4d38a36197697c65391d886fa9bd517d997d51cfc0ff554e0516bfbdbec1d6bdc868e238b182e44e2a7478a5499710aaec9e0a1d8789c7e926edbd58454e106e3cc6fb8e38371f7b19f33370869a28b6c4bb1d29a85022ef842a6f6de22b57ae4803d9634c765ee39a8319af2d2c9b9d6456c36d470fb9295d806a087c76f7b2076f002760e6700e442867abbc170d89cb8398d0ecc67fcd8fd7707db3639e23692b00fd3f847f4237f"> : tensor<256xi8>}> : () -> tensor<256xi8>
    %37 = "tosa.table"(%13, %36) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
    %38 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %39 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %40 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %41 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %42 = "tosa.rescale"(%37, %38, %39, %40, %41) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %43 = "tosa.add"(%35, %42) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %44 = "tosa.const"() <{values = dense<2> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %45 = "tosa.logical_left_shift"(%28, %44) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %46 = "tosa.add"(%45, %43) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    func.return %46 : tensor<2x3xi32>
  }
}
// -----
// a reshape in front of the largest integer
builtin.module {
  func.func @main(%0: tensor<3x2xi8>) -> tensor<2x3xi32> {
    %1 = "tosa.const_shape"() <{values = dense<[2, 3]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %2 = "tosa.reshape"(%0, %1) : (tensor<3x2xi8>, !tosa.shape<2>) -> tensor<2x3xi8>
    %3 = "tosa.reduce_max"(%2) <{axis = 1 : i32}> : (tensor<2x3xi8>) -> tensor<2x1xi8>
    %4 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const"() <{values = dense<23> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.rescale"(%0, %4, %5, %6, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<3x2xi32>
    %9 = "tosa.reshape"(%8, %1) : (tensor<3x2xi32>, !tosa.shape<2>) -> tensor<2x3xi32>
    %10 = "tosa.rescale"(%3, %4, %5, %6, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x1xi32>
    %11 = "tosa.sub"(%9, %10) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
    %12 = "tosa.cast"(%11) : (tensor<2x3xi32>) -> tensor<2x3xi16>
    %13 = "tosa.const"() <{values = dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010001000100010001000100020002000200020002000300030004000400040005000600060007000800080009000a000c000d000e00100012001400160018001b001d002100240028002c00310036003c00420049005100590063006d00790085009300a300b400c700dc00f4000d012a0149016c019201bc01eb011f0258029702dd022a037f03dd034504b8043705c4055f060b07c8079a088109810a9c0bd50c2e0eac0f5211251328156217d7198f1c901fe2228d269b2a162f0a348339903f3f46a24dcd55d35ecc68d173ff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7f"> : tensor<513xi16>}> : () -> tensor<513xi16>
    %14 = "tosa.table"(%12, %13) : (tensor<2x3xi16>, tensor<513xi16>) -> tensor<2x3xi32>
    %15 = "tosa.const"() <{values = dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001000100010001000100010001000100020002000200020002000300030003000400040005000500060006000700080009000a000b000c000d000f00100012001400160018001b001e002100240028002c00310036003c00420049005100590063006d00790085009300a300b400c700dc00f3000d01290148016b019101bb01ea011d0256029502db0228037d03da034204b5043405c0055b060607c30794087b097a0a940bcc0c240ea10f4611171319155117c5197b1c7a1fc92272267d2af52ee5335a39623f0d466b4d90558f5e81687f73a47f110de71b4d2c6c3e725294680a01131cf339f85a767fca275c549e050e3c3878b63a32046855292f5b12fb7f2379087f03138d364b6b0b33ce0fc7036a11683bbd04b670f502833fd12acc49e221133905160c40453fa41c10627c1aff51f7152a75ea7f434826629c6301653b010f565b0474308502e526a94e0230d7066115bb24d105fd11002c0b41a349374b14590d1629361c00e24f5b18f8658961ac52102423667d537b554108c7414016615ffd43a03e2c291c448642a656be3c3e4ec30ddb3ab1660906c710bc153a5bff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7fff7f"> : tensor<513xi16>}> : () -> tensor<513xi16>
    %16 = "tosa.table"(%12, %15) : (tensor<2x3xi16>, tensor<513xi16>) -> tensor<2x3xi32>
    %17 = "tosa.const"() <{values = dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100010001000100010001000100010001000100010000000000000000000000010001000100000000000000010001000000010001000000010000000100000001000100000000000000000000000100000001000000000000000100000000000000010001000100000001000000010001000000010000000100000001000100000001000000000001000000000001000000000001000000010001000100000000000000010001000000000000000000000000000000000001000100000001000100010001000100010001000000000001000000000000000100010001000100010000000100010000000100010001000000000001000100010000000100010000000100010001000100010001000000010001000000000000000100000001000100010000000100000001000100000001000000010000000000010000000100000001000100000000000000010000000000000000000100010001000100010001000100000001000000000000000000000000000000010000000000000000000100010000000000000000000000010001000000000000000000000000000100000000000100000000000100010000000000000001000000000001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100"> : tensor<513xi16>}> : () -> tensor<513xi16>
    %18 = "tosa.table"(%12, %17) : (tensor<2x3xi16>, tensor<513xi16>) -> tensor<2x3xi32>
    %19 = "tosa.const"() <{values = dense<9> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %20 = "tosa.logical_left_shift"(%14, %19) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %21 = "tosa.const"() <{values = dense<6> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %22 = "tosa.arithmetic_right_shift"(%16, %21) <{round = false}> : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %23 = "tosa.const"() <{values = dense<7> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %24 = "tosa.arithmetic_right_shift"(%18, %23) <{round = false}> : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %25 = "tosa.add"(%22, %24) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %26 = "tosa.add"(%20, %25) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    func.return %26 : tensor<2x3xi32>
  }
}
// becomes
builtin.module {
  func.func @main(%0: tensor<3x2xi8>) -> tensor<2x3xi32> {
    %1 = "tosa.const_shape"() <{values = dense<[2, 3]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %2 = "tosa.reshape"(%0, %1) : (tensor<3x2xi8>, !tosa.shape<2>) -> tensor<2x3xi8>
    %3 = "tosa.reduce_max"(%2) <{axis = 1 : i32}> : (tensor<2x3xi8>) -> tensor<2x1xi8>
    %4 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %5 = "tosa.const"() <{values = dense<23> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.rescale"(%0, %4, %5, %6, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<3x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<3x2xi32>
    %9 = "tosa.reshape"(%8, %1) : (tensor<3x2xi32>, !tosa.shape<2>) -> tensor<2x3xi32>
    %10 = "tosa.rescale"(%3, %4, %5, %6, %7) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x1xi32>
    %11 = "tosa.sub"(%9, %10) : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
    %12 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %13 = "tosa.const"() <{values = dense<37> : tensor<1xi8>}> : () -> tensor<1xi8>
    %14 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %15 = "tosa.const"() <{values = dense<127> : tensor<1xi8>}> : () -> tensor<1xi8>
    %16 = "tosa.rescale"(%11, %12, %13, %14, %15) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    %17 = "tosa.const"() <{values = dense<"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001010101010101020202020303030404050506070708090a0b0c0e0f11131517191c1f22262a2f34393f464d555e68737f"> : tensor<256xi8>}> : () -> tensor<256xi8>
    %18 = "tosa.table"(%16, %17) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
    %19 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %20 = "tosa.const"() <{values = dense<8> : tensor<1xi8>}> : () -> tensor<1xi8>
    %21 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %22 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %23 = "tosa.rescale"(%18, %19, %20, %21, %22) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %24 = "tosa.const"() <{values = dense<"0x808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808081818181818182828282828383848484858686878888898a8c8d8e90929496989b9da1a4a8acb1b6bcc2c9d1d9e3edf905132334475c748daac9ec123c6b9fd8175daaff5dc538b744df8b481a01011c55ae2cd2a5a8e2570f10620d1b968a0310bf224d534c517f"> : tensor<256xi8>}> : () -> tensor<256xi8>
    %25 = "tosa.table"(%16, %24) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
    %26 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %27 = "tosa.const"() <{values = dense<16> : tensor<1xi8>}> : () -> tensor<1xi8>
    %28 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %29 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %30 = "tosa.rescale"(%25, %26, %27, %28, %29) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %31 = "tosa.add"(%23, %30) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %32 = "tosa.const"() <{values = dense<"0x80808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808080808081818181818181828282828383838484858586868788898a8b8c8e8f91929497999c9fa2a6aaaeb3b8bec5ccd4dde7f2fe0c1a2b3d51667f9ab7d8fc245182b8f3357ecf288bf870f5882adea47f727ea6ed56e69f87a2f6896185ffd513c3f2ac00feb944b423ab6a7f1044474a822c88e085cd1de08daac98ba3d802131632acec801fb04b4325c84c262a9003ac3e07fdd208052df91c9bf54d8ca1ab367f"> : tensor<256xi8>}> : () -> tensor<256xi8>
    %33 = "tosa.table"(%16, %32) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
    %34 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %35 = "tosa.const"() <{values = dense<22> : tensor<1xi8>}> : () -> tensor<1xi8>
    %36 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %37 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %38 = "tosa.rescale"(%33, %34, %35, %36, %37) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %39 = "tosa.const"() <{values = dense<"0x8080808080808080808080808080808080808080808080808080808080808080808081818181818181818181818282828282838383848484858586878788898a8b8c8d8f90929496989b9ea1a4a8acb1b6bcc2c9d1d9e2edf805132233465b728ba7c6e90e38679ad21156a2f754bb2dab36d07a3505eae800368c06a87675a918c9c30dafb3230b767413647a6a4b35459b57a09f837ec9a34f1a5865a995a667716c1539bd9df1ede451d33676c691869b17971c0f5451fbec6b86231844a78a990ac9a1787e6ed55406ccb883f79f37698b4bd2852e42f6227a8096c7eea89ad2b945367092d8a0c77b76020e00427ac1d8b88dccfcfd0736e2920ff8f47f"> : tensor<256xi8>}> : () -> tensor<256xi8>
    %40 = "tosa.table"(%16, %39) : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
    %41 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %42 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %43 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %44 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %45 = "tosa.rescale"(%40, %41, %42, %43, %44) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
    %46 = "tosa.add"(%38, %45) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %47 = "tosa.const"() <{values = dense<2> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %48 = "tosa.logical_left_shift"(%31, %47) : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi32>
    %49 = "tosa.add"(%48, %46) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    func.return %49 : tensor<2x3xi32>
  }
}
