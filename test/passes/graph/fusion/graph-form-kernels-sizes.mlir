// RUN: mlc-opt %s --graph-form-kernels | filecheck %s

// Sizes become numbers of kernels, data where somebody reads them as such, and are read off tensors.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x4xf32> {graph.dims = ["n", ""]}, %w: tensor<?x4xf32> {graph.dims = ["m", ""]},
                %s: tensor<2xi64>) -> (tensor<?x?xf32>, tensor<2xi64>) {
  // Which of the dims are 1 is known at run time only.
  // CHECK-NEXT: "tloop.expect"() {left = "n", relation = "broadcast", right = "broadcast(m, n)", what = "add"}
  // CHECK-NEXT: "tloop.expect"() {left = "m", relation = "broadcast", right = "broadcast(m, n)", what = "add"}
  // CHECK: "tloop.launch"(%arg1) {graph.dims = {{\[}}["broadcast(m, n)", ""]], kernel = @expand_{{.*}}, tloop.dims = ["m", "broadcast(m, n)"]}
  // CHECK: %[[SUM:.*]] = "tloop.launch"(%arg0, %{{.*}}) {graph.dims = {{\[}}["broadcast(m, n)", ""]], kernel = @expand_add_
  %0 = "graph.add"(%x, %w) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK-NEXT: "tloop.read_sizes"(%arg2) {names = ["k", "l"]}
  // CHECK-NEXT: "tloop.expect"() {left = "4*broadcast(m, n)", relation = "equal", right = "k*l", what = "reshape"}
  // CHECK-NEXT: %[[FLAT:.*]] = "graph.reshape"(%[[SUM]]) {graph.dims = {{\[}}["k", "l"]], shape = array<i64: -1, -1>} : (tensor<?x4xf32>) -> tensor<?x?xf32>
  %1 = "graph.sizes"(%s) {names = ["k", "l"], dims = ["k", "l"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<2xi64>
  %2 = "graph.reshape"(%0, %1) {shape = array<i64: -1, -1>} : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK-NEXT: "tloop.launch"(%[[FLAT]]) {graph.dims = {{\[}}["k", "l"]], kernel = @exp_{{.*}}, tloop.dims = ["k", "l"]}
  %3 = "graph.exp"(%2) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK-NEXT: "tloop.size_values"() {dims = ["broadcast(m, n)", "4"]} : () -> tensor<2xi64>
  %4 = "graph.shape_of"(%0) : (tensor<?x4xf32>) -> tensor<2xi64>
  return %3, %4 : tensor<?x?xf32>, tensor<2xi64>
}

// Results that are views of one value are copies, each in its own shape.
// CHECK-LABEL: func.func @prepare
// CHECK: %[[X:.*]] = "tloop.launch"(%arg0) {graph.dims = {{\[}}["n", "m"]], kernel = @identity_
// CHECK: %[[TURNED:.*]] = "graph.reshape"(%[[X]]) {graph.dims = {{\[}}["m", "n"]], shape = array<i64: -1, -1>}
// CHECK: %[[Y:.*]] = "tloop.launch"(%[[TURNED]]) {graph.dims = {{\[}}["m", "n"]], kernel = @identity_
// CHECK: return %[[X]], %[[Y]]
func.func @prepare(%x: tensor<?x?xf32> {graph.dims = ["n", "m"]}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = "graph.shape_of"(%x) : (tensor<?x?xf32>) -> tensor<2xi64>
  %1 = "graph.sizes"(%0) {names = ["n", "m"], dims = ["m", "n"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<2xi64>
  %2 = "graph.reshape"(%x, %1) {shape = array<i64: -1, -1>} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %x, %2 : tensor<?x?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func private @exp_
// CHECK-SAME: (%arg0: tensor<?x?xf32>, %arg1: tensor<2xindex>) -> tensor<?x?xf32> attributes {tloop.dims = {{\[}}["d0", "d1"], ["d0", "d1"]], tloop.in_place = array<i64: 0>, tloop.kernel}
// CHECK-NEXT: "graph.exp"(%arg0) {graph.dims = {{\[}}["d0", "d1"]]}
