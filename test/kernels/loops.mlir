// RUN: %python %S/Inputs/print_kernel.py loop_kernels.matmul_of f32 M=4 N=5 K=6 | filecheck %s --check-prefix=MATMUL
// RUN: %python %S/Inputs/print_kernel.py loop_kernels.blocked_transpose M=7 N=5 | filecheck %s --check-prefix=TILES
// RUN: %python %S/Inputs/print_kernel.py loop_kernels.ragged_sums M=7 N=5 | filecheck %s --check-prefix=RAGGED
// RUN: %python %S/Inputs/print_kernel.py loop_kernels.gather M=7 N=5 K=2 | filecheck %s --check-prefix=GATHER
// RUN: %python %S/Inputs/print_kernel.py loop_kernels.matmul_of f32 M=4 N=5 K=6 | mlc-opt --cpu-kernel | filecheck %s --check-prefix=LOWERED

// Tensors outside, buffers inside; loops carry their names and stores that of their block.
// MATMUL: func.func private @matmul_{{.*}}(%[[A:.*]]: tensor<4x6xf32>, %[[B:.*]]: tensor<6x5xf32>) -> tensor<4x5xf32> attributes {tloop.kernel}
// MATMUL: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// MATMUL: %[[LEFT:.*]] = bufferization.to_buffer %[[A]] read_only
// MATMUL: %[[RIGHT:.*]] = bufferization.to_buffer %[[B]] read_only
// MATMUL: %[[OUT:.*]] = memref.alloc() : memref<4x5xf32>
// MATMUL: affine.for %[[I:.*]] = 0 to 4 {
// MATMUL-NEXT: affine.for %[[J:.*]] = 0 to 5 {
// MATMUL-NEXT: affine.store %[[ZERO]], %[[OUT]][%[[I]], %[[J]]] {tloop.block = "init"}
// MATMUL-NEXT: affine.for %[[K:.*]] = 0 to 6 {
// MATMUL-NEXT: %[[X:.*]] = affine.load %[[LEFT]][%[[I]], %[[K]]]
// MATMUL-NEXT: %[[Y:.*]] = affine.load %[[RIGHT]][%[[K]], %[[J]]]
// MATMUL-NEXT: %[[P:.*]] = arith.mulf %[[X]], %[[Y]] fastmath<contract>
// MATMUL-NEXT: %[[OLD:.*]] = affine.load %[[OUT]][%[[I]], %[[J]]]
// MATMUL-NEXT: %[[NEW:.*]] = arith.addf %[[OLD]], %[[P]] fastmath<contract>
// MATMUL-NEXT: affine.store %[[NEW]], %[[OUT]][%[[I]], %[[J]]] {tloop.block = "update"}
// MATMUL-NEXT: } {tloop.name = "k"}
// MATMUL-NEXT: } {tloop.name = "j"}
// MATMUL-NEXT: } {tloop.name = "i"}
// MATMUL-NEXT: bufferization.to_tensor %[[OUT]] restrict writable

// Bounds that depend on outer loops, and differences as subscripts, stay affine.
// TILES: affine.for %[[II:.*]] = 0 to 7 step 4 {
// TILES: affine.for %[[JJ:.*]] = 0 to 5 step 4 {
// TILES: memref.alloc() : memref<4x4xf32>
// TILES: affine.for %[[I:.*]] = #{{.*}}(%[[II]]) to min #{{.*}}(%[[II]]) {
// TILES: affine.for %[[J:.*]] = #{{.*}}(%[[JJ]]) to min #{{.*}}(%[[JJ]]) {
// TILES: affine.store %{{.*}}, %{{.*}}[%[[I]] - %[[II]], %[[J]] - %[[JJ]]]

// Bounds and subscripts that depend on data are scf and memref.
// RAGGED: affine.for %[[I:.*]] = 0 to 7 {
// RAGGED: %[[LENGTH:.*]] = affine.load
// RAGGED: %[[END:.*]] = arith.index_cast %[[LENGTH]] : i32 to index
// RAGGED: scf.for %[[J:.*]] = %{{.*}} to %[[END]] step %{{.*}} iter_args
// RAGGED: memref.load %{{.*}}[%[[I]], %[[J]]]

// GATHER: %[[ROW:.*]] = arith.index_cast %{{.*}} : i32 to index
// GATHER: memref.load %{{.*}}[%[[ROW]], %{{.*}}]

// The kernel contract; nothing is allocated.
// LOWERED-NOT: malloc
// LOWERED: llvm.func @matmul_{{.*}}(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// LOWERED-NOT: malloc
