// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --nvgpu-kernel | filecheck %s
// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --nvgpu-kernel | mlc-translate --mlir-to-ptx --gpu-arch=sm_90a | filecheck %s --check-prefix=PTX

// A kernel's operands come by TMA, in rows of 128 bytes, and groups of warps multiply them. Each of two blocks copies a
// panel of the right operand for both of them.
// CHECK: gpu.module @kernels
// CHECK: llvm.func @product_0(
// CHECK-SAME: accel.overlap_launches
// CHECK-SAME: accel.tensor_maps = [{box = array<i64: 64, 128>, dims = array<i64: 1024, 2048>, dtype = "float16",
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK: func.func private @product(
// CHECK: gpu.launch_func @kernels::@product_0 clusters in (%{{.*}}, %{{.*}}, %{{.*}}) blocks in
// PTX: .target sm_90a
// PTX: .visible .entry product_0(
// PTX-DAG: .explicitcluster
// PTX-DAG: .reqnctapercluster 2, 1, 1
// PTX: setmaxnreg.inc.sync.aligned.u32 232
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// PTX: setmaxnreg.dec.sync.aligned.u32 40
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.{{.*}}complete_tx::bytes [
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.{{.*}}multicast::cluster
// PTX: barrier.cluster.wait
module attributes {tloop.target = "cuda:sm_90a"} {
func.func private @product(%a: tensor<2048x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<2048x1024xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<2048x1024xf16>, tensor<1024x1024xf16>) -> tensor<2048x1024xf16>
  %1 = "graph.cast"(%0) {saturate = true} : (tensor<2048x1024xf16>) -> tensor<2048x1024xf32>
  return %1 : tensor<2048x1024xf32>
}
}
