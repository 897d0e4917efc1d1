// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-overlap-launches | filecheck %s
// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-overlap-launches --accel-overlap-launches | filecheck %s

gpu.module @kernels {
  llvm.mlir.global external @shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

  // Addresses, shared memory and barriers come before the wait; the load is the first access to global memory.
  // CHECK: llvm.func @addresses({{.*}}) attributes {accel.overlap_launches, nvvm.kernel}
  // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
  // CHECK-NOT: griddepcontrol
  // CHECK: llvm.store %{{.*}}, %{{.*}} : i32, !llvm.ptr<3>
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: %[[ADDRESS:.*]] = llvm.getelementptr
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: llvm.load %[[ADDRESS]]
  // CHECK-NOT: griddepcontrol
  // CHECK: llvm.return
  llvm.func @addresses(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %shared = llvm.mlir.addressof @shared_memory : !llvm.ptr<3>
    llvm.store %thread, %shared : i32, !llvm.ptr<3>
    nvvm.barrier
    %address = llvm.getelementptr %x[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.load %address : !llvm.ptr<1> -> f32
    llvm.store %value, %address : f32, !llvm.ptr<1>
    llvm.return
  }

  // A loop is waited for as a whole; generic pointers may be global ones.
  // CHECK: llvm.func @loop(
  // CHECK-NEXT: launch_dependents
  // CHECK-NOT: griddepcontrol
  // CHECK: scf.if
  // CHECK: nvvm.mbarrier.init
  // CHECK: nvvm.griddepcontrol wait
  // CHECK-NEXT: scf.for
  // CHECK-NOT: griddepcontrol
  // CHECK: llvm.return
  llvm.func @loop(%x: !llvm.ptr, %first: i1) attributes {nvvm.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %shared = llvm.mlir.addressof @shared_memory : !llvm.ptr<3>
    scf.if %first {
      nvvm.mbarrier.init %shared, %one : !llvm.ptr<3>, i32
    }
    scf.for %i = %zero to %one step %one : i32 {
      llvm.store %i, %x : i32, !llvm.ptr
    }
    llvm.return
  }

  // Roles: each waits for itself. Tensor maps, which are parameters, are fetched before. The rest of the
  // producers' threads waits, too.
  // CHECK: llvm.func @roles(
  // CHECK: nvvm.barrier
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: nvvm.setmaxregister
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: llvm.store
  // CHECK: } else {
  // CHECK-NEXT: nvvm.elect.sync
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: nvvm.prefetch tensormap
  // CHECK-NEXT: llvm.addrspacecast
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: nvvm.cp.async.bulk.tensor
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: }
  // CHECK-NOT: griddepcontrol
  // CHECK: llvm.return
  llvm.func @roles(%map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %y: !llvm.ptr<1>, %consumes: i1) attributes {nvvm.kernel} {
    %zero = arith.constant 0 : i32
    %shared = llvm.mlir.addressof @shared_memory : !llvm.ptr<3>
    nvvm.barrier
    scf.if %consumes {
      nvvm.setmaxregister increase 240
      llvm.store %zero, %y : i32, !llvm.ptr<1>
    } else {
      %elected = nvvm.elect.sync -> i1
      scf.if %elected {
        nvvm.prefetch tensormap, %map : !llvm.ptr
        %target = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
        nvvm.cp.async.bulk.tensor.shared.cluster.global %target, %map, %shared, box[%zero, %zero] : !llvm.ptr<7>, !llvm.ptr
      }
    }
    nvvm.barrier
    llvm.return
  }

  // A branch around accesses: threads that do not take it must have waited, too.
  // CHECK: llvm.func @behind(
  // CHECK-NEXT: launch_dependents
  // CHECK-NEXT: arith.constant
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: scf.if
  // CHECK-NOT: griddepcontrol
  // CHECK: llvm.return
  llvm.func @behind(%y: !llvm.ptr<1>, %some: i1) attributes {nvvm.kernel} {
    %zero = arith.constant 0 : i32
    scf.if %some {
      llvm.store %zero, %y : i32, !llvm.ptr<1>
    }
    llvm.store %zero, %y : i32, !llvm.ptr<1>
    llvm.return
  }

  // With both sides, each side waits, also where it touches nothing itself.
  // CHECK: llvm.func @sides(
  // CHECK: scf.if
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: llvm.load
  // CHECK: } else {
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: scf.yield
  // CHECK-NOT: griddepcontrol
  // CHECK: llvm.return
  llvm.func @sides(%y: !llvm.ptr<1>, %some: i1) attributes {nvvm.kernel} {
    %zero = arith.constant 0 : i32
    %value = scf.if %some -> i32 {
      %read = llvm.load %y : !llvm.ptr<1> -> i32
      scf.yield %read : i32
    } else {
      scf.yield %zero : i32
    }
    llvm.store %value, %y : i32, !llvm.ptr<1>
    llvm.return
  }

  // Nothing touches memory: it ends no earlier than those before it.
  // CHECK: llvm.func @nothing(
  // CHECK-NEXT: launch_dependents
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: llvm.return
  llvm.func @nothing() attributes {nvvm.kernel} {
    llvm.return
  }

  // What nobody launches stays as it is.
  // CHECK: llvm.func @helper() {
  // CHECK-NEXT: llvm.return
  llvm.func @helper() {
    llvm.return
  }
}
