// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.imag' op 'x' has elements f32, not complex}}
  %r = "graph.imag"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xcomplex<f32>>) {
  // expected-error @below {{'graph.real' op 'result' is tensor<4xf64>, the definition gives tensor<4xf32>}}
  %r = "graph.real"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf16>) {
  // expected-error @below {{'graph.complex' op 'real' has elements f16, not f32 or f64}}
  %r = "graph.complex"(%x, %x) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xcomplex<f16>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @below {{'graph.complex' op 'imag' has elements f64, real has f32}}
  %r = "graph.complex"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{'graph.complex' op 'real, imag' do not broadcast: real [4] and imag [3], dim 0 of the result}}
  %r = "graph.complex"(%x, %y) : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<4xcomplex<f32>>, %b: tensor<5x1xi64>, %c: tensor<5xcomplex<f32>>) {
  // expected-error @below {{'graph.scatter_nd' op 'reduction' is max, but complex numbers have no order}}
  %r = "graph.scatter_nd"(%a, %b, %c) {reduction = "max"} : (tensor<4xcomplex<f32>>, tensor<5x1xi64>, tensor<5xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<4xcomplex<f32>>) {
  // expected-error @below {{'graph.cast' op 'result' has elements f32: complex<f32> is not converted to them}}
  %r = "graph.cast"(%a) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'graph.cast' op 'result' has elements complex<f32>: f32 is not converted to them}}
  %r = "graph.cast"(%a) : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}
