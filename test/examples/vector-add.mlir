// RUN: %python %S/../../examples/vector_add.py --loops split | filecheck %s --check-prefix=SPLIT
// RUN: %python %S/../../examples/vector_add.py --loops reordered | filecheck %s --check-prefix=REORDERED
// RUN: %python %S/../../examples/vector_add.py --loops vectorised | filecheck %s --check-prefix=VECTORISED
// RUN: %python %S/../../examples/vector_add.py --loops parallel | filecheck %s --check-prefix=PARALLEL
// RUN: %python %S/../../examples/vector_add.py --loops bound | filecheck %s --check-prefix=BOUND
// RUN: %python %S/../../examples/vector_add.py --gpu > %t.mlir
// RUN: filecheck %s --check-prefix=GPU --input-file=%t.mlir
// RUN: mlc-translate --mlir-to-ptx %t.mlir | filecheck %s --check-prefix=PTX

// SPLIT: affine.for %[[O:.*]] = 0 to 1024 step 4 {
// SPLIT-NEXT: affine.for %[[N:.*]] = 0 to 4 {
// SPLIT-NEXT: affine.apply #{{.*}}(%[[O]], %[[N]])
// SPLIT: affine.store {{.*}}tloop.block = "sum"
// SPLIT-NEXT: } {tloop.name = "i.1"}
// SPLIT-NEXT: } {tloop.name = "i.0"}

// REORDERED: affine.for %{{.*}} = 0 to 4 {
// REORDERED-NEXT: affine.for %{{.*}} = 0 to 1024 step 4 {
// REORDERED: affine.store {{.*}}tloop.block = "sum"
// REORDERED-NEXT: } {tloop.name = "i.0"}
// REORDERED-NEXT: } {tloop.name = "i.1"}

// VECTORISED: affine.for %{{.*}} = 0 to 1024 step 4 {
// VECTORISED-NOT: affine.for
// VECTORISED: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : vector<4xf32>
// VECTORISED: affine.vector_store

// PARALLEL: affine.parallel (%{{.*}}) = (0) to (1024) step (256) {
// PARALLEL-NEXT: affine.for %{{.*}} = 0 to 64 {
// PARALLEL: affine.vector_store

// BOUND: affine.for %{{.*}} = 0 to 1024 step 256 {
// BOUND-NEXT: affine.for %{{.*}} = 0 to 256 {
// BOUND: } {tloop.bind = "thread.x", tloop.name = "i.1"}
// BOUND-NEXT: } {tloop.bind = "block.x", tloop.name = "i.0"}

// GPU: gpu.launch_func @[[KERNEL:.*]]::@{{.*}} blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in
// GPU: gpu.module @[[KERNEL]]
// GPU: llvm.func @[[KERNEL]](%{{.*}}: !llvm.ptr{{.*}}, %{{.*}}: !llvm.ptr{{.*}}, %{{.*}}: !llvm.ptr{{.*}}) attributes {{{.*}}nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>
// GPU: nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 4>
// GPU: nvvm.read.ptx.sreg.tid.x range <i32, 0, 256>
// GPU: llvm.fadd

// PTX: .visible .entry add_{{.*}}_kernel(
// PTX: .maxntid 256, 1, 1
// PTX: mov.u32 %r{{[0-9]+}}, %ctaid.x;
// PTX: mov.u32 %r{{[0-9]+}}, %tid.x;
// PTX: ld.global.b32
// PTX: ld.global.b32
// PTX: add.f32
// PTX: st.global.b32
