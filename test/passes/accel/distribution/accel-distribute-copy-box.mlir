// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(accel-to-cpu),canonicalize)' | filecheck %s --check-prefix=CPU
// RUN: mlc-opt %s --pass-pipeline='builtin.module(tloop-set-target{target=cuda:sm_80},accel-distribute,canonicalize,cse)' | filecheck %s --check-prefix=THREADS

#shared = #gpu.address_space<workgroup>

// Every second pixel of a part of an image: row 4 * y + x of the buffer is the pixel at 2 * y, 2 * x from its start.
// After the image, from the second line of the last block on, rows stay zero.
// CPU-LABEL: func.func @box
// CPU: scf.forall (%[[I:.*]]) in (5)
// CPU: %[[ROWS:.*]] = memref.alloc() : memref<16x64xf16>
// CPU: linalg.fill {{.*}} outs(%[[ROWS]]
// CPU: %[[LEFT:.*]] = arith.subi %c9, %[[I]] : index
// CPU-NEXT: %[[COUNT:.*]] = arith.ceildivsi %[[LEFT]], %c2 : index
// CPU-NEXT: %[[END:.*]] = arith.minsi %[[COUNT]], %c4 : index
// CPU: scf.for %[[Y:.*]] = %{{.*}} to %[[END]]
// CPU: scf.for %[[X:.*]] =
// CPU: scf.for %[[C:.*]] =
// CPU: %[[BY_TWO:.*]] = arith.muli %[[Y]], %c2 : index
// CPU-NEXT: %[[LINE:.*]] = arith.addi %[[I]], %[[BY_TWO]] : index
// CPU: %[[PIXELS:.*]] = arith.muli %[[Y]], %c4 : index
// CPU-NEXT: %[[PIXEL:.*]] = arith.addi %[[PIXELS]], %[[X]] : index
// CPU: memref.load %arg0[%c0, %[[LINE]], %{{.*}}, %[[C]]]
// CPU: memref.store %{{.*}}, %[[ROWS]][%{{.*}}, %{{.*}}]

// A chunk of 8 channels for each of 128 threads: bits 0 to 2 of a thread's index select the chunk, bits 3 and 4 the
// column of the pixel, the others its line.
// THREADS-LABEL: llvm.func @box_0
// THREADS: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
// THREADS: %[[I:.*]] = nvvm.read.ptx.sreg.ctaid.x
// THREADS-NEXT: %[[Y:.*]] = arith.shrui %[[T]], %c5_i32 : i32
// THREADS-NEXT: %[[DOWN:.*]] = arith.muli %[[Y]], %c2_i32 : i32
// THREADS-NEXT: %[[LINE:.*]] = arith.addi %[[I]], %[[DOWN]] : i32
// THREADS-NEXT: %[[PIXEL:.*]] = arith.shrui %[[T]], %c3_i32 : i32
// THREADS-NEXT: %[[X:.*]] = arith.andi %[[PIXEL]], %c3_i32 : i32
// THREADS-NEXT: %[[ACROSS:.*]] = arith.muli %[[X]], %c2_i32 : i32
// THREADS-NEXT: %[[COLUMN:.*]] = arith.addi %[[I]], %[[ACROSS]] : i32
// THREADS: arith.cmpi ult, %[[LINE]], %c9_i32
// THREADS: arith.cmpi ult, %[[COLUMN]], %c9_i32
// THREADS: %[[ROW:.*]] = arith.muli %[[PIXEL]], %c64_i32 : i32
// THREADS: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
func.func @box(%x: memref<1x9x9x64xf16>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  "accel.launch"(%c5) ({
  ^bb0(%i: index):
    %rows = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16x64xf16, #shared>
    %t = "accel.copy"(%x, %rows, %c0, %i, %i, %c0) {box = array<i64: 1, 4, 4, 64>, steps = array<i64: 1, 2, 2, 1>}
        : (memref<1x9x9x64xf16>, memref<16x64xf16, #shared>, index, index, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}
