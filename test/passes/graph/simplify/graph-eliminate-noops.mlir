// RUN: mlc-opt %s --graph-eliminate-noops | filecheck %s

// CHECK-LABEL: func.func @no_ops
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @no_ops(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = "graph.identity"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = "graph.cast"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = "graph.reshape"(%x) {shape = array<i64: 2, -1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = "graph.transpose"(%x) {permutation = array<i64: 0, 1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = "graph.slice"(%x) {starts = array<i64: 0, 0>, sizes = array<i64: 2, 4>, steps = array<i64: 1, 1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %5 = "graph.pad"(%x) {low = array<i64: 0, 0>, high = array<i64: 0, 0>, mode = "constant", value = 0.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %6 = "graph.concat"(%x) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %7 = "graph.expand"(%x) {shape = array<i64: 2, 1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %8 = "graph.tile"(%x) {repeats = array<i64: 1, 1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @no_ops_dynamic
// CHECK-NEXT: return %arg0, %arg0, %arg0
func.func @no_ops_dynamic(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = "graph.reshape"(%x) {shape = array<i64: -1, 4>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = "graph.slice"(%x) {starts = array<i64: 0, 0>, sizes = array<i64: -1, -1>, steps = array<i64: 1, 1>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = "graph.expand"(%x) {shape = array<i64: -1, 4>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// The types are equal, the dims need not be: two that are not known, some elements, what `dims` says.
// CHECK-LABEL: func.func @kept_dynamic
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.expand
func.func @kept_dynamic(%x: tensor<?x?xf32>, %dims: tensor<2xi64>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = "graph.reshape"(%x, %dims) {shape = array<i64: -1, -1>, operandSegmentSizes = array<i32: 1, 1>} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = "graph.slice"(%x) {starts = array<i64: 1, 0>, sizes = array<i64: -1, -1>, steps = array<i64: 1, 1>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = "graph.slice"(%x) {starts = array<i64: 0, 0>, sizes = array<i64: -1, -1>, steps = array<i64: 2, 1>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = "graph.expand"(%x, %dims) {shape = array<i64: -1, -1>, operandSegmentSizes = array<i32: 1, 1>} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0, %1, %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @views
// CHECK-NEXT: %[[VIEW:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 2, 12>}
// CHECK-NEXT: return %[[VIEW]]
func.func @views(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %0 = "graph.unsqueeze"(%x) {axes = array<i64: 0>} : (tensor<2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 24, 1>} : (tensor<1x2x3x4xf32>) -> tensor<24x1xf32>
  %2 = "graph.squeeze"(%1) {axes = array<i64: 1>} : (tensor<24x1xf32>) -> tensor<24xf32>
  %3 = "graph.reshape"(%2) {shape = array<i64: 2, 12>} : (tensor<24xf32>) -> tensor<2x12xf32>
  return %3 : tensor<2x12xf32>
}

// CHECK-LABEL: func.func @views_dynamic
// CHECK-NEXT: "graph.reshape"(%arg0) {shape = array<i64: -1, 1, 4>}
// CHECK: "graph.reshape"(%arg0) {shape = array<i64: -1>}
func.func @views_dynamic(%x: tensor<?x4xf32>) -> (tensor<?x1x4xf32>, tensor<?xf32>) {
  %0 = "graph.unsqueeze"(%x) {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?x1x4xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: -1>} : (tensor<?x1x4xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?x1x4xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @transposes
// CHECK-NEXT: %[[ONE:.*]] = "graph.transpose"(%arg0) {permutation = array<i64: 2, 0, 1>}
// CHECK-NEXT: return %arg0, %[[ONE]]
func.func @transposes(%x: tensor<?x3x4xf32>) -> (tensor<?x3x4xf32>, tensor<4x?x3xf32>) {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0, 2>} : (tensor<?x3x4xf32>) -> tensor<3x?x4xf32>
  %1 = "graph.transpose"(%0) {permutation = array<i64: 1, 0, 2>} : (tensor<3x?x4xf32>) -> tensor<?x3x4xf32>
  %2 = "graph.transpose"(%0) {permutation = array<i64: 2, 1, 0>} : (tensor<3x?x4xf32>) -> tensor<4x?x3xf32>
  return %1, %2 : tensor<?x3x4xf32>, tensor<4x?x3xf32>
}

// Dims of 1 move as in a reshape.
// CHECK-LABEL: func.func @transpose_unit
// CHECK-NEXT: "graph.reshape"(%arg0) {shape = array<i64: 3, 1, 4>}
func.func @transpose_unit(%x: tensor<1x3x4xf32>) -> tensor<3x1x4xf32> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0, 2>} : (tensor<1x3x4xf32>) -> tensor<3x1x4xf32>
  return %0 : tensor<3x1x4xf32>
}

// CHECK-LABEL: func.func @views_of_constants
// CHECK-DAG: "graph.weight"() {hash = "a", offset = 0 : i64, size = 32 : i64, source = "m.onnx"} : () -> tensor<8x1xf32>
// CHECK-DAG: dense<{{\[\[}}1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>
// CHECK-DAG: dense<{{\[\[}}1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32>
// CHECK-NOT: graph.reshape
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @views_of_constants() -> (tensor<8x1xf32>, tensor<1x2xf32>, tensor<2x1xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 32 : i64, hash = "a"} : () -> tensor<2x4xf32>
  %c = "graph.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = "graph.reshape"(%w) {shape = array<i64: 8>} : (tensor<2x4xf32>) -> tensor<8xf32>
  %1 = "graph.unsqueeze"(%0) {axes = array<i64: 1>} : (tensor<8xf32>) -> tensor<8x1xf32>
  %2 = "graph.reshape"(%c) {shape = array<i64: 1, 2>} : (tensor<2xf32>) -> tensor<1x2xf32>
  %3 = "graph.transpose"(%2) {permutation = array<i64: 1, 0>} : (tensor<1x2xf32>) -> tensor<2x1xf32>
  return %1, %2, %3 : tensor<8x1xf32>, tensor<1x2xf32>, tensor<2x1xf32>
}

// CHECK-LABEL: func.func @views_undone
// CHECK-NEXT: return %arg0, %arg1, %arg0, %arg0
func.func @views_undone(%x: tensor<?x?xf32>, %y: tensor<1x?xf32>) -> (tensor<?x?xf32>, tensor<1x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = "graph.unsqueeze"(%x) {axes = array<i64: 0, 2>} : (tensor<?x?xf32>) -> tensor<1x?x1x?xf32>
  %1 = "graph.squeeze"(%0) {axes = array<i64: 2, 0>} : (tensor<1x?x1x?xf32>) -> tensor<?x?xf32>
  %2 = "graph.squeeze"(%y) {axes = array<i64: 0>} : (tensor<1x?xf32>) -> tensor<?xf32>
  %3 = "graph.unsqueeze"(%2) {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<1x?xf32>
  %4 = "graph.squeeze"(%x) {axes = array<i64>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %5 = "graph.unsqueeze"(%x) {axes = array<i64>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1, %3, %4, %5 : tensor<?x?xf32>, tensor<1x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// Only where the first type holds every value of the one before it.
// CHECK-LABEL: func.func @casts
// CHECK-NEXT: %[[HALF:.*]] = "graph.cast"(%arg0) {{.*}} -> tensor<?xf16>
// CHECK-NEXT: %[[BACK:.*]] = "graph.cast"(%[[HALF]]) {{.*}} -> tensor<?xf32>
// CHECK-NEXT: %[[DIRECT:.*]] = "graph.cast"(%arg0) {{.*}} -> tensor<?xf16>
// CHECK-NEXT: %[[FLOAT:.*]] = "graph.cast"(%arg1) {{.*}} -> tensor<?xf32>
// CHECK-NEXT: %[[ROUNDED:.*]] = "graph.cast"(%[[FLOAT]]) {{.*}} -> tensor<?xi32>
// CHECK-NEXT: return %arg0, %[[BACK]], %[[DIRECT]], %[[ROUNDED]], %arg1
func.func @casts(%x: tensor<?xf32>, %i: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf16>, tensor<?xi32>, tensor<?xi32>) {
  %0 = "graph.cast"(%x) : (tensor<?xf32>) -> tensor<?xf64>
  %1 = "graph.cast"(%0) : (tensor<?xf64>) -> tensor<?xf32>
  %2 = "graph.cast"(%x) : (tensor<?xf32>) -> tensor<?xf16>
  %3 = "graph.cast"(%2) : (tensor<?xf16>) -> tensor<?xf32>
  %4 = "graph.cast"(%0) : (tensor<?xf64>) -> tensor<?xf16>
  %5 = "graph.cast"(%i) : (tensor<?xi32>) -> tensor<?xf32>
  %6 = "graph.cast"(%5) : (tensor<?xf32>) -> tensor<?xi32>
  %7 = "graph.cast"(%i) : (tensor<?xi32>) -> tensor<?xf64>
  %8 = "graph.cast"(%7) : (tensor<?xf64>) -> tensor<?xi32>
  return %1, %3, %4, %6, %8 : tensor<?xf32>, tensor<?xf32>, tensor<?xf16>, tensor<?xi32>, tensor<?xi32>
}

// CHECK-LABEL: func.func @slices
// CHECK-NEXT: %[[ONE:.*]] = "graph.slice"(%arg0) {graph.dims = {{.*}}, sizes = array<i64: -1, 2>, starts = array<i64: 3, 7>, steps = array<i64: 6, -2>}
// CHECK-NEXT: return %[[ONE]]
func.func @slices(%x: tensor<?x9xf32>) -> tensor<?x2xf32> {
  %0 = "graph.slice"(%x) {starts = array<i64: 1, -1>, sizes = array<i64: -1, 5>, steps = array<i64: 2, -1>} : (tensor<?x9xf32>) -> tensor<?x5xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 1, 1>, sizes = array<i64: -1, 2>, steps = array<i64: 3, 2>} : (tensor<?x5xf32>) -> tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
}

// "All that follow" of a part that ends somewhere, and an index counted from an end that is not known.
// CHECK-LABEL: func.func @slices_kept
// CHECK-COUNT-4: graph.slice
func.func @slices_kept(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<1xf32>) {
  %0 = "graph.slice"(%x) {starts = array<i64: -3>, sizes = array<i64: -1>, steps = array<i64: 1>} : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 3>, sizes = array<i64: -1>, steps = array<i64: 1>} : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.slice"(%x) {starts = array<i64: 0>, sizes = array<i64: -1>, steps = array<i64: 2>} : (tensor<?xf32>) -> tensor<?xf32>
  %3 = "graph.slice"(%2) {starts = array<i64: -1>, sizes = array<i64: 1>, steps = array<i64: 1>} : (tensor<?xf32>) -> tensor<1xf32>
  return %1, %3 : tensor<?xf32>, tensor<1xf32>
}

// A part of one operand, and one across both.
// CHECK-LABEL: func.func @slice_of_concat
// CHECK: %[[PART:.*]] = "graph.slice"(%arg1) {graph.dims = {{.}}["n", ""]], sizes = array<i64: -1, 2>, starts = array<i64: 0, 1>
// CHECK: %[[ACROSS:.*]] = "graph.slice"(%[[WHOLE:.*]]) {sizes
// CHECK: return %[[PART]], %[[ACROSS]], %arg0
func.func @slice_of_concat(%x: tensor<?x3xf32> {graph.dims = ["n", ""]}, %y: tensor<?x4xf32> {graph.dims = ["n", ""]}) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x3xf32>) {
  %0 = "graph.concat"(%x, %y) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x3xf32>, tensor<?x4xf32>) -> tensor<?x7xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 0, 4>, sizes = array<i64: -1, 2>, steps = array<i64: 1, 1>} : (tensor<?x7xf32>) -> tensor<?x2xf32>
  %2 = "graph.slice"(%0) {starts = array<i64: 0, 2>, sizes = array<i64: -1, 2>, steps = array<i64: 1, 1>} : (tensor<?x7xf32>) -> tensor<?x2xf32>
  %3 = "graph.slice"(%0) {starts = array<i64: 0, 0>, sizes = array<i64: -1, 3>, steps = array<i64: 1, 1>} : (tensor<?x7xf32>) -> tensor<?x3xf32>
  return %1, %2, %3 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x3xf32>
}

// A split whose parts are joined again gives everything back; in another order it does not.
// CHECK-LABEL: func.func @split_and_joined
// CHECK: %[[TURNED:.*]] = "graph.concat"
// CHECK-NEXT: return %arg0, %[[TURNED]]
func.func @split_and_joined(%x: tensor<?x6xf32>) -> (tensor<?x6xf32>, tensor<?x6xf32>) {
  %0 = "graph.slice"(%x) {starts = array<i64: 0, 0>, sizes = array<i64: -1, 2>, steps = array<i64: 1, 1>} : (tensor<?x6xf32>) -> tensor<?x2xf32>
  %1 = "graph.slice"(%x) {starts = array<i64: 0, 2>, sizes = array<i64: -1, 4>, steps = array<i64: 1, 1>} : (tensor<?x6xf32>) -> tensor<?x4xf32>
  %2 = "graph.concat"(%0, %1) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x2xf32>, tensor<?x4xf32>) -> tensor<?x6xf32>
  %3 = "graph.concat"(%1, %0) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4xf32>, tensor<?x2xf32>) -> tensor<?x6xf32>
  return %2, %3 : tensor<?x6xf32>, tensor<?x6xf32>
}

// Another axis, and a second use, stay.
// CHECK-LABEL: func.func @concats
// CHECK-NEXT: %[[FLAT:.*]] = "graph.concat"(%arg0, %arg1, %arg0) {axis = 0
// CHECK-NEXT: %[[INNER:.*]] = "graph.concat"(%arg0, %arg1) {axis = 1
// CHECK-NEXT: %[[OTHER:.*]] = "graph.concat"(%[[INNER]], %[[INNER]]) {axis = 0
// CHECK-NEXT: return %[[FLAT]], %[[OTHER]]
func.func @concats(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x8xf32>) {
  %0 = "graph.concat"(%x, %y) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = "graph.concat"(%0, %x) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = "graph.concat"(%x, %y) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  %3 = "graph.concat"(%2, %2) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1, %3 : tensor<?x4xf32>, tensor<?x8xf32>
}

// CHECK-LABEL: func.func @copies
// CHECK-NEXT: %[[TILE:.*]] = "graph.tile"(%arg0) {repeats = array<i64: 6>}
// CHECK-NEXT: %[[EXPAND:.*]] = "graph.expand"(%arg1) {shape = array<i64: 3, 4>}
// CHECK-NEXT: return %[[TILE]], %[[EXPAND]]
func.func @copies(%x: tensor<?xf32>, %y: tensor<1xf32>) -> (tensor<?xf32>, tensor<3x4xf32>) {
  %0 = "graph.tile"(%x) {repeats = array<i64: 2>} : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.tile"(%0) {repeats = array<i64: 3>} : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.expand"(%y) {shape = array<i64: 4>} : (tensor<1xf32>) -> tensor<4xf32>
  %3 = "graph.expand"(%2) {shape = array<i64: 3, 4>} : (tensor<4xf32>) -> tensor<3x4xf32>
  return %1, %3 : tensor<?xf32>, tensor<3x4xf32>
}

// CHECK-LABEL: func.func @constants
// CHECK-DAG: "graph.full"() {value = 2.000000e+00 : f64} : () -> tensor<3x2xf32>
// CHECK-DAG: dense<[3, 2]> : tensor<2xi64>
// CHECK-NOT: graph.slice
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @constants() -> (tensor<3x2xf32>, tensor<2xi64>) {
  %f = "graph.full"() {value = 2.0 : f64} : () -> tensor<2x3xf32>
  %c = "graph.constant"() {value = dense<[1, 2, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
  %0 = "graph.transpose"(%f) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = "graph.slice"(%c) {starts = array<i64: -1>, sizes = array<i64: 2>, steps = array<i64: -1>} : (tensor<3xi64>) -> tensor<2xi64>
  return %0, %1 : tensor<3x2xf32>, tensor<2xi64>
}

// Windows of one element, each of them, and every other.
// CHECK-LABEL: func.func @windows
// CHECK-NEXT: %[[KEPT:.*]] = "graph.max_pool"
// CHECK-NEXT: return %arg0, %[[KEPT]]
func.func @windows(%x: tensor<1x3x?x?xf32>) -> (tensor<1x3x?x?xf32>, tensor<1x3x?x?xf32>) {
  %0 = "graph.max_pool"(%x) {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
  %1 = "graph.max_pool"(%x) {kernel = array<i64: 1, 1>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
  return %0, %1 : tensor<1x3x?x?xf32>, tensor<1x3x?x?xf32>
}

// -----

// A reshape that gives a dim the name of an integer stays, before another one too.

// CHECK-LABEL: func.func @named
// CHECK: %[[NAMED:.*]] = "graph.reshape"(%arg0, %{{.*}}) {graph.dims = {{.*}}"n"
// CHECK: "graph.reshape"(%[[NAMED]])
func.func @named(%x: tensor<?x4xf32>, %count: tensor<1xi64>) -> tensor<?xf32> {
  %sizes = "graph.sizes"(%count) {names = ["n"], dims = ["n", "4"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<1xi64>) -> tensor<2xi64>
  %0 = "graph.reshape"(%x, %sizes) {shape = array<i64: -1, 4>, graph.dims = [["n", ""]]} : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: -1>, graph.dims = [["4*n"]]} : (tensor<?x4xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
