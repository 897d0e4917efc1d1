// RUN: mlc-opt %s --graph-simplify-algebra | filecheck %s
// RUN: mlc-opt %s --graph-simplify-algebra="exactness=exact" | filecheck %s --check-prefix=EXACT
// RUN: mlc-opt %s --graph-simplify-algebra="exactness=approximate" | filecheck %s --check-prefix=LOOSE

// CHECK-LABEL: func.func @neutral
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0
func.func @neutral(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = "graph.add"(%zero, %x) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.sub"(%x, %zero) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = "graph.mul"(%x, %one) : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %3 = "graph.div"(%x, %one) : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// A neutral constant may still enlarge the result.
// CHECK-LABEL: func.func @neutral_enlarges
// CHECK: "graph.expand"(%arg0) {shape = array<i64: 2, 4>}
// CHECK: "graph.expand"(%arg1) {shape = array<i64: 2, -1>}
func.func @neutral_enlarges(%x: tensor<4xf32>, %y: tensor<?xf32>) -> (tensor<2x4xf32>, tensor<2x?xf32>) {
  %one = "graph.constant"() {value = dense<1.0> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %0 = "graph.mul"(%x, %one) : (tensor<4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %1 = "graph.mul"(%y, %one) : (tensor<?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x?xf32>
}

// Where one `?` is 1, another may enlarge it.
// CHECK-LABEL: func.func @unknown_dims
// CHECK: "graph.full"(%arg2) {value = -0.000000e+00 : f64}
// CHECK: "graph.full"(%arg2) {value = 4.000000e+00 : f64}
// CHECK-NEXT: %[[ADD:.*]] = "graph.add"(%arg1,
// CHECK-NEXT: %[[MAX:.*]] = "graph.max"(%arg1,
// CHECK: %[[WHERE:.*]] = "graph.expand"(%arg1, {{.*}}"broadcast(arg0.shape[0], arg1.shape[0])"
// CHECK-NEXT: %[[SUB:.*]] = "graph.sub"
// CHECK-NEXT: return %[[ADD]], %[[MAX]], %[[WHERE]], %[[SUB]]
func.func @unknown_dims(%c: tensor<?xi1>, %x: tensor<?xf32>, %n: tensor<1xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %zero = "graph.full"(%n) {value = -0.0} : (tensor<1xi64>) -> tensor<?xf32>
  %four = "graph.full"(%n) {value = 4.0} : (tensor<1xi64>) -> tensor<?xf32>
  %0 = "graph.add"(%x, %zero) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.max"(%x, %four) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.where"(%c, %x, %x) : (tensor<?xi1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = "graph.sub"(%zero, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// A result type that has fewer known dims than the operands does not hide that one of them is longer.
// CHECK-LABEL: func.func @vague_types
// CHECK: %[[ADD:.*]] = "graph.add"
// CHECK: return %[[ADD]], %arg1
func.func @vague_types(%x: tensor<?xf32>, %y: tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?x4xf32>) {
  %zero = "graph.constant"() {value = dense<-0.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "graph.add"(%x, %zero) : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  %1 = "graph.add"(%y, %zero) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<?xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func @logic
// CHECK-NEXT: return %arg0, %arg0, %arg0
func.func @logic(%x: tensor<?xi1>) -> (tensor<?xi1>, tensor<?xi1>, tensor<?xi1>) {
  %true = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %false = "graph.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %0 = "graph.and"(%true, %x) : (tensor<i1>, tensor<?xi1>) -> tensor<?xi1>
  %1 = "graph.or"(%x, %false) : (tensor<?xi1>, tensor<i1>) -> tensor<?xi1>
  %2 = "graph.not"(%x) : (tensor<?xi1>) -> tensor<?xi1>
  %3 = "graph.not"(%2) : (tensor<?xi1>) -> tensor<?xi1>
  return %0, %1, %3 : tensor<?xi1>, tensor<?xi1>, tensor<?xi1>
}

// CHECK-LABEL: func.func @relu
// CHECK-NEXT: "graph.relu"(%arg0)
// CHECK-NEXT: "graph.relu"(%arg0)
// CHECK-NEXT: "graph.clamp"(%arg0)
// CHECK-NEXT: return
func.func @relu(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.clamp"(%x) {min = 0.0 : f64} : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.relu"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.max"(%zero, %x) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = "graph.clamp"(%x) {min = 0.0 : f64, max = 6.0 : f64} : (tensor<?xf32>) -> tensor<?xf32>
  return %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @double_negation
// CHECK-NEXT: return %arg0
func.func @double_negation(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "graph.neg"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.neg"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// The constant comes second where order does not matter.
// CHECK-LABEL: func.func @order
// CHECK: %[[W:.*]] = "graph.weight"
// CHECK: "graph.mul"(%arg0, %[[W]]) : (tensor<?x4xf32>, tensor<4xf32>)
// CHECK: "graph.sub"(%[[W]], %arg0)
func.func @order(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 16 : i64, hash = "a"} : () -> tensor<4xf32>
  %0 = "graph.mul"(%w, %x) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = "graph.sub"(%w, %x) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// Ranks that are not known are left alone.
// CHECK-LABEL: func.func @unranked
// CHECK: graph.add
func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.add"(%x, %zero) : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// 0.0 + -0.0 is 0.0, and 0.0 - 0.0 is not -0.0.
// CHECK-LABEL: func.func @zeros
// CHECK: %[[NEG:.*]] = "graph.neg"(%arg0)
// CHECK-NEXT: return %arg0, %[[NEG]], %arg0
// EXACT-LABEL: func.func @zeros
// EXACT: %[[SUM:.*]] = "graph.add"
// EXACT: %[[DIFFERENCE:.*]] = "graph.sub"
// EXACT-NEXT: return %[[SUM]], %[[DIFFERENCE]], %arg0
func.func @zeros(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %minus = "graph.constant"() {value = dense<-0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.add"(%x, %zero) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = "graph.sub"(%zero, %x) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.add"(%x, %minus) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Infinity minus infinity is no zero: of floats only where that is allowed; of integers always.
// CHECK-LABEL: func.func @cancelled
// CHECK: %[[SUB:.*]] = "graph.sub"(%arg0, %arg0)
// CHECK: %[[MUL:.*]] = "graph.mul"(%arg0
// CHECK: %[[DIV:.*]] = "graph.div"(%arg0, %arg0)
// CHECK: %[[ZERO:.*]] = "graph.full"() {value = 0 : i64} : () -> tensor<4xi32>
// CHECK: %[[NONE:.*]] = "graph.full"() {value = 0 : i64} : () -> tensor<4xi32>
// CHECK-NEXT: return %[[SUB]], %[[MUL]], %[[DIV]], %[[ZERO]], %[[NONE]]
// LOOSE-LABEL: func.func @cancelled
// LOOSE-NOT: graph.sub
// LOOSE-NOT: graph.mul
// LOOSE-NOT: graph.div
// LOOSE: return
func.func @cancelled(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %none = "graph.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %0 = "graph.sub"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "graph.mul"(%x, %zero) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = "graph.div"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "graph.sub"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %4 = "graph.mul"(%i, %none) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// Zeros of a dynamic shape.
// CHECK-LABEL: func.func @cancelled_dynamic
// CHECK: %[[SIZES:.*]] = "graph.sizes"({{.*}}dims = ["arg0.shape[0]"]
// CHECK-NEXT: "graph.full"(%[[SIZES]]) {{.*}}value = 0 : i64
func.func @cancelled_dynamic(%i: tensor<?xi32>) -> tensor<?xi32> {
  %0 = "graph.sub"(%i, %i) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// CHECK-LABEL: func.func @twice
// CHECK: %[[TRUE:.*]] = "graph.full"() {value = 1 : i64} : () -> tensor<4xi1>
// CHECK: %[[EQUAL:.*]] = "graph.equal"(%arg0, %arg0)
// CHECK: %[[FALSE:.*]] = "graph.full"() {value = 0 : i64} : () -> tensor<4xi1>
// CHECK-NEXT: return %arg0, %arg0, %[[TRUE]], %[[EQUAL]], %[[FALSE]]
func.func @twice(%x: tensor<4xf32>, %i: tensor<4xi32>, %c: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = "graph.max"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "graph.where"(%c, %x, %x) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "graph.equal"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %3 = "graph.equal"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = "graph.less"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @logic_absorbs
// CHECK-DAG: "graph.full"() {value = 0 : i64} : () -> tensor<4xi1>
// CHECK-DAG: "graph.full"() {value = 1 : i64} : () -> tensor<4xi1>
// CHECK-NOT: graph.and
// CHECK-NOT: graph.or
// CHECK: return {{.*}}, {{.*}}, %arg0
func.func @logic_absorbs(%x: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %true = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %false = "graph.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %0 = "graph.and"(%x, %false) : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  %1 = "graph.or"(%true, %x) : (tensor<i1>, tensor<4xi1>) -> tensor<4xi1>
  %2 = "graph.xor"(%false, %x) : (tensor<i1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @signs
// CHECK-NEXT: %[[SUB:.*]] = "graph.sub"(%arg0, %arg1)
// CHECK-NEXT: %[[ADD:.*]] = "graph.add"(%arg0, %arg1)
// CHECK-NEXT: %[[MUL:.*]] = "graph.mul"(%arg0, %arg1)
// CHECK-NEXT: %[[ABS:.*]] = "graph.abs"(%arg1)
// CHECK-NEXT: %[[SQUARE:.*]] = "graph.mul"(%arg1, %arg1)
// CHECK-NEXT: %[[TURNED:.*]] = "graph.sub"(%arg1, %arg0)
// CHECK-NEXT: return %[[SUB]], %[[ADD]], %[[MUL]], %[[ABS]], %[[SQUARE]], %[[TURNED]]
// EXACT-LABEL: func.func @signs
// EXACT: %[[NEGATED:.*]] = "graph.neg"
// EXACT-NEXT: return
func.func @signs(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %nx = "graph.neg"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %ny = "graph.neg"(%y) : (tensor<?xf32>) -> tensor<?xf32>
  %0 = "graph.add"(%x, %ny) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.sub"(%x, %ny) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.mul"(%nx, %ny) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = "graph.abs"(%ny) : (tensor<?xf32>) -> tensor<?xf32>
  %4 = "graph.mul"(%3, %3) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %5 = "graph.sub"(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %6 = "graph.neg"(%5) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2, %3, %4, %6 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// relu of -0.0 is -0.0, of which the absolute value differs.
// CHECK-LABEL: func.func @known_signs
// CHECK-NEXT: %[[EXP:.*]] = "graph.exp"(%arg0)
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"(%arg0)
// CHECK-NEXT: return %[[EXP]], %[[RELU]]
// EXACT-LABEL: func.func @known_signs
// EXACT: %[[EXP:.*]] = "graph.exp"
// EXACT: %[[ABS:.*]] = "graph.abs"
// EXACT-NEXT: return %[[EXP]], %[[ABS]]
func.func @known_signs(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = "graph.exp"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.relu"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.relu"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = "graph.abs"(%2) : (tensor<?xf32>) -> tensor<?xf32>
  return %1, %3 : tensor<?xf32>, tensor<?xf32>
}

// Where the bounds of a clamp cross, the upper one wins.
// CHECK-LABEL: func.func @crossed
// CHECK-NEXT: %[[CLAMP:.*]] = "graph.clamp"(%arg0)
// CHECK-NEXT: %[[ABS:.*]] = "graph.abs"(%[[CLAMP]])
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"(%[[CLAMP]])
// CHECK-NEXT: return %[[ABS]], %[[RELU]]
func.func @crossed(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = "graph.clamp"(%x) {min = 1.0, max = -5.0} : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.abs"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.relu"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<?xf32>
}

// What an inverse undoes, it undoes approximately.
// CHECK-LABEL: func.func @inverses
// CHECK: graph.log
// CHECK: graph.exp
// CHECK: graph.sqrt
// LOOSE-LABEL: func.func @inverses
// LOOSE: %[[ABS:.*]] = "graph.abs"(%arg0)
// LOOSE-NEXT: return %arg0, %arg0, %[[ABS]]
func.func @inverses(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = "graph.exp"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.log"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.log"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = "graph.exp"(%2) : (tensor<?xf32>) -> tensor<?xf32>
  %4 = "graph.mul"(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %5 = "graph.sqrt"(%4) : (tensor<?xf32>) -> tensor<?xf32>
  return %1, %3, %5 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// NaN compares false both ways.
// CHECK-LABEL: func.func @comparisons
// CHECK: %[[OPPOSITE:.*]] = "graph.greater_equal"(%arg0, %arg1)
// CHECK: %[[NOT:.*]] = "graph.not"
// CHECK: %[[CHOICE:.*]] = "graph.where"(%{{.*}}, %arg2, %arg3)
// CHECK-NEXT: return %[[OPPOSITE]], %[[NOT]], %[[CHOICE]]
func.func @comparisons(%i: tensor<4xi32>, %j: tensor<4xi32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xf32>) {
  %0 = "graph.less"(%i, %j) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %1 = "graph.not"(%0) : (tensor<4xi1>) -> tensor<4xi1>
  %2 = "graph.less"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3 = "graph.not"(%2) : (tensor<4xi1>) -> tensor<4xi1>
  %4 = "graph.where"(%3, %y, %x) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %4 : tensor<4xi1>, tensor<4xi1>, tensor<4xf32>
}

// CHECK-LABEL: func.func @bounds
// CHECK-NEXT: "graph.clamp"(%arg0) {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64}
// CHECK-NEXT: "graph.clamp"(%arg0) {max = 2.000000e+00 : f64, min = 2.000000e+00 : f64}
// CHECK-NEXT: %[[MAX:.*]] = "graph.clamp"(%arg0) {min = 1.500000e+00 : f64}
// CHECK-NEXT: return %{{.*}}, %{{.*}}, %[[MAX]], %arg0
func.func @bounds(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c = "graph.constant"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.clamp"(%x) {min = -1.0 : f64, max = 6.0 : f64} : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.relu"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.clamp"(%x) {min = 5.0 : f64} : (tensor<?xf32>) -> tensor<?xf32>
  %3 = "graph.clamp"(%2) {max = 2.0 : f64} : (tensor<?xf32>) -> tensor<?xf32>
  %4 = "graph.max"(%x, %c) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %5 = "graph.clamp"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %1, %3, %4, %5 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// A product less; with other users of the products, none.
// CHECK-LABEL: func.func @factors
// CHECK-NEXT: %[[SUM:.*]] = "graph.add"(%arg0, %arg1)
// CHECK-NEXT: %[[PRODUCT:.*]] = "graph.mul"(%arg2, %[[SUM]])
// CHECK-NEXT: %[[A:.*]] = "graph.mul"(%arg0, %arg2)
// CHECK-NEXT: %[[B:.*]] = "graph.mul"(%arg1, %arg2)
// CHECK-NEXT: %[[KEPT:.*]] = "graph.sub"(%[[A]], %[[B]])
// CHECK-NEXT: return %[[PRODUCT]], %[[KEPT]], %[[B]]
func.func @factors(%a: tensor<?x4xf32> {graph.dims = ["n", ""]}, %b: tensor<?x4xf32> {graph.dims = ["n", ""]}, %c: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = "graph.mul"(%a, %c) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %1 = "graph.mul"(%c, %b) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = "graph.add"(%0, %1) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = "graph.mul"(%a, %c) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %4 = "graph.mul"(%b, %c) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %5 = "graph.sub"(%3, %4) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2, %5, %4 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// Two products with one matrix, or of one value with two constant matrices.
// CHECK-LABEL: func.func @matrices
// CHECK: %[[SUM:.*]] = "graph.add"(%arg0, %arg1)
// CHECK-NEXT: %[[ONE:.*]] = "graph.matmul"(%[[SUM]], %[[W:.*]]) {{.*}} : (tensor<?x4xf32>
// CHECK-NEXT: %[[BOTH:.*]] = "graph.add"(%[[W]], %{{.*}}) : (tensor<4x8xf32>
// CHECK-NEXT: %[[OTHER:.*]] = "graph.matmul"(%arg0, %[[BOTH]])
// CHECK-COUNT-2: graph.matmul
// CHECK: return %[[ONE]], %[[OTHER]]
func.func @matrices(%a: tensor<?x4xf32> {graph.dims = ["n", ""]}, %b: tensor<?x4xf32> {graph.dims = ["n", ""]}, %m: tensor<4x8xf32>, %n: tensor<4x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %v = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 128 : i64, hash = "a"} : () -> tensor<4x8xf32>
  %w = "graph.weight"() {source = "m.onnx", offset = 128 : i64, size = 128 : i64, hash = "b"} : () -> tensor<4x8xf32>
  %0 = "graph.matmul"(%a, %v) : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %1 = "graph.matmul"(%b, %v) : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %2 = "graph.add"(%0, %1) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = "graph.matmul"(%a, %v) : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %4 = "graph.matmul"(%a, %w) : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %5 = "graph.add"(%3, %4) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %6 = "graph.matmul"(%a, %m) : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %7 = "graph.matmul"(%a, %n) : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %8 = "graph.add"(%6, %7) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %2, %5, %8 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// Equal sums look equal: operands stand in the order of their definition.
// CHECK-LABEL: func.func @definition_order
// CHECK-NEXT: %[[EXP:.*]] = "graph.exp"(%arg0)
// CHECK-NEXT: %[[LOG:.*]] = "graph.log"(%arg0)
// CHECK-NEXT: "graph.add"(%arg0, %arg1)
// CHECK-NEXT: "graph.mul"(%arg1, %[[EXP]])
// CHECK-NEXT: "graph.max"(%[[EXP]], %[[LOG]])
func.func @definition_order(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = "graph.exp"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.log"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.add"(%y, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = "graph.mul"(%0, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %4 = "graph.max"(%1, %0) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2, %3, %4 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// The lowest integer has no opposite, and -x of unsigned integers is another value.
// CHECK-LABEL: func.func @signs_of_integers
// CHECK-COUNT-2: graph.neg
// CHECK: %[[QUOTIENT:.*]] = "graph.div"
// CHECK: %[[PRODUCT:.*]] = "graph.mul"(%arg0, %arg1)
// CHECK: %[[NEG:.*]] = "graph.neg"(%arg2)
// CHECK-NEXT: %[[ABS:.*]] = "graph.abs"(%[[NEG]])
// CHECK-NEXT: return %[[QUOTIENT]], %[[PRODUCT]], %[[ABS]]
func.func @signs_of_integers(%a: tensor<?xi32>, %b: tensor<?xi32>, %u: tensor<?xui8>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xui8>) {
  %0 = "graph.neg"(%a) : (tensor<?xi32>) -> tensor<?xi32>
  %1 = "graph.neg"(%b) : (tensor<?xi32>) -> tensor<?xi32>
  %2 = "graph.div"(%0, %1) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %3 = "graph.mul"(%0, %1) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %4 = "graph.neg"(%u) : (tensor<?xui8>) -> tensor<?xui8>
  %5 = "graph.abs"(%4) : (tensor<?xui8>) -> tensor<?xui8>
  return %2, %3, %5 : tensor<?xi32>, tensor<?xi32>, tensor<?xui8>
}

// The sum of two constant factors is infinite in f16.
// CHECK-LABEL: func.func @factors_out_of_range
// CHECK-COUNT-2: graph.mul
// CHECK: graph.add
func.func @factors_out_of_range(%x: tensor<?xf16>) -> tensor<?xf16> {
  %c = "graph.constant"() {value = dense<60000.0> : tensor<f16>} : () -> tensor<f16>
  %d = "graph.constant"() {value = dense<50000.0> : tensor<f16>} : () -> tensor<f16>
  %0 = "graph.mul"(%x, %c) : (tensor<?xf16>, tensor<f16>) -> tensor<?xf16>
  %1 = "graph.mul"(%x, %d) : (tensor<?xf16>, tensor<f16>) -> tensor<?xf16>
  %2 = "graph.add"(%0, %1) : (tensor<?xf16>, tensor<?xf16>) -> tensor<?xf16>
  return %2 : tensor<?xf16>
}

// The maximum of nothing is minus infinity, so that its absolute value is another value.
// CHECK-LABEL: func.func @abs_of_maximum
// CHECK: %[[E:.*]] = "graph.reduce_max"(%{{.*}}) {axes = array<i64: 0>
// CHECK: %[[A:.*]] = "graph.abs"(%[[E]])
// CHECK: %[[F:.*]] = "graph.reduce_max"(%{{.*}}) {axes = array<i64: 0>
// CHECK: return %[[A]], %[[F]]
func.func @abs_of_maximum(%x: tensor<0x4xf32>, %y: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "graph.exp"(%x) : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %1 = "graph.reduce_max"(%0) {axes = array<i64: 0>, keepdims = false} : (tensor<0x4xf32>) -> tensor<4xf32>
  %2 = "graph.abs"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "graph.exp"(%y) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %4 = "graph.reduce_max"(%3) {axes = array<i64: 0>, keepdims = false} : (tensor<3x4xf32>) -> tensor<4xf32>
  %5 = "graph.abs"(%4) : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %5 : tensor<4xf32>, tensor<4xf32>
}

// A check of a true constant is dropped; others run at each call.
// CHECK-LABEL: func.func @checks
// CHECK: %[[F:.*]] = "graph.constant"() {value = dense<false> : tensor<i1>}
// CHECK: %[[B:.*]] = "graph.check"(%arg0, %[[F]])
// CHECK: %[[C:.*]] = "graph.check"(%arg0, %arg1)
// CHECK: return %arg0, %[[B]], %[[C]]
func.func @checks(%x: tensor<2xi64>, %t: tensor<i1>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
  %true = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %false = "graph.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %0 = "graph.check"(%x, %true) {message = "wrong"} : (tensor<2xi64>, tensor<i1>) -> tensor<2xi64>
  %1 = "graph.check"(%x, %false) {message = "wrong"} : (tensor<2xi64>, tensor<i1>) -> tensor<2xi64>
  %2 = "graph.check"(%x, %t) {message = "wrong"} : (tensor<2xi64>, tensor<i1>) -> tensor<2xi64>
  return %0, %1, %2 : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
}
