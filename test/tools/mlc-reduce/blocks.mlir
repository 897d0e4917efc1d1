// RUN: mlc-reduce %s --test-command="grep -q arith.divsi" -o %t.mlir
// RUN: filecheck %s < %t.mlir
// RUN: mlc-reduce %s --test-command="grep -q cf.switch" -o %t.switch.mlir
// RUN: filecheck %s < %t.switch.mlir --check-prefix=SWITCH

// Branches go one way, and the blocks that are left join.

// CHECK-NOT: cf.
// CHECK: arith.divsi
// CHECK-NOT: ^

// SWITCH-NOT: cf.br
// SWITCH-NOT: cf.cond_br
// SWITCH: cf.switch
// SWITCH-NOT: cf.cond_br
// SWITCH-NOT: arith.
func.func @f(%c: i1, %a: i32) -> i32 {
  cf.cond_br %c, ^a(%a : i32), ^b
^a(%x: i32):
  %1 = arith.addi %x, %a : i32
  cf.br ^c(%1 : i32)
^b:
  %2 = arith.muli %a, %a : i32
  cf.switch %2 : i32, [
    default: ^c(%2 : i32),
    3: ^d
  ]
^d:
  %4 = arith.muli %2, %a : i32
  cf.br ^a(%4 : i32)
^c(%y: i32):
  %3 = arith.divsi %y, %a : i32
  cf.cond_br %c, ^a(%3 : i32), ^e
^e:
  return %3 : i32
}
