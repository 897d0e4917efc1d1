// RUN: mlc-opt %s --split-input-file --allow-unregistered-dialect --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// The tile is the pattern's computation.
// CHECK-LABEL: func.func private @dot_pattern
// CHECK: %[[V0:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<1x4xf32>, tensor<4x16xf32>)
// CHECK-SAME: outs(%arg2 : tensor<1x16xf32>) {
// CHECK-NEXT: ^bb0(%in: f32, %in_0: f32, %out: f32):
// CHECK-NEXT: %[[V1:.*]] = arith.mulf %in, %in_0 : f32
// CHECK-NEXT: %[[V2:.*]] = arith.addf %out, %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V2]] : f32
// CHECK-NEXT: } -> tensor<1x16xf32>
// CHECK-NEXT: return %[[V0]] : tensor<1x16xf32>
// CHECK-LABEL: func.func private @dot
// CHECK: %[[V3:.*]] = "my.dot"(%arg0, %arg1, %arg2) : (tensor<1x4xf32>, tensor<4x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: return %[[V3]] : tensor<1x16xf32>
// CHECK-LABEL: func.func private @product
// CHECK: %[[V4:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V5:.*]] = tensor.empty() : tensor<64x48xf32>
// CHECK-NEXT: %[[V6:.*]] = linalg.fill ins(%[[V4]] : f32) outs(%[[V5]] : tensor<64x48xf32>) -> tensor<64x48xf32>
// CHECK-NEXT: %[[V7:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V8:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V9:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V10:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[V11:.*]] = arith.constant 48 : index
// CHECK-NEXT: %[[V12:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[V13:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V14:.*]] = arith.constant 16 : index
// CHECK-NEXT: %[[V15:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[V16:.*]] = scf.for %[[V17:.*]] = %[[V7]] to %[[V10]] step %[[V13]] iter_args(%[[V18:.*]] = %[[V6]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V19:.*]] = scf.for %[[V20:.*]] = %[[V8]] to %[[V11]] step %[[V14]] iter_args(%[[V21:.*]] = %[[V18]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V22:.*]] = scf.for %[[V23:.*]] = %[[V9]] to %[[V12]] step %[[V15]] iter_args(%[[V24:.*]] = %[[V21]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V25:.*]] = tensor.extract_slice %arg0[%[[V17]], %[[V23]]] [1, 4] [1, 1] : tensor<64x32xf32> to tensor<1x4xf32>
// CHECK-NEXT: %[[V26:.*]] = tensor.extract_slice %arg1[%[[V23]], %[[V20]]] [4, 16] [1, 1] : tensor<32x48xf32> to tensor<4x16xf32>
// CHECK-NEXT: %[[V27:.*]] = tensor.extract_slice %[[V24]][%[[V17]], %[[V20]]] [1, 16] [1, 1] : tensor<64x48xf32> to tensor<1x16xf32>
// CHECK-NEXT: %[[V28:.*]] = "my.dot"(%[[V25]], %[[V26]], %[[V27]]) : (tensor<1x4xf32>, tensor<4x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %[[V29:.*]] = tensor.insert_slice %[[V28]] into %[[V24]][%[[V17]], %[[V20]]] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<64x48xf32>
// CHECK-NEXT: scf.yield %[[V29]] : tensor<64x48xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V22]] : tensor<64x48xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V19]] : tensor<64x48xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V16]] : tensor<64x48xf32>
func.func private @dot_pattern(%a: tensor<1x4xf32>, %b: tensor<4x16xf32>, %c: tensor<1x16xf32>) -> tensor<1x16xf32> attributes {tloop.implementation = @dot} {
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x4xf32>, tensor<4x16xf32>) outs(%c : tensor<1x16xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x16xf32>
  return %p : tensor<1x16xf32>
}
func.func private @dot(%a: tensor<1x4xf32>, %b: tensor<4x16xf32>, %c: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %0 = "my.dot"(%a, %b, %c) : (tensor<1x4xf32>, tensor<4x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}
func.func private @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%c : tensor<64x48xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x48xf32>
  return %p : tensor<64x48xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%c) {sizes = array<i64: 1, 16, 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.tensorize"(%t) {intrinsic = @dot_pattern} : (!tloop.block) -> ()
}) {kernel = @product} : () -> ()
