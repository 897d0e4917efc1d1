// Former names of ops, attributes, passes and options are errors that give the present ones.
// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s
// RUN: not mlc-opt %s --split-input-file --graph-number-objects 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not mlc-opt %s --split-input-file --graph-materialize-padding=on-read=true 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: echo 'func.func @f() attributes {tloop.kinds = []} { return }' > %t.mlir
// RUN: not mlc-opt %t.mlir --emit-bytecode -o %t.mlirbc 2>&1 | filecheck %s --check-prefix=FILE

// CHECK: former-names.mlir:18:3: error: {{.*}}'accel.await_turn'
// CHECK: note: 'accel.await_turn' is now 'accel.await_ping_pong'
// CHECK: former-names.mlir:25:8: error: 'graph.on_read' is now 'graph.rematerialize'
// CHECK: former-names.mlir:31:1: error: 'graph.kind' is now 'graph.object_type'
// CHECK-NOT: error

// PASS: mlc-opt: error: there is no pass 'graph-number-objects' any more; it is 'graph-lower-objects'
// OPTION: mlc-opt: error: pass 'graph-materialize-padding': no option 'on-read'; valid options: pools-only, rematerialize
// FILE: mlir:1:1: error: 'tloop.kinds' is now 'tloop.object_types'
func.func @op() {
  "accel.await_turn"() : () -> ()
  return
}

// -----

func.func @attribute(%x: tensor<4xi8>) -> tensor<4xi32> {
  %0 = "graph.cast"(%x) {graph.on_read} : (tensor<4xi8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @argument(%x: tensor<4xi64> {graph.kind = "string"}) {
  return
}

// -----

// A former name in a comment, or as a string, is no error: graph.kind.
func.func @comment() attributes {test.text = "accel.take_turns"} {
  return
}
