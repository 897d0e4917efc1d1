// RUN: mlc-translate --mlir-to-cpp --declare-variables-at-top --split-input-file --verify-diagnostics %s
// RUN: sh -c 'mlc-translate --mlir-to-llvmir --file-id=one %s 2>&1; test $? -eq 2' | filecheck %s

// CHECK: --file-id has no effect on --mlir-to-llvmir

// expected-error@below {{'func.func' op cannot emit block argument #0 with type '!emitc.array<4xi8>'}}
func.func @argument(%a: !emitc.array<4xi8>) {
  cf.br ^end(%a : !emitc.array<4xi8>)
^end(%b: !emitc.array<4xi8>):
  return
}

// -----

func.func @result() {
  // expected-error@below {{cannot emit pointer to array type}}
  // expected-error@below {{unable to declare result variable for op}}
  %0 = "emitc.variable"() <{value = #emitc.opaque<"">}> : () -> !emitc.lvalue<!emitc.ptr<!emitc.array<9xi16>>>
  return
}

// -----

// expected-error@below {{'emitc.call_opaque' op result variable for the operation has not been declared}}
%0 = emitc.call_opaque "f"() : () -> i32
