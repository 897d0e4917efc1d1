// RUN: mlc-opt %s --graph-pad-channels | filecheck %s
// RUN: mlc-opt %s --graph-pad-channels --graph-assign-layouts=costs=always-blocked | filecheck %s --check-prefix=BLOCKS

// 1000 classes have no block of a whole vector, 1024 have; the filters' and the bias' new parts are zeros.
// CHECK-LABEL: func.func @classifier
// CHECK: %[[W:.*]] = "graph.pad"({{.*}}) {high = array<i64: 24, 0, 0, 0>, low = array<i64: 0, 0, 0, 0>
// CHECK: %[[C:.*]] = "graph.conv"(%{{.*}}, %[[W]]) {{.*}} -> tensor<1x1024x13x13xf32>
// CHECK: %[[B:.*]] = "graph.pad"({{.*}}) {high = array<i64: 24, 0, 0>, low = array<i64: 0, 0, 0>
// CHECK: %[[S:.*]] = "graph.add"(%[[C]], %[[B]])
// CHECK: %[[R:.*]] = "graph.relu"(%[[S]])
// CHECK: %[[M:.*]] = "graph.reduce_mean"(%[[R]]) {axes = array<i64: 2, 3>, keepdims = true}
// CHECK: %[[CUT:.*]] = "graph.slice"(%[[M]]) {sizes = array<i64: 1, 1000, 1, 1>
// CHECK-NEXT: return %[[CUT]]
// The slice leaves the image its blocks, and needs no conversion.
// BLOCKS-LABEL: func.func @classifier
// BLOCKS: "graph.conv"{{.*}} layout = "NCHWc"{{.*}} -> tensor<1x32x13x13x32xf32>
// BLOCKS: "graph.reduce_mean"{{.*}} -> tensor<1x32x1x1x32xf32>
// BLOCKS-NOT: graph.unpack
// BLOCKS: return
func.func @classifier(%x: tensor<1x512x13x13xf32>) -> tensor<1x1000x1x1xf32> {
  %w = "graph.full"() {value = 1.0} : () -> tensor<1000x512x1x1xf32>
  %b = "graph.full"() {value = 2.0} : () -> tensor<1000x1x1xf32>
  %i = "graph.relu"(%x) : (tensor<1x512x13x13xf32>) -> tensor<1x512x13x13xf32>
  %0 = "graph.conv"(%i, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x512x13x13xf32>, tensor<1000x512x1x1xf32>) -> tensor<1x1000x13x13xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x1000x13x13xf32>, tensor<1000x1x1xf32>) -> tensor<1x1000x13x13xf32>
  %2 = "graph.relu"(%1) : (tensor<1x1000x13x13xf32>) -> tensor<1x1000x13x13xf32>
  %3 = "graph.reduce_mean"(%2) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x1000x13x13xf32>) -> tensor<1x1000x1x1xf32>
  return %3 : tensor<1x1000x1x1xf32>
}

// Without kept dims, from a larger window, with what broadcasts along the channels.
// CHECK-LABEL: func.func @dropped_dims
// CHECK: "graph.conv"{{.*}} -> tensor<2x256x5x5xf32>
// CHECK: "graph.mul"({{.*}}) : (tensor<2x256x5x5xf32>, tensor<f32>)
// CHECK: "graph.reduce_max"{{.*}} -> tensor<2x256xf32>
// CHECK: "graph.slice"({{.*}}) {sizes = array<i64: 2, 255>
func.func @dropped_dims(%x: tensor<2x32x7x7xf32>) -> tensor<2x255xf32> {
  %w = "graph.full"() {value = 1.0} : () -> tensor<255x32x3x3xf32>
  %factor = "graph.full"() {value = 2.0} : () -> tensor<f32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<2x32x7x7xf32>, tensor<255x32x3x3xf32>) -> tensor<2x255x5x5xf32>
  %1 = "graph.mul"(%0, %factor) : (tensor<2x255x5x5xf32>, tensor<f32>) -> tensor<2x255x5x5xf32>
  %2 = "graph.reduce_max"(%1) {axes = array<i64: 2, 3>, keepdims = false} : (tensor<2x255x5x5xf32>) -> tensor<2x255xf32>
  return %2 : tensor<2x255xf32>
}

