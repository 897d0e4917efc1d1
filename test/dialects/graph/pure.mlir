// RUN: mlc-opt %s --cse --canonicalize | filecheck %s

// Upstream's passes know that graph ops are pure: equal ones merge, unused ones go away. Dotted attributes are free.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK-NEXT: %[[W:.*]] = "graph.weight"
  // CHECK-NEXT: %[[SUM:.*]] = "graph.add"(%{{.*}}, %[[W]]) {mlc.note = "kept"}
  // CHECK-NEXT: return %[[SUM]], %[[SUM]]
  %0 = "graph.weight"() {source = "w", offset = 0, size = 24, hash = "0"} : () -> tensor<2x3xf32>
  %1 = "graph.weight"() {source = "w", offset = 0, size = 24, hash = "0"} : () -> tensor<2x3xf32>
  %2 = "graph.add"(%x, %0) {mlc.note = "kept"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = "graph.add"(%x, %1) {mlc.note = "kept"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "graph.softmax"(%2) {axis = 1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2, %3 : tensor<2x3xf32>, tensor<2x3xf32>
}
