// RUN: mlc-opt %s --allow-unregistered-dialect --tloop-apply-schedules --verify-diagnostics --split-input-file

func.func private @product(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %r: memref<64x48xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 48 {
      affine.for %k = 0 to 32 {
        %0 = affine.load %a[%i, %k] : memref<64x32xf32>
        %1 = affine.load %b[%k, %j] : memref<32x48xf32>
        %2 = affine.load %r[%i, %j] : memref<64x48xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %r[%i, %j] {tloop.block = "c"} : memref<64x48xf32>
      } {tloop.name = "k"}
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @product: step 3 ('tloop.parallel') does not apply: loop k carries a dependence between the read of %arg2 by block 'c' and the write of %arg2 by block 'c'}}
  "tloop.parallel"(%k) : (!tloop.loop) -> ()
}) {kernel = @product} : () -> ()

// -----

func.func private @product(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %r: memref<64x48xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 48 {
      affine.for %k = 0 to 32 {
        %0 = affine.load %a[%i, %k] : memref<64x32xf32>
        %1 = affine.load %b[%k, %j] : memref<32x48xf32>
        %2 = affine.load %r[%i, %j] : memref<64x48xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %r[%i, %j] {tloop.block = "c"} : memref<64x48xf32>
      } {tloop.name = "k"}
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  // expected-error @below {{schedule of @product: step 2 ('tloop.get_loops') does not apply: the block stands in 3 loops (i, j, k), but there are 2 handles}}
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
}) {kernel = @product} : () -> ()

// -----

func.func private @stencil(%a: memref<16x16xf32>) {
  affine.for %i = 1 to 16 {
    affine.for %j = 0 to 15 {
      %0 = affine.load %a[%i - 1, %j + 1] : memref<16x16xf32>
      affine.store %0, %a[%i, %j] {tloop.block = "c"} : memref<16x16xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @stencil: step 3 ('tloop.reorder') does not apply: loop i carries a dependence between the write of %arg0 by block 'c' and the read of %arg0 by block 'c'}}
  "tloop.reorder"(%j, %i) : (!tloop.loop, !tloop.loop) -> ()
}) {kernel = @stencil} : () -> ()

// -----

func.func private @stencil(%a: memref<16x16xf32>) {
  affine.for %i = 1 to 16 {
    affine.for %j = 0 to 15 {
      %0 = affine.load %a[%i - 1, %j + 1] : memref<16x16xf32>
      affine.store %0, %a[%i, %j] {tloop.block = "c"} : memref<16x16xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @stencil: step 3 ('tloop.bind') does not apply: loop i carries a dependence between the write of %arg0 by block 'c' and the read of %arg0 by block 'c'}}
  "tloop.bind"(%i) {axis = "block.x"} : (!tloop.loop) -> ()
}) {kernel = @stencil} : () -> ()

// -----

func.func private @triangle(%a: memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %zero, %a[%i, %j] {tloop.block = "c"} : memref<16x16xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @triangle: step 3 ('tloop.reorder') does not apply: the bounds of loop j depend on loop i, which would be inside}}
  "tloop.reorder"(%j, %i) : (!tloop.loop, !tloop.loop) -> ()
}) {kernel = @triangle} : () -> ()

// -----

func.func private @triangle(%a: memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %zero, %a[%i, %j] {tloop.block = "c"} : memref<16x16xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @triangle: step 3 ('tloop.fuse') does not apply: the number of iterations of loop j is not constant}}
  %f = "tloop.fuse"(%i, %j) : (!tloop.loop, !tloop.loop) -> !tloop.loop
}) {kernel = @triangle} : () -> ()

// -----

func.func private @init(%a: memref<16x8xf32>, %b: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 16 {
    affine.store %zero, %b[%i] {tloop.block = "start"} : memref<16xf32>
    affine.for %k = 0 to 8 {
      %0 = affine.load %a[%i, %k] : memref<16x8xf32>
      %1 = affine.load %b[%i] : memref<16xf32>
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %b[%i] {tloop.block = "c"} : memref<16xf32>
    } {tloop.name = "k"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @init: step 3 ('tloop.reorder') does not apply: the nest is not perfect: loop i holds 'affine.store' besides a loop}}
  "tloop.reorder"(%k, %i) : (!tloop.loop, !tloop.loop) -> ()
}) {kernel = @init} : () -> ()

// -----

