// RUN: mlc-opt %s --split-input-file --verify-diagnostics | mlc-opt --split-input-file | filecheck %s

// Ops whose number of results depends on data: results of the largest size, and their count.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<2x?x4xf32>, %c: tensor<3xi1>, %boxes: tensor<2x9x4xf32>, %scores: tensor<2x5x9xf32>, %v: tensor<?xi32>) {
  // CHECK-NEXT: %{{.*}}:2 = "graph.compress"(%{{.*}}, %{{.*}}) {axis = 1 : i64} : (tensor<2x?x4xf32>, tensor<3xi1>) -> (tensor<2x3x4xf32>, tensor<i64>)
  %0, %1 = "graph.compress"(%x, %c) {axis = 1} : (tensor<2x?x4xf32>, tensor<3xi1>) -> (tensor<2x3x4xf32>, tensor<i64>)
  // CHECK-NEXT: %{{.*}}:2 = "graph.non_zero"(%{{.*}}) : (tensor<2x9x4xf32>) -> (tensor<3x72xi64>, tensor<i64>)
  %2, %3 = "graph.non_zero"(%boxes) : (tensor<2x9x4xf32>) -> (tensor<3x72xi64>, tensor<i64>)
  // CHECK-NEXT: %{{.*}}:5 = "graph.unique"(%{{.*}}) {sorted = false} : (tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  %6:5 = "graph.unique"(%v) {sorted = false} : (tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  // CHECK-NEXT: %{{.*}}:2 = "graph.non_max_suppression"(%{{.*}}, %{{.*}}) {iou_threshold = 5.000000e-01 : f64, most = 4 : i64}
  // CHECK-SAME: : (tensor<2x9x4xf32>, tensor<2x5x9xf32>) -> (tensor<40x3xi64>, tensor<i64>)
  %4, %5 = "graph.non_max_suppression"(%boxes, %scores) {most = 4, iou_threshold = 0.5} : (tensor<2x9x4xf32>, tensor<2x5x9xf32>) -> (tensor<40x3xi64>, tensor<i64>)
  return
}
