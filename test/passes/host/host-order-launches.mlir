// RUN: mlc-opt %s --host-order-launches --split-input-file | filecheck %s

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Both large values would be live together; each branch is finished before the next begins.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = "tloop.launch"(%arg0) {kernel = @grow
// CHECK-NEXT: %[[SA:.*]] = "tloop.launch"(%[[A]]) {kernel = @shrink
// CHECK-NEXT: %[[B:.*]] = "tloop.launch"(%arg0) {kernel = @grow
// CHECK-NEXT: %[[SB:.*]] = "tloop.launch"(%[[B]]) {kernel = @shrink
// CHECK-NEXT: "tloop.launch"(%[[SA]], %[[SB]]) {kernel = @add
func.func private @grow(%a: tensor<16xf32>) -> tensor<256xf32> attributes {tloop.kernel}
func.func private @shrink(%a: tensor<256xf32>) -> tensor<16xf32> attributes {tloop.kernel}
func.func private @add(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> attributes {tloop.kernel}
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %a = "tloop.launch"(%x) {kernel = @grow, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<256xf32>
  %b = "tloop.launch"(%x) {kernel = @grow, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<256xf32>
  %c = "tloop.launch"(%a) {kernel = @shrink, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<256xf32>) -> tensor<16xf32>
  %d = "tloop.launch"(%b) {kernel = @shrink, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<256xf32>) -> tensor<16xf32>
  %e = "tloop.launch"(%c, %d) {kernel = @add, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// No order needs less: nothing moves.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = "tloop.launch"(%arg0) {kernel = @k
// CHECK-NEXT: %[[B:.*]] = "tloop.launch"(%arg0) {kernel = @other
// CHECK-NEXT: "tloop.launch"(%[[B]], %[[A]]) {kernel = @add
func.func private @k(%a: tensor<16xf32>) -> tensor<16xf32> attributes {tloop.kernel}
func.func private @other(%a: tensor<16xf32>) -> tensor<16xf32> attributes {tloop.kernel}
func.func private @add(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> attributes {tloop.kernel}
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %a = "tloop.launch"(%x) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
  %b = "tloop.launch"(%x) {kernel = @other, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
  %c = "tloop.launch"(%b, %a) {kernel = @add, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %c : tensor<16xf32>
}

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Sizes that are not known leave the order as it is.
// CHECK-LABEL: func.func @main
// CHECK: kernel = @first
// CHECK-NEXT: kernel = @second
func.func private @first(%a: tensor<?xf32>) -> tensor<?xf32> attributes {tloop.kernel}
func.func private @second(%a: tensor<?xf32>) -> tensor<?xf32> attributes {tloop.kernel}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %a = "tloop.launch"(%x) {kernel = @first, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?xf32>) -> tensor<?xf32>
  %b = "tloop.launch"(%x) {kernel = @second, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?xf32>) -> tensor<?xf32>
  %c = "tloop.launch"(%b) {kernel = @second, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?xf32>) -> tensor<?xf32>
  return %c : tensor<?xf32>
}
