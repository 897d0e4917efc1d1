// RUN: mlc-opt %s --llvm-alias-scopes --split-input-file | filecheck %s

// Accesses to each argument are in its scope, and in none of the others'. What is on the stack has no scope.
// CHECK: #[[DOMAIN:.*]] = #llvm.alias_scope_domain
// CHECK-DAG: #[[X:.*]] = #llvm.alias_scope<id = distinct[1]<>, domain = #[[DOMAIN]]>
// CHECK-DAG: #[[Y:.*]] = #llvm.alias_scope<id = distinct[2]<>, domain = #[[DOMAIN]]>
// CHECK: llvm.func @scoped
// CHECK: llvm.load %{{.*}} {alias_scopes = [#[[X]]], noalias_scopes = [#[[Y]]]}
// CHECK: llvm.store %{{.*}}, %{{.*}} {alias_scopes = [#[[Y]]], noalias_scopes = [#[[X]]]}
// CHECK: llvm.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : f32, !llvm.ptr
llvm.func @scoped(%x: !llvm.ptr {llvm.noalias}, %y: !llvm.ptr {llvm.noalias}, %n: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %stack = llvm.alloca %one x f32 : (i64) -> !llvm.ptr
  %from = llvm.getelementptr %x[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %from : !llvm.ptr -> f32
  %row = llvm.getelementptr %y[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %to = llvm.getelementptr %row[1] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %v, %to : f32, !llvm.ptr
  llvm.store %v, %stack : f32, !llvm.ptr
  llvm.return
}

// -----

// A result that may be an operand has no scope, and a function without such facts stays.
// CHECK-LABEL: llvm.func @in_place
// CHECK: llvm.load %{{[a-z0-9]+}} : !llvm.ptr -> f32
// CHECK: llvm.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : f32, !llvm.ptr
// CHECK-LABEL: llvm.func @bare
// CHECK: llvm.load %{{[a-z0-9]+}} : !llvm.ptr -> f32
llvm.func @in_place(%x: !llvm.ptr {llvm.nonnull}, %y: !llvm.ptr {llvm.nonnull}) {
  %v = llvm.load %x : !llvm.ptr -> f32
  llvm.store %v, %y : f32, !llvm.ptr
  llvm.return
}
llvm.func @bare(%x: !llvm.ptr, %y: !llvm.ptr) {
  %v = llvm.load %x : !llvm.ptr -> f32
  llvm.store %v, %y : f32, !llvm.ptr
  llvm.return
}
