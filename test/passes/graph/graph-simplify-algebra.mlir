// RUN: mlc-opt %s --graph-simplify-algebra | filecheck %s

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
// CHECK: "graph.mul"(%arg1
func.func @neutral_enlarges(%x: tensor<4xf32>, %y: tensor<?xf32>) -> (tensor<2x4xf32>, tensor<2x?xf32>) {
  %one = "graph.constant"() {value = dense<1.0> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %0 = "graph.mul"(%x, %one) : (tensor<4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %1 = "graph.mul"(%y, %one) : (tensor<?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x?xf32>
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
