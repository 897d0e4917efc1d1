// RUN: mlc-opt %s --tloop-unswitch-loops --canonicalize | filecheck %s

// The first tiles have one row more: each size has a loop over its tiles, the larger ones first.
// CHECK-LABEL: func.func @tiles
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<?xf32>, %[[TILES:[a-z0-9]*]]: index, %[[LARGER:[a-z0-9]*]]: index, %[[SMALL:[a-z0-9]*]]: index
// CHECK: %[[LARGE:.*]] = arith.addi %[[SMALL]], %c1
// CHECK: %[[TWO_IS_LARGE:.*]] = arith.cmpi eq, %[[LARGE]], %c2
// CHECK: %[[TWO_IS_SMALL:.*]] = arith.cmpi eq, %[[SMALL]], %c2
// CHECK: %[[BEGIN:.*]] = arith.select %[[TWO_IS_SMALL]], %[[LARGER]], %c0
// CHECK: %[[REST:.*]] = arith.select %[[TWO_IS_SMALL]], %[[TILES]], %c0
// CHECK: %[[END:.*]] = arith.select %[[TWO_IS_LARGE]], %[[LARGER]], %[[REST]]
// CHECK: scf.for %[[T:.*]] = %[[BEGIN]] to %[[END]] step %c1
// CHECK-NEXT: %[[AT:.*]] = arith.muli %[[T]], %[[SMALL]]
// CHECK-NEXT: memref.store %cst{{.*}}, %[[OUT]][%[[AT]]]
// CHECK-NEXT: }
// CHECK: arith.cmpi eq, %[[LARGE]], %c1
// CHECK: scf.for
// CHECK-NEXT: arith.muli
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NOT: scf.index_switch
func.func @tiles(%out: memref<?xf32>, %tiles: index, %larger: index, %small: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %large = arith.addi %small, %c1 : index
  scf.for %t = %c0 to %tiles step %c1 {
    %early = arith.cmpi ult, %t, %larger : index
    %at = arith.muli %t, %small : index
    %size = arith.select %early, %large, %small : index
    scf.index_switch %size
    case 1 {
      memref.store %one, %out[%at] : memref<?xf32>
      scf.yield
    }
    case 2 {
      memref.store %two, %out[%at] : memref<?xf32>
      scf.yield
    }
    default {
    }
  }
  return
}

// Something is done in other cases too; and what is chosen depends on something else.
// CHECK-LABEL: func.func @others
// CHECK: scf.index_switch
// CHECK: scf.index_switch
func.func @others(%out: memref<?xf32>, %tiles: index, %larger: index, %small: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %large = arith.addi %small, %c1 : index
  scf.for %t = %c0 to %tiles step %c1 {
    %early = arith.cmpi ult, %t, %larger : index
    %size = arith.select %early, %large, %small : index
    scf.index_switch %size
    case 1 {
      memref.store %one, %out[%t] : memref<?xf32>
      scf.yield
    }
    default {
      memref.store %one, %out[%c0] : memref<?xf32>
    }
  }
  scf.for %t = %c0 to %tiles step %c1 {
    scf.index_switch %larger
    case 1 {
      memref.store %one, %out[%t] : memref<?xf32>
      scf.yield
    }
    default {
    }
  }
  return
}

// A loop that begins later; one that skips tiles; sizes that differ by 2, and sizes of each iteration; and an effect
// before the switch, which sizes without a case have, too.
// CHECK-LABEL: func.func @other_loops
// CHECK-COUNT-5: scf.index_switch
func.func @other_loops(%out: memref<?xf32>, %tiles: index, %larger: index, %small: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %large = arith.addi %small, %c1 : index
  %by_two = arith.addi %small, %c2 : index
  scf.for %t = %c1 to %tiles step %c1 {
    %early = arith.cmpi ult, %t, %larger : index
    %size = arith.select %early, %large, %small : index
    scf.index_switch %size
    case 1 {
      memref.store %one, %out[%t] : memref<?xf32>
      scf.yield
    }
    default {
    }
  }
  scf.for %t = %c0 to %tiles step %c2 {
    %early = arith.cmpi ult, %t, %larger : index
    %size = arith.select %early, %large, %small : index
    scf.index_switch %size
    case 1 {
      memref.store %one, %out[%t] : memref<?xf32>
      scf.yield
    }
    default {
    }
  }
  scf.for %t = %c0 to %tiles step %c1 {
    %early = arith.cmpi ult, %t, %larger : index
    %size = arith.select %early, %by_two, %small : index
    scf.index_switch %size
    case 1 {
      memref.store %one, %out[%t] : memref<?xf32>
      scf.yield
    }
    default {
    }
  }
  scf.for %t = %c0 to %tiles step %c1 {
    %own = arith.muli %t, %small : index
    %one_more = arith.addi %own, %c1 : index
    %early = arith.cmpi ult, %t, %larger : index
    %size = arith.select %early, %one_more, %own : index
    scf.index_switch %size
    case 1 {
      memref.store %one, %out[%t] : memref<?xf32>
      scf.yield
    }
    default {
    }
  }
  scf.for %t = %c0 to %tiles step %c1 {
    memref.store %one, %out[%c0] : memref<?xf32>
    %early = arith.cmpi ult, %t, %larger : index
    %size = arith.select %early, %large, %small : index
    scf.index_switch %size
    case 1 {
      memref.store %one, %out[%t] : memref<?xf32>
      scf.yield
    }
    default {
    }
  }
  return
}
