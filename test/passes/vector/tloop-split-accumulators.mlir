// RUN: mlc-opt %s --tloop-split-accumulators --canonicalize --cse | filecheck %s

// Nested loops carry the rows; what is computed from the tile afterwards is computed row by row.
// CHECK-LABEL: func.func @nested
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[Z]], %[[B:.*]] = %[[Z]]) -> (vector<4xf32>, vector<4xf32>) {
// CHECK:   %[[I:.*]]:2 = scf.for {{.*}} iter_args(%[[C:.*]] = %[[A]], %[[D:.*]] = %[[B]]) -> (vector<4xf32>, vector<4xf32>) {
// CHECK:     %[[E:.*]] = vector.fma %arg1, %arg1, %[[C]] : vector<4xf32>
// CHECK:     %[[F:.*]] = vector.fma %arg1, %arg1, %[[D]] : vector<4xf32>
// CHECK:     scf.yield %[[E]], %[[F]]
// CHECK:   scf.yield %[[I]]#0, %[[I]]#1
// CHECK: %[[S:.*]] = arith.addf %[[R]]#0, %arg1 : vector<4xf32>
// CHECK: %[[T:.*]] = arith.addf %[[R]]#1, %arg1 : vector<4xf32>
// CHECK: vector.transfer_write %[[S]], %arg0
// CHECK: vector.transfer_write %[[T]], %arg0
// CHECK-NOT: vector<2x4xf32>
func.func @nested(%m: memref<2x4xf32>, %v: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<2x4xf32>
  %tile = scf.for %i = %c0 to %c8 step %c1 iter_args(%outer = %zero) -> (vector<2x4xf32>) {
    %inner = scf.for %j = %c0 to %c8 step %c1 iter_args(%acc = %outer) -> (vector<2x4xf32>) {
      %0 = vector.extract %acc[0] : vector<4xf32> from vector<2x4xf32>
      %1 = vector.fma %v, %v, %0 : vector<4xf32>
      %2 = vector.extract %acc[1] : vector<4xf32> from vector<2x4xf32>
      %3 = vector.fma %v, %v, %2 : vector<4xf32>
      %a:4 = vector.to_elements %1 : vector<4xf32>
      %b:4 = vector.to_elements %3 : vector<4xf32>
      %new = vector.from_elements %a#0, %a#1, %a#2, %a#3, %b#0, %b#1, %b#2, %b#3 : vector<2x4xf32>
      scf.yield %new : vector<2x4xf32>
    }
    scf.yield %inner : vector<2x4xf32>
  }
  %wide = vector.broadcast %v : vector<4xf32> to vector<2x4xf32>
  %sum = arith.addf %tile, %wide : vector<2x4xf32>
  %first = vector.extract %sum[0] : vector<4xf32> from vector<2x4xf32>
  vector.transfer_write %first, %m[%c0, %c0] {in_bounds = [true]} : vector<4xf32>, memref<2x4xf32>
  %second = vector.extract %sum[1] : vector<4xf32> from vector<2x4xf32>
  vector.transfer_write %second, %m[%c1, %c0] {in_bounds = [true]} : vector<4xf32>, memref<2x4xf32>
  return
}

// A tile that is used as one value is rebuilt after the loop; other values that the loop carries stay.
// CHECK-LABEL: func.func @whole
// CHECK: %[[R:.*]]:3 = scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, index)
// CHECK: %[[P:.*]]:4 = vector.to_elements %[[R]]#0
// CHECK: %[[Q:.*]]:4 = vector.to_elements %[[R]]#1
// CHECK: %[[T:.*]] = vector.from_elements %[[P]]#0, %[[P]]#1, %[[P]]#2, %[[P]]#3, %[[Q]]#0
// CHECK: return %[[T]], %[[R]]#2
func.func @whole(%init: vector<2x4xf32>, %count: index) -> (vector<2x4xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile:2 = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %init, %n = %c0) -> (vector<2x4xf32>, index) {
    %new = arith.mulf %acc, %acc : vector<2x4xf32>
    %m = arith.addi %n, %i : index
    scf.yield %new, %m : vector<2x4xf32>, index
  }
  return %tile#0, %tile#1 : vector<2x4xf32>, index
}

// One row is a separate value already.
// CHECK-LABEL: func.func @flat
// CHECK: iter_args({{.*}}) -> (vector<4xf32>)
func.func @flat(%init: vector<4xf32>, %count: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %init) -> (vector<4xf32>) {
    %new = arith.mulf %acc, %acc : vector<4xf32>
    scf.yield %new : vector<4xf32>
  }
  return %r : vector<4xf32>
}

// The rows of a tile of two dims are carried in order.
// CHECK-LABEL: func.func @lines
// CHECK: %[[R:.*]]:4 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}, %[[D:.*]] = %{{.*}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-DAG: %[[E:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK-DAG: %[[H:.*]] = arith.mulf %[[D]], %[[D]]
// CHECK: scf.yield %[[E]], %{{.*}}, %{{.*}}, %[[H]]
// CHECK: vector.transfer_write %[[R]]#2, %arg0
func.func @lines(%m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %two = arith.constant dense<2.0> : vector<2x2x4xf32>
  %tile = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %two) -> (vector<2x2x4xf32>) {
    %new = arith.mulf %acc, %acc : vector<2x2x4xf32>
    scf.yield %new : vector<2x2x4xf32>
  }
  %third = vector.extract %tile[1, 0] : vector<4xf32> from vector<2x2x4xf32>
  vector.transfer_write %third, %m[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
  return
}
