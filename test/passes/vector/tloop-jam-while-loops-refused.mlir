// RUN: mlc-opt %s --tloop-jam-while-loops=iterations=2 | filecheck %s
// RUN: not mlc-opt %s --tloop-jam-while-loops=iterations=0 2>&1 | filecheck %s --check-prefix=NONE

// Loops whose iterations would compute something else, or read outside of their buffers, if their while loops were
// one: they stay as they are, each with the values that one while loop carries.

// NONE: error: iterations is 0, expected at least 1

// A walk ends where the element at its count of steps is zero: after its end the count goes on.
// CHECK-LABEL: func.func @count_decides
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.while (%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}) :
func.func @count_decides(%roots: memref<4xi32>, %children: memref<9xi32>, %ends: memref<4xi32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 8 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %root = memref.load %roots[%i] : memref<4xi32>
    %end:2 = scf.while (%node = %root, %n = %zero) : (i32, i32) -> (i32, i32) {
      %at = arith.minui %n, %last : i32
      %index = arith.index_cast %at : i32 to index
      %row = memref.load %children[%index] : memref<9xi32>
      %inner = arith.cmpi ne, %row, %zero : i32
      scf.condition(%inner) %node, %n : i32, i32
    } do {
    ^bb0(%node: i32, %n: i32):
      %sum = arith.addi %node, %one : i32
      %next = arith.addi %n, %one : i32
      scf.yield %sum, %next : i32, i32
    }
    memref.store %end#0, %ends[%i] : memref<4xi32>
  }
  return
}

// Only the walks of the first rows, whose roots are not negative, read a row.
// CHECK-LABEL: func.func @guarded
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.while (%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}) :
func.func @guarded(%roots: memref<4xi32>, %rows: memref<2xi32>, %ends: memref<4xi32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 8 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %root = memref.load %roots[%i] : memref<4xi32>
    %end:2 = scf.while (%node = %root, %n = %zero) : (i32, i32) -> (i32, i32) {
      %inner = arith.cmpi sge, %node, %zero : i32
      scf.condition(%inner) %node, %n : i32, i32
    } do {
    ^bb0(%node: i32, %n: i32):
      %child = memref.load %rows[%i] : memref<2xi32>
      %next = arith.addi %n, %one : i32
      scf.yield %child, %next : i32, i32
    }
    memref.store %end#0, %ends[%i] : memref<4xi32>
  }
  return
}

// An argument of the function is no index of a loop.
// CHECK-LABEL: func.func @not_a_loop_index
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.while (%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}) :
func.func @not_a_loop_index(%roots: memref<4xi32>, %rows: memref<?xi32>, %ends: memref<4xi32>, %row: index) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 8 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %root = memref.load %roots[%i] : memref<4xi32>
    %end:2 = scf.while (%node = %root, %n = %zero) : (i32, i32) -> (i32, i32) {
      %inner = arith.cmpi sge, %node, %zero : i32
      scf.condition(%inner) %node, %n : i32, i32
    } do {
    ^bb0(%node: i32, %n: i32):
      %child = memref.load %rows[%row] : memref<?xi32>
      %next = arith.addi %n, %one : i32
      scf.yield %child, %next : i32, i32
    }
    memref.store %end#0, %ends[%i] : memref<4xi32>
  }
  return
}

// An index of 8 bits is negative for 128.
// CHECK-LABEL: func.func @narrow
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.while (%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}) :
func.func @narrow(%roots: memref<4xi32>, %rows: memref<200xi32>, %ends: memref<4xi32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 8 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %root = memref.load %roots[%i] : memref<4xi32>
    %end:2 = scf.while (%node = %root, %n = %zero) : (i32, i32) -> (i32, i32) {
      %inner = arith.cmpi sge, %node, %zero : i32
      scf.condition(%inner) %node, %n : i32, i32
    } do {
    ^bb0(%node: i32, %n: i32):
      %wide = arith.index_cast %node : i32 to index
      %most = arith.constant 199 : index
      %at = arith.minui %wide, %most : index
      %byte = arith.index_cast %at : index to i8
      %index = arith.index_cast %byte : i8 to index
      %child = memref.load %rows[%index] : memref<200xi32>
      %next = arith.addi %n, %one : i32
      scf.yield %child, %next : i32, i32
    }
    memref.store %end#0, %ends[%i] : memref<4xi32>
  }
  return
}

