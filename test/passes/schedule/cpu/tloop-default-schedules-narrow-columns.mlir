// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --tloop-default-schedules | filecheck %s
// RUN: mlc-opt %s --split-input-file --cpu-kernel | filecheck %s --check-prefix=VECTORS

// All computations of a row step through it; a step is a vector of the 14 columns.
// CHECK-LABEL: func.func private @softmax
// CHECK: %[[ROW:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 0, 14>}
// CHECK-COUNT-4: "tloop.tile"(%{{.*}}) {mode = "sequential"
// CHECK: "tloop.vectorize"
// CHECK: kernel = @softmax
// VECTORS-LABEL: softmax
// VECTORS: llvm.intr.maximum{{.*}}vector<14xf32>
// VECTORS: llvm.fdiv {{.*}} : vector<14xf32>
module attributes {tloop.target = "x86-64-v4"} {
func.func private @softmax(%x: tensor<62x143x14xf32>) -> tensor<62x143x14xf32> attributes {tloop.kernel} {
  %0 = "graph.softmax"(%x) {axis = 1} : (tensor<62x143x14xf32>) -> tensor<62x143x14xf32>
  return %0 : tensor<62x143x14xf32>
}
}

// -----

// LLVM vectorises along whole vectors of columns.
// CHECK-LABEL: func.func private @wide
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 0, 16>}
// CHECK-NOT: "tloop.vectorize"
// CHECK: kernel = @wide
module attributes {tloop.target = "x86-64-v4"} {
func.func private @wide(%x: tensor<62x143x16xf32>) -> tensor<62x143x16xf32> attributes {tloop.kernel} {
  %0 = "graph.softmax"(%x) {axis = 1} : (tensor<62x143x16xf32>) -> tensor<62x143x16xf32>
  return %0 : tensor<62x143x16xf32>
}
}
