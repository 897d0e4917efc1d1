// RUN: mlc-opt %s --tloop-jam-while-loops=iterations=2 | filecheck %s
// RUN: mlc-opt %s --tloop-jam-while-loops=iterations=4 | filecheck %s --check-prefix=FOUR

// Two iterations walk at once, as long as one of them has not ended, and count their steps together. One that has
// ended keeps its value. The last iteration is alone. Sums are added in order, after the walks.
// CHECK-LABEL: func.func @walks
// CHECK: scf.for %[[I:.*]] = %c0 to %{{.*}} step %c2
// CHECK: %[[A:.*]] = memref.load %arg0[%[[I]]]
// CHECK: %[[B:.*]] = memref.load %arg0[%{{.*}}]
// CHECK: %[[ENDS:.*]]:5 = scf.while (%[[LEFT:.*]] = %c4_i32, %[[NODE:.*]] = %[[A]], %[[OTHER:.*]] = %[[B]])
// CHECK-DAG: %[[GOES:.*]] = arith.cmpi sge, %[[NODE]]
// CHECK-DAG: %[[OTHER_GOES:.*]] = arith.cmpi sge, %[[OTHER]]
// CHECK: %[[ANY:.*]] = arith.ori %[[GOES]], %[[OTHER_GOES]]
// CHECK: %[[MORE:.*]] = arith.andi %[[ANY]], %{{.*}}
// CHECK: scf.condition(%[[MORE]]) %[[LEFT]], %[[NODE]], %[[OTHER]], %[[GOES]], %[[OTHER_GOES]]
// CHECK: ^bb0(%[[LEFT:.*]]: i32, %[[NODE:.*]]: i32, %[[OTHER:.*]]: i32, %[[GOES:.*]]: i1, %[[OTHER_GOES:.*]]: i1):
// CHECK: %[[NEXT:.*]] = llvm.freeze
// CHECK: %[[KEPT:.*]] = arith.select %[[GOES]], %[[NEXT]], %[[NODE]]
// CHECK: %[[NEXT:.*]] = llvm.freeze
// CHECK: %[[OTHER_KEPT:.*]] = arith.select %[[OTHER_GOES]], %[[NEXT]], %[[OTHER]]
// CHECK: scf.yield %{{.*}}, %[[KEPT]], %[[OTHER_KEPT]]
// CHECK: memref.load %arg2
// CHECK: arith.addi %{{.*}}, %[[ENDS]]#1
// CHECK: memref.store
// CHECK: memref.load %arg2
// CHECK: arith.addi %{{.*}}, %[[ENDS]]#2
// CHECK: memref.store
// CHECK: }
// CHECK: %[[LAST:.*]]:3 = scf.while
// CHECK: arith.addi %{{.*}}, %[[LAST]]#1
func.func @walks(%roots: memref<3xi32>, %children: memref<9xi32>, %sum: memref<1xi32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c4_i32 = arith.constant 4 : i32
  %c8_i32 = arith.constant 8 : i32
  scf.for %i = %c0 to %c3 step %c1 {
    %total = memref.load %sum[%c0] : memref<1xi32>
    %root = memref.load %roots[%i] : memref<3xi32>
    %end:2 = scf.while (%node = %root, %left = %c4_i32) : (i32, i32) -> (i32, i32) {
      %inner = arith.cmpi sge, %node, %c0_i32 : i32
      %more = arith.cmpi sgt, %left, %c0_i32 : i32
      %goes_on = arith.andi %inner, %more : i1
      scf.condition(%goes_on) %node, %left : i32, i32
    } do {
    ^bb0(%node: i32, %left: i32):
      %at = arith.minui %node, %c8_i32 : i32
      %index = arith.index_cast %at : i32 to index
      %child = memref.load %children[%index] : memref<9xi32>
      %rest = arith.subi %left, %c1_i32 : i32
      scf.yield %child, %rest : i32, i32
    }
    %new = arith.addi %total, %end#0 : i32
    memref.store %new, %sum[%c0] : memref<1xi32>
  }
  return
}

// An index that is not limited is out of bounds once a walk has ended.
// CHECK-LABEL: func.func @unlimited
// CHECK: scf.for {{.*}} to %arg3 step %c1
// CHECK: scf.while (%{{[a-z0-9]+}} = %{{[a-z0-9]+}})
func.func @unlimited(%roots: memref<?xi32>, %children: memref<9xi32>, %ends: memref<?xi32>, %count: index) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i32 = arith.constant 0 : i32
  scf.for %i = %c0 to %count step %c1 {
    %root = memref.load %roots[%i] : memref<?xi32>
    %end = scf.while (%node = %root) : (i32) -> i32 {
      %inner = arith.cmpi sge, %node, %c0_i32 : i32
      scf.condition(%inner) %node : i32
    } do {
    ^bb0(%node: i32):
      %index = arith.index_cast %node : i32 to index
      %child = memref.load %children[%index] : memref<9xi32>
      scf.yield %child : i32
    }
    memref.store %end, %ends[%i] : memref<?xi32>
  }
  return
}

// The number of iterations is dynamic: the last ones are walked one by one.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[REST:.*]] = arith.remsi %arg3, %c2
// CHECK: %[[END:.*]] = arith.subi %arg3, %[[REST]]
// CHECK: scf.for %{{.*}} = %c0 to %[[END]] step %c2
// CHECK: scf.for %{{.*}} = %[[END]] to %arg3 step %c1

