// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// What the verifier of control flow says.

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.if' op 'condition' has elements i64, not bool (i1): tensor<i64>}}
  %r = "graph.if"(%n) ({
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }, {
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i64>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%d: tensor<1xi1>, %a: tensor<4xf32>) {
  // expected-error @below {{'graph.if' op 'condition' has rank 1 instead of 0: tensor<1xi1>}}
  %r = "graph.if"(%d) ({
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }, {
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<1xi1>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.if' op 'then_branch' takes 1 values instead of 0}}
  %r = "graph.if"(%c) ({
  ^bb0(%x: tensor<4xf32>):
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }, {
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

#first_0_of_32 = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.if' op 'else_branch' yields 0 values instead of 1}}
  %r = "graph.if"(%c) ({
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }, {
    "graph.yield"() {operandSegmentSizes = #first_0_of_32} : () -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.if' op 'else_branch' yield 0 has elements i64, not f32}}
  %r = "graph.if"(%c) ({
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }, {
    "graph.yield"(%b) {operandSegmentSizes = #first_1_of_32} : (tensor<2xi64>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.if' op 'result 0' is tensor<5xf32>, the definition gives tensor<4xf32>}}
  %r = "graph.if"(%c) ({
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }, {
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<5xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.if' op 'results' number 2 instead of 1}}
  %r:2 = "graph.if"(%c) ({
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }, {
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }) {resultSegmentSizes = #first_2_of_32} : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.if' op 'else_branch' does not end with graph.yield}}
  %r = "graph.if"(%c) ({
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }, {
    "ub.unreachable"() : () -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.yield' op 'values' must leave a body of graph.if or graph.loop, not of 'func.func'}}
  "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i32>, %c: tensor<i1>, %a: tensor<4xf32>) {
  // expected-error @below {{'graph.loop' op 'trip_count' has elements i32, not i64: tensor<i32>}}
  %r = "graph.loop"(%n, %c, %a) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>):
    "graph.yield"(%go, %x) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i32>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.loop' op 'body' takes 2 values instead of 3}}
  %r = "graph.loop"(%n, %c, %a) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>):
    "graph.yield"(%go, %a) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.loop' op 'body' argument 0 (the iteration) is tensor<i1> instead of tensor<i64>}}
  %r = "graph.loop"(%n, %c, %a) ({
  ^bb0(%i: tensor<i1>, %go: tensor<i1>, %x: tensor<4xf32>):
    "graph.yield"(%go, %x) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.loop' op 'body' yield 0 (the condition) is tensor<4xf32> instead of tensor<i1>}}
  %r = "graph.loop"(%n, %c, %a) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>):
    "graph.yield"(%x, %x) {operandSegmentSizes = #first_2_of_32} : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.loop' op 'body' yields 1 values instead of 2 or more}}
  %r = "graph.loop"(%n, %c, %a) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>):
    "graph.yield"(%go) {operandSegmentSizes = #first_1_of_32} : (tensor<i1>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.loop' op 'initial' value 0 is tensor<2xi64>, which does not fit tensor<4xf32>}}
  %r = "graph.loop"(%n, %c, %b) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>):
    "graph.yield"(%go, %x) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<2xi64>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.loop' op 'body' yield 1 is tensor<2xi64>, which does not fit tensor<4xf32>}}
  %r = "graph.loop"(%n, %c, %a) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>):
    "graph.yield"(%go, %b) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<2xi64>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.loop' op 'result 0' is tensor<5xf32>, the definition gives tensor<4xf32>}}
  %r = "graph.loop"(%n, %c, %a) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>):
    "graph.yield"(%go, %x) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<5xf32>
  return
}
