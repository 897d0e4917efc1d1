// RUN: %python %S/../../examples/matmul_ladder.py --size 128 --loops naive | filecheck %s --check-prefix=NAIVE
// RUN: %python %S/../../examples/matmul_ladder.py --size 128 --loops reordered | filecheck %s --check-prefix=REORDERED
// RUN: %python %S/../../examples/matmul_ladder.py --size 128 --loops tiled | filecheck %s --check-prefix=TILED
// RUN: %python %S/../../examples/matmul_ladder.py --size 128 --loops vectorised | filecheck %s --check-prefix=VECTORISED
// RUN: %python %S/../../examples/matmul_ladder.py --size 128 --loops packed | filecheck %s --check-prefix=PACKED
// RUN: %python %S/../../examples/matmul_ladder.py --size 128 --loops parallel | filecheck %s --check-prefix=PARALLEL

// NAIVE: tloop.block = "product"
// NAIVE-NEXT: } {tloop.name = "k"}
// NAIVE-NEXT: } {tloop.name = "j"}
// NAIVE-NEXT: } {tloop.name = "i"}

// REORDERED: tloop.block = "product"
// REORDERED-NEXT: } {tloop.name = "j"}
// REORDERED-NEXT: } {tloop.name = "k"}
// REORDERED-NEXT: } {tloop.name = "i"}

// TILED: affine.for %[[JO:.*]] = 0 to 128 step 32 {
// TILED-NEXT: affine.for %[[KO:.*]] = 0 to 128 step 64 {
// TILED-NEXT: affine.for %[[IO:.*]] = 0 to 128 step 4 {
// TILED-NEXT: affine.for %[[KI:.*]] = 0 to 64 {
// TILED-NEXT: affine.for %[[II:.*]] = 0 to 4 {
// TILED-NEXT: affine.for %[[JM:.*]] = 0 to 2 {
// TILED-NEXT: affine.for %[[JV:.*]] = 0 to 16 {
// TILED: tloop.block = "product"

// Four rows of two vectors.
// VECTORISED: affine.for %{{.*}} = 0 to 64 {
// VECTORISED-NOT: affine.for
// VECTORISED-COUNT-8: affine.vector_store {{.*}}vector<16xf32>
// VECTORISED-NOT: affine.vector_store

// PACKED: affine.for %{{.*}} = 0 to 128 step 64 {
// PACKED-NEXT: %[[TILE:.*]] = memref.alloc() : memref<64x32xf32>
// PACKED: affine.store %{{.*}}, %[[TILE]]{{.*}}tloop.block = "packed"
// PACKED: affine.vector_load %[[TILE]]

// PARALLEL: affine.parallel (%{{.*}}) = (0) to (128) step (32) {
// PARALLEL-NEXT: affine.for %{{.*}} = 0 to 128 step 64 {
// PARALLEL-NEXT: %[[TILE:.*]] = memref.alloc() : memref<64x32xf32>