// Channels that fill vectors; too many to add; an image that somebody else reads; two images; other axes; one
// pixel; groups.
// CHECK-LABEL: func.func @unchanged
// CHECK-NOT: graph.pad
// CHECK-NOT: graph.slice
// CHECK: return
func.func @unchanged(%x: tensor<1x512x13x13xf32>, %y: tensor<1x512x13x13xf32>, %p: tensor<1x512x1x1xf32>)
    -> (tensor<1x976x1x1xf32>, tensor<1x72x1x1xf32>, tensor<1x1000x13x13xf32>, tensor<1x1000x1x1xf32>, tensor<1x1000x1x1xf32>, tensor<1x1x1x13xf32>,
    tensor<1x1000x1x1xf32>, tensor<1x1000x1x1xf32>) {
  %w976 = "graph.full"() {value = 1.0} : () -> tensor<976x512x1x1xf32>
  %w72 = "graph.full"() {value = 1.0} : () -> tensor<72x512x1x1xf32>
  %w1000 = "graph.full"() {value = 1.0} : () -> tensor<1000x512x1x1xf32>
  %grouped = "graph.full"() {value = 1.0} : () -> tensor<1000x128x1x1xf32>
  %a = "graph.conv"(%x, %w976) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x512x13x13xf32>, tensor<976x512x1x1xf32>) -> tensor<1x976x13x13xf32>
  %am = "graph.reduce_mean"(%a) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x976x13x13xf32>) -> tensor<1x976x1x1xf32>
  %b = "graph.conv"(%x, %w72) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x512x13x13xf32>, tensor<72x512x1x1xf32>) -> tensor<1x72x13x13xf32>
  %bm = "graph.reduce_mean"(%b) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x72x13x13xf32>) -> tensor<1x72x1x1xf32>
  %c = "graph.conv"(%x, %w1000) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x512x13x13xf32>, tensor<1000x512x1x1xf32>) -> tensor<1x1000x13x13xf32>
  %cm = "graph.reduce_mean"(%c) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x1000x13x13xf32>) -> tensor<1x1000x1x1xf32>
  %d = "graph.conv"(%y, %w1000) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x512x13x13xf32>, tensor<1000x512x1x1xf32>) -> tensor<1x1000x13x13xf32>
  %e = "graph.add"(%d, %c) : (tensor<1x1000x13x13xf32>, tensor<1x1000x13x13xf32>) -> tensor<1x1000x13x13xf32>
  %em = "graph.reduce_mean"(%e) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x1000x13x13xf32>) -> tensor<1x1000x1x1xf32>
  %f = "graph.conv"(%y, %w1000) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x512x13x13xf32>, tensor<1000x512x1x1xf32>) -> tensor<1x1000x13x13xf32>
  %fm = "graph.reduce_mean"(%f) {axes = array<i64: 1, 2>, keepdims = true} : (tensor<1x1000x13x13xf32>) -> tensor<1x1x1x13xf32>
  %g = "graph.conv"(%p, %w1000) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x512x1x1xf32>, tensor<1000x512x1x1xf32>) -> tensor<1x1000x1x1xf32>
  %gm = "graph.reduce_mean"(%g) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x1000x1x1xf32>) -> tensor<1x1000x1x1xf32>
  %h = "graph.conv"(%x, %grouped) {dilations = array<i64: 1, 1>, group = 4 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x512x13x13xf32>, tensor<1000x128x1x1xf32>) -> tensor<1x1000x13x13xf32>
  %hm = "graph.reduce_mean"(%h) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x1000x13x13xf32>) -> tensor<1x1000x1x1xf32>
  return %am, %bm, %c, %cm, %em, %fm, %gm, %hm : tensor<1x976x1x1xf32>, tensor<1x72x1x1xf32>, tensor<1x1000x13x13xf32>, tensor<1x1000x1x1xf32>,
      tensor<1x1000x1x1xf32>, tensor<1x1x1x13xf32>, tensor<1x1000x1x1xf32>, tensor<1x1000x1x1xf32>
}