func.func private @chain(%a: memref<16x8xf32>, %b: memref<16x8xf32>) {
  %t = memref.alloc() : memref<16x8xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<16x8xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<16x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<16x8xf32>
      %1 = arith.negf %0 : f32
      affine.store %1, %b[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %p = "tloop.get_block"() {block_name = "p"} : () -> !tloop.block
  %pi, %pj = "tloop.get_loops"(%p) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @chain: step 5 ('tloop.reorder') does not apply: loop pi is not in one nest with loop j}}
  "tloop.reorder"(%j, %pi) : (!tloop.loop, !tloop.loop) -> ()
}) {kernel = @chain} : () -> ()

// -----

func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  // expected-error @below {{schedule of @copy: step 3 ('tloop.split') does not apply: factor 4 does not divide the 10 iterations of loop i}}
  %o, %n = "tloop.split"(%i) {factors = array<i64: -1, 4>, tail = "exact"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
}) {kernel = @copy} : () -> ()

// -----

func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  // expected-error @below {{schedule of @copy: step 3 ('tloop.split') does not apply: factors [2, 4] make 8 iterations, but loop i has 10}}
  %o, %n = "tloop.split"(%i) {factors = array<i64: 2, 4>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
}) {kernel = @copy} : () -> ()

// -----

func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  // expected-error @below {{schedule of @copy: step 3 ('tloop.split') does not apply: loop i has only 10 iterations; a factor of 16 leaves none}}
  %o, %n = "tloop.split"(%i) {factors = array<i64: -1, 16>, tail = "peel"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
}) {kernel = @copy} : () -> ()

// -----

func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  %o, %n = "tloop.split"(%i) {factors = array<i64: -1, 4>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @copy: step 4 ('tloop.vectorize') does not apply: the number of iterations of loop i.1 is not constant: split it by a factor that divides, or with tail = 'peel'}}
  "tloop.vectorize"(%n) : (!tloop.loop) -> ()
}) {kernel = @copy} : () -> ()

// -----

func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  "tloop.parallel"(%i) : (!tloop.loop) -> ()
  // expected-error @below {{schedule of @copy: step 4 ('tloop.split') does not apply: the loop is parallel; only a sequential one can be changed}}
  %o, %n = "tloop.split"(%i) {factors = array<i64: -1, 4>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
}) {kernel = @copy} : () -> ()

// -----

func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  %o, %n = "tloop.split"(%i) {factors = array<i64: -1, 5>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @copy: step 4 ('tloop.split') does not apply: what it works on is gone: an earlier step has replaced it}}
  %x, %y = "tloop.split"(%i) {factors = array<i64: -1, 5>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
}) {kernel = @copy} : () -> ()

// -----

func.func private @product(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %r: memref<64x48xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 48 {
      affine.for %k = 0 to 32 {
        %0 = affine.load %a[%i, %k] : memref<64x32xf32>
        %1 = affine.load %b[%k, %j] : memref<32x48xf32>
        %2 = affine.load %r[%i, %j] : memref<64x48xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %r[%i, %j] {tloop.block = "c"} : memref<64x48xf32>
      } {tloop.name = "k"}
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @product: step 3 ('tloop.vectorize') does not apply: loop j is not an innermost loop}}
  "tloop.vectorize"(%j) : (!tloop.loop) -> ()
}) {kernel = @product} : () -> ()

// -----

func.func private @product(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %r: memref<64x48xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 48 {
      affine.for %k = 0 to 32 {
        %0 = affine.load %a[%i, %k] : memref<64x32xf32>
        %1 = affine.load %b[%k, %j] : memref<32x48xf32>
        %2 = affine.load %r[%i, %j] : memref<64x48xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %r[%i, %j] {tloop.block = "c"} : memref<64x48xf32>
      } {tloop.name = "k"}
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @product: step 3 ('tloop.vectorize') does not apply: the read of %arg1 by block 'c' does not step through adjacent elements in loop k}}
  "tloop.vectorize"(%k) : (!tloop.loop) -> ()
}) {kernel = @product} : () -> ()

// -----

func.func private @shift(%a: memref<17xf32>) {
  affine.for %i = 0 to 16 {
    %0 = affine.load %a[%i] : memref<17xf32>
    affine.store %0, %a[%i + 1] {tloop.block = "c"} : memref<17xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  // expected-error @below {{schedule of @shift: step 3 ('tloop.vectorize') does not apply: loop i carries a dependence between the write of %arg0 by block 'c' and the read of %arg0 by block 'c'}}
  "tloop.vectorize"(%i) : (!tloop.loop) -> ()
}) {kernel = @shift} : () -> ()

