// RUN: mlc-opt %s --tloop-stack-buffers --verify-diagnostics --split-input-file | filecheck %s

func.func private @unknown(%n: index) attributes {tloop.kernel} {
  // expected-error @below {{the kernel needs scratch memory of unknown size, a memref<?xf32>}}
  %0 = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

// expected-error @below {{the kernel needs 786688 bytes of scratch memory; at most 786432 are allowed}}
func.func private @too_much() attributes {tloop.kernel} {
  // expected-note @below {{a memref<256x640xf32>}}
  %0 = memref.alloc() : memref<256x640xf32>
  // expected-note @below {{a memref<256x257xi8>}}
  %1 = memref.alloc() : memref<256x257xi8>
  // expected-note @below {{a memref<256x256xi1>}}
  %2 = memref.alloc() : memref<256x256xi1>
  return
}

// -----

// What is of dynamic size does not count.
// expected-error @below {{the kernel needs 1048576 bytes of scratch memory; at most 786432 are allowed}}
func.func private @also_unknown(%n: index) attributes {tloop.kernel, tloop.dims = []} {
  %0 = memref.alloc(%n) : memref<?xf32>
  // expected-note @below {{a memref<512x512xf32>}}
  %1 = memref.alloc() : memref<512x512xf32>
  return
}

// -----

// 768 KiB.
// CHECK-LABEL: func.func private @just_enough
// CHECK: memref.alloca()
func.func private @just_enough() attributes {tloop.kernel} {
  %0 = memref.alloc() : memref<256x768xf32>
  return
}

// -----

// Scratch memory of dynamic size is released at the end of its block, which must not yield it.
func.func private @leaves(%c: i1, %n: index, %out: memref<?xf32>) attributes {tloop.kernel, tloop.dims = [["d0"]]} {
  %0 = scf.if %c -> (memref<?xf32>) {
    // expected-error @below {{scratch memory of unknown size, a memref<?xf32>, leaves its block}}
    %1 = memref.alloc(%n) : memref<?xf32>
    scf.yield %1 : memref<?xf32>
  } else {
    scf.yield %out : memref<?xf32>
  }
  memref.copy %0, %out : memref<?xf32> to memref<?xf32>
  return
}
