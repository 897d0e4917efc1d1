// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// The producer's buffer and nest are gone.
// CHECK-LABEL: func.func private @chain
// CHECK: affine.for %[[V0:.*]] = 0 to 16 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V2:.*]] = affine.load %arg0[%[[V0]], %[[V1]]] : memref<16x8xf32>
// CHECK-NEXT: %[[V3:.*]] = math.exp %[[V2]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.negf %[[V3]] : f32
// CHECK-NEXT: affine.store %[[V4]], %arg1[%[[V0]], %[[V1]]] {tloop.block = "c"} : memref<16x8xf32>
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: } {tloop.name = "i"}
// CHECK-NEXT: return
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
  "tloop.compute_inline"(%p) : (!tloop.block) -> ()
}) {kernel = @chain} : () -> ()

// -----

// At each load of it.
// CHECK-LABEL: func.func private @window
// CHECK: affine.for %[[V0:.*]] = 0 to 16 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V2:.*]] = affine.load %arg0[%[[V0]], %[[V1]]] : memref<18x8xf32>
// CHECK-NEXT: %[[V3:.*]] = math.exp %[[V2]] : f32
// CHECK-NEXT: %[[V4:.*]] = affine.apply affine_map<(d0) -> (d0 + 1)>(%[[V0]])
// CHECK-NEXT: %[[V5:.*]] = affine.load %arg0[%[[V4]], %[[V1]]] : memref<18x8xf32>
// CHECK-NEXT: %[[V6:.*]] = math.exp %[[V5]] : f32
// CHECK-NEXT: %[[V7:.*]] = affine.apply affine_map<(d0) -> (d0 + 2)>(%[[V0]])
// CHECK-NEXT: %[[V8:.*]] = affine.load %arg0[%[[V7]], %[[V1]]] : memref<18x8xf32>
// CHECK-NEXT: %[[V9:.*]] = math.exp %[[V8]] : f32
// CHECK-NEXT: %[[V10:.*]] = arith.addf %[[V3]], %[[V6]] : f32
// CHECK-NEXT: %[[V11:.*]] = arith.addf %[[V10]], %[[V9]] : f32
// CHECK-NEXT: affine.store %[[V11]], %arg1[%[[V0]], %[[V1]]] {tloop.block = "c"} : memref<16x8xf32>
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: } {tloop.name = "i"}
// CHECK-NEXT: return
func.func private @window(%a: memref<18x8xf32>, %b: memref<16x8xf32>) {
  %t = memref.alloc() : memref<18x8xf32>
  affine.for %i = 0 to 18 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<18x8xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<18x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<18x8xf32>
      %1 = affine.load %t[%i + 1, %j] : memref<18x8xf32>
      %2 = affine.load %t[%i + 2, %j] : memref<18x8xf32>
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      affine.store %4, %b[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %p = "tloop.get_block"() {block_name = "p"} : () -> !tloop.block
  "tloop.compute_inline"(%p) : (!tloop.block) -> ()
}) {kernel = @window} : () -> ()

// -----

// Structured: the maps are composed.
// CHECK-LABEL: func.func private @chain
// CHECK: %[[V0:.*]] = tensor.empty() : tensor<16x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tensor.empty() : tensor<8x16xf32>
// CHECK-NEXT: %[[V2:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
// CHECK-SAME: iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<16x8xf32>, tensor<8xf32>)
// CHECK-SAME: outs(%[[V1]] : tensor<8x16xf32>) attrs =  {tloop.block = "c"} {
// CHECK-NEXT: ^bb0(%in: f32, %in_0: f32, %out: f32):
// CHECK-NEXT: %[[V3:.*]] = arith.mulf %in, %in_0 : f32
// CHECK-NEXT: %[[V4:.*]] = math.exp %[[V3]] : f32
// CHECK-NEXT: linalg.yield %[[V4]] : f32
// CHECK-NEXT: } -> tensor<8x16xf32>
// CHECK-NEXT: return %[[V2]] : tensor<8x16xf32>
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
  %p = "tloop.get_block"() {block_name = "p"} : () -> !tloop.block
  "tloop.compute_inline"(%p) : (!tloop.block) -> ()
}) {kernel = @chain} : () -> ()