// -----

func.func private @product(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %r: memref<64x48xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 48 {
      affine.for %k = 0 to 32 {
        %0 = affine.load %a[%i, %k] : memref<64x32xf32>
        %1 = affine.load %b[%k, %j] : memref<32x48xf32>
        %2 = affine.load %r[%i, %j] : memref<64x48xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %r[%i, %j] {tloop.block = "c"} : memref<64x48xf32>
      } {tloop.name = "k"}
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop, !tloop.loop)
  "tloop.parallel"(%i) : (!tloop.loop) -> ()
  // expected-error @below {{schedule of @product: step 4 ('tloop.cache_write') does not apply: the copy could hold what other threads write; make the loop parallel afterwards}}
  %k1 = "tloop.cache_write"(%c, %j) {block_name = "x"} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @product} : () -> ()

// -----

func.func private @chain(%a: memref<16x8xf32>, %b: memref<16x8xf32>) {
  %t = memref.alloc() : memref<16x8xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<16x8xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<16x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<16x8xf32>
      %1 = arith.negf %0 : f32
      affine.store %1, %b[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @chain: step 3 ('tloop.compute_at') does not apply: the producer has no separate loop nest outside of the loop}}
  %m = "tloop.compute_at"(%c, %i) {} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @chain} : () -> ()

// -----

func.func private @chain(%a: memref<16x8xf32>, %b: memref<16x8xf32>) {
  %t = memref.alloc() : memref<16x8xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<16x8xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<16x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<16x8xf32>
      %1 = arith.negf %0 : f32
      affine.store %1, %b[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %p = "tloop.get_block"() {block_name = "p"} : () -> !tloop.block
  "tloop.parallel"(%i) : (!tloop.loop) -> ()
  // expected-error @below {{schedule of @chain: step 5 ('tloop.compute_at') does not apply: the loop is parallel, but a rolling buffer goes from one iteration to the next}}
  %m = "tloop.compute_at"(%p, %i) {rolling} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @chain} : () -> ()

// -----

func.func private @chain(%a: memref<16x8xf32>, %b: memref<16x8xf32>) {
  %t = memref.alloc() : memref<16x8xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<16x8xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<16x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<16x8xf32>
      %1 = arith.negf %0 : f32
      affine.store %1, %b[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %p = "tloop.get_block"() {block_name = "p"} : () -> !tloop.block
  // expected-error @below {{schedule of @chain: step 4 ('tloop.compute_at') does not apply: the consumer's windows of 1 do not overlap: each is 1 further}}
  %m = "tloop.compute_at"(%p, %i) {rolling} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @chain} : () -> ()

// -----

func.func private @chain(%a: memref<16x8xf32>, %b: memref<16x8xf32>) {
  %t = memref.alloc() : memref<16x8xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<16x8xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<16x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<16x8xf32>
      %1 = arith.negf %0 : f32
      affine.store %1, %b[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %p = "tloop.get_block"() {block_name = "p"} : () -> !tloop.block
  %pi, %pj = "tloop.get_loops"(%p) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  // expected-error @below {{schedule of @chain: step 4 ('tloop.reverse_compute_at') does not apply: the consumer has no separate loop nest outside of the loop}}
  %m = "tloop.reverse_compute_at"(%p, %pi) {} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @chain} : () -> ()

// -----

func.func private @init(%a: memref<16x8xf32>, %b: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 16 {
    affine.store %zero, %b[%i] {tloop.block = "start"} : memref<16xf32>
    affine.for %k = 0 to 8 {
      %0 = affine.load %a[%i, %k] : memref<16x8xf32>
      %1 = affine.load %b[%i] : memref<16xf32>
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %b[%i] {tloop.block = "c"} : memref<16xf32>
    } {tloop.name = "k"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @init: step 3 ('tloop.decompose_reduction') does not apply: loop i carries a dependence between the write of %arg1 by block 'start' and the read of %arg1 by block 'c'}}
  %m = "tloop.decompose_reduction"(%c, %i) {} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @init} : () -> ()

// -----

func.func private @init(%a: memref<16x8xf32>, %b: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 16 {
    affine.store %zero, %b[%i] {tloop.block = "start"} : memref<16xf32>
    affine.for %k = 0 to 8 {
      %0 = affine.load %a[%i, %k] : memref<16x8xf32>
      %1 = affine.load %b[%i] : memref<16xf32>
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %b[%i] {tloop.block = "c"} : memref<16xf32>
    } {tloop.name = "k"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @init: step 3 ('tloop.compute_inline') does not apply: the producer writes a result of the kernel, all of which is needed}}
  "tloop.compute_inline"(%c) : (!tloop.block) -> ()
}) {kernel = @init} : () -> ()

// -----

func.func private @chain(%a: memref<16x8xf32>, %b: memref<16x8xf32>) {
  %t = memref.alloc() : memref<16x8xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<16x8xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<16x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<16x8xf32>
      %1 = arith.negf %0 : f32
      affine.store %1, %b[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @chain: step 3 ('tloop.cache_read') does not apply: the block reads 1 buffers; there is no operand 2}}
  %k1 = "tloop.cache_read"(%c, %i) {operand = 2, block_name = "x"} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @chain} : () -> ()

// -----

func.func private @stencil(%a: memref<16x16xf32>) {
  affine.for %i = 1 to 16 {
    affine.for %j = 0 to 15 {
      %0 = affine.load %a[%i - 1, %j + 1] : memref<16x16xf32>
      affine.store %0, %a[%i, %j] {tloop.block = "c"} : memref<16x16xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @stencil: step 3 ('tloop.cache_read') does not apply: the write of %arg0 by block 'c' changes it in the loop}}
  %k1 = "tloop.cache_read"(%c, %i) {operand = 0, block_name = "x"} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @stencil} : () -> ()

// -----

func.func private @product(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %r: memref<64x48xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 48 {
      affine.for %k = 0 to 32 {
        %0 = affine.load %a[%i, %k] : memref<64x32xf32>
        %1 = affine.load %b[%k, %j] : memref<32x48xf32>
        %2 = affine.load %r[%i, %j] : memref<64x48xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %r[%i, %j] {tloop.block = "c"} : memref<64x48xf32>
      } {tloop.name = "k"}
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop, !tloop.loop)
  // expected-error @below {{schedule of @product: step 3 ('tloop.prefetch') does not apply: the read of %arg0 by block 'c' is the same in all iterations of loop j}}
  "tloop.prefetch"(%c, %j) {operand = 0, distance = 1} : (!tloop.block, !tloop.loop) -> ()
}) {kernel = @product} : () -> ()

