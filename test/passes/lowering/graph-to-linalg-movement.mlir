// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// CHECK: #[[READ:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-LABEL: func.func private @transpose
// CHECK: linalg.generic {indexing_maps = [#[[READ]], {{.*}} ins(%arg0 : tensor<2x3x4xf32>) {{.*}}tensor<4x2x3xf32>
func.func private @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// -----

// CHECK-LABEL: func.func private @reshape
// CHECK-NEXT: %[[FLAT:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<4x6xf32> into tensor<24xf32>
// CHECK-NEXT: tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1, 2]] output_shape [2, 3, 4]
func.func private @reshape(%x: tensor<4x6xf32>) -> tensor<2x3x4xf32> attributes {tloop.kernel} {
  %0 = "graph.reshape"(%x) {shape = array<i64: 2, 3, 4>} : (tensor<4x6xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func private @concat
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0] [2, 3] [1, 1]
// CHECK: tensor.insert_slice %arg1 into %[[FIRST]][0, 3] [2, 5] [1, 1]
func.func private @concat(%x: tensor<2x3xf32>, %y: tensor<2x5xf32>) -> tensor<2x8xf32> attributes {tloop.kernel} {
  %0 = "graph.concat"(%x, %y) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

// Dims that are read backwards: the slice first, then its elements in reverse; the other dim is cut to 1.
// CHECK: #[[BACKWARDS:.*]] = affine_map<(d0, d1) -> (-d0 + 2, d1)>
// CHECK-LABEL: func.func private @reversed_slice
// CHECK: %[[PART:.*]] = tensor.extract_slice %arg0[1, 4] [3, 1] [2, 1] : tensor<7x7xf32> to tensor<3x1xf32>
// CHECK: linalg.generic {indexing_maps = [#[[BACKWARDS]], #{{.*}}]{{.*}} ins(%[[PART]]
func.func private @reversed_slice(%x: tensor<7x7xf32>) -> tensor<3x1xf32> attributes {tloop.kernel} {
  %0 = "graph.slice"(%x) {starts = array<i64: 5, 4>, sizes = array<i64: 3, 1>, steps = array<i64: -2, 1>} : (tensor<7x7xf32>) -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}

// -----

// -1: all that follow. A negative step reads backwards.
// CHECK: #[[BACK:.*]] = affine_map<(d0) -> (-d0 + 7)>
// CHECK-LABEL: func.func private @slice
// CHECK: tensor.extract_slice %arg0[2] [3] [2] : tensor<8xf32> to tensor<3xf32>
// CHECK: linalg.generic {indexing_maps = [#[[BACK]],
func.func private @slice(%x: tensor<8xf32>) -> (tensor<3xf32>, tensor<8xf32>) attributes {tloop.kernel} {
  %0 = "graph.slice"(%x) {starts = array<i64: 2>, sizes = array<i64: -1>, steps = array<i64: 2>} : (tensor<8xf32>) -> tensor<3xf32>
  %1 = "graph.slice"(%x) {starts = array<i64: 7>, sizes = array<i64: -1>, steps = array<i64: -1>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<3xf32>, tensor<8xf32>
}

// -----

// A dynamic dim that is read backwards, whose size no affine map holds.
// CHECK-LABEL: func.func private @reversed_dynamic
// CHECK: %[[ALL:.*]] = tensor.extract_slice %arg0[0] [%{{.*}}] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK: linalg.generic
// CHECK: %[[INDEX:.*]] = linalg.index 0
// CHECK: %[[AT:.*]] = arith.subi %{{.*}}, %[[INDEX]]
// CHECK: tensor.extract %[[ALL]][%[[AT]]]
func.func private @reversed_dynamic(%x: tensor<?xf32>, %dims: tensor<1xindex>) -> tensor<?xf32> attributes {tloop.kernel, tloop.dims = [["d0"], ["d0"]]} {
  %0 = "graph.slice"(%x) {graph.dims = [["d0"]], starts = array<i64: -1>, sizes = array<i64: -1>, steps = array<i64: -1>} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The frame is filled at the kernel's start, so that what is inside can be computed in place.
// CHECK-LABEL: func.func private @pad
// CHECK: %[[FRAME:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<8xf32>)
// CHECK: %[[X:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: tensor.insert_slice %[[X]] into %[[FRAME]][1] [4] [1]
func.func private @pad(%x: tensor<4xf32>) -> tensor<8xf32> attributes {tloop.kernel} {
  %0 = "graph.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "graph.pad"(%0) {low = array<i64: 1>, high = array<i64: 3>, mode = "constant", value = 2.0} : (tensor<4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// CHECK: #[[PACK:.*]] = affine_map<(d0, d1, d2) -> (d1, d0 * 16 + d2)>
// CHECK: #[[UNPACK:.*]] = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
// CHECK-LABEL: func.func private @pack
// CHECK: linalg.generic {indexing_maps = [#[[PACK]],
// CHECK: linalg.generic {indexing_maps = [#[[UNPACK]],
func.func private @pack(%x: tensor<3x32xf32>, %y: tensor<2x3x16xf32>) -> (tensor<2x3x16xf32>, tensor<3x32xf32>) attributes {tloop.kernel} {
  %0 = "graph.pack"(%x) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 16>, outer_permutation = array<i64: 1, 0>} : (tensor<3x32xf32>) -> tensor<2x3x16xf32>
  %1 = "graph.unpack"(%y) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 16>, outer_permutation = array<i64: 1, 0>} : (tensor<2x3x16xf32>) -> tensor<3x32xf32>
  return %0, %1 : tensor<2x3x16xf32>, tensor<3x32xf32>
}

// -----

// A panel beyond the matrix is padding; the read itself stays in bounds.
// CHECK-LABEL: func.func private @pack_padded
// CHECK: arith.cmpi sle
// CHECK: arith.minsi
// CHECK: tensor.extract %arg0
// CHECK: arith.select
func.func private @pack_padded(%x: tensor<3x20xf32>) -> tensor<2x3x16xf32> attributes {tloop.kernel} {
  %0 = "graph.pack"(%x) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 16>, outer_permutation = array<i64: 1, 0>, padding = 0.0} : (tensor<3x20xf32>) -> tensor<2x3x16xf32>
  return %0 : tensor<2x3x16xf32>
}

// -----

// Attributes that are left out have their defaults: padding is with a constant, 0.
// CHECK-LABEL: func.func private @pad_defaults
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.fill ins(%[[ZERO]]
// CHECK: tensor.insert_slice
func.func private @pad_defaults(%x: tensor<2x3xf32>) -> tensor<3x4xf32> attributes {tloop.kernel} {
  %0 = "graph.pad"(%x) {low = array<i64: 1, 0>, high = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// The columns between those that are added are read in their order, of the row that the index gives.
// CHECK: #[[ROW:.*]] = affine_map<(d0) -> ((d0 - 1) mod 6)>
// CHECK: #[[COLUMN:.*]] = affine_map<(d0) -> ((d0 - 3) mod 8)>
// CHECK-LABEL: func.func private @reflect
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = affine.apply #[[ROW]]
// CHECK: %[[J:.*]] = affine.apply #[[COLUMN]]
// CHECK: %[[LEFT:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [2, 7, 3] [1, 1, 1]
// CHECK: linalg.generic
// CHECK-NOT: #[[COLUMN]]
// CHECK: %[[ROWS:.*]] = affine.apply #[[ROW]]
// CHECK: %[[BACK:.*]] = arith.subi %{{.*}}, %[[ROWS]]
// CHECK: %[[R:.*]] = arith.minsi %[[ROWS]], %[[BACK]]
// CHECK: tensor.extract %arg0[%{{.*}}, %[[R]], %{{.*}}]
// CHECK: %[[MIDDLE:.*]] = tensor.insert_slice %{{.*}} into %[[LEFT]][0, 0, 3] [2, 7, 5] [1, 1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %[[MIDDLE]][0, 0, 8] [2, 7, 1] [1, 1, 1]
func.func private @reflect(%x: tensor<2x4x5xf32>) -> tensor<2x7x9xf32> attributes {tloop.kernel} {
  %0 = "graph.pad"(%x) {low = array<i64: 0, 1, 3>, high = array<i64: 0, 2, 1>, mode = "reflect"} : (tensor<2x4x5xf32>) -> tensor<2x7x9xf32>
  return %0 : tensor<2x7x9xf32>
}

// -----

// Rows alone: whole ones are read, by one computation.
// CHECK-LABEL: func.func private @edge_rows
// CHECK: linalg.generic
// CHECK-NOT: tensor.insert_slice
// CHECK: tensor.extract %arg0
// CHECK-NOT: linalg.generic
// CHECK: return
func.func private @edge_rows(%x: tensor<4x6xf32>) -> tensor<7x6xf32> attributes {tloop.kernel} {
  %0 = "graph.pad"(%x) {low = array<i64: 1, 0>, high = array<i64: 2, 0>, mode = "edge"} : (tensor<4x6xf32>) -> tensor<7x6xf32>
  return %0 : tensor<7x6xf32>
}
