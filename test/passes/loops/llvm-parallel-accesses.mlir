// RUN: mlc-opt %s --llvm-parallel-accesses --split-input-file | filecheck %s

// All accesses of a kernel that works in place are of one group, which the latch of each of its loops names;
// branches forward name none.
// CHECK: #[[GROUP:.*]] = #llvm.access_group<id = distinct[0]<>>
// CHECK: #[[ANNOTATION:.*]] = #llvm.loop_annotation<parallelAccesses = #[[GROUP]]>
// CHECK-LABEL: llvm.func @in_place
// CHECK-NOT: tloop.in_place
// CHECK: llvm.br ^[[OUTER:bb[0-9]+]](%{{.*}} : i64){{$}}
// CHECK: ^[[OUTER]](
// CHECK: llvm.br ^[[INNER:bb[0-9]+]](%{{.*}} : i64){{$}}
// CHECK: ^[[INNER]](
// CHECK: llvm.load %{{.*}} {access_groups = [#[[GROUP]]]}
// CHECK: llvm.store %{{.*}}, %{{.*}} {access_groups = [#[[GROUP]]]}
// CHECK: llvm.cond_br %{{.*}}, ^[[INNER]](%{{.*}} : i64), ^[[NEXT:bb[0-9]+]] {loop_annotation = #[[ANNOTATION]]}
// CHECK: ^[[NEXT]]:
// CHECK: llvm.cond_br %{{.*}}, ^[[OUTER]](%{{.*}} : i64), ^[[END:bb[0-9]+]] {loop_annotation = #[[ANNOTATION]]}
// CHECK: ^[[END]]:
// CHECK-NEXT: llvm.br ^{{bb[0-9]+}}{{$}}
llvm.func @in_place(%x: !llvm.ptr {llvm.nonnull}, %y: !llvm.ptr {llvm.nonnull}) attributes {tloop.in_place = array<i64: 0>} {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(64 : i64) : i64
  llvm.br ^outer(%zero : i64)
^outer(%i: i64):
  llvm.br ^inner(%i : i64)
^inner(%j: i64):
  %from = llvm.getelementptr %x[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %from : !llvm.ptr -> f32
  %to = llvm.getelementptr %y[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %v, %to : f32, !llvm.ptr
  %j1 = llvm.add %j, %one : i64
  %more = llvm.icmp "slt" %j1, %n : i64
  llvm.cond_br %more, ^inner(%j1 : i64), ^next
^next:
  %i1 = llvm.add %i, %n : i64
  %again = llvm.icmp "slt" %i1, %n : i64
  llvm.cond_br %again, ^outer(%i1 : i64), ^end
^end:
  llvm.br ^return
^return:
  llvm.return
}

// -----

// Two kernels have two groups.
// CHECK-DAG: #[[A:.*]] = #llvm.access_group<id = distinct[0]<>>
// CHECK-DAG: #[[B:.*]] = #llvm.access_group<id = distinct[1]<>>
// CHECK-LABEL: llvm.func @first
// CHECK: llvm.store %{{.*}}, %{{.*}} {access_groups = [#[[A]]]}
// CHECK-LABEL: llvm.func @second
// CHECK: llvm.store %{{.*}}, %{{.*}} {access_groups = [#[[B]]]}
// Loops of other kernels may depend on what an earlier iteration wrote.
// CHECK-LABEL: llvm.func @other
// CHECK: llvm.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : f32, !llvm.ptr
llvm.func @first(%x: !llvm.ptr, %v: f32) attributes {tloop.in_place = array<i64: 0>} {
  llvm.store %v, %x : f32, !llvm.ptr
  llvm.return
}
llvm.func @second(%x: !llvm.ptr, %v: f32) attributes {tloop.in_place = array<i64: 0>} {
  llvm.store %v, %x : f32, !llvm.ptr
  llvm.return
}
llvm.func @other(%x: !llvm.ptr, %v: f32) {
  llvm.store %v, %x : f32, !llvm.ptr
  llvm.return
}
