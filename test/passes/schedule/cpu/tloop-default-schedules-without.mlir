// RUN: mlc-opt %s --graph-to-linalg --canonicalize --cse --tloop-default-schedules | filecheck %s --check-prefix=FIRST
// RUN: mlc-opt %s --graph-to-linalg --canonicalize --cse --tloop-default-schedules="without=register-tiles" | filecheck %s --check-prefix=ROWS
// RUN: mlc-opt %s --graph-to-linalg --canonicalize --cse --tloop-default-schedules="without=register-tiles,rows" | filecheck %s --check-prefix=LOOPS

// The next schedule of the list that fits: rows instead of register tiles, then none. The copy that register tiles add is gone.
// FIRST: tloop.block = "anchor"
// FIRST: "tloop.vectorize"
// ROWS-COUNT-2: linalg.generic
// ROWS-NOT: linalg.generic
// ROWS: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 1, 48>}
// ROWS: "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 1>}
// ROWS-NOT: "tloop.vectorize"
// LOOPS-COUNT-2: linalg.generic
// LOOPS-NOT: linalg.generic
// LOOPS-NOT: "tloop.schedule"
module attributes {tloop.target = "name=x86-64-v4"} {
func.func private @product(%a: tensor<40x30xf32>, %b: tensor<30x48xf32>) -> tensor<40x48xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<40x30xf32>, tensor<30x48xf32>) -> tensor<40x48xf32>
  return %0 : tensor<40x48xf32>
}
}
