// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Softmax and normalisations.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<?x8x4xf32>,
            %c: tensor<8xf32>,
            %d: tensor<?xf32>,
            %y: tensor<2x?x4xbf16>,
            %dy: tensor<3xbf16>) {
  // CHECK-NEXT: %{{.*}} = "graph.softmax"(%{{.*}}) {axis = 2 : i64} : (tensor<?x8x4xf32>) -> tensor<?x8x4xf32>
  %0 = "graph.softmax"(%x) {axis = 2} : (tensor<?x8x4xf32>) -> tensor<?x8x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.log_softmax"(%{{.*}}) {axis = 0 : i64} : (tensor<2x?x4xbf16>) -> tensor<2x?x4xbf16>
  %1 = "graph.log_softmax"(%y) {axis = 0} : (tensor<2x?x4xbf16>) -> tensor<2x?x4xbf16>
  // CHECK-NEXT: %{{.*}} = "graph.layer_norm"(%{{.*}}) {axes = array<i64: 1, 2>} : (tensor<?x8x4xf32>) -> tensor<?x8x4xf32>
  %2 = "graph.layer_norm"(%x) {axes = array<i64: 1, 2>} : (tensor<?x8x4xf32>) -> tensor<?x8x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.layer_norm"(%{{.*}}) {axes = array<i64: 2>, epsilon = 1.000000e-03 : f64} : (tensor<?x8x4xf32>) -> tensor<?x8x4xf32>
  %3 = "graph.layer_norm"(%x) {axes = array<i64: 2>, epsilon = 0.001} : (tensor<?x8x4xf32>) -> tensor<?x8x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.rms_norm"(%{{.*}}) {axes = array<i64: 2>} : (tensor<2x?x4xbf16>) -> tensor<2x?x4xbf16>
  %4 = "graph.rms_norm"(%y) {axes = array<i64: 2>} : (tensor<2x?x4xbf16>) -> tensor<2x?x4xbf16>
  // CHECK-NEXT: %{{.*}} = "graph.batch_norm"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {epsilon = 1.000000e-05 : f64}
  // CHECK-SAME: : (tensor<?x8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<?xf32>, tensor<8xf32>) -> tensor<?x8x4xf32>
  %5 = "graph.batch_norm"(%x, %c, %c, %d, %c) {epsilon = 0.00001} : (tensor<?x8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<?xf32>, tensor<8xf32>) -> tensor<?x8x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.batch_norm"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x?x4xbf16>, tensor<3xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x3x4xbf16>
  %6 = "graph.batch_norm"(%y, %dy, %d, %d, %d) : (tensor<2x?x4xbf16>, tensor<3xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x3x4xbf16>
  return
}
