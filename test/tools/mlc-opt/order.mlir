// Flags run in the order given; passes on functions are nested; ours and upstream's mix.
// RUN: mlc-opt %s --load-plugin=%S/Inputs/plugin.py --cse -test-tag="value=2 names=a,b" --affine-loop-unroll --canonicalize --mlir-print-ir-after-all -o /dev/null 2>&1 | filecheck %s
// RUN: mlc-opt %s --load-plugin=%S/Inputs/plugin.py --pass-pipeline="builtin.module(cse, func.func(test-tag{value=2 names=a,b}, affine-loop-unroll), canonicalize)" \
// RUN:   --mlir-print-ir-after-all -o /dev/null 2>&1 \
// RUN:   | filecheck %s

// CHECK: // -----// IR Dump After CSEPass: cse //----- //
// CHECK-NEXT: module {
// CHECK-NEXT:   func.func @f
// CHECK: // -----// IR Dump After Tag: test-tag{value=2 mode=plain names=a,b} //----- //
// CHECK-NEXT: func.func @f() attributes {a = 2 : i64, b = 2 : i64} {
// CHECK: // -----// IR Dump After AffineLoopUnroll: affine-loop-unroll{cleanup-unroll=false unroll-factor={{.*}}} //----- //
// CHECK-NEXT: func.func @f
// CHECK: // -----// IR Dump After Tag:
// CHECK-NEXT: func.func @g
// CHECK: // -----// IR Dump After AffineLoopUnroll:
// CHECK-NEXT: func.func @g
// CHECK: // -----// IR Dump After CanonicalizerPass: canonicalize{{.*}} //----- //
// CHECK-NEXT: module {
func.func @f() { return }
func.func @g() { return }
