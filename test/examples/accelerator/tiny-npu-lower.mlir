// RUN: mlc-opt %s --load-plugin=%S/../../../examples/accelerator/tiny_npu --split-input-file --verify-diagnostics --tiny-npu-lower --canonicalize --mlir-print-local-scope | filecheck %s

// A product alone: its result is what the sums are, moved to where DMA takes it from. Integers start at a constant.
// CHECK-LABEL: func.func private @product
// CHECK: call @npu_begin()
// CHECK: call @npu_vector_fill(%c0, %c-3, %c4, %c256)
// CHECK: call @npu_dma_in(%c1024, %{{.*}}, %c16, %c16, %c16)
// CHECK: call @npu_dma_in(%c1280, %{{.*}}, %c16, %c16, %c16)
// CHECK: call @npu_mma_i8(%c0, %c1024, %c1280)
// CHECK: call @npu_vector_move(%c1536, %c0, %c4, %c256)
// CHECK: call @npu_dma_out(%{{.*}}, %c1536, %c16, %c64, %c64)
// CHECK: call @npu_end()
func.func private @product(%a: memref<16x16xi8>, %b: memref<16x16xi8>, %c: memref<16x16xi32>) attributes {tloop.kernel} {
  %start = arith.constant -3 : i32
  %sums = memref.alloc() : memref<16x16xi32>
  %x = memref.alloc() : memref<16x16xi8>
  %y = memref.alloc() : memref<16x16xi8>
  %z = memref.alloc() : memref<16x16xi32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%sums : memref<16x16xi32>) {
  ^bb0(%o: i32):
    linalg.yield %start : i32
  }
  memref.copy %a, %x : memref<16x16xi8> to memref<16x16xi8>
  memref.copy %b, %y : memref<16x16xi8> to memref<16x16xi8>
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : memref<16x16xi8>, memref<16x16xi8>)
      outs(%sums : memref<16x16xi32>) attrs = {tiny_npu.function = "npu_mma_i8"} {
  ^bb0(%l: i8, %r: i8, %s: i32):
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%sums : memref<16x16xi32>) outs(%z : memref<16x16xi32>) {
  ^bb0(%s: i32, %o: i32):
    linalg.yield %s : i32
  }
  memref.copy %z, %c : memref<16x16xi32> to memref<16x16xi32>
  return
}

// -----

// Kernels that do not use the matrix unit are the host's.
// CHECK-LABEL: func.func private @host
// CHECK-NOT: npu
// CHECK: memref.copy
func.func private @host(%a: memref<4xf64>, %b: memref<4xf64>) attributes {tloop.kernel} {
  memref.copy %a, %b : memref<4xf64> to memref<4xf64>
  return
}

// -----

func.func private @full(%a: memref<16x16xf16>) attributes {tloop.kernel} {
  %x = memref.alloc() : memref<16x16xf16>
  %sums = memref.alloc() : memref<16x16xf32>
  // expected-error @below {{the kernel needs more than the 65536 bytes of tiny-npu's scratchpad}}
  %large = memref.alloc() : memref<128x128xf32>
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : memref<16x16xf16>, memref<16x16xf16>)
      outs(%sums : memref<16x16xf32>) attrs = {tiny_npu.function = "npu_mma_f16"} {
  ^bb0(%l: f16, %r: f16, %s: f32):
    linalg.yield %s : f32
  }
  return
}

// -----

func.func private @outside(%a: memref<16x16xf16>) attributes {tloop.kernel} {
  %sums = memref.alloc() : memref<16x16xf32>
  // expected-error @below {{'linalg.generic' works on a memref<16x16xf16> in main memory; only DMA reaches that}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %a : memref<16x16xf16>, memref<16x16xf16>)
      outs(%sums : memref<16x16xf32>) attrs = {tiny_npu.function = "npu_mma_f16"} {
  ^bb0(%l: f16, %r: f16, %s: f32):
    linalg.yield %s : f32
  }
  return
}

// -----

func.func private @columns(%a: memref<16x16xf16, strided<[1, 16]>>) attributes {tloop.kernel} {
  %x = memref.alloc() : memref<16x16xf16>
  %sums = memref.alloc() : memref<16x16xf32>
  // expected-error @below {{DMA copies rows of adjacent elements, but this is a memref<16x16xf16, strided<[1, 16]>>}}
  memref.copy %a, %x : memref<16x16xf16, strided<[1, 16]>> to memref<16x16xf16>
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : memref<16x16xf16>, memref<16x16xf16>)
      outs(%sums : memref<16x16xf32>) attrs = {tiny_npu.function = "npu_mma_f16"} {
  ^bb0(%l: f16, %r: f16, %s: f32):
    linalg.yield %s : f32
  }
  return
}

// -----

func.func private @inside(%a: memref<16x16xf16>) attributes {tloop.kernel} {
  %x = memref.alloc() : memref<16x16xf16>
  %y = memref.alloc() : memref<16x16xf16>
  %sums = memref.alloc() : memref<16x16xf32>
  // expected-error @below {{DMA goes between main memory and the scratchpad, but this copy does not}}
  memref.copy %x, %y : memref<16x16xf16> to memref<16x16xf16>
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : memref<16x16xf16>, memref<16x16xf16>)
      outs(%sums : memref<16x16xf32>) attrs = {tiny_npu.function = "npu_mma_f16"} {
  ^bb0(%l: f16, %r: f16, %s: f32):
    linalg.yield %s : f32
  }
  return
}

// -----

func.func private @quotient() attributes {tloop.kernel} {
  %x = memref.alloc() : memref<16x16xf16>
  %sums = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : memref<16x16xf16>, memref<16x16xf16>)
      outs(%sums : memref<16x16xf32>) attrs = {tiny_npu.function = "npu_mma_f16"} {
  ^bb0(%l: f16, %r: f16, %s: f32):
    linalg.yield %s : f32
  }
  // expected-error @below {{the vector unit does not compute 'arith.divf'}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%sums : memref<16x16xf32>) outs(%sums : memref<16x16xf32>) {
  ^bb0(%s: f32, %o: f32):
    %0 = arith.divf %s, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func private @wide() attributes {tloop.kernel} {
  // expected-error @below {{tiny-npu has no elements of type f64}}
  %x = memref.alloc() : memref<16x16xf64>
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : memref<16x16xf64>, memref<16x16xf64>)
      outs(%x : memref<16x16xf64>) attrs = {tiny_npu.function = "npu_mma_f64"} {
  ^bb0(%l: f64, %r: f64, %s: f64):
    linalg.yield %s : f64
  }
  return
}
