// RUN: mlc-opt %s --accel-from-tiles --canonicalize --cse --split-input-file --verify-diagnostics | filecheck %s

#row = affine_map<(d0) -> (d0 * 16)>
#rows = affine_map<(d0) -> (d0 * -16 + 50, 16)>
#same = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0, d1) -> (d0)>

// The memory ends where the last tile, of 2 rows, does: padding is cut off there. Columns are 20 of 32.
// CHECK-LABEL: func.func private @sums(
// CHECK-SAME: %[[X:.*]]: memref<50x20xf32>, %[[Y:.*]]: memref<50xf32>) attributes {tloop.kernel}
// CHECK: %[[START:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: "accel.launch"(%c4)
// CHECK: %[[TILE:.*]] = vector.transfer_read %[[X]][%[[ROW:[0-9]+]], %c0], %{{.*}} : memref<50x20xf32>, vector<16x32xf32>
// CHECK: %[[MASK:.*]] = vector.constant_mask [16, 20] : vector<16x32xi1>
// CHECK: %[[ALONE:.*]] = arith.select %[[MASK]], %[[TILE]], %{{.*}}
// CHECK: %[[SUM:.*]] = vector.multi_reduction <add>, %[[ALONE]], %[[START]] [1] : vector<16x32xf32> to vector<16xf32>
// CHECK: vector.transfer_write %[[SUM]], %[[Y]][%[[ROW]]] : vector<16xf32>, memref<50xf32>
func.func private @sums(%x: tensor<50x20xf32>) -> tensor<50xf32> attributes {tloop.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<50xf32>
  %sums = scf.forall (%i) in (4) shared_outs(%out = %empty) -> (tensor<50xf32>) {
    %begin = affine.apply #row(%i)
    %size = affine.min #rows(%i)
    %in = tensor.extract_slice %x[%begin, 0] [%size, 20] [1, 1] : tensor<50x20xf32> to tensor<?x20xf32>
    %into = tensor.extract_slice %out[%begin] [%size] [1] : tensor<50xf32> to tensor<?xf32>
    %start = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%into : tensor<?xf32>) {
    ^bb0(%old: f32):
      linalg.yield %zero : f32
    } -> tensor<?xf32>
    %sum = linalg.generic {indexing_maps = [#same, #first], iterator_types = ["parallel", "reduction"]} ins(%in : tensor<?x20xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%new: f32, %old: f32):
      %both = arith.addf %old, %new : f32
      linalg.yield %both : f32
    } -> tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%begin] [%size] [1] : tensor<?xf32> into tensor<50xf32>
    }
  }
  return %sums : tensor<50xf32>
}

// -----

#row = affine_map<(d0) -> (d0 * 10)>
#same = affine_map<(d0) -> (d0)>

// Tiles of 10, in vectors of 16: after a tile comes the next one, which must not be written.
// CHECK-LABEL: func.func private @tens(
// CHECK: %[[INSIDE:.*]] = vector.constant_mask [10] : vector<16xi1>
// CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %[[INSIDE]] : vector<16xf32>, memref<50xf32>
func.func private @tens(%x: tensor<50xf32>) -> tensor<50xf32> attributes {tloop.kernel} {
  %empty = tensor.empty() : tensor<50xf32>
  %all = scf.forall (%i) in (5) shared_outs(%out = %empty) -> (tensor<50xf32>) {
    %begin = affine.apply #row(%i)
    %in = tensor.extract_slice %x[%begin] [10] [1] : tensor<50xf32> to tensor<10xf32>
    %into = tensor.extract_slice %out[%begin] [10] [1] : tensor<50xf32> to tensor<10xf32>
    %part = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%in : tensor<10xf32>) outs(%into : tensor<10xf32>) {
    ^bb0(%new: f32, %old: f32):
      %minus = arith.negf %new : f32
      linalg.yield %minus : f32
    } -> tensor<10xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %out[%begin] [10] [1] : tensor<10xf32> into tensor<50xf32>
    }
  }
  return %all : tensor<50xf32>
}

