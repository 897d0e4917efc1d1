// RUN: mlc-translate --mlir-to-cpp --split-input-file --verify-diagnostics %s

// expected-error@below {{'func.func' op with multiple blocks needs variables declared at top}}
func.func @blocks() {
  cf.br ^end
^end:
  return
}

// -----

func.func @op(%c: i1) {
  // expected-error@below {{'cf.assert' op unable to find printer for op}}
  cf.assert %c, "message"
  return
}

// -----

// expected-error@below {{cannot emit integer type 'i7'}}
func.func @width(%a: i7) {
  return
}

// -----

// expected-error@below {{cannot emit float type 'f8E4M3FN'}}
func.func @float(%a: f8E4M3FN) {
  return
}

// -----

// expected-error@below {{cannot emit type 'vector<4xf32>'}}
func.func @vector(%a: vector<4xf32>) {
  return
}

// -----

// expected-error@below {{cannot emit tensor type with non static shape}}
func.func @dynamic(%a: tensor<?xf32>) {
  return
}

// -----

// expected-error@below {{cannot emit unranked tensor type}}
func.func @unranked(%a: tensor<*xf32>) {
  return
}

// -----

// expected-error@below {{cannot emit tuple of array type}}
func.func @tuple(%a: tuple<!emitc.array<2xf32>>) {
  return
}

// -----

// expected-error@below {{cannot emit lvalue type as argument type}}
func.func @lvalue(%a: !emitc.lvalue<i8>) {
  return
}

// -----

func.func @pointer() {
  // expected-error@below {{cannot emit pointer to array type '!emitc.ptr<!emitc.array<9xi16>>'}}
  %0 = "emitc.variable"() <{value = #emitc.opaque<"NULL">}> : () -> !emitc.lvalue<!emitc.ptr<!emitc.array<9xi16>>>
  return
}

// -----

func.func @string() {
  // expected-error@below {{cannot emit attribute: "text"}}
  "emitc.call_opaque"() <{args = ["text"], callee = "f"}> : () -> ()
  return
}

// -----

func.func @wide() {
  // expected-error@below {{expected floating point attribute to be f16, bf16, f32 or f64}}
  "emitc.call_opaque"() <{args = [1.0 : f80], callee = "f"}> : () -> ()
  return
}
