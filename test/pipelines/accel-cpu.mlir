// RUN: mlc-opt %s --accel-cpu --split-input-file --verify-diagnostics | filecheck %s

#shared = #gpu.address_space<workgroup>

// CHECK: llvm.func @double(%arg0: !llvm.ptr, %arg1: !llvm.ptr)
// CHECK: llvm.call @double__body
// CHECK-LABEL: llvm.func @double__body(
// CHECK: llvm.alloca %{{.*}} x f32 {alignment = 64 : i64}
// CHECK-NOT: @malloc
func.func private @double(%x: memref<1000xf32>, %y: memref<1000xf32>) attributes {tloop.kernel} {
  %none = arith.constant 0.0 : f32
  %blocks = arith.constant 8 : index
  %size = arith.constant 128 : index
  "accel.launch"(%blocks) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<128xf32, #shared>
    %at = arith.muli %i, %size : index
    %t = "accel.copy"(%x, %m, %at) : (memref<1000xf32>, memref<128xf32, #shared>, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
    %c0 = arith.constant 0 : index
    %v = vector.transfer_read %m[%c0], %none : memref<128xf32, #shared>, vector<128xf32>
    %sum = arith.addf %v, %v : vector<128xf32>
    vector.transfer_write %sum, %y[%at] : vector<128xf32>, memref<1000xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

// A block's tiles and its shared memory are on the stack.
// expected-error @below {{the kernel needs 2097152 bytes of scratch memory; at most 786432 are allowed}}
func.func private @large(%x: memref<1024x256xf32>, %y: memref<1024x256xf32>) attributes {tloop.kernel} {
  %none = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    // expected-note @below {{a memref<1024x256xf32>}}
    %v = vector.transfer_read %x[%c0, %c0], %none : memref<1024x256xf32>, vector<1024x256xf32>
    // expected-note @below {{a memref<1024x256xf32>}}
    %sum = arith.addf %v, %v : vector<1024x256xf32>
    vector.transfer_write %sum, %y[%c0, %c0] : vector<1024x256xf32>, memref<1024x256xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}
