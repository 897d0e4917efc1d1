// RUN: mlc-opt %s --split-input-file --cpu-kernel --mlir-print-ir-after=tloop-stack-buffers -o %t.llvm.mlir 2>&1 | filecheck %s
// RUN: filecheck %s --input-file=%t.llvm.mlir --check-prefix=LLVM

// A product with bias and activation. The rows of the accumulators are carried by the loop over the reduction, the bias is read
// before all loops, the epilogue works on vectors, the rest of the rows has a separate static tile; results go where the
// caller wants them.
// CHECK-LABEL: func.func private @product(
// CHECK-SAME: %[[A:.*]]: memref<41x64xf32>, %[[B:.*]]: memref<64x64xf32>, %[[BIAS:.*]]: memref<64xf32>, %[[OUT:.*]]: memref<41x64xf32>)
// CHECK-NOT: memref.alloc
// CHECK-NOT: tensor<
// CHECK-NOT: linalg.
// CHECK: vector.transfer_read %[[BIAS]]
// CHECK: scf.for %[[ROW:.*]] = %c0 to
// CHECK-NEXT: %[[TILE:.*]]:{{[0-9]+}} = scf.for {{.*}} iter_args({{.*}}) -> (vector<64xf32>, {{.*}}vector<64xf32>) {
// CHECK-NOT: vector.transfer_write
// CHECK-NOT: %[[OUT]]
// CHECK: memref.load
// CHECK: vector.broadcast {{.*}} : f32 to vector<64xf32>
// CHECK: vector.fma
// CHECK: memref.prefetch %[[B]]
// CHECK: scf.yield {{.*}} : vector<64xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[TILE]]#0, {{.*}} : vector<64xf32>
// CHECK: %[[NEGATIVE:.*]] = arith.cmpf ogt, {{.*}}, %[[SUM]]
// CHECK: arith.select %[[NEGATIVE]]
// CHECK: vector.transfer_write {{.*}}, %[[OUT]][%[[ROW]], %c0]
// CHECK: scf.for {{.*}} -> ({{.*}}vector<64xf32>)
// CHECK: vector.transfer_write {{.*}}, %[[OUT]][%c{{[0-9]+}}, %c0]
// CHECK: return

// LLVM-LABEL: llvm.func @product(%arg0: !llvm.ptr, %arg1: !llvm.ptr) {
// LLVM-COUNT-4: llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// LLVM: llvm.call @product__body
// LLVM: llvm.func @product__body(%arg0: !llvm.ptr {llvm.noalias, llvm.nonnull}, %arg1: !llvm.ptr {llvm.noalias, llvm.nonnull},
// LLVM-SAME: %arg2: !llvm.ptr {llvm.noalias, llvm.nonnull}, %arg3: !llvm.ptr {llvm.noalias, llvm.nonnull})
// LLVM-NOT: llvm.call @malloc
// LLVM-NOT: llvm.alloca
// LLVM: llvm.return
func.func private @product(%a: tensor<41x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64xf32>) -> tensor<41x64xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<41x64xf32>, tensor<64x64xf32>) -> tensor<41x64xf32>
  %1 = "graph.add"(%0, %c) : (tensor<41x64xf32>, tensor<64xf32>) -> tensor<41x64xf32>
  %2 = "graph.relu"(%1) : (tensor<41x64xf32>) -> tensor<41x64xf32>
  return %2 : tensor<41x64xf32>
}

// -----

// Rows run on threads. Each thread has room for a row's maximum and its sum; the exponentials are kept in the result's row.
// CHECK-LABEL: func.func private @softmax(
// CHECK: omp.parallel {
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<1x1xf32>
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<1x1xf32>
// CHECK: omp.loop_nest (%[[ROW:.*]]) : index = (%{{.*}}) to (%c128)
// CHECK-NOT: memref.alloca()
// CHECK: arith.maximumf
// CHECK-NOT: math.exp
// CHECK: memref.store {{.*}}, %arg1[%[[ROW]], %{{.*}}]
// CHECK: arith.addf {{.*}} fastmath<reassoc,contract>
// CHECK: arith.divf
// CHECK: memref.store {{.*}}, %arg1[%[[ROW]], %{{.*}}]
// CHECK: return

// LLVM-LABEL: llvm.func @softmax__body
// LLVM: omp.parallel
// LLVM: llvm.return
func.func private @softmax(%a: tensor<128x1024xf32>) -> tensor<128x1024xf32> attributes {tloop.kernel} {
  %0 = "graph.softmax"(%a) {axis = 1} : (tensor<128x1024xf32>) -> tensor<128x1024xf32>
  return %0 : tensor<128x1024xf32>
}

// -----

// A small kernel wakes no thread, and is plain loops.
// CHECK-LABEL: func.func private @small(
// CHECK-NOT: omp.
// CHECK: scf.for
// CHECK: memref.load %arg0
// CHECK: memref.store {{.*}}, %arg1
// CHECK: return
func.func private @small(%a: tensor<8xf32>) -> tensor<8xf32> attributes {tloop.kernel} {
  %0 = "graph.neg"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Padding after a convolution: the frame is filled, the result computed in place inside it, without a copy.
// CHECK-LABEL: func.func private @padded(
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<1x1x10x10x32xf32>)
// CHECK-NOT: memref.alloc
// CHECK: memref.store %cst{{.*}}, %[[OUT]]
// CHECK: vector.fma
// CHECK: vector.transfer_write {{.*}}memref<1x1x10x10x32xf32>
// CHECK-NOT: memref.copy
// CHECK: return
func.func private @padded(%x: tensor<1x1x8x8x32xf32>, %w: tensor<1x1x1x1x32x32xf32>) -> tensor<1x1x10x10x32xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8x32xf32>, tensor<1x1x1x1x32x32xf32>) -> tensor<1x1x8x8x32xf32>
  %1 = "graph.pad"(%0) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0} : (tensor<1x1x8x8x32xf32>) -> tensor<1x1x10x10x32xf32>
  return %1 : tensor<1x1x10x10x32xf32>
}
