// RUN: %python %S/Inputs/print_kernel.py tensor_kernels.convolution M=6 N=7 | filecheck %s --check-prefix=CONV
// RUN: %python %S/Inputs/print_kernel.py tensor_kernels.pool N=8 | filecheck %s --check-prefix=POOL
// RUN: %python %S/Inputs/print_kernel.py tensor_kernels.gather M=7 N=5 K=2 | filecheck %s --check-prefix=GATHER

// A reduction inside a larger expression is a separate block.
// CONV-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>
// CONV-DAG: #[[KERNEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CONV: func.func private @convolution_{{.*}}(%[[X:.*]]: tensor<6x7xf32>, %[[W:.*]]: tensor<3x3xf32>, %[[B:.*]]: tensor<1xf32>)
// CONV: linalg.generic {{.*}}tloop.block = "relu_sum_init"
// CONV: linalg.generic {indexing_maps = [#[[WINDOW]], #[[KERNEL]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[X]], %[[W]]
// CONV-SAME: tloop.block = "relu_sum"
// CONV: linalg.generic {{.*}}tloop.block = "relu"
// CONV: arith.maximumf

// The window's extent is that of an operand which nothing reads.
// POOL-DAG: affine_map<(d0, d1) -> (d0 * 2 + d1)>
// POOL: %[[WINDOW:.*]] = tensor.empty() : tensor<2xf32>
// POOL: linalg.generic {{.*}}ins(%{{.*}}, %[[WINDOW]]

// GATHER: %[[ROW:.*]] = arith.index_cast %{{.*}} : i32 to index
// GATHER: tensor.extract %{{.*}}[%[[ROW]], %{{.*}}]
