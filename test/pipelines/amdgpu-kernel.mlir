// RUN: mlc-opt %s --tloop-set-target=target=hip:gfx90a --amdgpu-kernel --split-input-file | mlc-translate --mlir-to-amdgcn --gpu-arch=gfx90a --split-input-file | filecheck %s
// RUN: mlc-opt %s --tloop-set-target=target=hip:gfx942 --amdgpu-kernel --split-input-file | mlc-translate --mlir-to-amdgcn --gpu-arch=gfx942 --split-input-file | filecheck %s --check-prefix=NEWER

// A product of f32 with a bias and an activation, whose function is arithmetic.
// CHECK: .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
// CHECK: dense_0:
// CHECK: v_mfma_f32_16x16x4f32
// CHECK-NOT: s_swappc
// CHECK: global_store_dwordx4
// CHECK: s_endpgm
// CHECK: .private_segment_fixed_size: 0
// CHECK: .vgpr_spill_count: 0
// NEWER: .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
// NEWER: v_mfma_f32_16x16x4_f32
func.func private @dense(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>, %b: tensor<128xf32>) -> tensor<64x128xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%x, %w) : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32>
  %1 = "graph.add"(%0, %b) : (tensor<64x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
  %2 = "graph.tanh"(%1) : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// -----

// Sums of a row between lanes.
// CHECK: softmax_0:
// CHECK: quad_perm:[1,0,3,2]
// CHECK: quad_perm:[2,3,0,1]
// CHECK: ds_swizzle_b32
// CHECK: row_ror:8
// CHECK: s_endpgm
// CHECK: .private_segment_fixed_size: 0
// CHECK: .vgpr_spill_count: 0
func.func private @softmax(%x: tensor<64x256xf32>) -> tensor<64x256xf32> attributes {tloop.kernel} {
  %0 = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<64x256xf32>) -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}
