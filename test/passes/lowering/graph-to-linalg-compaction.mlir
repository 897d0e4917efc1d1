// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// Selected elements are written at the index that counts them; zeros follow.
// CHECK-LABEL: func.func private @compress
// CHECK: %[[ALL:.*]]:2 = scf.for %[[AT:[a-z0-9]+]] = %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[COUNT:[a-z0-9]+]] = %{{.*}}) -> (tensor<2x3xf32>, index)
// CHECK: %[[HERE:.*]] = tensor.extract %arg1[%[[AT]]]
// CHECK: scf.if %[[HERE]] -> (tensor<2x3xf32>, index)
// CHECK: tensor.extract %arg0[%[[ROW:.*]], %[[AT]]]
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[ROW]], %[[COUNT]]]
// CHECK: arith.addi %[[COUNT]]
// CHECK: scf.for %[[REST:[a-z0-9]+]] = %[[ALL]]#1 to
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: tensor.insert %[[ZERO]] into %{{.*}}[%{{.*}}, %[[REST]]]
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[ALL]]#1 : index to i64
// CHECK: tensor.insert %[[NUMBER]] into %{{.*}}[] : tensor<i64>
func.func private @compress(%x: tensor<2x5xf32>, %c: tensor<3xi1>) -> (tensor<2x3xf32>, tensor<i64>) attributes {tloop.kernel} {
  %0, %1 = "graph.compress"(%x, %c) {axis = 1} : (tensor<2x5xf32>, tensor<3xi1>) -> (tensor<2x3xf32>, tensor<i64>)
  return %0, %1 : tensor<2x3xf32>, tensor<i64>
}

// -----

// CHECK-LABEL: func.func private @non_zero
// CHECK: %[[SET:.*]] = arith.cmpf une
// CHECK: scf.if %[[SET]] -> (tensor<2x10xi64>, index)
func.func private @non_zero(%x: tensor<2x5xf32>) -> (tensor<2x10xi64>, tensor<i64>) attributes {tloop.kernel} {
  %0, %1 = "graph.non_zero"(%x) : (tensor<2x5xf32>) -> (tensor<2x10xi64>, tensor<i64>)
  return %0, %1 : tensor<2x10xi64>, tensor<i64>
}

// -----

// All boxes of a class in the order of their scores; one that may still be chosen is compared with those of its
// image and class.
// CHECK-LABEL: func.func private @suppression
// CHECK: arith.cmpf ugt
// CHECK: scf.for %{{.*}} -> (tensor<12x3xi64>, index)
// CHECK: arith.cmpi slt
// CHECK: %[[HIGH:.*]] = arith.cmpf ogt
// CHECK: %[[FREE:.*]] = arith.andi %{{.*}}, %[[HIGH]]
// CHECK: scf.if %[[FREE]]
// CHECK: arith.divf
// CHECK: arith.cmpf ole
func.func private @suppression(%boxes: tensor<2x9x4xf32>, %scores: tensor<2x3x9xf32>) -> (tensor<12x3xi64>, tensor<i64>) attributes {tloop.kernel} {
  %0, %1 = "graph.non_max_suppression"(%boxes, %scores) {most = 2, iou_threshold = 0.5, score_threshold = 0.1, center_point_box = false}
      : (tensor<2x9x4xf32>, tensor<2x3x9xf32>) -> (tensor<12x3xi64>, tensor<i64>)
  return %0, %1 : tensor<12x3xi64>, tensor<i64>
}

// -----

// Dynamic limits: the number of boxes is at most the attribute, thresholds are the scores' type.
// CHECK-LABEL: func.func private @told
// CHECK: %[[MOST:.*]] = tensor.extract %{{.*}}[%{{.*}}] : tensor<3xf64>
// CHECK: arith.fptosi
// CHECK-COUNT-2: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.minsi
func.func private @told(%boxes: tensor<2x9x4xf32>, %scores: tensor<2x3x9xf32>, %limits: tensor<3xf64>) -> (tensor<12x3xi64>, tensor<i64>) attributes {tloop.kernel} {
  %0, %1 = "graph.non_max_suppression"(%boxes, %scores, %limits) {most = 2} : (tensor<2x9x4xf32>, tensor<2x3x9xf32>, tensor<3xf64>) -> (tensor<12x3xi64>, tensor<i64>)
  return %0, %1 : tensor<12x3xi64>, tensor<i64>
}

// -----

// A value is new if the previous one precedes it; only then its first position is stored and its count begins.
// CHECK-LABEL: func.func private @unique
// CHECK: scf.for {{.*}} -> (tensor<9xf32>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, index)
// CHECK: %[[LESS:.*]] = arith.cmpf ult, %[[BEFORE:.*]], %[[VALUE:.*]] : f32
// CHECK: %[[NUMBER:.*]] = arith.cmpf ord, %[[BEFORE]], %[[BEFORE]]
// CHECK: %[[BEHIND:.*]] = arith.andi %[[LESS]], %[[NUMBER]]
// CHECK: %[[NEW:.*]] = arith.ori %{{.*}}, %[[BEHIND]]
// CHECK: %[[GROUP:.*]] = arith.select %[[NEW]]
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[GROUP]]] : tensor<9xf32>
func.func private @unique(%x: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<i64>) attributes {tloop.kernel} {
  %0:5 = "graph.unique"(%x) {sorted = true} : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<i64>)
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<9xf32>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<i64>
}

// -----

// The number of levels of a heap of dynamic size is that of the binary digits of the size, less one.
// CHECK-LABEL: func.func private @any_size
// CHECK: %[[SIZE:.*]] = tensor.extract %{{.*}} : tensor<1xindex>
// CHECK: %[[WIDE:.*]] = arith.index_cast %[[SIZE]] : index to i64
// CHECK: %[[ZEROS:.*]] = math.ctlz %[[WIDE]] : i64
// CHECK: %[[LEVELS:.*]] = arith.subi %{{.*}}, %[[ZEROS]] : i64
// CHECK: %[[END:.*]] = arith.index_cast %[[LEVELS]] : i64 to index
// CHECK: scf.for %{{.*}} to %[[END]]
func.func private @any_size(%x: tensor<?xf32>, %dims: tensor<1xindex>) -> (tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
    attributes {tloop.kernel, tloop.dims = [["d0"], ["d0"], ["d0"], ["d0"], ["d0"], []]} {
  %0:5 = "graph.unique"(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
}
