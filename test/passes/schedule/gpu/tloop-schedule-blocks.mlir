// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-to-linalg),canonicalize,cse,tloop-fuse-elementwise,tloop-schedule-blocks)" --split-input-file --verify-diagnostics | filecheck %s

// One dim for two, and 1024 elements a block.
// CHECK-LABEL: func.func private @elementwise(
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{.*}} : tensor<300x100xf32> into tensor<30000xf32>
// CHECK: linalg.generic {{.*}} ins(%[[FLAT]] : tensor<30000xf32>) {{.*}} attrs = {tloop.block = "root"}
// CHECK: "tloop.schedule"
// CHECK: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"}
// CHECK-NEXT: "tloop.tile"(%[[ROOT]]) {mode = "parallel", sizes = array<i64: 1024>}
// CHECK-NOT: "tloop.
// CHECK: kernel = @elementwise
func.func private @elementwise(%x: tensor<300x100xf32>) -> tensor<300x100xf32> attributes {tloop.kernel} {
  %r = "graph.relu"(%x) : (tensor<300x100xf32>) -> tensor<300x100xf32>
  return %r : tensor<300x100xf32>
}

// Rows whole, all computations in the blocks' loop.
// CHECK-LABEL: func.func private @rows(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 8, 0>}
// CHECK-COUNT-5: "tloop.compute_at"
// CHECK: kernel = @rows
func.func private @rows(%x: tensor<37x100xf32>) -> tensor<37x100xf32> attributes {tloop.kernel} {
  %r = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<37x100xf32>) -> tensor<37x100xf32>
  return %r : tensor<37x100xf32>
}

// Rows that are too long for registers: a loop for the maximum, one for the sum, one for the quotients; powers are
// rematerialised in those that read them.
// CHECK-LABEL: func.func private @long_rows(
// CHECK: %[[ROWS:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 0>}
// CHECK-COUNT-5: "tloop.compute_at"(%{{.*}}, %[[ROWS]]#1)
// CHECK: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"}
// CHECK-NEXT: %[[ENDS:.*]]:2 = "tloop.tile"(%[[ROOT]]) {mode = "sequential", sizes = array<i64: 0, 2048>}
// CHECK-NEXT: %[[POWERS:.*]] = "tloop.get_block"() {block_name = "[[NAME:producer.]]"}
// CHECK-NEXT: "tloop.compute_at"(%[[POWERS]], %[[ENDS]]#1)
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 2048>}
// CHECK: %[[SUM:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 2048>}
// CHECK-NEXT: %[[AGAIN:.*]] = "tloop.get_block"() {block_name = "[[NAME]]"}
// CHECK-NEXT: "tloop.compute_at"(%[[AGAIN]], %[[SUM]]#1)
// CHECK: kernel = @long_rows
func.func private @long_rows(%x: tensor<3x20000xf32>) -> tensor<3x20000xf32> attributes {tloop.kernel} {
  %r = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<3x20000xf32>) -> tensor<3x20000xf32>
  return %r : tensor<3x20000xf32>
}

// Columns: 32 side by side, whole.
// CHECK-LABEL: func.func private @columns(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 32, 0>}
// CHECK-NOT: mode = "sequential"
// CHECK: kernel = @columns
func.func private @columns(%x: tensor<2x196x768xf32>) -> tensor<2x768xf32> attributes {tloop.kernel} {
  %r = "graph.reduce_sum"(%x) {axes = array<i64: 1>, keepdims = false} : (tensor<2x196x768xf32>) -> tensor<2x768xf32>
  return %r : tensor<2x768xf32>
}

// Squares, along the neighbours of both memories.
// CHECK-LABEL: func.func private @turned(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 32, 32>}
// CHECK: kernel = @turned
func.func private @turned(%x: tensor<3x100x200xf32>) -> tensor<3x200x100xf32> attributes {tloop.kernel} {
  %r = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 1>} : (tensor<3x100x200xf32>) -> tensor<3x200x100xf32>
  return %r : tensor<3x200x100xf32>
}

