// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// Eight partial sums side by side, then their sum.
// CHECK-LABEL: func.func private @sum
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V1:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = linalg.fill ins(%[[V0]] : f32) outs(%[[V1]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tensor.expand_shape %arg0 [[0], [1, 2]] output_shape [4, 8, 8] : tensor<4x64xf32> into tensor<4x8x8xf32>
// CHECK-NEXT: %[[V4:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V6:.*]] = linalg.fill ins(%[[V5]] : f32) outs(%[[V4]] : tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[V7:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V8:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[V9:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V10:.*]] = scf.for %[[V11:.*]] = %[[V7]] to %[[V8]] step %[[V9]] iter_args(%[[V12:.*]] = %[[V6]]) -> (tensor<4x8xf32>) {
// CHECK-NEXT: %[[V13:.*]] = tensor.extract_slice %[[V3]][%[[V11]], 0, 0] [1, 8, 8] [1, 1, 1] : tensor<4x8x8xf32> to tensor<1x8x8xf32>
// CHECK-NEXT: %[[V14:.*]] = tensor.extract_slice %[[V12]][%[[V11]], 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
// CHECK-NEXT: %[[V15:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>],
// CHECK-SAME: iterator_types = ["parallel", "reduction", "parallel"]} ins(%[[V13]] : tensor<1x8x8xf32>)
// CHECK-SAME: outs(%[[V14]] : tensor<1x8xf32>) attrs =  {tloop.block = "c.partial"} {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: %[[V16:.*]] = arith.addf %out, %in : f32
// CHECK-NEXT: linalg.yield %[[V16]] : f32
// CHECK-NEXT: } -> tensor<1x8xf32>
// CHECK-NEXT: %[[V17:.*]] = tensor.insert_slice %[[V15]] into %[[V12]][%[[V11]], 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
// CHECK-NEXT: scf.yield %[[V17]] : tensor<4x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V18:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
// CHECK-SAME: iterator_types = ["parallel", "reduction"]} ins(%[[V10]] : tensor<4x8xf32>) outs(%[[V2]] : tensor<4xf32>) attrs =  {tloop.block = "c"} {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: %[[V19:.*]] = arith.addf %in, %out : f32
// CHECK-NEXT: linalg.yield %[[V19]] : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: return %[[V18]] : tensor<4xf32>
func.func private @sum(%a: tensor<4x64xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x64xf32>) outs(%c : tensor<4xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%x: f32, %acc: f32):
    %1 = arith.addf %acc, %x : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %p : tensor<4xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %p, %f = "tloop.rfactor"(%c) {factor = 8} : (!tloop.block) -> (!tloop.block, !tloop.block)
  %t, %l = "tloop.tile"(%p) {sizes = array<i64: 1>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
}) {kernel = @sum} : () -> ()
