// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-lower-precision{to=bf16},canonicalize))" --split-input-file | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-lower-precision{to=tf32},canonicalize))" --split-input-file | filecheck %s --check-prefix=SINGLE

// Floats of 8 bits are read by the product, whatever scales they have; the scales come after it, those of columns with
// their dim where the result has it.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<64x32xf8E4M3FN>, %[[W:[a-z0-9]+]]: tensor<48x32xf8E5M2>, %[[S:[a-z0-9]+]]: tensor<f32>, %[[T:[a-z0-9]+]]: tensor<48xf32>
// CHECK-DAG: %[[A:.*]] = "graph.cast"(%[[X]]) {graph.rematerialize{{.*}}} : (tensor<64x32xf8E4M3FN>) -> tensor<64x32xf32>
// CHECK-DAG: %[[TURNED:.*]] = "graph.transpose"(%[[W]]) {permutation = array<i64: 1, 0>}
// CHECK-DAG: %[[B:.*]] = "graph.cast"(%[[TURNED]]) {graph.rematerialize{{.*}}} : (tensor<32x48xf8E5M2>) -> tensor<32x48xf32>
// CHECK: %[[P:.*]] = "graph.matmul"(%[[A]], %[[B]]) : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
// CHECK-NEXT: %[[Q:.*]] = "graph.mul"(%[[P]], %[[S]])
// CHECK-NEXT: %[[R:.*]] = "graph.mul"(%[[Q]], %[[COLUMNS:.*]]) : (tensor<64x48xf32>, tensor<1x48xf32>)
// CHECK-NEXT: return %[[R]]
// Not of tf32 either.
// SINGLE-LABEL: func.func @scaled
// SINGLE-NOT: accel.precision
// SINGLE: "graph.matmul"
// SINGLE-NOT: accel.precision
// SINGLE-LABEL: func.func @along
// SINGLE: "graph.matmul"({{.*}}) {accel.precision = "tf32"}
module attributes {tloop.target = "cuda:sm_90a"} {
func.func @scaled(%x: tensor<64x32xf8E4M3FN>, %w: tensor<48x32xf8E5M2>, %s: tensor<f32>, %t: tensor<48xf32>) -> tensor<64x48xf32> {
  %0 = "graph.dequantize_linear"(%x, %s) {axis = 1 : i64} : (tensor<64x32xf8E4M3FN>, tensor<f32>) -> tensor<64x32xf32>
  %1 = "graph.dequantize_linear"(%w, %t) {axis = 0 : i64} : (tensor<48x32xf8E5M2>, tensor<48xf32>) -> tensor<48x32xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<48x32xf32>) -> tensor<32x48xf32>
  %3 = "graph.matmul"(%0, %2) : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  return %3 : tensor<64x48xf32>
}
}

// -----

// Scales along the reduction belong to its terms, and so does a zero point that is none; a product with one operand of 8
// bits is one of 16.
// CHECK-LABEL: func.func @along
// CHECK-NOT: graph.rematerialize
// CHECK: "graph.matmul"({{.*}}) {graph.unrounded} : (tensor<64x32xbf16>, tensor<32x48xbf16>)
// CHECK-LABEL: func.func @one
// CHECK-NOT: graph.rematerialize
// CHECK: "graph.matmul"({{.*}}) {graph.unrounded} : (tensor<64x32xbf16>, tensor<32x48xbf16>)
module attributes {tloop.target = "cuda:sm_90a"} {
func.func @along(%x: tensor<64x32xf8E4M3FN>, %w: tensor<32x48xf8E4M3FN>, %s: tensor<32xf32>) -> tensor<64x48xf32> {
  %0 = "graph.dequantize_linear"(%x, %s) {axis = 1 : i64} : (tensor<64x32xf8E4M3FN>, tensor<32xf32>) -> tensor<64x32xf32>
  %1 = "graph.cast"(%w) : (tensor<32x48xf8E4M3FN>) -> tensor<32x48xf32>
  %2 = "graph.matmul"(%0, %1) : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}

func.func @one(%x: tensor<64x32xf32>, %w: tensor<32x48xf8E4M3FN>) -> tensor<64x48xf32> {
  %0 = "graph.cast"(%w) : (tensor<32x48xf8E4M3FN>) -> tensor<32x48xf32>
  %1 = "graph.matmul"(%x, %0) : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}
}

// -----

// Processors have no such products.
// CHECK-LABEL: func.func @processor
// CHECK-NOT: graph.rematerialize
// CHECK: "graph.matmul"({{.*}}) {graph.unrounded} : (tensor<64x32xbf16>, tensor<32x48xbf16>)
module attributes {tloop.target = "x86-64-v4"} {
func.func @processor(%x: tensor<64x32xf8E4M3FN>, %w: tensor<32x48xf8E4M3FN>) -> tensor<64x48xf32> {
  %0 = "graph.cast"(%x) : (tensor<64x32xf8E4M3FN>) -> tensor<64x32xf32>
  %1 = "graph.cast"(%w) : (tensor<32x48xf8E4M3FN>) -> tensor<32x48xf32>
  %2 = "graph.matmul"(%0, %1) : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}
}
