// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-to-linalg),canonicalize,cse,tloop-fuse-elementwise,tloop-schedule-blocks)" --split-input-file --verify-diagnostics | filecheck %s

// 1024 elements a block, whole rows first.
// CHECK-LABEL: func.func private @elementwise(
// CHECK: "tloop.schedule"
// CHECK: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"}
// CHECK-NEXT: "tloop.tile"(%[[ROOT]]) {mode = "parallel", sizes = array<i64: 8, 128>}
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

func.func private @long_rows(%x: tensor<3x20000xf32>) -> tensor<3x20000xf32> attributes {tloop.kernel} {
  // expected-error @below {{rows of 32768 elements are longer than a block's tile}}
  %r = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<3x20000xf32>) -> tensor<3x20000xf32>
  return %r : tensor<3x20000xf32>
}