// A shift by more bits than there are is poison, and so is an index computed from it.
// CHECK-LABEL: func.func @poison
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.while (%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}) :
func.func @poison(%roots: memref<4xi32>, %children: memref<9xi32>, %ends: memref<4xi32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 8 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %root = memref.load %roots[%i] : memref<4xi32>
    %end:2 = scf.while (%node = %root, %n = %zero) : (i32, i32) -> (i32, i32) {
      %inner = arith.cmpi sge, %node, %zero : i32
      scf.condition(%inner) %node, %n : i32, i32
    } do {
    ^bb0(%node: i32, %n: i32):
      %shifted = arith.shrui %one, %node : i32
      %at = arith.minui %shifted, %last : i32
      %index = arith.index_cast %at : i32 to index
      %child = memref.load %children[%index] : memref<9xi32>
      %next = arith.addi %n, %one : i32
      scf.yield %child, %next : i32, i32
    }
    memref.store %end#0, %ends[%i] : memref<4xi32>
  }
  return
}

// So is a sum that must not wrap.
// CHECK-LABEL: func.func @wraps
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.while (%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}) :
func.func @wraps(%roots: memref<4xi32>, %children: memref<9xi32>, %ends: memref<4xi32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 8 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %root = memref.load %roots[%i] : memref<4xi32>
    %end:2 = scf.while (%node = %root, %n = %zero) : (i32, i32) -> (i32, i32) {
      %inner = arith.cmpi sge, %node, %zero : i32
      scf.condition(%inner) %node, %n : i32, i32
    } do {
    ^bb0(%node: i32, %n: i32):
      %sum = arith.addi %node, %one overflow<nsw> : i32
      %at = arith.minui %sum, %last : i32
      %index = arith.index_cast %at : i32 to index
      %child = memref.load %children[%index] : memref<9xi32>
      %next = arith.addi %n, %one : i32
      scf.yield %child, %next : i32, i32
    }
    memref.store %end#0, %ends[%i] : memref<4xi32>
  }
  return
}

// The bound leaves no iteration.
// CHECK-LABEL: func.func @no_iteration
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.while (%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}) :
func.func @no_iteration(%roots: memref<4xi32>, %children: memref<9xi32>, %ends: memref<4xi32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 8 : i32
  %negative = arith.constant -3 : index
  scf.for %i = %c0 to %negative step %c1 {
    %root = memref.load %roots[%i] : memref<4xi32>
    %end:2 = scf.while (%node = %root, %n = %zero) : (i32, i32) -> (i32, i32) {
      %inner = arith.cmpi sge, %node, %zero : i32
      scf.condition(%inner) %node, %n : i32, i32
    } do {
    ^bb0(%node: i32, %n: i32):
      %at = arith.minui %node, %last : i32
      %index = arith.index_cast %at : i32 to index
      %child = memref.load %children[%index] : memref<9xi32>
      %next = arith.addi %n, %one : i32
      scf.yield %child, %next : i32, i32
    }
    memref.store %end#0, %ends[%i] : memref<4xi32>
  }
  return
}

// A bound of more than half of all integers is negative as a signed one.
// CHECK-LABEL: func.func @unsigned
// CHECK: scf.for unsigned {{.*}} to %arg3 step %c1
// CHECK-NOT: scf.for

// Loops of integers that are no indices stay.
// CHECK-LABEL: func.func @integers
// CHECK: scf.for {{.*}} to %arg3 step %{{.*}} : i32
// CHECK-NOT: scf.for
func.func @unsigned(%roots: memref<?xi32>, %children: memref<9xi32>, %ends: memref<?xi32>, %count: index) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %last = arith.constant 8 : i32
  scf.for unsigned %i = %c0 to %count step %c1 {
    %root = memref.load %roots[%i] : memref<?xi32>
    %end = scf.while (%node = %root) : (i32) -> i32 {
      %inner = arith.cmpi sge, %node, %zero : i32
      scf.condition(%inner) %node : i32
    } do {
    ^bb0(%node: i32):
      %at = arith.minui %node, %last : i32
      %index = arith.index_cast %at : i32 to index
      %child = memref.load %children[%index] : memref<9xi32>
      scf.yield %child : i32
    }
    memref.store %end, %ends[%i] : memref<?xi32>
  }
  return
}

func.func @integers(%roots: memref<?xi32>, %children: memref<9xi32>, %ends: memref<?xi32>, %count: i32) attributes {tloop.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 8 : i32
  scf.for %i = %zero to %count step %one : i32 {
    %row = arith.index_cast %i : i32 to index
    %root = memref.load %roots[%row] : memref<?xi32>
    %end = scf.while (%node = %root) : (i32) -> i32 {
      %inner = arith.cmpi sge, %node, %zero : i32
      scf.condition(%inner) %node : i32
    } do {
    ^bb0(%node: i32):
      %at = arith.minui %node, %last : i32
      %index = arith.index_cast %at : i32 to index
      %child = memref.load %children[%index] : memref<9xi32>
      scf.yield %child : i32
    }
    memref.store %end, %ends[%row] : memref<?xi32>
  }
  return
}
