// RUN: mlc-opt --tloop-fuse-elementwise --canonicalize %s | filecheck %s
// RUN: mlc-opt --tloop-fuse-elementwise=convert-apart=true --canonicalize %s | filecheck %s --check-prefix=APART
// RUN: mlc-opt --tloop-fuse-elementwise=recompute=true --canonicalize %s | filecheck %s --check-prefix=AGAIN

// CHECK-LABEL: func.func private @plain
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
// CHECK-LABEL: func.func private @scheduled
// CHECK: linalg.generic {{.*}}tloop.block = "first"
// CHECK: linalg.generic {{.*}}tloop.block = "second"
#map = affine_map<(d0) -> (d0)>
func.func private @plain(%x: tensor<8xf32>) -> tensor<8xf32> attributes {tloop.kernel} {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.addf %in, %in : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.mulf %in, %in : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @scheduled(%x: tensor<8xf32>) -> tensor<8xf32> attributes {tloop.kernel} {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) attrs = {tloop.block = "first"} {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.addf %in, %in : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) attrs = {tloop.block = "second"} {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.mulf %in, %in : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
"tloop.schedule"() ({
  %b = "tloop.get_block"() {block_name = "first"} : () -> !tloop.block
}) {kernel = @scheduled} : () -> ()

// Both readers convert the argument themselves, or neither.
// CHECK-LABEL: func.func private @converted
// CHECK-COUNT-3: linalg.generic
// APART-LABEL: func.func private @converted
// APART: %[[A:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<8xbf16>)
// APART: arith.extf
// APART: %[[B:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<8xbf16>)
// APART: arith.extf
// APART: return %[[A]], %[[B]]
func.func private @converted(%x: tensor<8xbf16>) -> (tensor<8xf32>, tensor<8xf32>) attributes {tloop.kernel} {
  %e = tensor.empty() : tensor<8xf32>
  %w = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xbf16>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %2 = arith.extf %in : bf16 to f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%w : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.addf %in, %in : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%w : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.mulf %in, %in : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// The sum of squares and what follows it both subtract the mean, for which nothing is stored.
// CHECK-LABEL: func.func private @centred
// CHECK-COUNT-3: linalg.generic
// AGAIN-LABEL: func.func private @centred
// AGAIN: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4xf32>)
// AGAIN: arith.subf
// AGAIN: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1, %{{.*}} : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
// AGAIN: arith.subf
// AGAIN-NOT: linalg.generic
// AGAIN: return
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func private @centred(%x: tensor<4x8xf32>, %mean: tensor<4xf32>, %zero: tensor<4xf32>) -> tensor<4x8xf32> attributes {tloop.kernel} {
  %e = tensor.empty() : tensor<4x8xf32>
  %c = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %mean : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %2 = arith.subf %in, %m : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<4x8xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.mulf %in, %in : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%c, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %v: f32, %out: f32):
    %2 = arith.mulf %in, %v : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// An exponential is dear.
// AGAIN-LABEL: func.func private @dear
// AGAIN-COUNT-1: math.exp
// AGAIN-NOT: math.exp
// AGAIN: return
func.func private @dear(%x: tensor<4x8xf32>, %zero: tensor<4xf32>) -> tensor<4x8xf32> attributes {tloop.kernel} {
  %e = tensor.empty() : tensor<4x8xf32>
  %c = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = math.exp %in : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<4x8xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.addf %out, %in : f32
    linalg.yield %3 : f32
  } -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%c, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %v: f32, %out: f32):
    %2 = arith.mulf %in, %v : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
