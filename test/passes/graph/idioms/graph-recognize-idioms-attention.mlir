// RUN: mlc-opt %s --graph-recognize-idioms | filecheck %s

// Scaled by a division, with an additive mask, batch and lengths not known; the keys become what they were
// transposed from.
// CHECK-LABEL: func.func @masked
// CHECK-NEXT: "graph.attention"(%arg0, %arg1, %arg2, %arg3) {causal = false, graph.dims = {{.*}}"batch", "", "seq", ""{{.*}}, safe = false, scale = 1.250000e-01 : f64}
// CHECK-NEXT: return
func.func @masked(%q: tensor<?x12x?x64xf32> {graph.dims = ["batch", "", "seq", ""]}, %k: tensor<?x12x?x64xf32> {graph.dims = ["batch", "", "keys", ""]},
    %v: tensor<?x12x?x64xf32> {graph.dims = ["batch", "", "keys", ""]},
                  %mask: tensor<?x1x1x?xf32> {graph.dims = ["batch", "", "", "keys"]}) -> tensor<?x12x?x64xf32> {
  %eight = "graph.constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.transpose"(%k) {permutation = array<i64: 0, 1, 3, 2>} : (tensor<?x12x?x64xf32>) -> tensor<?x12x64x?xf32>
  %1 = "graph.matmul"(%q, %0) : (tensor<?x12x?x64xf32>, tensor<?x12x64x?xf32>) -> tensor<?x12x?x?xf32>
  %2 = "graph.div"(%1, %eight) : (tensor<?x12x?x?xf32>, tensor<f32>) -> tensor<?x12x?x?xf32>
  %3 = "graph.add"(%2, %mask) : (tensor<?x12x?x?xf32>, tensor<?x1x1x?xf32>) -> tensor<?x12x?x?xf32>
  %4 = "graph.softmax"(%3) {axis = 3} : (tensor<?x12x?x?xf32>) -> tensor<?x12x?x?xf32>
  %5 = "graph.matmul"(%4, %v) : (tensor<?x12x?x?xf32>, tensor<?x12x?x64xf32>) -> tensor<?x12x?x64xf32>
  return %5 : tensor<?x12x?x64xf32>
}

// Dynamic counts of heads, equal for queries and keys; but not where two names may differ.
// CHECK-LABEL: func.func @any_heads
// CHECK-NEXT: "graph.attention"(%arg0, %arg1, %arg2) {{.*}}"heads"
// CHECK-NEXT: "graph.transpose"
// CHECK-NEXT: "graph.matmul"
// CHECK-NOT: graph.attention
func.func @any_heads(%q: tensor<?x5x8xf32> {graph.dims = ["heads", "", ""]}, %k: tensor<?x7x8xf32> {graph.dims = ["heads", "", ""]},
                     %v: tensor<?x7x8xf32> {graph.dims = ["heads", "", ""]}, %other: tensor<?x7x8xf32> {graph.dims = ["others", "", ""]})
    -> (tensor<?x5x8xf32>, tensor<?x5x8xf32>) {
  %0 = "graph.transpose"(%k) {permutation = array<i64: 0, 2, 1>} : (tensor<?x7x8xf32>) -> tensor<?x8x7xf32>
  %1 = "graph.matmul"(%q, %0) : (tensor<?x5x8xf32>, tensor<?x8x7xf32>) -> tensor<?x5x7xf32>
  %2 = "graph.softmax"(%1) {axis = 2} : (tensor<?x5x7xf32>) -> tensor<?x5x7xf32>
  %3 = "graph.matmul"(%2, %v) : (tensor<?x5x7xf32>, tensor<?x7x8xf32>) -> tensor<?x5x8xf32>
  %4 = "graph.transpose"(%other) {permutation = array<i64: 0, 2, 1>} : (tensor<?x7x8xf32>) -> tensor<?x8x7xf32>
  %5 = "graph.matmul"(%q, %4) : (tensor<?x5x8xf32>, tensor<?x8x7xf32>) -> tensor<?x5x7xf32>
  %6 = "graph.softmax"(%5) {axis = 2} : (tensor<?x5x7xf32>) -> tensor<?x5x7xf32>
  %7 = "graph.matmul"(%6, %v) : (tensor<?x5x7xf32>, tensor<?x7x8xf32>) -> tensor<?x5x8xf32>
  return %3, %7 : tensor<?x5x8xf32>, tensor<?x5x8xf32>
}