// -----

// What one block can do needs no loop.
// CHECK-LABEL: func.func private @copied(
// CHECK-SAME: %[[X:.*]]: memref<50xf32>, %[[Y:.*]]: memref<50xf32>)
// CHECK: "accel.launch"(%c1)
// CHECK: %[[TILE:.*]] = vector.transfer_read %[[X]][%c0], %{{.*}} : memref<50xf32>, vector<64xf32>
// CHECK-NEXT: vector.transfer_write %[[TILE]], %[[Y]][%c0] : vector<64xf32>, memref<50xf32>
func.func private @copied(%x: tensor<50xf32>) -> tensor<50xf32> attributes {tloop.kernel} {
  return %x : tensor<50xf32>
}

// -----

// A scalar is a vector of one element.
// CHECK-LABEL: func.func private @number(
// CHECK-SAME: %[[X:.*]]: memref<f32>, %[[Y:.*]]: memref<f32>)
// CHECK-DAG: %[[FROM:.*]] = memref.expand_shape %[[X]] [] output_shape [1] : memref<f32> into memref<1xf32>
// CHECK-DAG: %[[TO:.*]] = memref.expand_shape %[[Y]] [] output_shape [1] : memref<f32> into memref<1xf32>
// CHECK: "accel.launch"(%c1)
// CHECK: %[[TILE:.*]] = vector.transfer_read %[[FROM]][%c0], %{{.*}} {in_bounds = [true]} : memref<1xf32>, vector<1xf32>
// CHECK-NEXT: %[[MINUS:.*]] = arith.negf %[[TILE]] : vector<1xf32>
// CHECK-NEXT: vector.transfer_write %[[MINUS]], %[[TO]][%c0] {in_bounds = [true]} : vector<1xf32>, memref<1xf32>
func.func private @number(%x: tensor<f32>) -> tensor<f32> attributes {tloop.kernel} {
  %empty = tensor.empty() : tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%x : tensor<f32>) outs(%empty : tensor<f32>) {
  ^bb0(%new: f32, %old: f32):
    %minus = arith.negf %new : f32
    linalg.yield %minus : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// The memory's order is read, and turned in registers.
// CHECK-LABEL: func.func private @turned(
// CHECK: %[[TILE:.*]] = vector.transfer_read %{{.*}}[%c0, %c0], %{{.*}} : memref<20x30xf32>, vector<32x32xf32>
// CHECK-NEXT: %[[TURNED:.*]] = vector.transpose %[[TILE]], [1, 0] : vector<32x32xf32> to vector<32x32xf32>
// CHECK-NEXT: vector.transfer_write %[[TURNED]]
func.func private @turned(%x: tensor<20x30xf32>) -> tensor<30x20xf32> attributes {tloop.kernel} {
  %empty = tensor.empty() : tensor<30x20xf32>
  %r = linalg.generic {indexing_maps = [#turned, #same], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<20x30xf32>) outs(%empty : tensor<30x20xf32>) {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } -> tensor<30x20xf32>
  return %r : tensor<30x20xf32>
}

// -----

#row = affine_map<(d0) -> (d0)>
#same = affine_map<(d0, d1) -> (d0, d1)>

// Rows of a table: indices are row * 40 + column, and padding is not read.
// CHECK-LABEL: func.func private @gathered(
// CHECK-SAME: %[[X:.*]]: memref<50x40xf32>, %[[AT:.*]]: memref<8xindex>
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[X]] {{.*}} : memref<50x40xf32> into memref<2000xf32>
// CHECK: %[[ROWS:.*]] = vector.transfer_read %[[AT]][%c0]
// CHECK: vector.step : vector<64xindex>
// CHECK: %[[PLACES:.*]] = arith.addi
// CHECK: %[[INSIDE:.*]] = vector.constant_mask [8, 40] : vector<8x64xi1>
// CHECK: vector.gather %[[FLAT]][%c0] [%[[PLACES]]], %[[INSIDE]], %{{.*}} : memref<2000xf32>, vector<8x64xindex>, vector<8x64xi1>, vector<8x64xf32> into vector<8x64xf32>
func.func private @gathered(%x: tensor<50x40xf32>, %at: tensor<8xindex>) -> tensor<8x40xf32> attributes {tloop.kernel} {
  %empty = tensor.empty() : tensor<8x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, #same], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<8xindex>) outs(%empty : tensor<8x40xf32>) {
  ^bb0(%row: index, %old: f32):
    %column = linalg.index 1 : index
    %element = tensor.extract %x[%row, %column] : tensor<50x40xf32>
    linalg.yield %element : f32
  } -> tensor<8x40xf32>
  return %r : tensor<8x40xf32>
}

// -----

#image = affine_map<(d0, d1) -> (d0 * 2 + d1)>
#result = affine_map<(d0, d1) -> (d0)>
#window = affine_map<(d0, d1) -> (d1)>
#begin = affine_map<(d0) -> (d0)>

// A position of a window reads every second element, of a view.
// CHECK-LABEL: func.func private @window(
// CHECK-SAME: %[[X:.*]]: memref<33xf32>
// CHECK: scf.for %[[PLACE:.*]] = %c0 to %c3 step %c1 iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<16xf32>)
// CHECK: %[[VIEW:.*]] = memref.subview %[[X]][%[[PLACE]]] [16] [2] : memref<33xf32> to memref<16xf32, strided<[2], offset: ?>>
// CHECK-NEXT: %[[NEW:.*]] = vector.transfer_read %[[VIEW]][%c0], %{{.*}} {in_bounds = [true]}
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : vector<16x1xf32>
func.func private @window(%x: tensor<33xf32>) -> tensor<16xf32> attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16xf32>
  %extents = tensor.empty() : tensor<1xf32>
  %start = linalg.generic {indexing_maps = [#begin], iterator_types = ["parallel"]} outs(%empty : tensor<16xf32>) {
  ^bb0(%old: f32):
    linalg.yield %zero : f32
  } -> tensor<16xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %start) -> (tensor<16xf32>) {
    %part = tensor.extract_slice %x[%i] [31] [1] : tensor<33xf32> to tensor<31xf32>
    %next = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "reduction"]} ins(%part, %extents : tensor<31xf32>, tensor<1xf32>) outs(%sum : tensor<16xf32>) {
    ^bb0(%new: f32, %unused: f32, %old: f32):
      %both = arith.addf %old, %new : f32
      linalg.yield %both : f32
    } -> tensor<16xf32>
    scf.yield %next : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// -----

