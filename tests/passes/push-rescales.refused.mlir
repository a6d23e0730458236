// nothing to do
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
  return %r : tensor<2x3xi8>
}
// -----
// its rounding is DOUBLE_ROUND
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
  %r = tosa.rescale %e, %r_m, %r_s, %r_i, %r_o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
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
// -----
// the quotient of rescaled integers differs
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
  %dv = stablehlo.divide %r, %r : tensor<2x3xi8>
  return %dv : tensor<2x3xi8>
}
// -----
// it may wrap around: its integers reach from 0 to 273.958
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
  %dv = stablehlo.add %r, %r : tensor<2x3xi8>
  return %dv : tensor<2x3xi8>
}
