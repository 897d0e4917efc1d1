// RUN: mlc-opt %s --split-input-file --graph-split-prepare | filecheck %s

// The reshaped scale and the scaled weights are computed once; the weights that are used as they are stay.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[KEPT:.*]] = "graph.weight"() {hash = "b"
// CHECK-NEXT: %[[SMALL:.*]] = "graph.constant"()
// CHECK-NEXT: %[[SCALED:.*]] = "graph.prepared"() {index = 0 : i64} : () -> tensor<4x4xf32>
// CHECK-NEXT: %[[P:.*]] = "graph.matmul"(%arg0, %[[SCALED]])
// CHECK-NEXT: %[[Q:.*]] = "graph.matmul"(%[[P]], %[[KEPT]])
// CHECK-NEXT: %[[TRANSPOSED:.*]] = "graph.prepared"() {index = 1 : i64} : () -> tensor<4x4xf32>
// CHECK-NEXT: %[[R:.*]] = "graph.matmul"(%[[Q]], %[[TRANSPOSED]])
// CHECK-NEXT: "graph.add"(%[[R]], %[[SMALL]])
// CHECK-NEXT: return
// CHECK: func.func @prepare() -> (tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK-DAG: %[[W:.*]] = "graph.weight"() {hash = "a"
// CHECK-DAG: %[[S:.*]] = "graph.constant"() {value = dense<2.000000e+00> : tensor<4xf32>}
// CHECK-DAG: %[[RESHAPED:.*]] = "graph.reshape"(%[[S]])
// CHECK-DAG: %[[PRODUCT:.*]] = "graph.mul"(%[[W]], %[[RESHAPED]])
// CHECK-DAG: %[[V:.*]] = "graph.weight"() {hash = "b"
// CHECK-DAG: %[[T:.*]] = "graph.transpose"(%[[V]])
// CHECK: return %[[PRODUCT]], %[[T]]
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 64 : i64, hash = "a"} : () -> tensor<4x4xf32>
  %v = "graph.weight"() {source = "m.onnx", offset = 64 : i64, size = 64 : i64, hash = "b"} : () -> tensor<4x4xf32>
  %s = "graph.constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %b = "graph.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "graph.reshape"(%s) {shape = array<i64: 1, 4>} : (tensor<4xf32>) -> tensor<1x4xf32>
  %1 = "graph.mul"(%w, %0) : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %2 = "graph.matmul"(%x, %1) : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %3 = "graph.matmul"(%2, %v) : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %4 = "graph.transpose"(%v) {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = "graph.matmul"(%3, %4) : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %6 = "graph.add"(%5, %b) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %6 : tensor<?x4xf32>
}

// -----

// Equal results are one; a value that is both a result and part of another is computed once; the function's
// results may be constant.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[A:.*]] = "graph.prepared"() {index = 0 : i64}
// CHECK-NEXT: %[[C:.*]] = "graph.prepared"() {index = 1 : i64}
// CHECK-NEXT: return %[[A]], %[[A]], %[[C]]
// CHECK: func.func @prepare() -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[W:.*]] = "graph.weight"()
// CHECK-NEXT: %[[NEGATED:.*]] = "graph.neg"(%[[W]])
// CHECK-NEXT: %[[EXP:.*]] = "graph.exp"(%[[NEGATED]])
// CHECK-NEXT: return %[[NEGATED]], %[[EXP]]
func.func @main() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 16 : i64, hash = "a"} : () -> tensor<4xf32>
  %v = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 16 : i64, hash = "a"} : () -> tensor<4xf32>
  %0 = "graph.neg"(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "graph.neg"(%v) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "graph.exp"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Nothing is computed from constants alone: the shape of an argument is not constant.
// CHECK-LABEL: func.func @main
// CHECK: graph.full
// CHECK-NOT: @prepare
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<1xi64>) {
  %0 = "graph.full"() {value = 1.0 : f64} : () -> tensor<4096xf32>
  %1 = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 16384 : i64, hash = "a"} : () -> tensor<4096xf32>
  %2 = "graph.add"(%x, %0) : (tensor<?xf32>, tensor<4096xf32>) -> tensor<?xf32>
  %3 = "graph.add"(%2, %1) : (tensor<?xf32>, tensor<4096xf32>) -> tensor<?xf32>
  %4 = "graph.shape_of"(%x) : (tensor<?xf32>) -> tensor<1xi64>
  return %3, %4 : tensor<?xf32>, tensor<1xi64>
}

// -----

// Only @main is split.
// CHECK-LABEL: func.func private @kernel
// CHECK: graph.neg
// CHECK-NOT: @prepare
func.func private @kernel() -> tensor<4xf32> {
  %w = "graph.constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "graph.neg"(%w) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
