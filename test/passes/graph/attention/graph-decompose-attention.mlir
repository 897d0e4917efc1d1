// RUN: mlc-opt %s --graph-decompose-attention | filecheck %s
// RUN: mlc-opt %s --graph-decompose-attention=one-kernel=false | filecheck %s --check-prefix=PARTS

// Lengths that are not known: one kernel computes all of them.
// CHECK-LABEL: func.func @plain
// CHECK: "graph.attention"
// In parts, the transpose of the keys joins the one before.
// PARTS-LABEL: func.func @plain
// PARTS-NEXT: %[[KEYS:.*]] = "graph.transpose"(%arg1) {graph.dims = {{.*}}, permutation = array<i64: 0, 2, 3, 1>}
// PARTS-NEXT: %[[PRODUCT:.*]] = "graph.matmul"(%arg0, %[[KEYS]])
// PARTS-NEXT: %[[SCALE:.*]] = "graph.constant"() {value = dense<1.250000e-01> : tensor<f32>}
// PARTS-NEXT: %[[SCALED:.*]] = "graph.mul"(%[[PRODUCT]], %[[SCALE]])
// PARTS-NEXT: %[[MASKED:.*]] = "graph.add"(%[[SCALED]], %arg3)
// PARTS-NEXT: %[[WEIGHTS:.*]] = "graph.softmax"(%[[MASKED]]) {axis = 3 : i64,{{.*}}}
// PARTS-NEXT: %[[RESULT:.*]] = "graph.matmul"(%[[WEIGHTS]], %arg2)
// PARTS-NEXT: return %[[RESULT]]
func.func @plain(%q: tensor<?x12x?x64xf32> {graph.dims = ["batch", "", "seq", ""]},
                 %k: tensor<?x?x12x64xf32> {graph.dims = ["batch", "keys", "", ""]},
                 %v: tensor<?x12x?x64xf32> {graph.dims = ["batch", "", "keys", ""]},
                 %mask: tensor<?x1x1x?xf32> {graph.dims = ["batch", "", "", "keys"]}) -> tensor<?x12x?x64xf32> {
  %0 = "graph.transpose"(%k) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x12x64xf32>) -> tensor<?x12x?x64xf32>
  %1 = "graph.attention"(%q, %0, %v, %mask) {scale = 0.125} : (tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32>, tensor<?x1x1x?xf32>) -> tensor<?x12x?x64xf32>
  return %1 : tensor<?x12x?x64xf32>
}