// What is put together is copied, each part on its own.
// CHECK-LABEL: func.func private @parts(
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<30x50xf32>) {{.*}}"root"
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<30x70xf32>) {{.*}}"root1"
// CHECK: %[[FIRST:.*]] = "tloop.get_block"() {block_name = "root"}
// CHECK-NEXT: "tloop.tile"(%[[FIRST]]) {mode = "parallel", sizes = array<i64: 16, 0>}
// CHECK: %[[SECOND:.*]] = "tloop.get_block"() {block_name = "root1"}
// CHECK-NEXT: %[[LOOP:.*]]:2 = "tloop.tile"(%[[SECOND]]) {mode = "parallel", sizes = array<i64: 8, 0>}
// CHECK-NEXT: "tloop.annotate"(%[[LOOP]]#1) {key = "accel.part", value = 1 : i64}
func.func private @parts(%a: tensor<30x50xf32>, %b: tensor<30x70xf32>) -> tensor<30x120xf32> attributes {tloop.kernel} {
  %r = "graph.concat"(%a, %b) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<30x50xf32>, tensor<30x70xf32>) -> tensor<30x120xf32>
  return %r : tensor<30x120xf32>
}

// Remainders are no linear indices of a tile: elements are read one by one.
// CHECK-LABEL: func.func private @repeated(
// CHECK: linalg.generic {indexing_maps = [#{{[a-z0-9]*}}], {{.*}} outs(
// CHECK: affine.apply
// CHECK: tensor.extract %arg0[
func.func private @repeated(%x: tensor<3x20xf32>) -> tensor<6x60xf32> attributes {tloop.kernel} {
  %r = "graph.tile"(%x) {repeats = array<i64: 2, 3>} : (tensor<3x20xf32>) -> tensor<6x60xf32>
  return %r : tensor<6x60xf32>
}

// CHECK-LABEL: func.func private @product(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 32, 32>}
// CHECK: %[[INNER:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 16>}
// CHECK-NEXT: "tloop.cache_read"(%[[INNER]]#0, %[[INNER]]#1) {block_name = "left", operand = 0 : i64}
// CHECK-NEXT: "tloop.cache_read"(%[[INNER]]#0, %[[INNER]]#1) {block_name = "right", operand = 1 : i64}
// CHECK-NEXT: "tloop.annotate"(%[[INNER]]#1) {key = "accel.stages", value = 4 : i64}
// CHECK: kernel = @product
func.func private @product(%a: tensor<3x70x100xf32>, %b: tensor<3x100x75xf32>) -> tensor<3x70x75xf32> attributes {tloop.kernel} {
  %r = "graph.matmul"(%a, %b) : (tensor<3x70x100xf32>, tensor<3x100x75xf32>) -> tensor<3x70x75xf32>
  return %r : tensor<3x70x75xf32>
}

// -----

// A splat constant is computed; one block has all of it.
// CHECK-LABEL: func.func private @constant(
// CHECK: %[[ONE:.*]] = arith.constant 2.500000e+00 : f32
// CHECK: linalg.generic {{.*}} ins(%[[ONE]] : f32) outs(%{{.*}} : tensor<256xf32>) {{.*}} {tloop.block = "root"}
// CHECK: "tloop.schedule"
// CHECK: kernel = @constant
func.func private @constant() -> tensor<256xf32> attributes {tloop.kernel} {
  %c = "graph.constant"() {value = dense<2.5> : tensor<256xf32>} : () -> tensor<256xf32>
  return %c : tensor<256xf32>
}

// -----

// A product without rows and columns has no tiles.
// CHECK-LABEL: func.func private @dot(
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK: "tloop.schedule"
// CHECK-NOT: mode = "parallel"
// CHECK: kernel = @dot
func.func private @dot(%a: tensor<3000xf32>, %b: tensor<3000xf32>) -> tensor<f32> attributes {tloop.kernel} {
  %r = "graph.matmul"(%a, %b) : (tensor<3000xf32>, tensor<3000xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
