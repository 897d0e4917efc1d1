// RUN: mlc-opt %s --graph-to-linalg | filecheck %s
// RUN: mlc-opt %s --graph-to-linalg --canonicalize --cse --tloop-default-schedules --tloop-apply-schedules | filecheck %s --check-prefix LOOPS

// One elementwise computation; a neighbour's channel is clamped, and its square is left out where there is none.
// CHECK-LABEL: func.func private @three
// CHECK-NOT: "reduction"
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0
// CHECK-NEXT: ^bb0(%[[VALUE:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[BEFORE:.*]] = arith.addi
// CHECK: %[[FIRST:.*]] = arith.constant 0 : index
// CHECK: %[[PLACE:.*]] = arith.maxsi %[[BEFORE]], %[[FIRST]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %[[BEFORE]], %[[FIRST]]
// CHECK: %[[NEIGHBOUR:.*]] = tensor.extract %arg0[%{{.*}}, %[[PLACE]], %{{.*}}, %{{.*}}]
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[NEIGHBOUR]], %[[NEIGHBOUR]]
// CHECK: arith.select %[[INSIDE]], %[[SQUARE]]
// CHECK: arith.mulf %[[VALUE]], %[[VALUE]]
// CHECK: %[[LAST:.*]] = arith.constant 47 : index
// CHECK: arith.minsi %[[AFTER:.*]], %[[LAST]]
// CHECK: arith.cmpi sle, %[[AFTER]], %[[LAST]]
// CHECK: %[[ROOT:.*]] = math.sqrt
// CHECK: %[[FOURTH:.*]] = math.sqrt %[[ROOT]]
// CHECK: %[[POWER:.*]] = arith.mulf %[[ROOT]], %[[FOURTH]]
// CHECK: arith.divf %[[VALUE]], %[[POWER]]
// LOOPS-LABEL: func.func private @three
// LOOPS: scf.forall (%{{.*}}, %{{.*}}) in (1, 48)
// LOOPS: linalg.generic {{.*}} ins(%{{.*}} : tensor<1x1x56x56xf32>)
func.func private @three(%x: tensor<1x48x56x56xf32>) -> tensor<1x48x56x56xf32> attributes {tloop.kernel} {
  %0 = "graph.lrn"(%x) {alpha = 1.0e-04 : f64, beta = 7.5e-01 : f64, bias = 1.0 : f64, size = 3} : (tensor<1x48x56x56xf32>) -> tensor<1x48x56x56xf32>
  return %0 : tensor<1x48x56x56xf32>
}

// Neighbours further away than the number of channels are not read; other exponents are powers.
// CHECK-LABEL: func.func private @wide
// CHECK-COUNT-2: tensor.extract
// CHECK-NOT: tensor.extract
// CHECK: math.powf
func.func private @wide(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> attributes {tloop.kernel} {
  %0 = "graph.lrn"(%x) {alpha = 1.0e-04 : f64, beta = 6.0e-01 : f64, bias = 1.0 : f64, size = 9} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

// On blocks a chunk of 16 channels is a vector; those before and after it are shifted in, and are 0 beyond the channels.
// CHECK-LABEL: func.func private @blocked
// CHECK: scf.forall (%[[N:.*]], %[[CHUNK:.*]], %[[ROW:.*]]) in (2, 6, 9)
// CHECK: %[[BEFORE:.*]] = arith.addi %[[CHUNK]]
// CHECK: %[[SAFE:.*]] = arith.maxsi %[[BEFORE]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %[[BEFORE]]
// CHECK: scf.for %[[COLUMN:arg[0-9]*]] =
// CHECK: %[[HERE:.*]] = vector.transfer_read %arg0[%[[N]], %{{.*}}, %[[ROW]], %[[COLUMN]], %{{.*}}], {{.*}} : tensor<2x3x9x7x32xf32>, vector<16xf32>
// CHECK: affine.apply {{.*}}(%[[SAFE]])
// CHECK: %[[READ:.*]] = vector.transfer_read %arg0
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[READ]], %[[READ]]
// CHECK: %[[MASKED:.*]] = arith.select %[[INSIDE]], %[[SQUARE]]
// CHECK: vector.shuffle %[[MASKED]], %[[OWN:.*]] [15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]
// CHECK: vector.shuffle %[[OWN]], %{{.*}} [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
// CHECK: vector.shuffle %[[OWN]], %{{.*}} [2, 3,
// CHECK-NOT: vector.shuffle
// CHECK: arith.divf %[[HERE]]
func.func private @blocked(%x: tensor<2x3x9x7x32xf32>) -> tensor<2x3x9x7x32xf32> attributes {tloop.kernel} {
  %0 = "graph.lrn"(%x) {alpha = 1.0e-04 : f64, beta = 7.5e-01 : f64, bias = 1.0 : f64, layout = "NCHWc", size = 4} : (tensor<2x3x9x7x32xf32>) -> tensor<2x3x9x7x32xf32>
  return %0 : tensor<2x3x9x7x32xf32>
}