// Walks read what an earlier iteration has written.
// CHECK-LABEL: func.func @dependent
// CHECK: scf.for {{.*}} to %arg3 step %c1
// CHECK-NOT: scf.for
func.func @dynamic(%roots: memref<?xi32>, %children: memref<9xi32>, %ends: memref<?xi32>, %count: index) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i32 = arith.constant 0 : i32
  %c8_i32 = arith.constant 8 : i32
  scf.for %i = %c0 to %count step %c1 {
    %root = memref.load %roots[%i] : memref<?xi32>
    %end = scf.while (%node = %root) : (i32) -> i32 {
      %inner = arith.cmpi sge, %node, %c0_i32 : i32
      scf.condition(%inner) %node : i32
    } do {
    ^bb0(%node: i32):
      %at = arith.minui %node, %c8_i32 : i32
      %index = arith.index_cast %at : i32 to index
      %child = memref.load %children[%index] : memref<9xi32>
      scf.yield %child : i32
    }
    memref.store %end, %ends[%i] : memref<?xi32>
  }
  return
}

func.func @dependent(%roots: memref<?xi32>, %children: memref<9xi32>, %ends: memref<?xi32>, %count: index) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i32 = arith.constant 0 : i32
  %c8_i32 = arith.constant 8 : i32
  scf.for %i = %c0 to %count step %c1 {
    %root = memref.load %roots[%i] : memref<?xi32>
    %end = scf.while (%node = %root) : (i32) -> i32 {
      %inner = arith.cmpi sge, %node, %c0_i32 : i32
      scf.condition(%inner) %node : i32
    } do {
    ^bb0(%node: i32):
      %at = arith.minui %node, %c8_i32 : i32
      %index = arith.index_cast %at : i32 to index
      %child = memref.load %children[%index] : memref<9xi32>
      scf.yield %child : i32
    }
    memref.store %end, %roots[%i] : memref<?xi32>
  }
  return
}

// The number of steps of each walk is used: each has its own count, which ends with it.
// CHECK-LABEL: func.func @steps
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %c0_i32, %{{.*}} = %{{.*}}, %{{.*}} = %c0_i32)
// CHECK: ^bb0(%{{.*}}: i32, %[[COUNT:.*]]: i32, %{{.*}}: i32, %[[OTHER:.*]]: i32, %[[GOES:.*]]: i1, %[[OTHER_GOES:.*]]: i1):
// CHECK: arith.select %[[GOES]], %{{.*}}, %[[COUNT]]
// CHECK: arith.select %[[OTHER_GOES]], %{{.*}}, %[[OTHER]]
func.func @steps(%roots: memref<4xi32>, %children: memref<9xi32>, %ends: memref<4xi32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c8_i32 = arith.constant 8 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %root = memref.load %roots[%i] : memref<4xi32>
    %end:2 = scf.while (%node = %root, %n = %c0_i32) : (i32, i32) -> (i32, i32) {
      %inner = arith.cmpi sge, %node, %c0_i32 : i32
      scf.condition(%inner) %node, %n : i32, i32
    } do {
    ^bb0(%node: i32, %n: i32):
      %at = arith.minui %node, %c8_i32 : i32
      %index = arith.index_cast %at : i32 to index
      %child = memref.load %children[%index] : memref<9xi32>
      %next = arith.addi %n, %c1_i32 : i32
      scf.yield %child, %next : i32, i32
    }
    memref.store %end#1, %ends[%i] : memref<4xi32>
  }
  return
}

// More steps than a walk has change nothing: it needs no mask, and its indices no limit.
// CHECK-LABEL: func.func @settles
// CHECK: scf.for {{.*}} step %c2
// CHECK: scf.while (%[[NODE:.*]] = %{{.*}}, %[[OTHER:.*]] = %{{.*}}) : (i32, i32) -> (i32, i32)
// CHECK: scf.condition(%{{.*}}) %[[NODE]], %[[OTHER]] : i32, i32
// CHECK: %[[NEXT:.*]] = memref.load %arg1
// CHECK: %[[OTHER_NEXT:.*]] = memref.load %arg1
// CHECK: scf.yield %[[NEXT]], %[[OTHER_NEXT]]
func.func @settles(%roots: memref<4xi32>, %children: memref<?xi32>, %ends: memref<4xi32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c0_i32 = arith.constant 0 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %root = memref.load %roots[%i] : memref<4xi32>
    %end = scf.while (%node = %root) : (i32) -> i32 {
      %inner = arith.cmpi ne, %node, %c0_i32 : i32
      scf.condition(%inner) %node : i32
    } do {
    ^bb0(%node: i32):
      %index = arith.index_cast %node : i32 to index
      %child = memref.load %children[%index] : memref<?xi32>
      scf.yield %child : i32
    } attributes {tloop.settles}
    memref.store %end, %ends[%i] : memref<4xi32>
  }
  return
}

// Five iterations are three and two, no four and one.
// FOUR-LABEL: func.func @five
// FOUR: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i32, i32, i32) -> (i32, i32, i32)
// FOUR: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i32, i32) -> (i32, i32)
// FOUR-NOT: scf.while
func.func @five(%roots: memref<5xi32>, %children: memref<?xi32>, %ends: memref<5xi32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c0_i32 = arith.constant 0 : i32
  scf.for %i = %c0 to %c5 step %c1 {
    %root = memref.load %roots[%i] : memref<5xi32>
    %end = scf.while (%node = %root) : (i32) -> i32 {
      %inner = arith.cmpi ne, %node, %c0_i32 : i32
      scf.condition(%inner) %node : i32
    } do {
    ^bb0(%node: i32):
      %index = arith.index_cast %node : i32 to index
      %child = memref.load %children[%index] : memref<?xi32>
      scf.yield %child : i32
    } attributes {tloop.settles}
    memref.store %end, %ends[%i] : memref<5xi32>
  }
  return
}
