// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-pad-windows,graph-to-linalg),canonicalize,cse,tloop-fuse-elementwise,tloop-schedule-blocks)" --split-input-file | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-pad-windows,graph-to-linalg),canonicalize,cse,tloop-fuse-elementwise,tloop-schedule-blocks{cluster=2,4})" \
// RUN:   --split-input-file \
// RUN:   | filecheck %s --check-prefix=ASKED
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-pad-windows,graph-to-linalg),canonicalize,cse,tloop-fuse-elementwise,tloop-schedule-blocks{cluster=1,1})" \
// RUN:   --split-input-file \
// RUN:   | filecheck %s --check-prefix=NONE

// 32x16 tiles, as two groups of warps multiply them: two of a column are a cluster, and 4 clusters, 8 tiles, of a
// column come before the next column.
// CHECK-LABEL: func.func private @large(
// CHECK: %[[TILE:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 128, 256>}
// CHECK-NEXT: "tloop.annotate"(%[[TILE]]#1) {key = "accel.warps", value = 8 : i64}
// CHECK-NEXT: "tloop.annotate"(%[[TILE]]#1) {key = "accel.cluster", value = array<i64: 2, 1>}
// CHECK-NEXT: "tloop.annotate"(%[[TILE]]#1) {key = "accel.group", value = array<i64: 4, 1>}
// ASKED-LABEL: func.func private @large(
// ASKED: "tloop.annotate"(%{{.*}}) {key = "accel.cluster", value = array<i64: 2, 4>}
// ASKED-NEXT: "tloop.annotate"(%{{.*}}) {key = "accel.group", value = array<i64: 4, 1>}
// NONE-LABEL: func.func private @large(
// NONE-NOT: accel.cluster
// NONE: "tloop.annotate"(%{{.*}}) {key = "accel.group", value = array<i64: 8, 1>}
module attributes {tloop.target = "cuda:sm_90a"} {
func.func private @large(%a: tensor<4096x1024xbf16>, %b: tensor<1024x4096xbf16>) -> tensor<4096x4096xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<4096x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<4096x4096xbf16>
  %1 = "graph.cast"(%0) : (tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
  return %1 : tensor<4096x4096xf32>
}
}

// -----

// 11 tiles of rows: two of a row are a cluster. Where 4 do not divide the columns, those of rows would not either.
// CHECK-LABEL: func.func private @odd(
// CHECK: "tloop.annotate"(%{{.*}}) {key = "accel.cluster", value = array<i64: 1, 2>}
// CHECK-NOT: accel.group
// ASKED-LABEL: func.func private @odd(
// ASKED-NOT: accel.cluster
// NONE-LABEL: func.func private @odd(
module attributes {tloop.target = "cuda:sm_90a"} {
func.func private @odd(%a: tensor<1408x1024xbf16>, %b: tensor<1024x1280xbf16>) -> tensor<1408x1280xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<1408x1024xbf16>, tensor<1024x1280xbf16>) -> tensor<1408x1280xbf16>
  %1 = "graph.cast"(%0) : (tensor<1408x1280xbf16>) -> tensor<1408x1280xf32>
  return %1 : tensor<1408x1280xf32>
}
}

// -----

// 64 images of 8 tiles: two tiles below one another read the same filters; 4 clusters, an image, come before the next of
// 4 columns of filters.
// CHECK-LABEL: func.func private @convolution(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 1, 4, 32, 256>}
// CHECK: "tloop.annotate"(%{{.*}}) {key = "accel.cluster", value = array<i64: 1, 2, 1>}
// CHECK-NEXT: "tloop.annotate"(%{{.*}}) {key = "accel.group", value = array<i64: 1, 4, 1>}
// ASKED-LABEL: func.func private @convolution(
// ASKED: "tloop.annotate"(%{{.*}}) {key = "accel.cluster", value = array<i64: 1, 2, 4>}
module attributes {tloop.target = "cuda:sm_90a"} {
func.func private @convolution(%x: tensor<64x1x32x32x128xf16>, %w: tensor<1x1x3x3x128x1024xf16>) -> tensor<64x1x32x32x1024xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, graph.unrounded, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<64x1x32x32x128xf16>, tensor<1x1x3x3x128x1024xf16>) -> tensor<64x1x32x32x1024xf16>
  %1 = "graph.cast"(%0) : (tensor<64x1x32x32x1024xf16>) -> tensor<64x1x32x32x1024xf32>
  return %1 : tensor<64x1x32x32x1024xf32>
}
}

// -----

// sm_80 has no clusters, whatever is asked. The tiles of a transposed result: rows come last, columns are grouped.
// CHECK-LABEL: func.func private @no_clusters(
// CHECK-NOT: accel.cluster
// CHECK: "tloop.annotate"(%{{.*}}) {key = "accel.group", value = array<i64: 8, 1>}
// ASKED-LABEL: func.func private @no_clusters(
// ASKED-NOT: accel.cluster
module attributes {tloop.target = "cuda:sm_80"} {
func.func private @no_clusters(%a: tensor<4096x1024xbf16>, %b: tensor<1024x2048xbf16>) -> tensor<2048x4096xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<4096x1024xbf16>, tensor<1024x2048xbf16>) -> tensor<4096x2048xbf16>
  %1 = "graph.cast"(%0) : (tensor<4096x2048xbf16>) -> tensor<4096x2048xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<4096x2048xf32>) -> tensor<2048x4096xf32>
  return %2 : tensor<2048x4096xf32>
}
}

// -----

// Exact products of f32 and small tiles are in no clusters.
// CHECK-LABEL: func.func private @exact(
// ASKED-LABEL: func.func private @exact(
// CHECK-NOT: accel.cluster
// CHECK-LABEL: func.func private @small(
// CHECK-NOT: accel.cluster
// CHECK-NOT: accel.group
module attributes {tloop.target = "cuda:sm_90a"} {
func.func private @exact(%a: tensor<4096x1024xf32>, %b: tensor<1024x4096xf32>) -> tensor<4096x4096xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<4096x1024xf32>, tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
func.func private @small(%a: tensor<512x1024xbf16>, %b: tensor<1024x768xbf16>) -> tensor<512x768xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<512x1024xbf16>, tensor<1024x768xbf16>) -> tensor<512x768xbf16>
  %1 = "graph.cast"(%0) : (tensor<512x768xbf16>) -> tensor<512x768xf32>
  return %1 : tensor<512x768xf32>
}
}