// CHECK-LABEL: func.func @truth_values
// CHECK: %[[PRODUCT:.*]] = "graph.matmul"(%arg0,
// CHECK: %[[FILL:.*]] = "graph.constant"() {value = dense<-1.000000e+04> : tensor<f32>}
// CHECK: %[[MASKED:.*]] = "graph.where"(%arg1, %[[PRODUCT]], %[[FILL]])
// CHECK: %[[WEIGHTS:.*]] = "graph.softmax"(%[[MASKED]])
// CHECK: %[[NAN:.*]] = "graph.is_nan"(%[[WEIGHTS]])
// CHECK: %[[SAFE:.*]] = "graph.where"(%[[NAN]], %{{.*}}, %[[WEIGHTS]])
// CHECK: "graph.matmul"(%[[SAFE]], %arg0)
func.func @truth_values(%q: tensor<2x3x4xf32>, %mask: tensor<3x3xi1>) -> tensor<2x3x4xf32> {
  %0 = "graph.attention"(%q, %q, %q, %mask) {scale = 1.0, fill = -10000.0, safe = true} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<3x3xi1>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// Narrow floats are computed as f32 and rounded once.
// CHECK-LABEL: func.func @causal
// CHECK: "graph.cast"(%arg0) {{.*}} -> tensor<2x3x4xf32>
// CHECK: %[[FULL:.*]] = "graph.full"() {value = -3.4028234663852886E+38 : f64} : () -> tensor<3x5xf32>
// CHECK: %[[MASK:.*]] = "graph.trilu"(%[[FULL]]) {k = 3 : i64, upper = true}
// CHECK: "graph.add"(%{{.*}}, %[[MASK]])
// CHECK: %[[RESULT:.*]] = "graph.cast"(%{{.*}}) {{.*}} -> tensor<2x3x4xf16>
// CHECK-NEXT: return %[[RESULT]]
func.func @causal(%q: tensor<2x3x4xf16>, %k: tensor<2x5x4xf16>) -> tensor<2x3x4xf16> {
  %0 = "graph.attention"(%q, %k, %k) {scale = 1.0, causal = true} : (tensor<2x3x4xf16>, tensor<2x5x4xf16>, tensor<2x5x4xf16>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// The rows of a group are rows of one product; masks see heads.
// CHECK-LABEL: func.func @grouped
// CHECK: "graph.reshape"(%arg0) {{.*}} -> tensor<1x2x20x4xf32>
// CHECK: "graph.matmul"({{.*}}) : (tensor<1x2x20x4xf32>, tensor<1x2x4x7xf32>) -> tensor<1x2x20x7xf32>
// CHECK: "graph.add"({{.*}}, %arg2) : (tensor<1x8x5x7xf32>, tensor<1x8x5x7xf32>)
// CHECK: "graph.matmul"({{.*}}, %arg1) : (tensor<1x2x20x7xf32>, tensor<1x2x7x4xf32>) -> tensor<1x2x20x4xf32>
// CHECK: "graph.reshape"({{.*}}) {{.*}} -> tensor<1x8x5x4xf32>
func.func @grouped(%q: tensor<1x8x5x4xf32>, %k: tensor<1x2x7x4xf32>, %mask: tensor<1x8x5x7xf32>) -> tensor<1x8x5x4xf32> {
  %0 = "graph.attention"(%q, %k, %k, %mask) {scale = 1.0} : (tensor<1x8x5x4xf32>, tensor<1x2x7x4xf32>, tensor<1x2x7x4xf32>, tensor<1x8x5x7xf32>) -> tensor<1x8x5x4xf32>
  return %0 : tensor<1x8x5x4xf32>
}

// One kernel computes groups of heads as a separate dim; a reshape comes before the transpose, not between it
// and attention.
// CHECK-LABEL: func.func @groups
// CHECK-DAG: %[[QUERIES:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 1, 48, 2, 4, 16>}
// CHECK-DAG: %[[Q:.*]] = "graph.transpose"(%[[QUERIES]]) {permutation = array<i64: 0, 2, 3, 1, 4>}
// CHECK-DAG: %[[K:.*]] = "graph.reshape"(%arg1) {{.*}} -> tensor<1x2x1x40x16xf32>
// CHECK-DAG: %[[MASK:.*]] = "graph.reshape"(%arg2) {{.*}} -> tensor<1x2x4x48x40xf32>
// CHECK: %[[SPLIT:.*]] = "graph.attention"(%[[Q]], %[[K]], %{{.*}}, %[[MASK]]) {{{.*}}causal = true
// CHECK: "graph.reshape"(%[[SPLIT]]) {shape = array<i64: 1, 8, 48, 16>}
func.func @groups(%q: tensor<1x48x8x16xf32>, %k: tensor<1x2x40x16xf32>, %mask: tensor<1x8x48x40xf32>) -> tensor<1x8x48x16xf32> {
  %0 = "graph.transpose"(%q) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x48x8x16xf32>) -> tensor<1x8x48x16xf32>
  %1 = "graph.attention"(%0, %k, %k, %mask) {scale = 1.0, causal = true} : (tensor<1x8x48x16xf32>, tensor<1x2x40x16xf32>, tensor<1x2x40x16xf32>, tensor<1x8x48x40xf32>) -> tensor<1x8x48x16xf32>
  return %1 : tensor<1x8x48x16xf32>
}

// One head of keys for all queries is read as it is.
// CHECK-LABEL: func.func @one_head_of_keys
// CHECK-NEXT: "graph.attention"
// CHECK-NEXT: return
func.func @one_head_of_keys(%q: tensor<2x8x48x16xf32>, %k: tensor<1x1x40x16xf32>) -> tensor<2x8x48x16xf32> {
  %0 = "graph.attention"(%q, %k, %k) {scale = 1.0} : (tensor<2x8x48x16xf32>, tensor<1x1x40x16xf32>, tensor<1x1x40x16xf32>) -> tensor<2x8x48x16xf32>
  return %0 : tensor<2x8x48x16xf32>
}

// Dynamic counts of queries and keys: the keys that a query sees are counted.
// PARTS-LABEL: func.func @dynamic
// PARTS: %[[SCORES:.*]] = "graph.matmul"
// PARTS: %[[SIZE:.*]] = "graph.sizes"(%{{.*}}) {dims = ["seq"]
// PARTS: %[[END:.*]] = "graph.reshape"(%[[SIZE]]) {shape = array<i64>}
// PARTS: %[[KEYS:.*]] = "graph.range"(%{{.*}}, %[[END]], %{{.*}}) {graph.dims = {{.}}["seq"]]}
// PARTS: %[[QUERIES:.*]] = "graph.reshape"(%{{.*}}) {graph.dims = {{.}}["seq", ""]], shape = array<i64: -1, 1>}
// PARTS: %[[SEEN:.*]] = "graph.less_equal"(%[[KEYS]], %[[QUERIES]]) {graph.dims = {{.}}["seq", "seq"]]}
// PARTS: %[[MASK:.*]] = "graph.where"(%[[SEEN]], %{{.*}}, %{{.*}}) {{.*}} -> tensor<?x?xf32>
// PARTS: "graph.add"(%[[SCORES]], %[[MASK]])
func.func @dynamic(%q: tensor<2x?x4xf32> {graph.dims = ["", "seq", ""]}) -> tensor<2x?x4xf32> {
  %0 = "graph.attention"(%q, %q, %q) {scale = 1.0, causal = true} : (tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  return %0 : tensor<2x?x4xf32>
}

// A slice exchanges the halves; the signs go into the sines.
// CHECK-LABEL: func.func @rotary
// CHECK: %[[SIGNS:.*]] = "graph.constant"() {value = dense<{{\[}}[-1.000000e+00], [1.000000e+00]]> : tensor<2x1xf32>}
// CHECK: "graph.mul"(%{{.*}}, %[[SIGNS]]) : (tensor<5x2x4xf32>, tensor<2x1xf32>)
// CHECK: %[[SWAPPED:.*]] = "graph.slice"(%[[PAIRS:.*]]) {sizes = array<i64: 3, 5, 2, 4>, starts = array<i64: 0, 0, 1, 0>, steps = array<i64: 1, 1, -1, 1>}
// CHECK: %[[TURNED:.*]] = "graph.mul"(%[[SWAPPED]],
// CHECK: %[[STRAIGHT:.*]] = "graph.mul"(%[[PAIRS]],
// CHECK: %[[SUM:.*]] = "graph.add"(%[[TURNED]], %[[STRAIGHT]])
// CHECK: "graph.reshape"(%[[SUM]]) {shape = array<i64: 3, 5, 8>}
func.func @rotary(%x: tensor<3x5x8xf32>, %cos: tensor<5x8xf32>) -> tensor<3x5x8xf32> {
  %0 = "graph.rotary_embedding"(%x, %cos, %cos) : (tensor<3x5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<3x5x8xf32>
  return %0 : tensor<3x5x8xf32>
}

// CHECK-LABEL: func.func @interleaved
// CHECK: dense<{{\[}}[-1.000000e+00, 1.000000e+00]]> : tensor<1x2xf32>
// CHECK: "graph.slice"(%{{.*}}) {sizes = array<i64: 3, 4, 2>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, -1>}
func.func @interleaved(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = "graph.rotary_embedding"(%x, %x, %x) {interleaved = true} : (tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// One kernel computes all of it, unless an option forbids it.
// CHECK-LABEL: func.func @whole
// CHECK-NEXT: "graph.attention"
// PARTS-LABEL: func.func @whole
// PARTS-NOT: "graph.attention"
// PARTS: "graph.softmax"
func.func @whole(%q: tensor<1x12x197x64xf32>, %mask: tensor<197x197xf32>) -> tensor<1x12x197x64xf32> {
  %0 = "graph.attention"(%q, %q, %q, %mask) {scale = 0.125, causal = true} : (tensor<1x12x197x64xf32>, tensor<1x12x197x64xf32>, tensor<1x12x197x64xf32>, tensor<197x197xf32>) -> tensor<1x12x197x64xf32>
  return %0 : tensor<1x12x197x64xf32>
}

// One query is decomposed; more keys than the caches have room for are taken block by block.
// CHECK-LABEL: func.func @sizes
// CHECK: "graph.softmax"
// CHECK: "graph.attention"(%arg1, %arg1, %arg1)
// CHECK-NOT: "graph.softmax"
func.func @sizes(%q: tensor<12x1x64xf32>, %k: tensor<12x5000x64xf32>) -> (tensor<12x1x64xf32>, tensor<12x5000x64xf32>) {
  %0 = "graph.attention"(%q, %k, %k) {scale = 1.0} : (tensor<12x1x64xf32>, tensor<12x5000x64xf32>, tensor<12x5000x64xf32>) -> tensor<12x1x64xf32>
  %1 = "graph.attention"(%k, %k, %k) {scale = 1.0} : (tensor<12x5000x64xf32>, tensor<12x5000x64xf32>, tensor<12x5000x64xf32>) -> tensor<12x5000x64xf32>
  return %0, %1 : tensor<12x1x64xf32>, tensor<12x5000x64xf32>
}

// Boolean masks become additive ones; a fill that a score could have does not.
// CHECK-LABEL: func.func @truth_values_in_one
// CHECK: %[[ADDED:.*]] = "graph.where"(%arg1, %{{.*}}, %{{.*}}) : (tensor<48x48xi1>, tensor<f32>, tensor<f32>) -> tensor<48x48xf32>
// CHECK: "graph.attention"(%arg0, %arg0, %arg0, %[[ADDED]])
// CHECK: "graph.softmax"
func.func @truth_values_in_one(%q: tensor<2x48x16xf32>, %mask: tensor<48x48xi1>) -> (tensor<2x48x16xf32>, tensor<2x48x16xf32>) {
  %0 = "graph.attention"(%q, %q, %q, %mask) {scale = 1.0} : (tensor<2x48x16xf32>, tensor<2x48x16xf32>, tensor<2x48x16xf32>, tensor<48x48xi1>) -> tensor<2x48x16xf32>
  %1 = "graph.attention"(%q, %q, %q, %mask) {scale = 1.0, fill = -10000.0} : (tensor<2x48x16xf32>, tensor<2x48x16xf32>, tensor<2x48x16xf32>, tensor<48x48xi1>) -> tensor<2x48x16xf32>
  return %0, %1 : tensor<2x48x16xf32>, tensor<2x48x16xf32>
}

// So are those of dynamic counts of queries and keys.
// CHECK-LABEL: func.func @truth_values_of_any_size
// CHECK: %[[ADDED:.*]] = "graph.where"(%arg2, %{{.*}}, %{{.*}}) {graph.dims = {{.*}}"batch", "", "seq", "keys"{{.*}} -> tensor<?x1x?x?xf32>
// CHECK: "graph.attention"(%arg0, %arg1, %arg1, %[[ADDED]])
// CHECK-NOT: graph.softmax
func.func @truth_values_of_any_size(%q: tensor<?x12x?x64xf32> {graph.dims = ["batch", "", "seq", ""]}, %k: tensor<?x12x?x64xf32> {graph.dims = ["batch", "", "keys", ""]},
                                    %mask: tensor<?x1x?x?xi1> {graph.dims = ["batch", "", "seq", "keys"]}) -> tensor<?x12x?x64xf32> {
  %0 = "graph.attention"(%q, %k, %k, %mask) {scale = 0.125} : (tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32>, tensor<?x1x?x?xi1>) -> tensor<?x12x?x64xf32>
  return %0 : tensor<?x12x?x64xf32>
}

// Without keys there is nothing to divide by: the parts know what a sum of nothing is.
// CHECK-LABEL: func.func @no_keys
// CHECK-NOT: graph.attention
// CHECK: graph.softmax
func.func @no_keys(%q: tensor<1x4x32x16xf32>, %k: tensor<1x4x0x16xf32>, %v: tensor<1x4x0x16xf32>) -> tensor<1x4x32x16xf32> {
  %0 = "graph.attention"(%q, %k, %v) {causal = false, safe = false, scale = 0.25 : f64} : (tensor<1x4x32x16xf32>, tensor<1x4x0x16xf32>, tensor<1x4x0x16xf32>) -> tensor<1x4x32x16xf32>
  return %0 : tensor<1x4x32x16xf32>
}

// One query for each of an open number of batches: a block of queries would be nearly empty.
// CHECK-LABEL: func.func @single_queries
// CHECK-NOT: graph.attention
// CHECK: graph.softmax
func.func @single_queries(%q: tensor<?x12x1x64xf32> {graph.dims = ["batch", "", "", ""]},
                          %k: tensor<?x12x?x64xf32> {graph.dims = ["batch", "", "keys", ""]}) -> tensor<?x12x1x64xf32> {
  %0 = "graph.attention"(%q, %k, %k) {scale = 0.125} : (tensor<?x12x1x64xf32>, tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32>) -> tensor<?x12x1x64xf32>
  return %0 : tensor<?x12x1x64xf32>
}