// 21 channels per pixel have no block of a vector, 32 have. The added ones are cut off after what is elementwise, with
// constants; the reader's sum with an image is not.
// CHECK-LABEL: func.func @odd
// CHECK: %[[W:.*]] = "graph.pad"({{.*}}) {high = array<i64: 11, 0, 0, 0>, low = array<i64: 0, 0, 0, 0>
// CHECK: %[[C:.*]] = "graph.conv"(%{{.*}}, %[[W]]) {{.*}} -> tensor<1x32x11x11xf32>
// CHECK: %[[S:.*]] = "graph.add"(%{{.*}}) : (tensor<1x32x11x11xf32>, tensor<32x1x1xf32>)
// CHECK: %[[CUT:.*]] = "graph.slice"(%[[S]]) {sizes = array<i64: 1, 21, 11, 11>
// CHECK: "graph.add"(%[[CUT]], %arg1)
// BLOCKS-LABEL: func.func @odd
// BLOCKS: "graph.conv"{{.*}} layout = "NCHWc"{{.*}} -> tensor<1x1x11x11x32xf32>
func.func @odd(%x: tensor<1x32x13x13xf32>, %y: tensor<1x21x11x11xf32>) -> tensor<1x21x11x11xf32> {
  %w = "graph.full"() {value = 1.0} : () -> tensor<21x32x3x3xf32>
  %b = "graph.full"() {value = 2.0} : () -> tensor<21x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x13x13xf32>, tensor<21x32x3x3xf32>) -> tensor<1x21x11x11xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x21x11x11xf32>, tensor<21x1x1xf32>) -> tensor<1x21x11x11xf32>
  %2 = "graph.add"(%1, %y) : (tensor<1x21x11x11xf32>, tensor<1x21x11x11xf32>) -> tensor<1x21x11x11xf32>
  return %2 : tensor<1x21x11x11xf32>
}

// Images of open size: those of few channels, too, such as 5, but no pointwise ones. 322 are 336 in blocks of 16.
// CHECK-LABEL: func.func @open
// CHECK: "graph.conv"{{.*}} -> tensor<?x8x?x?xf32>
// CHECK: "graph.slice"({{.*}}) {{{.*}}sizes = array<i64: -1, 5, -1, -1>
// CHECK: "graph.conv"{{.*}} -> tensor<?x5x?x?xf32>
// CHECK-NOT: "graph.slice"
// CHECK: "graph.conv"{{.*}} -> tensor<?x336x?x?xf32>
// CHECK: "graph.slice"({{.*}}) {{{.*}}sizes = array<i64: -1, 322, -1, -1>
func.func @open(%x: tensor<?x32x?x?xf32> {graph.dims = ["b", "", "h", "w"]}) -> (tensor<?x5x?x?xf32>, tensor<?x5x?x?xf32>, tensor<?x322x?x?xf32>) {
  %few = "graph.full"() {value = 1.0} : () -> tensor<5x32x3x3xf32>
  %w = "graph.full"() {value = 1.0} : () -> tensor<5x32x1x1xf32>
  %v = "graph.full"() {value = 1.0} : () -> tensor<322x32x3x3xf32>
  %2 = "graph.conv"(%x, %few) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x32x?x?xf32>, tensor<5x32x3x3xf32>) -> tensor<?x5x?x?xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x32x?x?xf32>, tensor<5x32x1x1xf32>) -> tensor<?x5x?x?xf32>
  %1 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x32x?x?xf32>, tensor<322x32x3x3xf32>) -> tensor<?x322x?x?xf32>
  return %2, %0, %1 : tensor<?x5x?x?xf32>, tensor<?x5x?x?xf32>, tensor<?x322x?x?xf32>
}