// -----

func.func private @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%c : tensor<64x48xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x48xf32>
  return %p : tensor<64x48xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%c) {sizes = array<i64: 8, 16>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @product: step 3 ('tloop.prefetch') does not apply: the block is a 'linalg.generic'; this primitive works on loops over memory}}
  "tloop.prefetch"(%t, %l) {operand = 0, distance = 1} : (!tloop.block, !tloop.loop) -> ()
}) {kernel = @product} : () -> ()

// -----

func.func private @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%c : tensor<64x48xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x48xf32>
  return %p : tensor<64x48xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  // expected-error @below {{schedule of @product: step 2 ('tloop.pack') does not apply: size 7 does not divide the 64 points of dimension 0}}
  %p = "tloop.pack"(%c) {sizes = array<i64: 7>} : (!tloop.block) -> !tloop.block
}) {kernel = @product} : () -> ()

// -----

func.func private @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%c : tensor<64x48xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x48xf32>
  return %p : tensor<64x48xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  // expected-error @below {{schedule of @product: step 2 ('tloop.rfactor') does not apply: factor 5 does not divide the 32 points of the reduction}}
  %p, %f = "tloop.rfactor"(%c) {factor = 5} : (!tloop.block) -> (!tloop.block, !tloop.block)
}) {kernel = @product} : () -> ()

// -----

func.func private @chain(%a: tensor<16x8xf32>, %s: tensor<8xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<16x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<16x8xf32>, tensor<8xf32>) outs(%e : tensor<16x8xf32>) attrs = {tloop.block = "p"} {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %v = arith.mulf %in, %in2 : f32
    linalg.yield %v : f32
  } -> tensor<16x8xf32>
  %f = tensor.empty() : tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<16x8xf32>) outs(%f : tensor<8x16xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%in: f32, %out: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  // expected-error @below {{schedule of @chain: step 2 ('tloop.rfactor') does not apply: block 'c' has 0 reduction dimensions, not 1}}
  %p, %f = "tloop.rfactor"(%c) {factor = 4} : (!tloop.block) -> (!tloop.block, !tloop.block)
}) {kernel = @chain} : () -> ()

