// RUN: mlc-opt %s --split-input-file --verify-diagnostics --load-plugin=%S/Inputs/plugin.py --test-fail --allow-unregistered-dialect

// expected-error@+2 {{function has arguments}}
// expected-note@+1 {{use a function without arguments}}
func.func @python_pass(%a: i32) {
  return
}

// -----

func.func @verifier() -> i32 {
  %0 = arith.constant 1 : i64
  // expected-error@below {{type of return operand 0 ('i64')}}
  return %0 : i64
}

// -----

func.func @regex(%a: i32) {
  // expected-note@below {{prior use here}}
  %c = arith.constant 1 : i64
  %0 = arith.addi %a, %c : i32
  // expected-error-re@above {{use of value '%{{[a-z]}}' expects}}
  return
}

// -----

func.func @same_line() { return }
func.func @same_line() { return } // expected-error {{redefinition of symbol named 'same_line'}}
// expected-note@-2 {{see existing symbol definition here}}
