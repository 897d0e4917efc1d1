// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Reductions, positions of extremes, cumulative sums.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<2x?x4xf32>, %i: tensor<5x3xi64>, %nothing: tensor<0x0xf32>) {
  // CHECK-NEXT: %{{.*}} = "graph.reduce_sum"(%{{.*}}) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  %0 = "graph.reduce_sum"(%x) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reduce_mean"(%{{.*}}) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  %1 = "graph.reduce_mean"(%x) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reduce_max"(%{{.*}}) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  %2 = "graph.reduce_max"(%x) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reduce_min"(%{{.*}}) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  %3 = "graph.reduce_min"(%x) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reduce_prod"(%{{.*}}) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  %4 = "graph.reduce_prod"(%x) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reduce_l1"(%{{.*}}) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  %5 = "graph.reduce_l1"(%x) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reduce_l2"(%{{.*}}) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  %6 = "graph.reduce_l2"(%x) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reduce_log_sum"(%{{.*}}) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  %7 = "graph.reduce_log_sum"(%x) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reduce_log_sum_exp"(%{{.*}}) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  %8 = "graph.reduce_log_sum_exp"(%x) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reduce_sum_square"(%{{.*}}) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  %9 = "graph.reduce_sum_square"(%x) {axes = array<i64: 1>} : (tensor<2x?x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reduce_sum"(%{{.*}}) {axes = array<i64: 0, 2>, keepdims = false} : (tensor<2x?x4xf32>) -> tensor<?xf32>
  %10 = "graph.reduce_sum"(%x) {axes = array<i64: 0, 2>, keepdims = false} : (tensor<2x?x4xf32>) -> tensor<?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reduce_max"(%{{.*}}) {axes = array<i64>} : (tensor<5x3xi64>) -> tensor<5x3xi64>
  %11 = "graph.reduce_max"(%i) {axes = array<i64>} : (tensor<5x3xi64>) -> tensor<5x3xi64>
  // CHECK-NEXT: %{{.*}} = "graph.arg_max"(%{{.*}}) {axis = 2 : i64} : (tensor<2x?x4xf32>) -> tensor<2x?x1xi64>
  %12 = "graph.arg_max"(%x) {axis = 2} : (tensor<2x?x4xf32>) -> tensor<2x?x1xi64>
  // CHECK-NEXT: %{{.*}} = "graph.arg_max"(%{{.*}}) {axis = 1 : i64} : (tensor<0x0xf32>) -> tensor<0x1xi64>
  %none = "graph.arg_max"(%nothing) {axis = 1} : (tensor<0x0xf32>) -> tensor<0x1xi64>
  // CHECK-NEXT: %{{.*}} = "graph.arg_min"(%{{.*}}) {axis = 1 : i64, keepdims = false, select_last_index = true} : (tensor<2x?x4xf32>) -> tensor<2x4xi64>
  %13 = "graph.arg_min"(%x) {axis = 1, keepdims = false, select_last_index = true} : (tensor<2x?x4xf32>) -> tensor<2x4xi64>
  // CHECK-NEXT: %{{.*}} = "graph.cumsum"(%{{.*}}) {axis = 1 : i64} : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %14 = "graph.cumsum"(%x) {axis = 1} : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.cumsum"(%{{.*}}) {axis = 0 : i64, exclusive = true, reverse = true} : (tensor<5x3xi64>) -> tensor<5x3xi64>
  %15 = "graph.cumsum"(%i) {axis = 0, exclusive = true, reverse = true} : (tensor<5x3xi64>) -> tensor<5x3xi64>
  // CHECK-NEXT: %{{.*}} = "graph.cumprod"(%{{.*}}) {axis = 0 : i64, reverse = true} : (tensor<5x3xi64>) -> tensor<5x3xi64>
  %16 = "graph.cumprod"(%i) {axis = 0, reverse = true} : (tensor<5x3xi64>) -> tensor<5x3xi64>
  return
}
