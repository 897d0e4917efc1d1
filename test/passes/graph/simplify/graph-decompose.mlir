// RUN: mlc-opt %s --graph-decompose | filecheck %s

// CHECK-LABEL: func.func @batch_norm
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x5xf32>, %[[SCALE:.*]]: tensor<3xf32>, %[[BIAS:.*]]: tensor<3xf32>, %[[MEAN:.*]]: tensor<3xf32>, %[[VARIANCE:.*]]: tensor<3xf32>)
// CHECK: %[[EPSILON:.*]] = "graph.constant"() {value = dense<1.000000e-03> : tensor<f32>}
// CHECK: %[[SUM:.*]] = "graph.add"(%[[VARIANCE]], %[[EPSILON]])
// CHECK: %[[ROOT:.*]] = "graph.sqrt"(%[[SUM]])
// CHECK: %[[FACTOR:.*]] = "graph.div"(%[[SCALE]], %[[ROOT]])
// CHECK: %[[PART:.*]] = "graph.mul"(%[[MEAN]], %[[FACTOR]])
// CHECK: %[[SHIFT:.*]] = "graph.sub"(%[[BIAS]], %[[PART]])
// CHECK: %[[FACTORS:.*]] = "graph.reshape"(%[[FACTOR]]) {{.*}} -> tensor<3x1x1xf32>
// CHECK: %[[SHIFTS:.*]] = "graph.reshape"(%[[SHIFT]]) {{.*}} -> tensor<3x1x1xf32>
// CHECK: %[[PRODUCT:.*]] = "graph.mul"(%[[X]], %[[FACTORS]])
// CHECK: "graph.add"(%[[PRODUCT]], %[[SHIFTS]])
// CHECK-NOT: graph.batch_norm
func.func @batch_norm(%x: tensor<2x3x4x5xf32>, %scale: tensor<3xf32>, %bias: tensor<3xf32>, %mean: tensor<3xf32>, %variance: tensor<3xf32>) -> tensor<2x3x4x5xf32> {
  %0 = "graph.batch_norm"(%x, %scale, %bias, %mean, %variance) {epsilon = 1.0e-3 : f64} : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// Channels that are not known; statistics of another precision.
// CHECK-LABEL: func.func @batch_norm_dynamic
// CHECK: "graph.cast"(%arg1) {{.*}} -> tensor<?xf32>
// CHECK: "graph.cast"(%arg2) {{.*}} -> tensor<?xf32>
// CHECK-NOT: "graph.cast"(%arg3)
// CHECK: "graph.cast"({{.*}}) {{.*}} -> tensor<?xf16>
// CHECK: "graph.reshape"({{.*}}) {graph.dims = {{.*}}"arg0.shape[1]", ""{{.*}}, shape = array<i64: -1, 1>} : (tensor<?xf16>) -> tensor<?x1xf16>
// CHECK: return {{.*}} : tensor<?x?x?xf16>
func.func @batch_norm_dynamic(%x: tensor<?x?x?xf16>, %scale: tensor<?xf16>, %bias: tensor<?xf16>, %mean: tensor<?xf32>, %variance: tensor<?xf32>) -> tensor<?x?x?xf16> {
  %0 = "graph.batch_norm"(%x, %scale, %bias, %mean, %variance) {epsilon = 1.0e-3 : f64} : (tensor<?x?x?xf16>, tensor<?xf16>, tensor<?xf16>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x?x?xf16>
  return %0 : tensor<?x?x?xf16>
}
