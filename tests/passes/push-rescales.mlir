// a contraction, its bias and saturation, and a second one; within 1 LSB
func.func @main(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %a_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a = stablehlo.subtract %a_c, %a_z : tensor<2x3xi32>
  %d_w = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi32>
  %d = stablehlo.dot_general %a, %d_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %e_b = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
  %e_w = stablehlo.broadcast_in_dim %e_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %e = stablehlo.add %d, %e_w : tensor<2x3xi32>
  %r_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_o = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %e, %r_m, %r_s, %r_i, %r_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %f_c = stablehlo.convert %r : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %f_z = stablehlo.constant dense<-128> : tensor<2x3xi32>
  %f = stablehlo.subtract %f_c, %f_z : tensor<2x3xi32>
  %g_w = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi32>
  %g = stablehlo.dot_general %f, %g_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %h_b = stablehlo.constant dense<[-4000, 300, 20000]> : tensor<3xi32>
  %h_w = stablehlo.broadcast_in_dim %h_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %h = stablehlo.add %g, %h_w : tensor<2x3xi32>
  %q_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %q_s = "tosa.const"() <{values = dense<39> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %q_o = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q = tosa.rescale %h, %q_m, %q_s, %q_i, %q_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  return %q : tensor<2x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %1 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %2 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x3xi32>
    %4 = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi8>
    %5 = stablehlo.convert %4 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %7 = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %9 = stablehlo.add %6, %8 : tensor<2x3xi32>
    %10 = stablehlo.constant dense<0> : tensor<2x3xi32>
    %11 = stablehlo.maximum %9, %10 : tensor<2x3xi32>
    %12 = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi8>
    %13 = stablehlo.convert %12 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %14 = stablehlo.dot_general %11, %13, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %15 = stablehlo.constant dense<[-768000, 57600, 3840000]> : tensor<3xi32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %17 = stablehlo.add %14, %16 : tensor<2x3xi32>
    %18 = "tosa.const"() <{values = dense<1908874353> : tensor<1xi32>}> : () -> tensor<1xi32>
    %19 = "tosa.const"() <{values = dense<47> : tensor<1xi8>}> : () -> tensor<1xi8>
    %20 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %21 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
    %22 = "tosa.rescale"(%17, %18, %19, %20, %21) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    func.return %22 : tensor<2x3xi8>
  }
}
// -----
// scales of channels go into the next weights; within 1 LSB
func.func @main(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %a_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a = stablehlo.subtract %a_c, %a_z : tensor<2x3xi32>
  %d_w = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi32>
  %d = stablehlo.dot_general %a, %d_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %e_b = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
  %e_w = stablehlo.broadcast_in_dim %e_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %e = stablehlo.add %d, %e_w : tensor<2x3xi32>
  %r_m = "tosa.const"() <{values = dense<[1431655765, 2000000000, 1200000000]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %r_s = "tosa.const"() <{values = dense<[38, 38, 40]> : tensor<3xi8>}> : () -> tensor<3xi8>
  %r_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_o = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %e, %r_m, %r_s, %r_i, %r_o {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %f_c = stablehlo.convert %r : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %f_z = stablehlo.constant dense<-128> : tensor<2x3xi32>
  %f = stablehlo.subtract %f_c, %f_z : tensor<2x3xi32>
  %g_w = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi32>
  %g = stablehlo.dot_general %f, %g_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %h_b = stablehlo.constant dense<[-4000, 300, 20000]> : tensor<3xi32>
  %h_w = stablehlo.broadcast_in_dim %h_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %h = stablehlo.add %g, %h_w : tensor<2x3xi32>
  %q_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %q_s = "tosa.const"() <{values = dense<39> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %q_o = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q = tosa.rescale %h, %q_m, %q_s, %q_i, %q_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  return %q : tensor<2x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %1 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %2 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x3xi32>
    %4 = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi8>
    %5 = stablehlo.convert %4 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %7 = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %9 = stablehlo.add %6, %8 : tensor<2x3xi32>
    %10 = stablehlo.constant dense<0> : tensor<3xi32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %12 = stablehlo.maximum %9, %11 : tensor<2x3xi32>
    %13 = stablehlo.constant dense<[[313, 2821, -3981], [2802, -1401, 701], [7, 13, 20]]> : tensor<3x3xi16>
    %14 = stablehlo.convert %13 : (tensor<3x3xi16>) -> tensor<3x3xi32>
    %15 = stablehlo.dot_general %12, %14, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %16 = stablehlo.constant dense<[-24072554, 1805442, 120362771]> : tensor<3xi32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %18 = stablehlo.add %15, %17 : tensor<2x3xi32>
    %19 = "tosa.const"() <{values = dense<1948795944> : tensor<1xi32>}> : () -> tensor<1xi32>
    %20 = "tosa.const"() <{values = dense<52> : tensor<1xi8>}> : () -> tensor<1xi8>
    %21 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %22 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
    %23 = "tosa.rescale"(%18, %19, %20, %21, %22) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    func.return %23 : tensor<2x3xi8>
  }
}
// -----
// each output has its rescale; within 1 LSB
func.func @main(%x: tensor<2x3xi8>) -> (tensor<2x3xi8>, tensor<2x3xi8>) {
  %a_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a = stablehlo.subtract %a_c, %a_z : tensor<2x3xi32>
  %d_w = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi32>
  %d = stablehlo.dot_general %a, %d_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %e_b = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
  %e_w = stablehlo.broadcast_in_dim %e_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %e = stablehlo.add %d, %e_w : tensor<2x3xi32>
  %r_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_o = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %e, %r_m, %r_s, %r_i, %r_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %f_c = stablehlo.convert %r : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %f_z = stablehlo.constant dense<-128> : tensor<2x3xi32>
  %f = stablehlo.subtract %f_c, %f_z : tensor<2x3xi32>
  %g_w = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi32>
  %g = stablehlo.dot_general %f, %g_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %h_b = stablehlo.constant dense<[-4000, 300, 20000]> : tensor<3xi32>
  %h_w = stablehlo.broadcast_in_dim %h_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %h = stablehlo.add %g, %h_w : tensor<2x3xi32>
  %q_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %q_s = "tosa.const"() <{values = dense<39> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %q_o = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q = tosa.rescale %h, %q_m, %q_s, %q_i, %q_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %k_c = stablehlo.convert %q : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %k_z = stablehlo.constant dense<-5> : tensor<2x3xi32>
  %k = stablehlo.subtract %k_c, %k_z : tensor<2x3xi32>
  %l_w = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi32>
  %l = stablehlo.dot_general %k, %l_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %p_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %p_s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %p_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %p_o = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %p = tosa.rescale %l, %p_m, %p_s, %p_i, %p_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  return %r, %p : tensor<2x3xi8>, tensor<2x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> (tensor<2x3xi8>, tensor<2x3xi8>) {
    %1 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %2 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x3xi32>
    %4 = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi8>
    %5 = stablehlo.convert %4 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %7 = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %9 = stablehlo.add %6, %8 : tensor<2x3xi32>
    %10 = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
    %11 = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %13 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %14 = "tosa.rescale"(%9, %10, %11, %12, %13) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    %15 = stablehlo.constant dense<0> : tensor<2x3xi32>
    %16 = stablehlo.maximum %9, %15 : tensor<2x3xi32>
    %17 = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi8>
    %18 = stablehlo.convert %17 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %19 = stablehlo.dot_general %16, %18, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %20 = stablehlo.constant dense<[-768000, 57600, 3840000]> : tensor<3xi32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %22 = stablehlo.add %19, %21 : tensor<2x3xi32>
    %23 = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi8>
    %24 = stablehlo.convert %23 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %25 = stablehlo.dot_general %22, %24, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %26 = "tosa.const"() <{values = dense<1272582902> : tensor<1xi32>}> : () -> tensor<1xi32>
    %27 = "tosa.const"() <{values = dense<54> : tensor<1xi8>}> : () -> tensor<1xi8>
    %28 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %29 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %30 = "tosa.rescale"(%25, %26, %27, %28, %29) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    func.return %14, %30 : tensor<2x3xi8>, tensor<2x3xi8>
  }
}
// -----
// operands of two scales: one is brought to the finer; within 1 LSB
func.func @main(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %a_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a = stablehlo.subtract %a_c, %a_z : tensor<2x3xi32>
  %d_w = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi32>
  %d = stablehlo.dot_general %a, %d_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %e_b = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
  %e_w = stablehlo.broadcast_in_dim %e_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %e = stablehlo.add %d, %e_w : tensor<2x3xi32>
  %r_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_o = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %e, %r_m, %r_s, %r_i, %r_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %f_c = stablehlo.convert %r : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %f_z = stablehlo.constant dense<-128> : tensor<2x3xi32>
  %f = stablehlo.subtract %f_c, %f_z : tensor<2x3xi32>
  %g_w = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi32>
  %g = stablehlo.dot_general %f, %g_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %h_b = stablehlo.constant dense<[-4000, 300, 20000]> : tensor<3xi32>
  %h_w = stablehlo.broadcast_in_dim %h_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %h = stablehlo.add %g, %h_w : tensor<2x3xi32>
  %q_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %q_s = "tosa.const"() <{values = dense<39> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %q_o = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q = tosa.rescale %h, %q_m, %q_s, %q_i, %q_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %u_m = "tosa.const"() <{values = dense<1200000000> : tensor<1xi32>}> : () -> tensor<1xi32>
  %u_s = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
  %u_i = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %u_o = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %u = tosa.rescale %x, %u_m, %u_s, %u_i, %u_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
  %v_m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %v_s = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
  %v_i = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %v_o = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %v = tosa.rescale %q, %v_m, %v_s, %v_i, %v_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
  %t = stablehlo.add %u, %v : tensor<2x3xi32>
  %o_m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o_s = "tosa.const"() <{values = dense<49> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o_o = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o = tosa.rescale %t, %o_m, %o_s, %o_i, %o_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  return %o : tensor<2x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %1 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %2 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x3xi32>
    %4 = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi8>
    %5 = stablehlo.convert %4 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %7 = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %9 = stablehlo.add %6, %8 : tensor<2x3xi32>
    %10 = stablehlo.constant dense<0> : tensor<2x3xi32>
    %11 = stablehlo.maximum %9, %10 : tensor<2x3xi32>
    %12 = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi8>
    %13 = stablehlo.convert %12 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %14 = stablehlo.dot_general %11, %13, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %15 = stablehlo.constant dense<[-768000, 57600, 3840000]> : tensor<3xi32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %17 = stablehlo.add %14, %16 : tensor<2x3xi32>
    %18 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %19 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %20 = stablehlo.add %18, %19 : tensor<2x3xi32>
    %21 = "tosa.const"() <{values = dense<1350000001> : tensor<1xi32>}> : () -> tensor<1xi32>
    %22 = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
    %23 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %24 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %25 = "tosa.rescale"(%20, %21, %22, %23, %24) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %26 = stablehlo.constant dense<8> : tensor<2x3xi32>
    %27 = stablehlo.multiply %17, %26 : tensor<2x3xi32>
    %28 = stablehlo.add %25, %27 : tensor<2x3xi32>
    %29 = "tosa.const"() <{values = dense<1908874353> : tensor<1xi32>}> : () -> tensor<1xi32>
    %30 = "tosa.const"() <{values = dense<50> : tensor<1xi8>}> : () -> tensor<1xi8>
    %31 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %32 = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %33 = "tosa.rescale"(%28, %29, %30, %31, %32) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    func.return %33 : tensor<2x3xi8>
  }
}
// -----
// operands of one scale are added as they are; within 1 LSB
func.func @main(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %a_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a = stablehlo.subtract %a_c, %a_z : tensor<2x3xi32>
  %d_w = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi32>
  %d = stablehlo.dot_general %a, %d_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %e_b = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
  %e_w = stablehlo.broadcast_in_dim %e_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %e = stablehlo.add %d, %e_w : tensor<2x3xi32>
  %r_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_o = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %e, %r_m, %r_s, %r_i, %r_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %u_m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %u_s = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
  %u_i = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %u_o = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %u = tosa.rescale %r, %u_m, %u_s, %u_i, %u_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
  %t = stablehlo.add %u, %u : tensor<2x3xi32>
  %o_m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o_s = "tosa.const"() <{values = dense<41> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o_o = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o = tosa.rescale %t, %o_m, %o_s, %o_i, %o_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  return %o : tensor<2x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %1 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %2 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x3xi32>
    %4 = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi8>
    %5 = stablehlo.convert %4 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %7 = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %9 = stablehlo.add %6, %8 : tensor<2x3xi32>
    %10 = stablehlo.constant dense<0> : tensor<2x3xi32>
    %11 = stablehlo.maximum %9, %10 : tensor<2x3xi32>
    %12 = stablehlo.add %11, %11 : tensor<2x3xi32>
    %13 = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
    %14 = "tosa.const"() <{values = dense<39> : tensor<1xi8>}> : () -> tensor<1xi8>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %17 = "tosa.rescale"(%12, %13, %14, %15, %16) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    func.return %17 : tensor<2x3xi8>
  }
}
// -----
// bounds in the accumulator's unit, and movements; within 1 LSB
func.func @main(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %a_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a = stablehlo.subtract %a_c, %a_z : tensor<2x3xi32>
  %d_w = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi32>
  %d = stablehlo.dot_general %a, %d_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %e_b = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
  %e_w = stablehlo.broadcast_in_dim %e_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %e = stablehlo.add %d, %e_w : tensor<2x3xi32>
  %r_m = "tosa.const"() <{values = dense<[1431655765, 2000000000, 1200000000]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %r_s = "tosa.const"() <{values = dense<[38, 38, 40]> : tensor<3xi8>}> : () -> tensor<3xi8>
  %r_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_o = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %e, %r_m, %r_s, %r_i, %r_o {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %lo = stablehlo.constant dense<-100> : tensor<i8>
  %hi = stablehlo.constant dense<50> : tensor<i8>
  %cl = stablehlo.clamp %lo, %r, %hi : (tensor<i8>, tensor<2x3xi8>, tensor<i8>) -> tensor<2x3xi8>
  %tr = stablehlo.transpose %cl, dims = [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
  %re = stablehlo.reverse %tr, dims = [0] : tensor<3x2xi8>
  %bk = stablehlo.transpose %re, dims = [1, 0] : (tensor<3x2xi8>) -> tensor<2x3xi8>
  %f_c = stablehlo.convert %bk : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %f_z = stablehlo.constant dense<-128> : tensor<2x3xi32>
  %f = stablehlo.subtract %f_c, %f_z : tensor<2x3xi32>
  %g_w = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi32>
  %g = stablehlo.dot_general %f, %g_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %h_b = stablehlo.constant dense<[-4000, 300, 20000]> : tensor<3xi32>
  %h_w = stablehlo.broadcast_in_dim %h_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %h = stablehlo.add %g, %h_w : tensor<2x3xi32>
  %q_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %q_s = "tosa.const"() <{values = dense<39> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %q_o = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q = tosa.rescale %h, %q_m, %q_s, %q_i, %q_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  return %q : tensor<2x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %1 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %2 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x3xi32>
    %4 = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi8>
    %5 = stablehlo.convert %4 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %7 = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %9 = stablehlo.add %6, %8 : tensor<2x3xi32>
    %10 = stablehlo.transpose %9, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
    %11 = stablehlo.reverse %10, dims = [0] : tensor<3x2xi32>
    %12 = stablehlo.transpose %11, dims = [1, 0] : (tensor<3x2xi32>) -> tensor<2x3xi32>
    %13 = stablehlo.constant dense<[25655, 3848, 5376]> : tensor<3xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %15 = stablehlo.maximum %12, %14 : tensor<2x3xi32>
    %16 = stablehlo.constant dense<[[66, 591, -834], [2802, -1401, 701], [31, 63, 94]]> : tensor<3x3xi16>
    %17 = stablehlo.convert %16 : (tensor<3x3xi16>) -> tensor<3x3xi32>
    %18 = stablehlo.dot_general %15, %17, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %19 = stablehlo.constant dense<[-24072554, 1805442, 120362771]> : tensor<3xi32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %21 = stablehlo.add %18, %20 : tensor<2x3xi32>
    %22 = "tosa.const"() <{values = dense<1948795944> : tensor<1xi32>}> : () -> tensor<1xi32>
    %23 = "tosa.const"() <{values = dense<52> : tensor<1xi8>}> : () -> tensor<1xi8>
    %24 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %25 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
    %26 = "tosa.rescale"(%21, %22, %23, %24, %25) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    func.return %26 : tensor<2x3xi8>
  }
}
// -----
// the largest under a window, and sums; within 1 LSB
func.func @main(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %a_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a = stablehlo.subtract %a_c, %a_z : tensor<2x3xi32>
  %d_w = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi32>
  %d = stablehlo.dot_general %a, %d_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %e_b = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
  %e_w = stablehlo.broadcast_in_dim %e_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %e = stablehlo.add %d, %e_w : tensor<2x3xi32>
  %r_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_o = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %e, %r_m, %r_s, %r_i, %r_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %least = stablehlo.constant dense<-128> : tensor<i8>
  %mx = "stablehlo.reduce_window"(%r, %least) <{window_dimensions = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%b0: tensor<i8>, %b1: tensor<i8>):
    %b2 = stablehlo.maximum %b0, %b1 : tensor<i8>
    stablehlo.return %b2 : tensor<i8>
  }) : (tensor<2x3xi8>, tensor<i8>) -> tensor<2x3xi8>
  %f_c = stablehlo.convert %mx : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %f_z = stablehlo.constant dense<-128> : tensor<2x3xi32>
  %f = stablehlo.subtract %f_c, %f_z : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sm = "stablehlo.reduce_window"(%f, %zero) <{window_dimensions = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%b3: tensor<i32>, %b4: tensor<i32>):
    %b5 = stablehlo.add %b3, %b4 : tensor<i32>
    stablehlo.return %b5 : tensor<i32>
  }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %o_m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o_s = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o_o = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o = tosa.rescale %sm, %o_m, %o_s, %o_i, %o_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  return %o : tensor<2x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %1 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %2 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x3xi32>
    %4 = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi8>
    %5 = stablehlo.convert %4 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %7 = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %9 = stablehlo.add %6, %8 : tensor<2x3xi32>
    %10 = stablehlo.constant dense<-24700> : tensor<i32>
    %11 = "stablehlo.reduce_window"(%9, %10) <{padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 1>}> ({
    ^bb0(%12: tensor<i32>, %13: tensor<i32>):
      %14 = stablehlo.maximum %12, %13 : tensor<i32>
      stablehlo.return %14 : tensor<i32>
    }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
    %15 = stablehlo.constant dense<0> : tensor<2x3xi32>
    %16 = stablehlo.maximum %11, %15 : tensor<2x3xi32>
    %17 = stablehlo.constant dense<0> : tensor<i32>
    %18 = "stablehlo.reduce_window"(%16, %17) <{padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 1>}> ({
    ^bb0(%19: tensor<i32>, %20: tensor<i32>):
      %21 = stablehlo.add %19, %20 : tensor<i32>
      stablehlo.return %21 : tensor<i32>
    }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
    %22 = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
    %23 = "tosa.const"() <{values = dense<39> : tensor<1xi8>}> : () -> tensor<1xi8>
    %24 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %25 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %26 = "tosa.rescale"(%18, %22, %23, %24, %25) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    func.return %26 : tensor<2x3xi8>
  }
}
// -----
// channels side by side keep their scales; within 1 LSB
func.func @main(%x: tensor<2x3xi8>) -> tensor<2x6xi8> {
  %a_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a = stablehlo.subtract %a_c, %a_z : tensor<2x3xi32>
  %d_w = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi32>
  %d = stablehlo.dot_general %a, %d_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %r_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_o = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %d, %r_m, %r_s, %r_i, %r_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %a2_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a2_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a2 = stablehlo.subtract %a2_c, %a2_z : tensor<2x3xi32>
  %d2_w = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi32>
  %d2 = stablehlo.dot_general %a2, %d2_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %r2_m = "tosa.const"() <{values = dense<1200000000> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r2_s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r2_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r2_o = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r2 = tosa.rescale %d2, %r2_m, %r2_s, %r2_i, %r2_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %cc = stablehlo.concatenate %r, %r2, dim = 1 : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x6xi8>
  %o_m = "tosa.const"() <{values = dense<1288490188> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o_s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o_i = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o_o = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o = tosa.rescale %cc, %o_m, %o_s, %o_i, %o_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x6xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x6xi8>
  return %o : tensor<2x6xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x6xi8> {
    %1 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %2 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x3xi32>
    %4 = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi8>
    %5 = stablehlo.convert %4 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %7 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %8 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %9 = stablehlo.add %7, %8 : tensor<2x3xi32>
    %10 = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi8>
    %11 = stablehlo.convert %10 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %12 = stablehlo.dot_general %9, %11, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %13 = stablehlo.concatenate %6, %12, dim = 1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x6xi32>
    %14 = stablehlo.constant dense<[23616, 23616, 23616, 28175, 28175, 28175]> : tensor<6xi32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [1] : (tensor<6xi32>) -> tensor<2x6xi32>
    %16 = stablehlo.minimum %13, %15 : tensor<2x6xi32>
    %17 = "tosa.const"() <{values = dense<[1717986917, 1717986917, 1717986917, 1439999999, 1439999999, 1439999999]> : tensor<6xi32>}> : () -> tensor<6xi32>
    %18 = "tosa.const"() <{values = dense<38> : tensor<6xi8>}> : () -> tensor<6xi8>
    %19 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %20 = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
    %21 = "tosa.rescale"(%16, %17, %18, %19, %20) <{input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x6xi32>, tensor<6xi32>, tensor<6xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x6xi8>
    func.return %21 : tensor<2x6xi8>
  }
}
// -----
// others are brought to one scale; within 1 LSB
func.func @main(%x: tensor<2x3xi8>) -> tensor<4x3xi8> {
  %a_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a = stablehlo.subtract %a_c, %a_z : tensor<2x3xi32>
  %d_w = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi32>
  %d = stablehlo.dot_general %a, %d_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %r_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_o = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %d, %r_m, %r_s, %r_i, %r_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %a2_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a2_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a2 = stablehlo.subtract %a2_c, %a2_z : tensor<2x3xi32>
  %d2_w = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi32>
  %d2 = stablehlo.dot_general %a2, %d2_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %r2_m = "tosa.const"() <{values = dense<1200000000> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r2_s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r2_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r2_o = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r2 = tosa.rescale %d2, %r2_m, %r2_s, %r2_i, %r2_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %cc = stablehlo.concatenate %r, %r2, dim = 0 : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<4x3xi8>
  %o_m = "tosa.const"() <{values = dense<1288490188> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o_s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o_i = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o_o = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o = tosa.rescale %cc, %o_m, %o_s, %o_i, %o_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x3xi8>
  return %o : tensor<4x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<4x3xi8> {
    %1 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %2 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x3xi32>
    %4 = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi8>
    %5 = stablehlo.convert %4 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %7 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %8 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %9 = stablehlo.add %7, %8 : tensor<2x3xi32>
    %10 = stablehlo.constant dense<[[10, 90, -127], [64, -32, 16], [1, 2, 3]]> : tensor<3x3xi8>
    %11 = stablehlo.convert %10 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %12 = stablehlo.dot_general %9, %11, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %13 = stablehlo.constant dense<23616> : tensor<2x3xi32>
    %14 = stablehlo.minimum %6, %13 : tensor<2x3xi32>
    %15 = stablehlo.constant dense<768> : tensor<2x3xi32>
    %16 = stablehlo.add %14, %15 : tensor<2x3xi32>
    %17 = stablehlo.constant dense<916> : tensor<2x3xi32>
    %18 = stablehlo.add %12, %17 : tensor<2x3xi32>
    %19 = "tosa.const"() <{values = dense<1281023894> : tensor<1xi32>}> : () -> tensor<1xi32>
    %20 = "tosa.const"() <{values = dense<28> : tensor<1xi8>}> : () -> tensor<1xi8>
    %21 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %22 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %23 = "tosa.rescale"(%16, %19, %20, %21, %22) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %24 = stablehlo.constant dense<4> : tensor<2x3xi32>
    %25 = stablehlo.multiply %18, %24 : tensor<2x3xi32>
    %26 = stablehlo.concatenate %23, %25, dim = 0 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
    %27 = stablehlo.constant dense<-3665> : tensor<4x3xi32>
    %28 = stablehlo.add %26, %27 : tensor<4x3xi32>
    %29 = "tosa.const"() <{values = dense<1439999999> : tensor<1xi32>}> : () -> tensor<1xi32>
    %30 = "tosa.const"() <{values = dense<40> : tensor<1xi8>}> : () -> tensor<1xi8>
    %31 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %32 = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
    %33 = "tosa.rescale"(%28, %29, %30, %31, %32) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<4x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x3xi8>
    func.return %33 : tensor<4x3xi8>
  }
}
// -----
// a constant is rounded to what it is added to; within 1 LSB
func.func @main(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %a_c = stablehlo.convert %x : (tensor<2x3xi8>) -> tensor<2x3xi32>
  %a_z = stablehlo.constant dense<-3> : tensor<2x3xi32>
  %a = stablehlo.subtract %a_c, %a_z : tensor<2x3xi32>
  %d_w = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi32>
  %d = stablehlo.dot_general %a, %d_w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
  %e_b = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
  %e_w = stablehlo.broadcast_in_dim %e_b, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %e = stablehlo.add %d, %e_w : tensor<2x3xi32>
  %r_m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_o = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %e, %r_m, %r_s, %r_i, %r_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  %u_m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %u_s = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
  %u_i = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %u_o = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %u = tosa.rescale %r, %u_m, %u_s, %u_i, %u_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
  %k = stablehlo.constant dense<[[5, -7, 90], [100, -128, 3]]> : tensor<2x3xi8>
  %v_m = "tosa.const"() <{values = dense<1200000000> : tensor<1xi32>}> : () -> tensor<1xi32>
  %v_s = "tosa.const"() <{values = dense<12> : tensor<1xi8>}> : () -> tensor<1xi8>
  %v_i = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %v_o = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %v = tosa.rescale %k, %v_m, %v_s, %v_i, %v_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
  %t = stablehlo.add %u, %v : tensor<2x3xi32>
  %o_m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o_s = "tosa.const"() <{values = dense<49> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o_i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o_o = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o = tosa.rescale %t, %o_m, %o_s, %o_i, %o_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  return %o : tensor<2x3xi8>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2x3xi8>) -> tensor<2x3xi8> {
    %1 = stablehlo.convert %0 : (tensor<2x3xi8>) -> tensor<2x3xi32>
    %2 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x3xi32>
    %4 = stablehlo.constant dense<[[100, -20, 30], [-40, 127, 5], [60, 7, -90]]> : tensor<3x3xi8>
    %5 = stablehlo.convert %4 : (tensor<3x3xi8>) -> tensor<3x3xi32>
    %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x3xi32>) -> tensor<2x3xi32>
    %7 = stablehlo.constant dense<[500, -700, 90]> : tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %9 = stablehlo.add %6, %8 : tensor<2x3xi32>
    %10 = stablehlo.constant dense<0> : tensor<2x3xi32>
    %11 = stablehlo.maximum %9, %10 : tensor<2x3xi32>
    %12 = stablehlo.constant dense<4096> : tensor<2x3xi32>
    %13 = stablehlo.multiply %11, %12 : tensor<2x3xi32>
    %14 = stablehlo.constant dense<[[4394532, -878906, 41748047], [46142579, -54052734, 3515625]]> : tensor<2x3xi32>
    %15 = stablehlo.add %13, %14 : tensor<2x3xi32>
    %16 = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
    %17 = "tosa.const"() <{values = dense<50> : tensor<1xi8>}> : () -> tensor<1xi8>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %19 = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %20 = "tosa.rescale"(%15, %16, %17, %18, %19) <{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    func.return %20 : tensor<2x3xi8>
  }
}
