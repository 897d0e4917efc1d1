// RUN: mlc-opt %s --graph-reduce-strength | filecheck %s
// RUN: mlc-opt %s --graph-reduce-strength="exactness=exact" | filecheck %s --check-prefix=EXACT
// RUN: mlc-opt %s --graph-reduce-strength="exactness=approximate" | filecheck %s --check-prefix=LOOSE

// CHECK-LABEL: func.func @pow
// CHECK: "graph.mul"(%arg0, %arg0)
// CHECK: %[[SQUARE:.*]] = "graph.mul"(%arg0, %arg0)
// CHECK: "graph.mul"(%[[SQUARE]], %arg0)
// CHECK: "graph.reciprocal"(%arg0)
// CHECK-NOT: graph.pow
// CHECK: return %arg0
// EXACT-LABEL: func.func @pow
// EXACT-COUNT-3: graph.pow
// EXACT-NOT: graph.pow
// EXACT: return %arg0
func.func @pow(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c1 = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %c2 = "graph.constant"() {value = dense<2.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %c3 = "graph.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %minus = "graph.constant"() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.pow"(%x, %c1) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = "graph.pow"(%x, %c2) : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %2 = "graph.pow"(%x, %c3) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = "graph.pow"(%x, %minus) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @zeroth_power
// CHECK: "graph.full"() {value = 1.000000e+00 : f64} : () -> tensor<4xf32>
// CHECK: %[[SIZES:.*]] = "graph.sizes"({{.*}}dims = ["arg1.shape[0]"]
// CHECK: "graph.full"(%[[SIZES]]) {{.*}}value = 1.000000e+00 : f64} : (tensor<1xi64>) -> tensor<?xf32>
func.func @zeroth_power(%x: tensor<4xf32>, %y: tensor<?xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.pow"(%x, %zero) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "graph.pow"(%y, %zero) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1 : tensor<4xf32>, tensor<?xf32>
}

// Roots stand for powers of what is never negative: (-inf) ** 0.5 is infinite, sqrt(-inf) is not.
// CHECK-LABEL: func.func @roots
// CHECK: %[[ABS:.*]] = "graph.abs"(%arg0)
// CHECK: "graph.sqrt"(%[[ABS]])
// CHECK: "graph.rsqrt"(%[[ABS]])
// CHECK: "graph.pow"(%arg0
// LOOSE-LABEL: func.func @roots
// LOOSE: "graph.sqrt"(%arg0)
func.func @roots(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %minus_half = "graph.constant"() {value = dense<-0.5> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.abs"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.pow"(%0, %half) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = "graph.pow"(%0, %minus_half) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = "graph.pow"(%x, %half) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Division by a power of two is exact as a product; by three it is not. A vector of constants has reciprocals.
// CHECK-LABEL: func.func @div
// CHECK: dense<2.500000e-01> : tensor<f32>
// CHECK: "graph.mul"(%arg0
// CHECK: dense<0.333333343> : tensor<f32>
// CHECK: "graph.mul"(%arg0
// CHECK: dense<[5.000000e-01, 0.333333343, 2.500000e-01, -1.000000e+00]> : tensor<4xf32>
// CHECK-NOT: graph.div
// EXACT-LABEL: func.func @div
// EXACT: graph.mul
// EXACT-COUNT-2: graph.div
func.func @div(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %c = "graph.constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %d = "graph.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %e = "graph.constant"() {value = dense<[2.0, 3.0, 4.0, -1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "graph.div"(%x, %c) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %1 = "graph.div"(%x, %d) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %2 = "graph.div"(%x, %e) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// Roots per row divide rows: one quotient per row instead of one per element. Of equal shapes nothing is won.
// CHECK-LABEL: func.func @reciprocals
// CHECK: "graph.rsqrt"(%arg0)
// CHECK: "graph.reciprocal"(%arg0)
// CHECK: "graph.reciprocal"(%arg0)
// CHECK: %[[RSQRT:.*]] = "graph.rsqrt"(%arg1)
// CHECK: "graph.mul"(%arg0, %[[RSQRT]])
// CHECK: %[[SQRT:.*]] = "graph.sqrt"(%arg0)
// CHECK: "graph.div"(%arg0, %[[SQRT]])
func.func @reciprocals(%x: tensor<2x4xf32>, %y: tensor<2x1xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.sqrt"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = "graph.reciprocal"(%0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = "graph.reciprocal"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = "graph.div"(%one, %x) : (tensor<f32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = "graph.sqrt"(%y) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %5 = "graph.div"(%x, %4) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %6 = "graph.sqrt"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %7 = "graph.div"(%x, %6) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1, %2, %3, %5, %7 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// A sum begins with 0.0, so that of -0.0 alone is 0.0; the largest of one element is that element.
// CHECK-LABEL: func.func @reduce_units
// CHECK-NEXT: %[[MAX:.*]] = "graph.squeeze"(%arg0) {axes = array<i64: 1>}
// CHECK-NEXT: %[[ABS:.*]] = "graph.abs"(%arg0)
// CHECK-NEXT: %[[KEPT:.*]] = "graph.reduce_max"(%arg0) {axes = array<i64: 0>
// CHECK-NEXT: return %[[MAX]], %arg0, %[[ABS]], %[[KEPT]]
// EXACT-LABEL: func.func @reduce_units
// EXACT: "graph.squeeze"(%arg0)
// EXACT: "graph.reduce_mean"
func.func @reduce_units(%x: tensor<?x1x4xf32>) -> (tensor<?x4xf32>, tensor<?x1x4xf32>, tensor<?x1x4xf32>, tensor<1x1x4xf32>) {
  %0 = "graph.reduce_max"(%x) {axes = array<i64: 1>, keepdims = false} : (tensor<?x1x4xf32>) -> tensor<?x4xf32>
  %1 = "graph.reduce_mean"(%x) {axes = array<i64: 1>, keepdims = true} : (tensor<?x1x4xf32>) -> tensor<?x1x4xf32>
  %2 = "graph.reduce_l1"(%x) {axes = array<i64: 1>, keepdims = true} : (tensor<?x1x4xf32>) -> tensor<?x1x4xf32>
  %3 = "graph.reduce_max"(%x) {axes = array<i64: 0>, keepdims = true} : (tensor<?x1x4xf32>) -> tensor<1x1x4xf32>
  return %0, %1, %2, %3 : tensor<?x4xf32>, tensor<?x1x4xf32>, tensor<?x1x4xf32>, tensor<1x1x4xf32>
}

// Axes of the second reduction count what the first has left.
// CHECK-LABEL: func.func @reduce_twice
// CHECK-NEXT: %[[SUM:.*]] = "graph.reduce_sum"(%arg0) {axes = array<i64: 0, 2>, keepdims = false}
// CHECK-NEXT: %[[MAX:.*]] = "graph.reduce_max"(%arg0) {axes = array<i64: 0, 1>, keepdims = true}
// CHECK-NEXT: %[[INNER:.*]] = "graph.reduce_max"(%arg0) {axes = array<i64: 0>, keepdims = true}
// CHECK-NEXT: %[[OTHER:.*]] = "graph.reduce_min"(%[[INNER]])
// CHECK-NEXT: return %[[SUM]], %[[MAX]], %[[OTHER]]
func.func @reduce_twice(%x: tensor<?x3x?xf32>) -> (tensor<3xf32>, tensor<1x1x?xf32>, tensor<1x1x?xf32>) {
  %0 = "graph.reduce_sum"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<?x3x?xf32>) -> tensor<3x?xf32>
  %1 = "graph.reduce_sum"(%0) {axes = array<i64: 1>, keepdims = false} : (tensor<3x?xf32>) -> tensor<3xf32>
  %2 = "graph.reduce_max"(%x) {axes = array<i64: 1>, keepdims = true} : (tensor<?x3x?xf32>) -> tensor<?x1x?xf32>
  %3 = "graph.reduce_max"(%2) {axes = array<i64: 0>, keepdims = true} : (tensor<?x1x?xf32>) -> tensor<1x1x?xf32>
  %4 = "graph.reduce_max"(%x) {axes = array<i64: 0>, keepdims = true} : (tensor<?x3x?xf32>) -> tensor<1x3x?xf32>
  %5 = "graph.reduce_min"(%4) {axes = array<i64: 1>, keepdims = true} : (tensor<1x3x?xf32>) -> tensor<1x1x?xf32>
  return %1, %3, %5 : tensor<3xf32>, tensor<1x1x?xf32>, tensor<1x1x?xf32>
}

// CHECK-LABEL: func.func @gather
// CHECK: "graph.slice"(%arg0) {sizes = array<i64: -1, 1>, starts = array<i64: 0, -1>, steps = array<i64: 1, 1>}
// CHECK-NEXT: "graph.squeeze"({{.*}}) {axes = array<i64: 1>}
// CHECK: "graph.slice"(%arg0) {sizes = array<i64: -1, 3>, starts = array<i64: 0, 1>, steps = array<i64: 1, 2>}
// CHECK-COUNT-2: graph.gather
func.func @gather(%x: tensor<?x8xf32>, %i: tensor<i64>) -> (tensor<?xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xf32>) {
  %last = "graph.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %odd = "graph.constant"() {value = dense<[1, 3, 5]> : tensor<3xi64>} : () -> tensor<3xi64>
  %mixed = "graph.constant"() {value = dense<[1, 0, 5]> : tensor<3xi64>} : () -> tensor<3xi64>
  %0 = "graph.gather"(%x, %last) {axis = 1 : i64} : (tensor<?x8xf32>, tensor<i64>) -> tensor<?xf32>
  %1 = "graph.gather"(%x, %odd) {axis = 1 : i64} : (tensor<?x8xf32>, tensor<3xi64>) -> tensor<?x3xf32>
  %2 = "graph.gather"(%x, %mixed) {axis = 1 : i64} : (tensor<?x8xf32>, tensor<3xi64>) -> tensor<?x3xf32>
  %3 = "graph.gather"(%x, %i) {axis = 1 : i64} : (tensor<?x8xf32>, tensor<i64>) -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xf32>
}

// Indices that the data does not have.
// CHECK-LABEL: func.func @gather_outside
// CHECK-COUNT-2: graph.gather
// CHECK-NEXT: return
func.func @gather_outside(%x: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  %five = "graph.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %before = "graph.constant"() {value = dense<[-4, -3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "graph.gather"(%x, %five) {axis = 0 : i64} : (tensor<3x4xf32>, tensor<i64>) -> tensor<4xf32>
  %1 = "graph.gather"(%x, %before) {axis = 0 : i64} : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0, %1 : tensor<4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @where
// CHECK: %[[LARGER:.*]] = "graph.expand"(%arg1) {shape = array<i64: 2, 4>}
// CHECK: %[[KEPT:.*]] = "graph.where"
// CHECK: return %arg0, %[[LARGER]], %[[KEPT]]
func.func @where(%x: tensor<2x4xf32>, %y: tensor<4xf32>, %c: tensor<4xi1>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %true = "graph.constant"() {value = dense<true> : tensor<4xi1>} : () -> tensor<4xi1>
  %false = "graph.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %0 = "graph.where"(%true, %x, %y) : (tensor<4xi1>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = "graph.where"(%false, %x, %y) : (tensor<i1>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %2 = "graph.where"(%c, %x, %y) : (tensor<4xi1>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @pools
// CHECK: %[[MEAN:.*]] = "graph.reduce_mean"(%arg0) {axes = array<i64: 2, 3>, keepdims = true}
// CHECK: %[[PADDED:.*]] = "graph.average_pool"
// CHECK: %[[DYNAMIC:.*]] = "graph.average_pool"
// CHECK: return %[[MEAN]], %arg0, %[[PADDED]], %[[DYNAMIC]]
func.func @pools(%x: tensor<1x3x7x5xf32>, %y: tensor<1x3x?x?xf32>) -> (tensor<1x3x1x1xf32>, tensor<1x3x7x5xf32>, tensor<1x3x3x3xf32>, tensor<1x3x?x?xf32>) {
  %0 = "graph.average_pool"(%x) {kernel = array<i64: 7, 5>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x7x5xf32>) -> tensor<1x3x1x1xf32>
  %1 = "graph.average_pool"(%x) {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x7x5xf32>) -> tensor<1x3x7x5xf32>
  %2 = "graph.average_pool"(%x) {kernel = array<i64: 7, 5>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x7x5xf32>) -> tensor<1x3x3x3xf32>
  %3 = "graph.average_pool"(%y) {kernel = array<i64: 7, 5>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
  return %0, %1, %2, %3 : tensor<1x3x1x1xf32>, tensor<1x3x7x5xf32>, tensor<1x3x3x3xf32>, tensor<1x3x?x?xf32>
}

// Another exponent, one that varies, and one that enlarges the result.
// CHECK-LABEL: func.func @pow_kept
// CHECK-COUNT-3: graph.pow
func.func @pow_kept(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) {
  %c = "graph.constant"() {value = dense<2.5> : tensor<f32>} : () -> tensor<f32>
  %v = "graph.constant"() {value = dense<[2.0, 2.0, 2.0, 3.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %l = "graph.constant"() {value = dense<2.0> : tensor<2x4xf32>} : () -> tensor<2x4xf32>
  %0 = "graph.pow"(%x, %c) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "graph.pow"(%x, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "graph.pow"(%x, %l) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>
}

// Zero, integers, a value without a normal reciprocal, a divisor that is not constant.
// CHECK-LABEL: func.func @div_kept
// CHECK-COUNT-4: graph.div
func.func @div_kept(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %four = "graph.constant"() {value = dense<4> : tensor<i32>} : () -> tensor<i32>
  %huge = "graph.constant"() {value = dense<3.0e38> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.div"(%x, %zero) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "graph.div"(%i, %four) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %2 = "graph.div"(%x, %huge) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = "graph.div"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>
}

// Each mean of integers is rounded; sums wrap equally.
// CHECK-LABEL: func.func @integer_reductions
// CHECK-COUNT-2: graph.reduce_mean
// CHECK-NEXT: "graph.reduce_sum"(%arg0) {axes = array<i64: 0, 1>
// CHECK-NEXT: return
func.func @integer_reductions(%x: tensor<2x2xi32>) -> (tensor<i32>, tensor<i32>) {
  %0 = "graph.reduce_mean"(%x) {axes = array<i64: 1>, keepdims = false} : (tensor<2x2xi32>) -> tensor<2xi32>
  %1 = "graph.reduce_mean"(%0) {axes = array<i64: 0>, keepdims = false} : (tensor<2xi32>) -> tensor<i32>
  %2 = "graph.reduce_sum"(%x) {axes = array<i64: 1>, keepdims = false} : (tensor<2x2xi32>) -> tensor<2xi32>
  %3 = "graph.reduce_sum"(%2) {axes = array<i64: 0>, keepdims = false} : (tensor<2xi32>) -> tensor<i32>
  return %1, %3 : tensor<i32>, tensor<i32>
}

// Logarithms and roots are of floats.
// CHECK-LABEL: func.func @integer_logarithm
// CHECK-NEXT: graph.reduce_log_sum
// CHECK-NEXT: graph.reduce_l2
func.func @integer_logarithm(%x: tensor<1x2xi32>) -> (tensor<1x2xi32>, tensor<1x2xi32>) {
  %0 = "graph.reduce_log_sum"(%x) {axes = array<i64: 0>, keepdims = true} : (tensor<1x2xi32>) -> tensor<1x2xi32>
  %1 = "graph.reduce_l2"(%x) {axes = array<i64: 0>, keepdims = true} : (tensor<1x2xi32>) -> tensor<1x2xi32>
  return %0, %1 : tensor<1x2xi32>, tensor<1x2xi32>
}

// Where one `?` is 1, another may enlarge it.
// CHECK-LABEL: func.func @unknown_dims
// CHECK-NEXT: %[[FOUR:.*]] = "graph.full"(%arg2)
// CHECK-NEXT: %[[DIV:.*]] = "graph.div"(%arg0, %[[FOUR]])
// CHECK-NEXT: %[[POW:.*]] = "graph.pow"(%arg0, %[[FOUR]])
// CHECK: %[[WHERE:.*]] = "graph.expand"(%arg0, {{.*}}"broadcast(arg0.shape[0], arg1.shape[0])"
// CHECK-NEXT: return %[[DIV]], %[[POW]], %[[WHERE]]
func.func @unknown_dims(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: tensor<1xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %four = "graph.full"(%n) {value = 4.0} : (tensor<1xi64>) -> tensor<?xf32>
  %0 = "graph.div"(%x, %four) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.pow"(%x, %four) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %true = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %2 = "graph.where"(%true, %x, %y) : (tensor<i1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
