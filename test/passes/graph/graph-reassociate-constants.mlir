// RUN: mlc-opt %s --graph-reassociate-constants | filecheck %s

// Numbers are computed; constants of several elements are not.
// CHECK-LABEL: func.func @scalars
// CHECK: %[[FOLDED:.*]] = "graph.constant"() {value = dense<2.500000e+00> : tensor<f32>}
// CHECK: %[[VECTOR:.*]] = "graph.add"
// CHECK: %[[INTEGERS:.*]] = "graph.div"
// CHECK: return %[[FOLDED]], %[[VECTOR]], %[[INTEGERS]]
func.func @scalars() -> (tensor<f32>, tensor<2xf32>, tensor<i32>) {
  %a = "graph.constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %b = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %v = "graph.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %i = "graph.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %0 = "graph.sqrt"(%a) : (tensor<f32>) -> tensor<f32>
  %1 = "graph.add"(%0, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = "graph.add"(%v, %b) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = "graph.div"(%i, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %1, %2, %3 : tensor<f32>, tensor<2xf32>, tensor<i32>
}

// CHECK-LABEL: func.func @sub
// CHECK: dense<-3.000000e+00> : tensor<f32>
// CHECK: "graph.add"(%arg0
// CHECK: %[[NEGATED:.*]] = "graph.neg"(%{{.*}}) : (tensor<512xf32>)
// CHECK: "graph.add"(%arg0, %[[NEGATED]])
// CHECK: "graph.sub"(%arg0, %arg1)
// CHECK: "graph.sub"
func.func @sub(%x: tensor<512xf32>, %y: tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
  %c = "graph.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 2048 : i64, hash = "a"} : () -> tensor<512xf32>
  %0 = "graph.sub"(%x, %c) : (tensor<512xf32>, tensor<f32>) -> tensor<512xf32>
  %1 = "graph.sub"(%x, %w) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  %2 = "graph.sub"(%x, %y) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  %3 = "graph.sub"(%c, %w) : (tensor<f32>, tensor<512xf32>) -> tensor<512xf32>
  return %0, %1, %2, %3 : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
}