// Keys as one transpose of what they were; both operands scaled; rank 3.
// CHECK-LABEL: func.func @scaled_operands
// CHECK-NEXT: %[[KEYS:.*]] = "graph.transpose"(%arg1) {permutation = array<i64: 1, 0, 2>}
// CHECK-NEXT: "graph.attention"(%arg0, %[[KEYS]], %arg2) {causal = false, safe = false, scale = 1.250000e-01 : f64}
// CHECK-NEXT: return
func.func @scaled_operands(%q: tensor<2x3x64xf32>, %k: tensor<3x2x64xf32>, %v: tensor<2x3x64xf32>) -> tensor<2x3x64xf32> {
  %half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %quarter = "graph.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.transpose"(%k) {permutation = array<i64: 1, 2, 0>} : (tensor<3x2x64xf32>) -> tensor<2x64x3xf32>
  %1 = "graph.mul"(%0, %half) : (tensor<2x64x3xf32>, tensor<f32>) -> tensor<2x64x3xf32>
  %2 = "graph.mul"(%quarter, %q) : (tensor<f32>, tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  %3 = "graph.matmul"(%2, %1) : (tensor<2x3x64xf32>, tensor<2x64x3xf32>) -> tensor<2x3x3xf32>
  %4 = "graph.softmax"(%3) {axis = 2} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %5 = "graph.matmul"(%4, %v) : (tensor<2x3x3xf32>, tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  return %5 : tensor<2x3x64xf32>
}

// Boolean masks that choose minus infinity, and zeros for rows that exclude all keys.
// CHECK-LABEL: func.func @chosen
// CHECK: %[[KEPT:.*]] = "graph.not"(%arg3)
// CHECK: "graph.attention"(%arg0, %{{.*}}, %arg2, %[[KEPT]]) {causal = false, fill = 0xFFF0000000000000 : f64, safe = true, scale = 1.000000e+00 : f64}
// CHECK-NEXT: return
func.func @chosen(%q: tensor<2x3x4xf32>, %k: tensor<2x4x3xf32>, %v: tensor<2x3x5xf32>, %mask: tensor<3x3xi1>) -> tensor<2x3x5xf32> {
  %low = "graph.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> tensor<f32>
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.matmul"(%q, %k) : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
  %1 = "graph.where"(%mask, %low, %0) : (tensor<3x3xi1>, tensor<f32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %2 = "graph.softmax"(%1) {axis = 2} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %3 = "graph.is_nan"(%2) : (tensor<2x3x3xf32>) -> tensor<2x3x3xi1>
  %4 = "graph.where"(%3, %zero, %2) : (tensor<2x3x3xi1>, tensor<f32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %5 = "graph.matmul"(%4, %v) : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %5 : tensor<2x3x5xf32>
}

// Values added to chosen scores are added to what replaces excluded ones too; scores that are chosen last are not.
// CHECK-LABEL: func.func @two_masks
// CHECK: %[[LOW:.*]] = "graph.constant"() {value = dense<-3.0{{.*}}e+38> : tensor<f32>}
// CHECK: %[[BOTH:.*]] = "graph.add"(%arg4, %{{.*}}) : (tensor<1x3xf32>, tensor<f32>) -> tensor<1x3xf32>
// CHECK-NEXT: %[[ADDED_LAST:.*]] = "graph.where"(%arg3, %arg4, %[[BOTH]])
// CHECK: "graph.attention"(%arg0, %{{.*}}, %arg2, %[[ADDED_LAST]])
// CHECK: %[[CHOSEN_LAST:.*]] = "graph.where"(%arg3, %arg4, %{{.*}}) : (tensor<3x3xi1>, tensor<1x3xf32>, tensor<f32>)
// CHECK: "graph.attention"(%arg0, %{{.*}}, %arg2, %[[CHOSEN_LAST]])
func.func @two_masks(%q: tensor<2x3x4xf32>, %k: tensor<2x4x3xf32>, %v: tensor<2x3x5xf32>, %mask: tensor<3x3xi1>, %padding: tensor<1x3xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
  %low = "graph.constant"() {value = dense<-3.0e38> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.matmul"(%q, %k) : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
  %1 = "graph.where"(%mask, %0, %low) : (tensor<3x3xi1>, tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3x3xf32>
  %2 = "graph.add"(%1, %padding) : (tensor<2x3x3xf32>, tensor<1x3xf32>) -> tensor<2x3x3xf32>
  %3 = "graph.softmax"(%2) {axis = 2} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %4 = "graph.matmul"(%3, %v) : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %5 = "graph.matmul"(%q, %k) : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
  %6 = "graph.add"(%5, %padding) : (tensor<2x3x3xf32>, tensor<1x3xf32>) -> tensor<2x3x3xf32>
  %7 = "graph.where"(%mask, %6, %low) : (tensor<3x3xi1>, tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3x3xf32>
  %8 = "graph.softmax"(%7) {axis = 2} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %9 = "graph.matmul"(%8, %v) : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %4, %9 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
}

// A triangle as a constant, and one that trilu makes.
// CHECK-LABEL: func.func @causal
// CHECK: "graph.attention"(%arg0, %{{.*}}, %arg2) {causal = true
// CHECK: "graph.attention"(%arg0, %{{.*}}, %arg2) {causal = true
// CHECK: return
func.func @causal(%q: tensor<2x2x4xf32>, %k: tensor<2x4x3xf32>, %v: tensor<2x3x4xf32>) -> (tensor<2x2x4xf32>, tensor<2x2x4xf32>) {
  %mask = "graph.constant"() {value = dense<[[true, true, false], [true, true, true]]> : tensor<2x3xi1>} : () -> tensor<2x3xi1>
  %low = "graph.constant"() {value = dense<-3.0e38> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.matmul"(%q, %k) : (tensor<2x2x4xf32>, tensor<2x4x3xf32>) -> tensor<2x2x3xf32>
  %1 = "graph.where"(%mask, %0, %low) : (tensor<2x3xi1>, tensor<2x2x3xf32>, tensor<f32>) -> tensor<2x2x3xf32>
  %2 = "graph.softmax"(%1) {axis = 2} : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %3 = "graph.matmul"(%2, %v) : (tensor<2x2x3xf32>, tensor<2x3x4xf32>) -> tensor<2x2x4xf32>
  %full = "graph.full"() {value = -3.0e38} : () -> tensor<2x3xf32>
  %triangle = "graph.trilu"(%full) {upper = true, k = 2} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "graph.matmul"(%q, %k) : (tensor<2x2x4xf32>, tensor<2x4x3xf32>) -> tensor<2x2x3xf32>
  %5 = "graph.add"(%triangle, %4) : (tensor<2x3xf32>, tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %6 = "graph.softmax"(%5) {axis = 2} : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %7 = "graph.matmul"(%6, %v) : (tensor<2x2x3xf32>, tensor<2x3x4xf32>) -> tensor<2x2x4xf32>
  return %3, %7 : tensor<2x2x4xf32>, tensor<2x2x4xf32>
}

// Not the triangle that ends at the last key; and a fill by which later keys keep some weight.
// CHECK-LABEL: func.func @not_causal
// CHECK: "graph.attention"(%arg0, %{{.*}}, %arg2, %{{.*}}) {causal = false, fill = -3.{{.*}}E+38 : f64
// CHECK: "graph.attention"(%arg0, %{{.*}}, %arg2, %{{.*}}) {causal = false, fill = -1.000000e+01 : f64
// CHECK: return
func.func @not_causal(%q: tensor<2x2x4xf32>, %k: tensor<2x4x3xf32>, %v: tensor<2x3x4xf32>) -> (tensor<2x2x4xf32>, tensor<2x2x4xf32>) {
  %mask = "graph.constant"() {value = dense<[[true, false, false], [true, true, false]]> : tensor<2x3xi1>} : () -> tensor<2x3xi1>
  %other = "graph.constant"() {value = dense<[[true, true, false], [true, true, true]]> : tensor<2x3xi1>} : () -> tensor<2x3xi1>
  %lowest = "graph.constant"() {value = dense<-3.0e38> : tensor<f32>} : () -> tensor<f32>
  %low = "graph.constant"() {value = dense<-10.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.matmul"(%q, %k) : (tensor<2x2x4xf32>, tensor<2x4x3xf32>) -> tensor<2x2x3xf32>
  %1 = "graph.where"(%mask, %0, %lowest) : (tensor<2x3xi1>, tensor<2x2x3xf32>, tensor<f32>) -> tensor<2x2x3xf32>
  %2 = "graph.softmax"(%1) {axis = 2} : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %3 = "graph.matmul"(%2, %v) : (tensor<2x2x3xf32>, tensor<2x3x4xf32>) -> tensor<2x2x4xf32>
  %4 = "graph.matmul"(%q, %k) : (tensor<2x2x4xf32>, tensor<2x4x3xf32>) -> tensor<2x2x3xf32>
  %5 = "graph.where"(%other, %4, %low) : (tensor<2x3xi1>, tensor<2x2x3xf32>, tensor<f32>) -> tensor<2x2x3xf32>
  %6 = "graph.softmax"(%5) {axis = 2} : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %7 = "graph.matmul"(%6, %v) : (tensor<2x2x3xf32>, tensor<2x3x4xf32>) -> tensor<2x2x4xf32>
  return %3, %7 : tensor<2x2x4xf32>, tensor<2x2x4xf32>
}

// The weight's hash says that it holds 128 x 128 times true.
// CHECK-LABEL: func.func @mask_without_effect
// CHECK-NOT: graph.weight
// CHECK: "graph.attention"(%arg0, %arg1, %arg1) {
// CHECK: return
func.func @mask_without_effect(%q: tensor<2x128x4xf32>, %k: tensor<2x128x4xf32>) -> tensor<2x128x4xf32> {
  %mask = "graph.weight"() {hash = "e03360660ef32390789d8d7dc286778e", offset = 0, size = 16384, source = "m.onnx"} : () -> tensor<1x128x128xi1>
  %low = "graph.constant"() {value = dense<-3.0e38> : tensor<f32>} : () -> tensor<f32>
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.where"(%mask, %zero, %low) : (tensor<1x128x128xi1>, tensor<f32>, tensor<f32>) -> tensor<1x128x128xf32>
  %1 = "graph.transpose"(%k) {permutation = array<i64: 0, 2, 1>} : (tensor<2x128x4xf32>) -> tensor<2x4x128xf32>
  %2 = "graph.matmul"(%q, %1) : (tensor<2x128x4xf32>, tensor<2x4x128xf32>) -> tensor<2x128x128xf32>
  %3 = "graph.add"(%2, %0) : (tensor<2x128x128xf32>, tensor<1x128x128xf32>) -> tensor<2x128x128xf32>
  %4 = "graph.softmax"(%3) {axis = 2} : (tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
  %5 = "graph.matmul"(%4, %k) : (tensor<2x128x128xf32>, tensor<2x128x4xf32>) -> tensor<2x128x4xf32>
  return %5 : tensor<2x128x4xf32>
}

// Heads of keys and values that are repeated for groups of queries.
// CHECK-LABEL: func.func @grouped
// CHECK: "graph.attention"(%arg0, %arg1, %arg2) {{.*}} : (tensor<1x8x5x4xf32>, tensor<1x2x7x4xf32>, tensor<1x2x7x4xf32>)
// CHECK-NEXT: return
func.func @grouped(%q: tensor<1x8x5x4xf32>, %k: tensor<1x2x7x4xf32>, %v: tensor<1x2x7x4xf32>) -> tensor<1x8x5x4xf32> {
  %0 = "graph.reshape"(%k) {shape = array<i64: 1, 2, 1, 7, 4>} : (tensor<1x2x7x4xf32>) -> tensor<1x2x1x7x4xf32>
  %1 = "graph.expand"(%0) {shape = array<i64: 1, 2, 4, 7, 4>} : (tensor<1x2x1x7x4xf32>) -> tensor<1x2x4x7x4xf32>
  %2 = "graph.reshape"(%1) {shape = array<i64: 1, 8, 7, 4>} : (tensor<1x2x4x7x4xf32>) -> tensor<1x8x7x4xf32>
  %3 = "graph.reshape"(%v) {shape = array<i64: 1, 2, 1, 7, 4>} : (tensor<1x2x7x4xf32>) -> tensor<1x2x1x7x4xf32>
  %4 = "graph.expand"(%3) {shape = array<i64: 1, 2, 4, 7, 4>} : (tensor<1x2x1x7x4xf32>) -> tensor<1x2x4x7x4xf32>
  %5 = "graph.reshape"(%4) {shape = array<i64: 1, 8, 7, 4>} : (tensor<1x2x4x7x4xf32>) -> tensor<1x8x7x4xf32>
  %6 = "graph.transpose"(%2) {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x8x7x4xf32>) -> tensor<1x8x4x7xf32>
  %7 = "graph.matmul"(%q, %6) : (tensor<1x8x5x4xf32>, tensor<1x8x4x7xf32>) -> tensor<1x8x5x7xf32>
  %8 = "graph.softmax"(%7) {axis = 3} : (tensor<1x8x5x7xf32>) -> tensor<1x8x5x7xf32>
  %9 = "graph.matmul"(%8, %5) : (tensor<1x8x5x7xf32>, tensor<1x8x7x4xf32>) -> tensor<1x8x5x4xf32>
  return %9 : tensor<1x8x5x4xf32>
}

// The weights are a result, too; a softmax over queries; unknown heads.
// CHECK-LABEL: func.func @no_attention
// CHECK-NOT: graph.attention
// CHECK: return
func.func @no_attention(%q: tensor<2x3x4xf32>, %k: tensor<2x4x3xf32>, %v: tensor<2x3x4xf32>,
                        %u: tensor<?x3x4xf32>, %w: tensor<?x4x3xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3x3xf32>, tensor<2x3x4xf32>, tensor<?x3x4xf32>) {
  %0 = "graph.matmul"(%q, %k) : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
  %1 = "graph.softmax"(%0) {axis = 2} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %2 = "graph.matmul"(%1, %v) : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %3 = "graph.softmax"(%0) {axis = 1} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %4 = "graph.matmul"(%3, %v) : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %5 = "graph.matmul"(%u, %w) : (tensor<?x3x4xf32>, tensor<?x4x3xf32>) -> tensor<?x3x3xf32>
  %6 = "graph.softmax"(%5) {axis = 2} : (tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  %7 = "graph.matmul"(%6, %u) : (tensor<?x3x3xf32>, tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  return %2, %1, %4, %7 : tensor<2x3x4xf32>, tensor<2x3x3xf32>, tensor<2x3x4xf32>, tensor<?x3x4xf32>
}

// Rows of weights that are 0 are rows of 0 in the product; a condition for single weights is none for rows.
// CHECK-LABEL: func.func @empty_rows
// CHECK: %[[WHOLE:.*]] = "graph.attention"(%arg0, %arg0, %arg0, %arg1)
// CHECK: %[[RESULT:.*]] = "graph.where"(%arg2, %{{.*}}, %[[WHOLE]]) {{.*}} -> tensor<2x3x4xf32>
// CHECK-NOT: "graph.attention"
// CHECK: return %[[RESULT]]
func.func @empty_rows(%q: tensor<2x3x4xf32>, %mask: tensor<3x3xf32>, %empty: tensor<3x1xi1>, %one: tensor<3x3xi1>)
    -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %kt = "graph.transpose"(%q) {permutation = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %0 = "graph.matmul"(%q, %kt) : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
  %1 = "graph.add"(%0, %mask) : (tensor<2x3x3xf32>, tensor<3x3xf32>) -> tensor<2x3x3xf32>
  %2 = "graph.softmax"(%1) {axis = 2} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %3 = "graph.where"(%empty, %zero, %2) : (tensor<3x1xi1>, tensor<f32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %4 = "graph.matmul"(%3, %q) : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %5 = "graph.matmul"(%q, %kt) : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
  %6 = "graph.softmax"(%5) {axis = 2} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %7 = "graph.where"(%one, %zero, %6) : (tensor<3x3xi1>, tensor<f32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %8 = "graph.matmul"(%7, %q) : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %4, %8 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// Scores in f16, softmax and values in f32: no op has both.
// CHECK-LABEL: func.func @two_types
// CHECK-NOT: graph.attention
// CHECK: "graph.softmax"
func.func @two_types(%q: tensor<1x4x8x16xf16>, %kt: tensor<1x4x16x8xf16>, %v: tensor<1x4x8x16xf16>) -> tensor<1x4x8x16xf32> {
  %0 = "graph.matmul"(%q, %kt) : (tensor<1x4x8x16xf16>, tensor<1x4x16x8xf16>) -> tensor<1x4x8x8xf16>
  %1 = "graph.cast"(%0) : (tensor<1x4x8x8xf16>) -> tensor<1x4x8x8xf32>
  %2 = "graph.softmax"(%1) {axis = 3} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %3 = "graph.cast"(%v) : (tensor<1x4x8x16xf16>) -> tensor<1x4x8x16xf32>
  %4 = "graph.matmul"(%2, %3) : (tensor<1x4x8x8xf32>, tensor<1x4x8x16xf32>) -> tensor<1x4x8x16xf32>
  return %4 : tensor<1x4x8x16xf32>
}

// CHECK-LABEL: func.func @rotary
// CHECK-NEXT: "graph.rotary_embedding"(%arg0, %arg1, %arg2) {interleaved = false}
// CHECK-NEXT: return
func.func @rotary(%x: tensor<?x8x?x4xf32>, %cos: tensor<4xf32>, %sin: tensor<1x4xf32>) -> tensor<?x8x?x4xf32> {
  %0 = "graph.slice"(%x) {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: -1, -1, -1, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<?x8x?x4xf32>) -> tensor<?x8x?x2xf32>
  %1 = "graph.slice"(%x) {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: -1, -1, -1, -1>, steps = array<i64: 1, 1, 1, 1>} : (tensor<?x8x?x4xf32>) -> tensor<?x8x?x2xf32>
  %2 = "graph.neg"(%1) : (tensor<?x8x?x2xf32>) -> tensor<?x8x?x2xf32>
  %3 = "graph.concat"(%2, %0) {axis = 3, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x8x?x2xf32>, tensor<?x8x?x2xf32>) -> tensor<?x8x?x4xf32>
  %4 = "graph.mul"(%3, %sin) : (tensor<?x8x?x4xf32>, tensor<1x4xf32>) -> tensor<?x8x?x4xf32>
  %5 = "graph.mul"(%cos, %x) : (tensor<4xf32>, tensor<?x8x?x4xf32>) -> tensor<?x8x?x4xf32>
  %6 = "graph.add"(%4, %5) : (tensor<?x8x?x4xf32>, tensor<?x8x?x4xf32>) -> tensor<?x8x?x4xf32>
  return %6 : tensor<?x8x?x4xf32>
}

// The other half has the sign; and cosines of another width.
// CHECK-LABEL: func.func @no_rotary
// CHECK-NOT: graph.rotary_embedding
// CHECK: return
func.func @no_rotary(%x: tensor<3x4xf32>, %cos: tensor<4xf32>, %narrow: tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = "graph.slice"(%x) {starts = array<i64: 0, 0>, sizes = array<i64: 3, 2>, steps = array<i64: 1, 1>} : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %1 = "graph.slice"(%x) {starts = array<i64: 0, 2>, sizes = array<i64: 3, 2>, steps = array<i64: 1, 1>} : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %2 = "graph.neg"(%0) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = "graph.concat"(%1, %2) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %4 = "graph.mul"(%3, %cos) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %5 = "graph.mul"(%x, %cos) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %6 = "graph.add"(%5, %4) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %7 = "graph.neg"(%1) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %8 = "graph.concat"(%7, %0) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %9 = "graph.mul"(%8, %narrow) : (tensor<3x4xf32>, tensor<1xf32>) -> tensor<3x4xf32>
  %10 = "graph.add"(%5, %9) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %6, %10 : tensor<3x4xf32>, tensor<3x4xf32>
}
