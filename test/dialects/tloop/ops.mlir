// RUN: %roundtrip

#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_25 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A schedule, every primitive in it.
// CHECK-LABEL: func.func private @kernel
func.func private @kernel(%x: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {tloop.kernel} {
  return %x : tensor<8x16xf32>
}

// CHECK: "tloop.schedule"() ({
// CHECK-NEXT: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
// CHECK-NEXT: %[[PRODUCER:.*]] = "tloop.get_block"() {block_name = "producer"} : () -> !tloop.block
// CHECK-NEXT: %[[ORDERED:.*]] = "tloop.interchange"(%[[ROOT]]) {permutation = array<i64: 1, 0>} : (!tloop.block) -> !tloop.block
// CHECK-NEXT: %[[TILED:.*]]:2 = "tloop.tile"(%[[ORDERED]]) {mode = "parallel", sizes = array<i64: 3, 0>} : (!tloop.block) -> (!tloop.block, !tloop.loop)
// CHECK-NEXT: %[[MOVED:.*]] = "tloop.compute_at"(%[[PRODUCER]], %[[TILED]]#1) : (!tloop.block, !tloop.loop) -> !tloop.block
// CHECK-NEXT: %[[INNER:.*]]:2 = "tloop.tile"(%[[TILED]]#0) {mode = "sequential", sizes = array<i64: 0, 5>}
// CHECK-NEXT: "tloop.peel"(%[[INNER]]#1) : (!tloop.loop) -> ()
// CHECK-NEXT: "tloop.shift_inwards"(%[[INNER]]#1) : (!tloop.loop) -> ()
// CHECK-NEXT: "tloop.balance"(%[[INNER]]#1) : (!tloop.loop) -> ()
// CHECK-NEXT: "tloop.skip_padding"(%[[INNER]]#1) : (!tloop.loop) -> ()
// CHECK-NEXT: "tloop.stream_keys"(%[[INNER]]#1) {keys = 512 : i64, queries = 32 : i64} : (!tloop.loop) -> ()
// CHECK-NEXT: "tloop.unroll"(%[[INNER]]#1) {factor = 2 : i64} : (!tloop.loop) -> ()
// CHECK-NEXT: "tloop.vectorize"(%[[MOVED]], %[[INNER]]#0) : (!tloop.block, !tloop.block) -> ()
// CHECK-NEXT: }) {kernel = @kernel} : () -> ()
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %producer = "tloop.get_block"() {block_name = "producer"} : () -> !tloop.block
  %ordered = "tloop.interchange"(%root) {permutation = array<i64: 1, 0>} : (!tloop.block) -> !tloop.block
  %tiled, %loop = "tloop.tile"(%ordered) {sizes = array<i64: 3, 0>, mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  %moved = "tloop.compute_at"(%producer, %loop) : (!tloop.block, !tloop.loop) -> !tloop.block
  %inner, %for = "tloop.tile"(%tiled) {sizes = array<i64: 0, 5>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.peel"(%for) : (!tloop.loop) -> ()
  "tloop.shift_inwards"(%for) : (!tloop.loop) -> ()
  "tloop.balance"(%for) : (!tloop.loop) -> ()
  "tloop.skip_padding"(%for) : (!tloop.loop) -> ()
  "tloop.stream_keys"(%for) {queries = 32 : i64, keys = 512 : i64} : (!tloop.loop) -> ()
  "tloop.unroll"(%for) {factor = 2 : i64} : (!tloop.loop) -> ()
  "tloop.vectorize"(%moved, %inner) : (!tloop.block, !tloop.block) -> ()
}) {kernel = @kernel} : () -> ()

// Operands and results of different types.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]]:2 = "tloop.launch"(%arg0, %arg1)
// CHECK-SAME: {kernel = @two, operandSegmentSizes = array<i32: 1, 1, 0, {{.*}}>, resultSegmentSizes = array<i32: 1, 1, 0, 0>}
// CHECK-SAME: : (tensor<4xf32>, tensor<i64>) -> (tensor<2x2xf32>, tensor<4xi1>)
// CHECK: return %[[R]]#0
func.func @main(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<2x2xf32> {
  %0:2 = "tloop.launch"(%x, %n) {kernel = @two, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4xf32>, tensor<i64>) -> (tensor<2x2xf32>, tensor<4xi1>)
  return %0#0 : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @planned
// CHECK: "tloop.launch_into"(%arg0, %arg1) {kernel = @one, num_outputs = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, {{.*}}>} : (memref<4xf32>, memref<4xi1>) -> ()
func.func @planned(%x: memref<4xf32>, %y: memref<4xi1>) {
  "tloop.launch_into"(%x, %y) {kernel = @one, num_outputs = 1 : i64, operandSegmentSizes = #first_2_of_25} : (memref<4xf32>, memref<4xi1>) -> ()
  return
}

// CHECK-LABEL: func.func @transfer
// CHECK: "tloop.transfer"(%arg0) {to = "accel"} : (tensor<4xf32>) -> tensor<4xf32>
func.func @transfer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tloop.transfer"(%x) {to = "accel"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
