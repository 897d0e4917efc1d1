// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-pad-windows,graph-to-linalg),canonicalize,cse,tloop-fuse-elementwise,tloop-schedule-blocks)" --split-input-file | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-pad-windows,graph-to-linalg),canonicalize,cse,tloop-fuse-elementwise,tloop-schedule-blocks{split-k=1})" \
// RUN:   --split-input-file \
// RUN:   | filecheck %s --check-prefix=NONE
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-pad-windows,graph-to-linalg),canonicalize,cse,tloop-fuse-elementwise,tloop-schedule-blocks{split-k=3})" \
// RUN:   --split-input-file \
// RUN:   | filecheck %s --check-prefix=SPLIT
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-pad-windows,graph-to-linalg),canonicalize,cse,tloop-fuse-elementwise,tloop-schedule-blocks{stream-k=108})" \
// RUN:   --split-input-file \
// RUN:   | filecheck %s --check-prefix=STREAM

// NONE-NOT: accel.split_k
// NONE-NOT: accel.stream_k

// 24 tiles of 64x64 for 108 multiprocessors, and 48 steps: 4 parts of 12. Without parts, 96 tiles of 32x32.
// CHECK-LABEL: func.func private @long(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 64, 64>}
// CHECK: "tloop.annotate"(%[[LOOP:.*]]) {key = "accel.stages", value = 4 : i64}
// CHECK-NEXT: "tloop.annotate"(%[[LOOP]]) {key = "accel.split_k", value = 4 : i64}
// CHECK-NOT: stream_k
// NONE-LABEL: func.func private @long(
// NONE: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 32, 32>}
// SPLIT-LABEL: func.func private @long(
// SPLIT: key = "accel.split_k", value = 3 : i64
// STREAM-LABEL: func.func private @long(
// STREAM: key = "accel.stream_k", value = 108 : i64
module attributes {tloop.target = "cuda:sm_80"} {
  func.func private @long(%a: tensor<128x3072xf16>, %b: tensor<3072x768xf16>) -> tensor<128x768xf32> attributes {tloop.kernel} {
    %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<128x3072xf16>, tensor<3072x768xf16>) -> tensor<128x768xf16>
    %1 = "graph.cast"(%0) : (tensor<128x768xf16>) -> tensor<128x768xf32>
    return %1 : tensor<128x768xf32>
  }
}

// -----

// A quarter of the steps: another launch would cost more than parts save.
// CHECK-LABEL: func.func private @short(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 32, 32>}
// CHECK-NOT: accel.split_k
// CHECK-NOT: accel.stream_k
module attributes {tloop.target = "cuda:sm_80"} {
  func.func private @short(%a: tensor<128x768xf16>, %b: tensor<768x768xf16>) -> tensor<128x768xf32> attributes {tloop.kernel} {
    %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<128x768xf16>, tensor<768x768xf16>) -> tensor<128x768xf16>
    %1 = "graph.cast"(%0) : (tensor<128x768xf16>) -> tensor<128x768xf32>
    return %1 : tensor<128x768xf32>
  }
}

// -----

// 132 tiles of 128x128: on 108 multiprocessors they would take two waves, on 132 one.
// CHECK-LABEL: func.func private @wave(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 128, 128>}
// CHECK: key = "accel.stream_k", value = 216 : i64
module attributes {tloop.target = "cuda:sm_80"} {
  func.func private @wave(%a: tensor<1536x4096xbf16>, %b: tensor<4096x1408xbf16>) -> tensor<1536x1408xf32> attributes {tloop.kernel} {
    %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<1536x4096xbf16>, tensor<4096x1408xbf16>) -> tensor<1536x1408xbf16>
    %1 = "graph.cast"(%0) : (tensor<1536x1408xbf16>) -> tensor<1536x1408xf32>
    return %1 : tensor<1536x1408xf32>
  }
}

// -----

// CHECK-LABEL: func.func private @one_wave(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 128, 128>}
// CHECK-NOT: accel.stream_k
module attributes {tloop.target = "cuda:sm_90a"} {
  func.func private @one_wave(%a: tensor<1536x4096xbf16>, %b: tensor<4096x1408xbf16>) -> tensor<1536x1408xf32> attributes {tloop.kernel} {
    %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<1536x4096xbf16>, tensor<4096x1408xbf16>) -> tensor<1536x1408xbf16>
    %1 = "graph.cast"(%0) : (tensor<1536x1408xbf16>) -> tensor<1536x1408xf32>
    return %1 : tensor<1536x1408xf32>
  }
}

// -----

// The last convolutions of ResNet-50: 49 pixels, and 72 steps in the window's lines, its columns, and the channels.
// CHECK-LABEL: func.func private @last(
// CHECK: "tloop.cache_read"(%{{.*}}, %[[C:.*]]) {block_name = "right", operand = 1 : i64}
// CHECK-NEXT: "tloop.annotate"(%[[C]]) {key = "accel.stages", value = 4 : i64}
// CHECK-NEXT: "tloop.annotate"(%[[C]]) {key = "accel.split_k", value = 6 : i64}
// SPLIT-LABEL: func.func private @last(
// SPLIT: key = "accel.split_k", value = 3 : i64
module attributes {tloop.target = "cuda:sm_80"} {
  func.func private @last(%x: tensor<1x1x7x7x512xf16>, %w: tensor<1x1x3x3x512x512xf16>) -> tensor<1x1x7x7x512xf32> attributes {tloop.kernel} {
    %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, graph.unrounded, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
        : (tensor<1x1x7x7x512xf16>, tensor<1x1x3x3x512x512xf16>) -> tensor<1x1x7x7x512xf16>
    %1 = "graph.cast"(%0) : (tensor<1x1x7x7x512xf16>) -> tensor<1x1x7x7x512xf32>
    return %1 : tensor<1x1x7x7x512xf32>
  }
}
