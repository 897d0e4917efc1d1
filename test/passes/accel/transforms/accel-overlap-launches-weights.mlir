// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-overlap-launches | filecheck %s
// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-overlap-launches --accel-overlap-launches | filecheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.mlir.global external @shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

    // Both copies of the weights, %y, start before the wait, after the computation of their addresses; the others
    // after it, in their groups.
    // CHECK: llvm.func @copies_0(%[[X:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>)
    // CHECK-SAME: accel.early_reads = array<i64: 1>, accel.overlap_launches
    // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
    // CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[Y]][%[[THREAD:.*]]]
    // CHECK: nvvm.cp.async.shared.global %{{.*}}, %[[FIRST]], 16
    // CHECK: %[[PLACE:.*]] = arith.addi %[[THREAD]]
    // CHECK-NEXT: %[[NEXT:.*]] = llvm.getelementptr %[[Y]][%[[PLACE]]]
    // CHECK-NEXT: %[[INSIDE:.*]] = arith.select %{{.*}}, %[[NEXT]], %[[Y]]
    // CHECK-NEXT: nvvm.cp.async.shared.global %{{.*}}, %[[INSIDE]], 16
    // CHECK-NEXT: nvvm.griddepcontrol wait
    // CHECK-NEXT: nvvm.cp.async.shared.global %{{.*}}, %[[X]], 16
    // CHECK-NEXT: nvvm.cp.async.commit.group
    // CHECK-NEXT: nvvm.cp.async.shared.global
    // CHECK-NEXT: nvvm.cp.async.commit.group
    // CHECK-NEXT: nvvm.cp.async.wait.group
    // CHECK-NOT: griddepcontrol
    // CHECK: llvm.return
    llvm.func @copies_0(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %one = arith.constant 1 : i32
      %true = arith.constant true
      %shared = llvm.mlir.addressof @shared_memory : !llvm.ptr<3>
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      nvvm.cp.async.shared.global %shared, %x, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      %first = llvm.getelementptr %y[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      nvvm.cp.async.shared.global %shared, %first, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      nvvm.cp.async.commit.group
      nvvm.cp.async.shared.global %shared, %x, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      %place = arith.addi %thread, %one : i32
      %next = llvm.getelementptr %y[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %inside = arith.select %true, %next, %y : !llvm.ptr<1>
      nvvm.cp.async.shared.global %shared, %inside, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      llvm.return
    }

    // The first access is no such copy: all others stay after the wait.
    // CHECK: llvm.func @load_0(
    // CHECK-NOT: early_reads
    // CHECK: nvvm.griddepcontrol wait
    // CHECK-NEXT: llvm.load
    // CHECK-NEXT: nvvm.cp.async.shared.global
    // CHECK: llvm.return
    llvm.func @load_0(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %shared = llvm.mlir.addressof @shared_memory : !llvm.ptr<3>
      %value = llvm.load %x : !llvm.ptr<1> -> f32
      nvvm.cp.async.shared.global %shared, %y, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      llvm.return
    }

    // A pointer that may alias another one, and copies after an op that is no copy.
    // CHECK: llvm.func @others_0(
    // CHECK-NOT: early_reads
    // CHECK: nvvm.griddepcontrol wait
    // CHECK-NEXT: nvvm.cp.async.shared.global
    // CHECK-NEXT: nvvm.barrier
    // CHECK-NEXT: nvvm.cp.async.shared.global
    // CHECK: llvm.return
    llvm.func @others_0(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %some: i1) attributes {gpu.kernel, nvvm.kernel} {
      %shared = llvm.mlir.addressof @shared_memory : !llvm.ptr<3>
      %either = arith.select %some, %x, %y : !llvm.ptr<1>
      nvvm.cp.async.shared.global %shared, %either, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      nvvm.barrier
      nvvm.cp.async.shared.global %shared, %y, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      llvm.return
    }
  }

  func.func private @copies(%x: memref<64xf32>, %y: memref<64xf32>) attributes {accel.weights = array<i64: 1>, tloop.kernel} {
    %one = arith.constant 1 : index
    %some = arith.constant true
    %a = memref.extract_aligned_pointer_as_index %x : memref<64xf32> -> index
    %b = arith.index_cast %a : index to i64
    %c = llvm.inttoptr %b : i64 to !llvm.ptr<1>
    %d = memref.extract_aligned_pointer_as_index %y : memref<64xf32> -> index
    %e = arith.index_cast %d : index to i64
    %f = llvm.inttoptr %e : i64 to !llvm.ptr<1>
    gpu.launch_func @kernels::@copies_0 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%c : !llvm.ptr<1>, %f : !llvm.ptr<1>)
    gpu.launch_func @kernels::@load_0 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%c : !llvm.ptr<1>, %f : !llvm.ptr<1>)
    gpu.launch_func @kernels::@others_0 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%c : !llvm.ptr<1>, %f : !llvm.ptr<1>, %some : i1)
    return
  }
}
