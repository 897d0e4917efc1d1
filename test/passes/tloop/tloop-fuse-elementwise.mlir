// RUN: mlc-opt --tloop-fuse-elementwise --canonicalize %s | filecheck %s
// RUN: mlc-opt --tloop-fuse-elementwise=convert-apart=true --canonicalize %s | filecheck %s --check-prefix=APART

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
