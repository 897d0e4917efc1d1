// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Every elementwise op of one operand.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<2x?xf32>, %i: tensor<2x?xi32>, %b: tensor<2x?xi1>) {
  // CHECK-NEXT: %{{.*}} = "graph.abs"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %0 = "graph.abs"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.neg"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %1 = "graph.neg"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.exp"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %2 = "graph.exp"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.log"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %3 = "graph.log"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.sqrt"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %4 = "graph.sqrt"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.rsqrt"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %5 = "graph.rsqrt"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reciprocal"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %6 = "graph.reciprocal"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.floor"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %7 = "graph.floor"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.ceil"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %8 = "graph.ceil"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.round"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %9 = "graph.round"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.sign"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %10 = "graph.sign"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.erf"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %11 = "graph.erf"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.sin"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %12 = "graph.sin"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.cos"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %13 = "graph.cos"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.tan"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %14 = "graph.tan"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.asin"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %15 = "graph.asin"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.acos"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %16 = "graph.acos"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.atan"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %17 = "graph.atan"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.sinh"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %18 = "graph.sinh"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.cosh"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %19 = "graph.cosh"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.tanh"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %20 = "graph.tanh"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.asinh"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %21 = "graph.asinh"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.acosh"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %22 = "graph.acosh"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.atanh"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %23 = "graph.atanh"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.sigmoid"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %24 = "graph.sigmoid"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.relu"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %25 = "graph.relu"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.gelu"(%{{.*}}) {approximate = "tanh"} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %26 = "graph.gelu"(%x) {approximate = "tanh"} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.silu"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %27 = "graph.silu"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.mish"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %28 = "graph.mish"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.softplus"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %29 = "graph.softplus"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.softsign"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %30 = "graph.softsign"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.hard_swish"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %31 = "graph.hard_swish"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.hard_sigmoid"(%{{.*}}) {alpha = 2.000000e-01 : f64, beta = 5.000000e-01 : f64} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %32 = "graph.hard_sigmoid"(%x) {alpha = 0.2, beta = 0.5} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.leaky_relu"(%{{.*}}) {alpha = 1.000000e-02 : f64} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %33 = "graph.leaky_relu"(%x) {alpha = 0.01} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.elu"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %34 = "graph.elu"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.selu"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %35 = "graph.selu"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.celu"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %36 = "graph.celu"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.thresholded_relu"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %37 = "graph.thresholded_relu"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.clamp"(%{{.*}}) {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %38 = "graph.clamp"(%x) {max = 6.0, min = 0.0} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.not"(%{{.*}}) : (tensor<2x?xi1>) -> tensor<2x?xi1>
  %39 = "graph.not"(%b) : (tensor<2x?xi1>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.bitwise_not"(%{{.*}}) : (tensor<2x?xi32>) -> tensor<2x?xi32>
  %40 = "graph.bitwise_not"(%i) : (tensor<2x?xi32>) -> tensor<2x?xi32>
  // CHECK-NEXT: %{{.*}} = "graph.is_nan"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xi1>
  %41 = "graph.is_nan"(%x) : (tensor<2x?xf32>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.is_inf"(%{{.*}}) {detect_negative = false} : (tensor<2x?xf32>) -> tensor<2x?xi1>
  %42 = "graph.is_inf"(%x) {detect_negative = false} : (tensor<2x?xf32>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.identity"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %43 = "graph.identity"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.cast"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xi8>
  %44 = "graph.cast"(%x) : (tensor<2x?xf32>) -> tensor<2x?xi8>
  // CHECK-NEXT: %{{.*}} = "graph.cast"(%{{.*}}) {saturate = false} : (tensor<2x?xi32>) -> tensor<2x?xf8E4M3FN>
  %45 = "graph.cast"(%i) {saturate = false} : (tensor<2x?xi32>) -> tensor<2x?xf8E4M3FN>
  // CHECK-NEXT: %{{.*}} = "graph.relu"(%{{.*}}) : (tensor<2x?xi32>) -> tensor<2x?xi32>
  %46 = "graph.relu"(%i) : (tensor<2x?xi32>) -> tensor<2x?xi32>
  // CHECK-NEXT: %{{.*}} = "graph.identity"(%{{.*}}) : (tensor<2x?xi1>) -> tensor<2x?xi1>
  %47 = "graph.identity"(%b) : (tensor<2x?xi1>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.bitcast"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xui32>
  %48 = "graph.bitcast"(%x) : (tensor<2x?xf32>) -> tensor<2x?xui32>
  return
}
