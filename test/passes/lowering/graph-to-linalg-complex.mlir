// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// CHECK-LABEL: func.func private @parts
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<2x3xcomplex<f32>>) outs(%{{.*}} : tensor<2x3xf32>)
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %{{.*}}: f32):
// CHECK: %[[RE:.*]] = complex.re %[[X]] : complex<f32>
// CHECK: linalg.yield %[[RE]] : f32
// CHECK: %[[IM:.*]] = complex.im %{{.*}} : complex<f32>
// CHECK: linalg.yield %[[IM]] : f32
func.func private @parts(%x: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xf32>, tensor<2x3xf32>) attributes {tloop.kernel} {
  %0 = "graph.real"(%x) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %1 = "graph.imag"(%x) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func private @joined
// CHECK: ^bb0(%[[RE:.*]]: f64, %[[IM:.*]]: f64, %{{.*}}: complex<f64>):
// CHECK: %[[Z:.*]] = complex.create %[[RE]], %[[IM]] : complex<f64>
// CHECK: linalg.yield %[[Z]] : complex<f64>
func.func private @joined(%re: tensor<2x3xf64>, %im: tensor<3xf64>) -> tensor<2x3xcomplex<f64>> attributes {tloop.kernel} {
  %0 = "graph.complex"(%re, %im) : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xcomplex<f64>>
  return %0 : tensor<2x3xcomplex<f64>>
}

// -----

// CHECK-LABEL: func.func private @scattered
// CHECK: %[[OLD:.*]] = tensor.extract %{{.*}} : tensor<4xcomplex<f32>>
// CHECK: complex.add %[[OLD]], %{{.*}} : complex<f32>
// CHECK: complex.mul %{{.*}}, %{{.*}} : complex<f32>
// CHECK: %[[KEPT:.*]] = tensor.extract %arg2[%{{.*}}] : tensor<3xcomplex<f32>>
// CHECK-NEXT: tensor.extract
// CHECK-NEXT: tensor.insert %[[KEPT]]
func.func private @scattered(%x: tensor<4xcomplex<f32>>, %i: tensor<3x1xi32>, %u: tensor<3xcomplex<f32>>) -> tensor<4xcomplex<f32>> attributes {tloop.kernel} {
  %0 = "graph.scatter_nd"(%x, %i, %u) {reduction = "add"} : (tensor<4xcomplex<f32>>, tensor<3x1xi32>, tensor<3xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %1 = "graph.scatter_nd"(%0, %i, %u) {reduction = "mul"} : (tensor<4xcomplex<f32>>, tensor<3x1xi32>, tensor<3xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %2 = "graph.scatter_nd"(%1, %i, %u) {reduction = "none"} : (tensor<4xcomplex<f32>>, tensor<3x1xi32>, tensor<3xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %2 : tensor<4xcomplex<f32>>
}