// A part of a result is stored after the tensor into which it is inserted, which other threads of the block may have
// stored.
// CHECK-LABEL: func.func private @padded(
// CHECK-SAME: %[[X:.*]]: memref<3x5xf32>, %[[Y:.*]]: memref<4x8xf32>)
// CHECK: "accel.launch"(%c1)
// CHECK: vector.transfer_write %{{.*}}, %[[Y]][%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32>
// CHECK: %[[TILE:.*]] = vector.transfer_read %[[X]]
// CHECK: gpu.barrier
// CHECK: %[[INSIDE:.*]] = vector.constant_mask [3, 5] : vector<4x8xi1>
// CHECK: vector.transfer_write %[[TILE]], %[[Y]][%c1, %c2], %[[INSIDE]] : vector<4x8xf32>, memref<4x8xf32>
func.func private @padded(%x: tensor<3x5xf32>) -> tensor<4x8xf32> attributes {tloop.kernel} {
  %seven = arith.constant 7.0 : f32
  %empty = tensor.empty() : tensor<4x8xf32>
  %sevens = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<4x8xf32>) {
  ^bb0(%old: f32):
    linalg.yield %seven : f32
  } -> tensor<4x8xf32>
  %r = tensor.insert_slice %x into %sevens[1, 2] [3, 5] [1, 1] : tensor<3x5xf32> into tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
