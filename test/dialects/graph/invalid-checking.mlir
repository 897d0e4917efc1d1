// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2xi64>, %t: tensor<2xi1>) {
  // expected-error @below {{'graph.check' op 'truth' has rank 1 instead of 0: tensor<2xi1>}}
  %0 = "graph.check"(%x, %t) {message = "wrong"} : (tensor<2xi64>, tensor<2xi1>) -> tensor<2xi64>
  return
}

// -----

func.func @f(%x: tensor<2xi64>, %t: tensor<i64>) {
  // expected-error @below {{'graph.check' op 'truth'}}
  %0 = "graph.check"(%x, %t) {message = "wrong"} : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  return
}

// -----

func.func @f(%x: tensor<2xi64>, %t: tensor<i1>) {
  // expected-error @below {{'graph.check' op 'message' is empty}}
  %0 = "graph.check"(%x, %t) {message = ""} : (tensor<2xi64>, tensor<i1>) -> tensor<2xi64>
  return
}

// -----

func.func @f(%x: tensor<2xi64>, %t: tensor<i1>) {
  // expected-error @below {{'graph.check' op}}
  %0 = "graph.check"(%x, %t) {message = "wrong"} : (tensor<2xi64>, tensor<i1>) -> tensor<3xi64>
  return
}
