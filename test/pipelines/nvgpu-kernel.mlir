// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_80 --nvgpu-kernel | filecheck %s
// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_80 --nvgpu-kernel | mlc-translate --mlir-to-ptx --gpu-arch=sm_80 | filecheck %s --check-prefix=PTX

// One kernel of threads, in the llvm dialect, and its launch; no function is called for the exponential.
// CHECK: gpu.module @kernels
// CHECK: llvm.func @weights_0(
// CHECK-NOT: math.
// CHECK-NOT: llvm.intr.exp
// CHECK: func.func private @weights(%{{.*}}: memref<5x96xf32>, %{{.*}}: memref<5x96xf32>)
// CHECK: gpu.launch_func @kernels::@weights_0
// PTX: .target sm_80
// PTX: .visible .entry weights_0(
// PTX-NOT: griddepcontrol
// PTX: shfl.sync
// PTX-NOT: call
// PTX: st.global
func.func private @weights(%x: tensor<5x96xf32>) -> tensor<5x96xf32> attributes {tloop.kernel} {
  %0 = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<5x96xf32>) -> tensor<5x96xf32>
  return %0 : tensor<5x96xf32>
}
