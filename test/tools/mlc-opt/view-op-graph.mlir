// RUN: mlc-opt %s --view-op-graph -o /dev/null 2>&1 | filecheck %s
// RUN: mlc-opt %s --view-op-graph="print-result-types=false print-attrs=false" -o /dev/null 2>&1 | filecheck %s --check-prefix=SHORT
// RUN: mlc-opt %s --view-op-graph 2> /dev/null | filecheck %s --check-prefix=IR

// CHECK: digraph G {
// CHECK: label = "func.func
// CHECK: label = "{{.*}}arith.addi{{.*}}overflowFlags
// CHECK-SAME: i32
// CHECK: label = "{{.*}}func.return
// CHECK: v{{[0-9]+}}{{.*}} -> v{{[0-9]+}}
// CHECK: {{^}}}{{$}}

// SHORT: digraph G {
// SHORT-NOT: overflowFlags
// SHORT: arith.addi
// SHORT-NOT: overflowFlags

// IR: module {
// IR-NEXT: func.func @f
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