// Few channels, a pointwise one, groups, filters that are no constant, all of known size.
// CHECK-LABEL: func.func @known
// CHECK-NOT: graph.pad
// CHECK-NOT: graph.slice
// CHECK: return
func.func @known(%y: tensor<1x32x34x34xf32>, %x: tensor<1x32x13x13xf32>, %v: tensor<21x32x3x3xf32>)
    -> (tensor<1x3x32x32xf32>, tensor<1x21x13x13xf32>, tensor<1x36x11x11xf32>, tensor<1x21x11x11xf32>) {
  %few = "graph.full"() {value = 1.0} : () -> tensor<3x32x3x3xf32>
  %point = "graph.full"() {value = 1.0} : () -> tensor<21x32x1x1xf32>
  %grouped = "graph.full"() {value = 1.0} : () -> tensor<36x8x3x3xf32>
  %0 = "graph.conv"(%y, %few) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x34x34xf32>, tensor<3x32x3x3xf32>) -> tensor<1x3x32x32xf32>
  %1 = "graph.conv"(%x, %point) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x13x13xf32>, tensor<21x32x1x1xf32>) -> tensor<1x21x13x13xf32>
  %2 = "graph.conv"(%x, %grouped) {dilations = array<i64: 1, 1>, group = 4 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x13x13xf32>, tensor<36x8x3x3xf32>) -> tensor<1x36x11x11xf32>
  %3 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x13x13xf32>, tensor<21x32x3x3xf32>) -> tensor<1x21x11x11xf32>
  return %0, %1, %2, %3 : tensor<1x3x32x32xf32>, tensor<1x21x13x13xf32>, tensor<1x36x11x11xf32>, tensor<1x21x11x11xf32>
}

// More channels, or rows that fill no vector.
// CHECK-LABEL: func.func @narrow
// CHECK: "graph.conv"{{.*}} -> tensor<1x16x9x9xf32>
// CHECK: "graph.slice"({{.*}}) {{{.*}}sizes = array<i64: 1, 13, 9, 9>
func.func @narrow(%x: tensor<1x32x11x11xf32>) -> tensor<1x13x9x9xf32> {
  %w = "graph.full"() {value = 1.0} : () -> tensor<13x32x3x3xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x11x11xf32>, tensor<13x32x3x3xf32>) -> tensor<1x13x9x9xf32>
  return %0 : tensor<1x13x9x9xf32>
}

// Columns apart are slow in plain layout however few channels there are.
// CHECK-LABEL: func.func @strided
// CHECK: "graph.conv"{{.*}} -> tensor<1x8x1x100xf32>
// CHECK: "graph.slice"({{.*}}) {sizes = array<i64: 1, 1, 1, 100>
func.func @strided(%x: tensor<1x1x1x207xf32>) -> tensor<1x1x1x100xf32> {
  %w = "graph.full"() {value = 1.0} : () -> tensor<1x1x1x9xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 2>} : (tensor<1x1x1x207xf32>, tensor<1x1x1x9xf32>) -> tensor<1x1x1x100xf32>
  return %0 : tensor<1x1x1x100xf32>
}

// In groups of 5, in steps of two columns: each group gets 3 channels, which are cut off after the sum with a constant.
// CHECK-LABEL: func.func @grouped
// CHECK-DAG: %[[FILTERS:.*]] = "graph.reshape"({{.*}}) {{.*}} : {{.*}}tensor<10x4x3x3xf32>{{.*}} -> tensor<2x5x4x3x3xf32>
// CHECK-DAG: %[[WIDE:.*]] = "graph.pad"(%[[FILTERS]]) {high = array<i64: 0, 3, 0, 0, 0>
// CHECK-DAG: %[[W:.*]] = "graph.reshape"(%[[WIDE]]) {{.*}} -> tensor<16x4x3x3xf32>
// CHECK: "graph.conv"(%arg0, %[[W]]) {{{.*}}group = 2{{.*}} -> tensor<1x16x6x6xf32>
// CHECK: %[[SUM:.*]] = "graph.add"({{.*}}tensor<16x1x1xf32>) -> tensor<1x16x6x6xf32>
// CHECK: %[[SPLIT:.*]] = "graph.reshape"(%[[SUM]]) {{.*}} -> tensor<1x2x8x6x6xf32>
// CHECK: %[[CUT:.*]] = "graph.slice"(%[[SPLIT]]) {sizes = array<i64: 1, 2, 5, 6, 6>
// CHECK: "graph.reshape"(%[[CUT]]) {{.*}} -> tensor<1x10x6x6xf32>
func.func @grouped(%x: tensor<1x8x13x13xf32>) -> tensor<1x10x6x6xf32> {
  %w = "graph.full"() {value = 1.0} : () -> tensor<10x4x3x3xf32>
  %b = "graph.full"() {value = 2.0} : () -> tensor<10x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x8x13x13xf32>, tensor<10x4x3x3xf32>) -> tensor<1x10x6x6xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x10x6x6xf32>, tensor<10x1x1xf32>) -> tensor<1x10x6x6xf32>
  return %1 : tensor<1x10x6x6xf32>
}
