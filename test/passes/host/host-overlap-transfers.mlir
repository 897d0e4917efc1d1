// RUN: mlc-opt %s --host-overlap-transfers | filecheck %s
// RUN: mlc-opt %s --host-overlap-transfers=ahead=0 | filecheck %s --check-prefix=RESULTS
// RUN: mlc-opt %s --host-overlap-transfers=ahead=9 | filecheck %s --check-prefix=EARLY
// RUN: not mlc-opt %s --host-overlap-transfers=ahead=-1 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: mlc-opt %s --host-overlap-transfers --host-plan-memory | filecheck %s --check-prefix=PLAN

// NEGATIVE: ahead is -1, but counts launches

// The weight is in flight during two launches; a value computed right before it is needed cannot be. A result is
// transferred while the next kernel runs, with the view of it.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = "tloop.launch"(%arg0)
// CHECK-NEXT: %[[W1:.*]] = "tloop.transfer"(%{{.*}}) {to = "accel"} : (tensor<16x16xf32>)
// CHECK-NEXT: %[[B:.*]] = "tloop.launch"(%[[A]])
// CHECK-NEXT: %[[C:.*]] = "tloop.launch"(%[[B]])
// CHECK-NEXT: %[[C1:.*]] = "tloop.transfer"(%[[C]]) {to = "accel"}
// CHECK-NEXT: %[[D:.*]] = "tloop.launch"(%[[C1]], %[[W1]])
// CHECK-NEXT: %[[FLAT:.*]] = "graph.reshape"(%[[D]])
// CHECK-NEXT: %[[D1:.*]] = "tloop.transfer"(%[[FLAT]]) {to = "host"}
// CHECK-NEXT: %[[E:.*]] = "tloop.launch"(%[[D]])
// CHECK-NEXT: %[[E1:.*]] = "tloop.transfer"(%[[E]]) {to = "host"}
// CHECK-NEXT: return %[[E1]], %[[D1]]

// RESULTS-LABEL: func.func @main
// RESULTS: %[[C:.*]] = "tloop.launch"(%{{.*}}) {kernel = @host
// RESULTS: %[[C:.*]] = "tloop.launch"(%{{.*}}) {kernel = @host
// RESULTS: %[[C:.*]] = "tloop.launch"(%{{.*}}) {kernel = @host
// RESULTS-NEXT: "tloop.transfer"(%{{.*}}) {to = "accel"} : (tensor<16x16xf32>)
// RESULTS-NEXT: "tloop.transfer"(%[[C]])
// RESULTS: kernel = @product
// RESULTS: {to = "host"}
// RESULTS: kernel = @square

// EARLY-LABEL: func.func @main
// EARLY-NOT: tloop.launch
// EARLY: "tloop.transfer"(%{{.*}}) {to = "accel"} : (tensor<16x16xf32>)
// EARLY-COUNT-3: kernel = @host

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A transfer in flight has a token; waits are as late as possible. The square may not overwrite the product, which is
// still read, although its kernel could.
// PLAN-LABEL: func.func @main(%arg0: memref<4x16xf32>, %arg1: memref<4x16xf32>, %arg2: memref<64xf32>
// PLAN: kernel = @host
// PLAN: %[[T0:.*]] = gpu.memcpy async %{{.*}}, %arg3 : memref<16x16xf32>, memref<16x16xf32> {tloop.transfer = "accel"}
// PLAN: kernel = @host
// PLAN: kernel = @host
// PLAN: memref.copy %{{.*}}, %{{.*}} {tloop.transfer = "accel"} : memref<4x16xf32> to memref<4x16xf32>
// PLAN: gpu.wait [%[[T0]]]
// PLAN-NEXT: "tloop.launch_into"({{.*}}, %[[P:.*]]) {kernel = @product
// PLAN: %[[T1:.*]] = gpu.memcpy async %arg2, %{{.*}} : memref<64xf32>, memref<64xf32> {tloop.transfer = "host"}
// PLAN: %[[S:.*]] = memref.view %arg4
// PLAN-NEXT: "tloop.launch_into"(%[[P]], %[[S]]) {kernel = @square
// PLAN-NEXT: memref.copy %[[S]], %arg1 {tloop.transfer = "host"}
// PLAN-NEXT: gpu.wait [%[[T1]]]
// PLAN-NEXT: return
func.func private @host(%a: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {tloop.kernel}
func.func private @product(%a: tensor<4x16xf32>, %b: tensor<16x16xf32>) -> tensor<4x16xf32> attributes {tloop.kernel, tloop.device = "accel"}
func.func private @square(%a: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {tloop.kernel, tloop.device = "accel", tloop.in_place = array<i64: 0>}
func.func @main(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<64xf32>) {
  %w = "graph.weight"() {hash = "00", offset = 0 : i64, size = 1024 : i64, source = "w"} : () -> tensor<16x16xf32>
  %a = "tloop.launch"(%x) {kernel = @host, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %b = "tloop.launch"(%a) {kernel = @host, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %c = "tloop.launch"(%b) {kernel = @host, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %w1 = "tloop.transfer"(%w) {to = "accel"} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %c1 = "tloop.transfer"(%c) {to = "accel"} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %d = "tloop.launch"(%c1, %w1) {kernel = @product, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %e = "tloop.launch"(%d) {kernel = @square, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %flat = "graph.reshape"(%d) {shape = array<i64: 64>} : (tensor<4x16xf32>) -> tensor<64xf32>
  %d1 = "tloop.transfer"(%flat) {to = "host"} : (tensor<64xf32>) -> tensor<64xf32>
  %e1 = "tloop.transfer"(%e) {to = "host"} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %e1, %d1 : tensor<4x16xf32>, tensor<64xf32>
}
