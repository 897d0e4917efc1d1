// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// Tiles of both operands and of the result are contiguous.
// CHECK-LABEL: func.func private @product
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V1:.*]] = tensor.empty() : tensor<64x48xf32>
// CHECK-NEXT: %[[V2:.*]] = linalg.fill ins(%[[V0]] : f32) outs(%[[V1]] : tensor<64x48xf32>) -> tensor<64x48xf32>
// CHECK-NEXT: %[[V3:.*]] = tensor.empty() : tensor<8x32x8xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V5:.*]] = tensor.pad %arg0 low[0, 0] high[0, 0] {
// CHECK-NEXT: ^bb0(%arg2: index, %arg3: index):
// CHECK-NEXT: tensor.yield %[[V4]] : f32
// CHECK-NEXT: } : tensor<64x32xf32> to tensor<64x32xf32>
// CHECK-NEXT: %[[V6:.*]] = tensor.expand_shape %[[V5]] [[0, 1], [2]] output_shape [8, 8, 32] : tensor<64x32xf32> into tensor<8x8x32xf32>
// CHECK-NEXT: %[[V7:.*]] = linalg.transpose ins(%[[V6]] : tensor<8x8x32xf32>) outs(%[[V3]] : tensor<8x32x8xf32>) permutation = [0, 2, 1]
// CHECK-NEXT: %[[V8:.*]] = tensor.empty() : tensor<32x3x16xf32>
// CHECK-NEXT: %[[V9:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V10:.*]] = tensor.pad %arg1 low[0, 0] high[0, 0] {
// CHECK-NEXT: ^bb0(%arg2: index, %arg3: index):
// CHECK-NEXT: tensor.yield %[[V9]] : f32
// CHECK-NEXT: } : tensor<32x48xf32> to tensor<32x48xf32>
// CHECK-NEXT: %[[V11:.*]] = tensor.expand_shape %[[V10]] [[0], [1, 2]] output_shape [32, 3, 16] : tensor<32x48xf32> into tensor<32x3x16xf32>
// CHECK-NEXT: %[[V12:.*]] = linalg.transpose ins(%[[V11]] : tensor<32x3x16xf32>) outs(%[[V8]] : tensor<32x3x16xf32>) permutation = [0, 1, 2]
// CHECK-NEXT: %[[V13:.*]] = tensor.empty() : tensor<8x3x8x16xf32>
// CHECK-NEXT: %[[V14:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V15:.*]] = tensor.pad %[[V2]] low[0, 0] high[0, 0] {
// CHECK-NEXT: ^bb0(%arg2: index, %arg3: index):
// CHECK-NEXT: tensor.yield %[[V14]] : f32
// CHECK-NEXT: } : tensor<64x48xf32> to tensor<64x48xf32>
// CHECK-NEXT: %[[V16:.*]] = tensor.expand_shape %[[V15]] [[0, 1], [2, 3]] output_shape [8, 8, 3, 16] : tensor<64x48xf32> into tensor<8x8x3x16xf32>
// CHECK-NEXT: %[[V17:.*]] = linalg.transpose ins(%[[V16]] : tensor<8x8x3x16xf32>) outs(%[[V13]] : tensor<8x3x8x16xf32>) permutation = [0, 2, 1, 3]
// CHECK-NEXT: %[[V18:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d2, d1, d4)>,
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]}
// CHECK-SAME: ins(%[[V7]], %[[V12]] : tensor<8x32x8xf32>, tensor<32x3x16xf32>) outs(%[[V17]] : tensor<8x3x8x16xf32>) attrs =  {tloop.block = "c"} {
// CHECK-NEXT: ^bb0(%in: f32, %in_10: f32, %out: f32):
// CHECK-NEXT: %[[V19:.*]] = arith.mulf %in, %in_10 : f32
// CHECK-NEXT: %[[V20:.*]] = arith.addf %out, %[[V19]] : f32
// CHECK-NEXT: linalg.yield %[[V20]] : f32
// CHECK-NEXT: } -> tensor<8x3x8x16xf32>
// CHECK-NEXT: %[[V21:.*]] = tensor.empty() : tensor<8x8x3x16xf32>
// CHECK-NEXT: %[[V22:.*]] = linalg.transpose ins(%[[V18]] : tensor<8x3x8x16xf32>) outs(%[[V21]] : tensor<8x8x3x16xf32>) permutation = [0, 2, 1, 3]
// CHECK-NEXT: %[[V23:.*]] = tensor.collapse_shape %[[V22]] [[0, 1], [2, 3]] : tensor<8x8x3x16xf32> into tensor<64x48xf32>
// CHECK-NEXT: %[[V24:.*]] = tensor.extract_slice %[[V23]][0, 0] [64, 48] [1, 1] : tensor<64x48xf32> to tensor<64x48xf32>
// CHECK-NEXT: %[[V25:.*]] = linalg.copy ins(%[[V24]] : tensor<64x48xf32>) outs(%[[V2]] : tensor<64x48xf32>) -> tensor<64x48xf32>
// CHECK-NEXT: return %[[V25]] : tensor<64x48xf32>
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
  %p = "tloop.pack"(%c) {sizes = array<i64: 8, 16>} : (!tloop.block) -> !tloop.block
}) {kernel = @product} : () -> ()
