// each call site gets its own copy, named below the call
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @layer(%x) : (tensor<2xf32>) -> tensor<2xf32> loc("first")
  %1 = func.call @layer(%0) : (tensor<2xf32>) -> tensor<2xf32> loc("second")
  return %1 : tensor<2xf32>
}
func.func private @layer(%a: tensor<2xf32>) -> tensor<2xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<2xf32>
  %0 = stablehlo.multiply %a, %half : tensor<2xf32> loc("scale")
  %1 = stablehlo.tanh %0 : tensor<2xf32> loc("tanh")
  return %1 : tensor<2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {
    %1 = stablehlo.constant dense<5.000000e-01> : tensor<2xf32> loc("first/constant")
    %2 = stablehlo.multiply %0, %1 : tensor<2xf32> loc("first/scale")
    %3 = stablehlo.tanh %2 : tensor<2xf32> loc("first/tanh")
    %4 = stablehlo.constant dense<5.000000e-01> : tensor<2xf32> loc("second/constant")
    %5 = stablehlo.multiply %3, %4 : tensor<2xf32> loc("second/scale")
    %6 = stablehlo.tanh %5 : tensor<2xf32> loc("second/tanh")
    func.return %6 : tensor<2xf32>
  }
}
// -----
// calls in calls, results that are arguments, and a function that stays because it is public
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0, %1 = func.call @outer(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
func.func private @outer(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = func.call @inner(%a) : (tensor<2xf32>) -> tensor<2xf32> loc("call")
  return %0, %a : tensor<2xf32>, tensor<2xf32>
}
func.func @inner(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %1 = stablehlo.abs %0 : tensor<2xf32> loc("call/abs")
    func.return %1, %0 : tensor<2xf32>, tensor<2xf32>
  }
  func.func @inner(%0: tensor<2xf32>) -> tensor<2xf32> {
    %1 = stablehlo.abs %0 : tensor<2xf32>
    func.return %1 : tensor<2xf32>
  }
}
// -----
// calls inside a loop, and a function that a composite needs as well
func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0, %1 = "stablehlo.while"(%zero, %x) ({
  ^bb0(%i: tensor<i32>, %v: tensor<2xf32>):
    %2 = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<2xf32>):
    %3 = stablehlo.add %i, %one : tensor<i32>
    %4 = func.call @twice(%v) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %3, %4 : tensor<i32>, tensor<2xf32>
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  %5 = stablehlo.composite "my.twice" %1 {decomposition = @twice} : (tensor<2xf32>) -> tensor<2xf32>
  return %5 : tensor<2xf32>
}
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// becomes
builtin.module {
  func.func @main(%0: tensor<2xf32>, %1: tensor<i32>) -> tensor<2xf32> {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.constant dense<1> : tensor<i32>
    %4, %5 = "stablehlo.while"(%2, %0) ({
    ^bb0(%6: tensor<i32>, %7: tensor<2xf32>):
      %8 = stablehlo.compare LT, %6, %3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }, {
    ^bb0(%9: tensor<i32>, %10: tensor<2xf32>):
      %11 = stablehlo.add %9, %3 : tensor<i32>
      %12 = stablehlo.add %10, %10 : tensor<2xf32>
      stablehlo.return %11, %12 : tensor<i32>, tensor<2xf32>
    }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
    %13 = stablehlo.composite "my.twice" %5 {decomposition = @twice} : (tensor<2xf32>) -> tensor<2xf32>
    func.return %13 : tensor<2xf32>
  }
  func.func private @twice(%0: tensor<2xf32>) -> tensor<2xf32> {
    %1 = stablehlo.add %0, %0 : tensor<2xf32>
    func.return %1 : tensor<2xf32>
  }
}
