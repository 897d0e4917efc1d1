// RUN: mlc-opt %s --host-plan-memory --canonicalize --split-input-file | filecheck %s

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// The operands of a concatenation are written to the result's buffer; those of a nested concatenation too. Values in other
// buffers (an input, or an operand that occurs twice) are copied.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<1x4x8xf32>, %{{.*}}: memref<1x14x8xf32>, %[[ARENA:.*]]: memref<448xi8>)
// CHECK-SAME: tloop.arena_bytes = 448 : i64, tloop.arena_lower_bound = 448 : i64
// CHECK-SAME: tloop.unshared_bytes = 640 : i64
// CHECK-DAG: %[[A:.*]] = memref.view %[[ARENA]][%c0][] : memref<448xi8> to memref<1x4x8xf32>
// CHECK: "tloop.launch_into"(%[[X]], %[[A]]) {kernel = @k
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%c128][] : memref<448xi8> to memref<1x2x8xf32>
// CHECK-NEXT: "tloop.launch_into"(%[[A]], %[[B]]) {kernel = @half
// CHECK: %[[C:.*]] = memref.view %[[ARENA]][%c192][] : memref<448xi8> to memref<1x4x8xf32>
// CHECK-NEXT: memref.copy %[[X]], %[[C]]
// CHECK: %[[D:.*]] = memref.view %[[ARENA]][%c320][]
// CHECK-NEXT: memref.copy %[[A]], %[[D]]
// CHECK-NOT: memref.copy
// CHECK: %[[ALL:.*]] = memref.view %[[ARENA]][%c0][] : memref<448xi8> to memref<1x14x8xf32>
// CHECK-NEXT: "tloop.launch_into"(%[[ALL]], %{{.*}}) {kernel = @all
func.func private @k(%a: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> attributes {tloop.kernel}
func.func private @half(%a: tensor<1x4x8xf32>) -> tensor<1x2x8xf32> attributes {tloop.kernel}
func.func private @all(%a: tensor<1x14x8xf32>) -> tensor<1x14x8xf32> attributes {tloop.kernel}
func.func @main(%x: tensor<1x4x8xf32>) -> tensor<1x14x8xf32> {
  %a = "tloop.launch"(%x) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %b = "tloop.launch"(%a) {kernel = @half, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x4x8xf32>) -> tensor<1x2x8xf32>
  %c = "graph.concat"(%a, %b) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x4x8xf32>, tensor<1x2x8xf32>) -> tensor<1x6x8xf32>
  %d = "graph.concat"(%c, %x, %a) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<1x6x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x14x8xf32>
  %e = "tloop.launch"(%d) {kernel = @all, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x14x8xf32>) -> tensor<1x14x8xf32>
  return %e : tensor<1x14x8xf32>
}

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A returned value has a separate buffer, so that the concatenation copies it; and it is written into the output if it
// is returned itself.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<1x4x8xf32>, %[[OUT:.*]]: memref<1x8x8xf32>, %[[A:.*]]: memref<1x4x8xf32>, %{{.*}}: memref<0xi8>)
// CHECK: "tloop.launch_into"(%[[X]], %[[A]])
// CHECK: %[[FIRST:.*]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [1, 4, 8]
// CHECK: "tloop.launch_into"(%[[A]], %[[FIRST]])
// CHECK: %[[SECOND:.*]] = memref.reinterpret_cast %[[OUT]] to offset: [32], sizes: [1, 4, 8], strides: [32, 8, 1]
// CHECK: memref.copy %[[A]], %[[SECOND]]
func.func private @k(%a: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> attributes {tloop.kernel}
func.func @main(%x: tensor<1x4x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x4x8xf32>) {
  %a = "tloop.launch"(%x) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %b = "tloop.launch"(%a) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %c = "graph.concat"(%b, %a) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x8x8xf32>
  return %c, %a : tensor<1x8x8xf32>, tensor<1x4x8xf32>
}

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A contiguous slice is a part of its operand's buffer, which lives as long.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<1x4x8xf32>, %{{.*}}: memref<1x2x8xf32>, %[[Y:.*]]: memref<1x2x8xf32>, %[[ARENA:.*]]: memref<128xi8>)
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%c0][]
// CHECK: "tloop.launch_into"(%[[X]], %[[A]])
// CHECK: %[[PART:.*]] = memref.view %[[ARENA]][%c32][] : memref<128xi8> to memref<1x2x8xf32>
// CHECK: "tloop.launch_into"(%[[PART]], %{{.*}})
// CHECK: %[[INPUT:.*]] = memref.reinterpret_cast %[[X]] to offset: [16], sizes: [1, 2, 8], strides: [16, 8, 1]
// CHECK: "tloop.launch_into"(%[[INPUT]], %[[Y]])
func.func private @k(%a: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> attributes {tloop.kernel}
func.func private @h(%a: tensor<1x2x8xf32>) -> tensor<1x2x8xf32> attributes {tloop.kernel}
func.func @main(%x: tensor<1x4x8xf32>) -> (tensor<1x2x8xf32>, tensor<1x2x8xf32>) {
  %a = "tloop.launch"(%x) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %s = "graph.slice"(%a) {starts = array<i64: 0, 1, 0>, sizes = array<i64: 1, 2, 8>, steps = array<i64: 1, 1, 1>} : (tensor<1x4x8xf32>) -> tensor<1x2x8xf32>
  %b = "tloop.launch"(%s) {kernel = @h, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  %u = "graph.slice"(%x) {starts = array<i64: 0, 2, 0>, sizes = array<i64: 1, 2, 8>, steps = array<i64: 1, 1, 1>} : (tensor<1x4x8xf32>) -> tensor<1x2x8xf32>
  %v = "tloop.launch"(%u) {kernel = @h, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return %b, %v : tensor<1x2x8xf32>, tensor<1x2x8xf32>
}

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A kernel made for it writes over an operand that it reads last (%b here, not %a).
// CHECK-LABEL: func.func @main
// CHECK-SAME: tloop.arena_bytes = 256 : i64
// CHECK: %[[A:.*]] = memref.view %{{.*}}[%c0][]
// CHECK: "tloop.launch_into"(%{{.*}}, %[[A]]) {kernel = @k
// CHECK: %[[B:.*]] = memref.view %{{.*}}[%c128][]
// CHECK: "tloop.launch_into"(%[[A]], %[[B]]) {kernel = @k
// CHECK: "tloop.launch_into"(%[[A]], %[[B]], %[[B]]) {kernel = @add
// CHECK: "tloop.launch_into"(%[[A]], %[[B]], %[[A]]) {kernel = @add
func.func private @k(%a: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> attributes {tloop.kernel}
func.func private @add(%a: tensor<1x4x8xf32>, %b: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> attributes {tloop.kernel, tloop.in_place = array<i64: 0, 1>}
func.func @main(%x: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %a = "tloop.launch"(%x) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %b = "tloop.launch"(%a) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %c = "tloop.launch"(%a, %b) {kernel = @add, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %d = "tloop.launch"(%a, %c) {kernel = @add, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %e = "tloop.launch"(%d) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return %e : tensor<1x4x8xf32>
}
