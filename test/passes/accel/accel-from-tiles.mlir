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
// CHECK: %[[MASK:.*]] = vector.broadcast %{{.*}} : vector<32xi1> to vector<16x32xi1>
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

// Tiles of 10, in vectors of 16: behind a tile lies the next one, which must not be written.
// CHECK-LABEL: func.func private @tens(
// CHECK: %[[PLACES:.*]] = vector.step : vector<16xindex>
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[PLACES]]
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

// expected-error @below {{a result of the kernel is not computed by a loop of its own}}
func.func private @copied(%x: tensor<50xf32>) -> tensor<50xf32> attributes {tloop.kernel} {
  return %x : tensor<50xf32>
}