// -----

func.func private @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%c : tensor<64x48xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x48xf32>
  return %p : tensor<64x48xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  // expected-error @below {{schedule of @product: step 2 ('tloop.compute_inline') does not apply: the producer is not elementwise}}
  "tloop.compute_inline"(%c) : (!tloop.block) -> ()
}) {kernel = @product} : () -> ()

// -----

func.func private @dot_pattern(%a: tensor<1x4xf32>, %b: tensor<4x16xf32>, %c: tensor<1x16xf32>) -> tensor<1x16xf32> attributes {tloop.implementation = @dot} {
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x4xf32>, tensor<4x16xf32>) outs(%c : tensor<1x16xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x16xf32>
  return %p : tensor<1x16xf32>
}
func.func private @dot(%a: tensor<1x4xf32>, %b: tensor<4x16xf32>, %c: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %0 = "my.dot"(%a, %b, %c) : (tensor<1x4xf32>, tensor<4x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}
func.func private @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%c : tensor<64x48xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x48xf32>
  return %p : tensor<64x48xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%c) {sizes = array<i64: 2, 16, 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @product: step 3 ('tloop.tensorize') does not apply: the block works on a tensor<2x4xf32> where the pattern has a tensor<1x4xf32>}}
  "tloop.tensorize"(%t) {intrinsic = @dot_pattern} : (!tloop.block) -> ()
}) {kernel = @product} : () -> ()

// -----

func.func private @dot_pattern(%a: tensor<1x4xf32>, %b: tensor<4x16xf32>, %c: tensor<1x16xf32>) -> tensor<1x16xf32> attributes {tloop.implementation = @dot} {
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x4xf32>, tensor<4x16xf32>) outs(%c : tensor<1x16xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.subf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x16xf32>
  return %p : tensor<1x16xf32>
}
func.func private @dot(%a: tensor<1x4xf32>, %b: tensor<4x16xf32>, %c: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %0 = "my.dot"(%a, %b, %c) : (tensor<1x4xf32>, tensor<4x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}
func.func private @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%c : tensor<64x48xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x48xf32>
  return %p : tensor<64x48xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%c) {sizes = array<i64: 1, 16, 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @product: step 3 ('tloop.tensorize') does not apply: the block computes something else than the pattern}}
  "tloop.tensorize"(%t) {intrinsic = @dot_pattern} : (!tloop.block) -> ()
}) {kernel = @product} : () -> ()

// -----

func.func private @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%c : tensor<64x48xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x48xf32>
  return %p : tensor<64x48xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  // expected-error @below {{schedule of @product: step 2 ('tloop.tensorize') does not apply: the module has no function @none}}
  "tloop.tensorize"(%c) {intrinsic = @none} : (!tloop.block) -> ()
}) {kernel = @product} : () -> ()

// -----

func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  // expected-error @below {{schedule of @copy: step 3 ('tloop.sample_perfect_tile') does not apply: it has no decision yet: run tloop-sample-schedules first}}
  %f:2 = "tloop.sample_perfect_tile"(%i) {dim = 0, largest = 8} : (!tloop.loop) -> (!tloop.value, !tloop.value)
}) {kernel = @copy} : () -> ()

// -----

func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  // expected-error @below {{schedule of @copy: step 3 ('tloop.sample_perfect_tile') does not apply: its decision [3, 4] is no way to make 10 of 2 factors}}
  %f:2 = "tloop.sample_perfect_tile"(%i) {dim = 0, largest = 8, decision = array<i64: 3, 4>} : (!tloop.loop) -> (!tloop.value, !tloop.value)
}) {kernel = @copy} : () -> ()

// -----

func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  // expected-error @below {{schedule of @copy: step 3 ('tloop.sample_categorical') does not apply: its decision is 2, but there are 2 candidates}}
  %f = "tloop.sample_categorical"() {candidates = array<i64: 3, 4>, probabilities = array<f64: 0.5, 0.5>, decision = 2} : () -> (!tloop.value)
}) {kernel = @copy} : () -> ()

// -----

func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  // expected-error @below {{schedule of @copy: step 2 ('tloop.get_block') does not apply: the kernel has no block 'd'; it has: c}}
  %d = "tloop.get_block"() {block_name = "d"} : () -> !tloop.block
}) {kernel = @copy} : () -> ()
