// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --canonicalize --cse --tloop-default-schedules | filecheck %s

// Threads share the panels; as many rows as only running tells go to balanced register tiles.
// CHECK-LABEL: func.func private @product
// CHECK: "tloop.schedule"
// CHECK: %[[PANEL:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 0, 1>}
// CHECK: %[[ROWS:.*]]:2 = "tloop.tile"(%[[PANEL]]#0) {mode = "sequential", sizes = array<i64: 12>}
// CHECK: "tloop.balance"(%[[ROWS]]#1)
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 2>}
// CHECK: "tloop.vectorize"
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
func.func private @product(%a: tensor<?x768xf32>, %b: tensor<24x768x32xf32>, %c: tensor<1x24x32xf32>, %dims: tensor<1xindex>) -> tensor<?x24x32xf32>
    attributes {tloop.kernel, tloop.dims = [["d0", ""], ["", "", ""], ["", "", ""], ["d0", "", ""]]} {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<?x768xf32>, tensor<24x768x32xf32>) -> tensor<?x24x32xf32>
  %1 = "graph.add"(%0, %c) : (tensor<?x24x32xf32>, tensor<1x24x32xf32>) -> tensor<?x24x32xf32>
  return %1 : tensor<?x24x32xf32>
}
}

// -----

// A reduction of as many steps as only running tells takes them one by one.
// CHECK-LABEL: func.func private @inner
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 10>}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 1>}
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
func.func private @inner(%a: tensor<20x?xf32>, %b: tensor<?x32xf32>, %dims: tensor<1xindex>) -> tensor<20x32xf32>
    attributes {tloop.kernel, tloop.dims = [["", "d0"], ["d0", ""], ["", ""]]} {
  %0 = "graph.matmul"(%a, %b) : (tensor<20x?xf32>, tensor<?x32xf32>) -> tensor<20x32xf32>
  return %0 : tensor<20x32xf32>
}
}
