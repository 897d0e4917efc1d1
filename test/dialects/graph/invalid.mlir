// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// What the ops' verifier says.

// The number of operands, attributes that are missing, wrong or unknown.

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.add' op 'operands' number 1 instead of 2}}
  %r = "graph.add"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.softmax' op 'axis' is missing}}
  %r = "graph.softmax"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.softmax' op 'axis' is 0 : i32 instead of an i64 integer}}
  %r = "graph.softmax"(%a) {axis = 0 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.softmax' op 'axis' is a location}}
  %r = "graph.softmax"(%a) {axis = loc("here")} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.softmax' op 'note' is no attribute of graph.softmax}}
  %r = "graph.softmax"(%a) {axis = 0, note = loc(unknown)} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.reshape' op 'shape' is [2] instead of array<i64: ...>}}
  %r = "graph.reshape"(%a) {shape = [2]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.elu' op 'alpha' is 1 : i64 instead of an f64 float}}
  %r = "graph.elu"(%a) {alpha = 1} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.softmax' op 'axes' is no attribute of graph.softmax (which has: axis)}}
  %r = "graph.softmax"(%a) {axis = 0, axes = 1} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.gelu' op 'approximate' is "erf" instead of one of none, tanh, sigmoid}}
  %r = "graph.gelu"(%a) {approximate = "erf"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @below {{'graph.relu' op 'operand 0' has type f32, which is no tensor}}
  %r = "graph.relu"(%a) : (f32) -> tensor<2xf32>
  return
}

// -----

// Results.

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.exp' op 'result' is tensor<2x4xf32>, the definition gives tensor<2x3xf32>}}
  %r = "graph.exp"(%a) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.exp' op 'result' is tensor<2x3xf16>, the definition gives tensor<2x3xf32>}}
  %r = "graph.exp"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.exp' op 'result' is tensor<6xf32>, the definition gives tensor<2x3xf32>}}
  %r = "graph.exp"(%a) : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.cast' op 'result' is tensor<3x2xi8>, the definition gives tensor<2x3xi8>}}
  %r = "graph.cast"(%a) : (tensor<2x3xf32>) -> tensor<3x2xi8>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.bitcast' op 'result' has elements i16, which are not as wide as x's: tensor<2xf32>}}
  %r = "graph.bitcast"(%a) : (tensor<2xf32>) -> tensor<2xi16>
  return
}

// -----

func.func @f(%a: tensor<2xi1>) {
  // expected-error @below {{'graph.bitcast' op 'x' has elements i1, not of 8 to 64 bits}}
  %r = "graph.bitcast"(%a) : (tensor<2xi1>) -> tensor<2xui8>
  return
}

// -----

// Element types.

func.func @f(%a: tensor<2xi32>) {
  // expected-error @below {{'graph.exp' op 'x' has elements i32, not float: tensor<2xi32>}}
  %r = "graph.exp"(%a) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @f(%a: tensor<2xi32>) {
  // expected-error @below {{'graph.not' op 'x' has elements i32, not bool (i1): tensor<2xi32>}}
  %r = "graph.not"(%a) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error @below {{'graph.add' op 'b' has elements f16, a has f32}}
  %r = "graph.add"(%a, %b) : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{'graph.shift_left' op 'a' has elements f32, not integer: tensor<2xf32>}}
  %r = "graph.shift_left"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) {
  // expected-error @below {{'graph.where' op 'condition' has elements f32, not bool (i1): tensor<2xf32>}}
  %r = "graph.where"(%a, %b, %c) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{'graph.less' op 'result' is tensor<2xf32>, the definition gives tensor<2xi1>}}
  %r = "graph.less"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<*xi32>) {
  // expected-error @below {{'graph.exp' op 'x' has elements i32, not float: tensor<*xi32>}}
  %r = "graph.exp"(%a) : (tensor<*xi32>) -> tensor<*xi32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{'graph.gather' op 'indices' has elements f32, not index (i32 or i64): tensor<2xf32>}}
  %r = "graph.gather"(%a, %b) {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x0xf32>) {
  // expected-error @below {{'graph.arg_max' op 'x' has no elements along axis 1: tensor<2x0xf32>}}
  %r = "graph.arg_max"(%a) {axis = 1} : (tensor<2x0xf32>) -> tensor<2x1xi64>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.arg_max' op 'result' is tensor<1xi32>, the definition gives tensor<1xi64>}}
  %r = "graph.arg_max"(%a) {axis = 0} : (tensor<2xf32>) -> tensor<1xi32>
  return
}

// -----

// Elementwise ops.

func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x?x4xf32>) {
  // expected-error @below {{'graph.add' op 'a, b' do not broadcast: a [2, 3] and b [2, ?, 4], dim 2 of the result}}
  %r = "graph.add"(%a, %b) : (tensor<2x3xf32>, tensor<2x?x4xf32>) -> tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2xi1>, %b: tensor<3xf32>, %c: tensor<f32>) {
  // expected-error @below {{'graph.where' op 'condition, x, y' do not broadcast: condition [2] and x [3] and y [], dim 0 of the result}}
  %r = "graph.where"(%a, %b, %c) : (tensor<2xi1>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{'graph.prelu' op 'slope' does not broadcast to x: tensor<2x3xf32> against tensor<3xf32>}}
  %r = "graph.prelu"(%a, %b) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{'graph.mod' op 'fmod' must be true for elements f32}}
  %r = "graph.mod"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// Reductions.

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.reduce_sum' op 'axes' [2] has an axis outside [0, 2)}}
  %r = "graph.reduce_sum"(%a) {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.reduce_mean' op 'axes' [-1] has an axis outside [0, 2)}}
  %r = "graph.reduce_mean"(%a) {axes = array<i64: -1>} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.reduce_max' op 'axes' [1, 1] names an axis twice}}
  %r = "graph.reduce_max"(%a) {axes = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.arg_min' op 'axis' 2 is outside [0, 2)}}
  %r = "graph.arg_min"(%a) {axis = 2} : (tensor<2x3xf32>) -> tensor<2x1xi64>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.cumsum' op 'axis' -1 is outside [0, 2)}}
  %r = "graph.cumsum"(%a) {axis = -1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.det' op 'x' the last two dims of tensor<2x3xf32> differ: 2 against 3}}
  %r = "graph.det"(%a) : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @below {{'graph.det' op 'x' needs rank 2 or more: tensor<3xf32>}}
  %r = "graph.det"(%a) : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.top_k' op 'k' 4 is outside [1, 3]}}
  %r:2 = "graph.top_k"(%a) {axis = 1, k = 4} : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
  return
}

// -----

func.func @f(%a: tensor<2x?xf32>) {
  // expected-error @below {{'graph.top_k' op 'k' 0 is outside [1, ?]}}
  %r:2 = "graph.top_k"(%a) {axis = 1, k = 0} : (tensor<2x?xf32>) -> (tensor<2x0xf32>, tensor<2x0xi64>)
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.top_k' op 'indices' is tensor<2x2xi32>, the definition gives tensor<2x2xi64>}}
  %r:2 = "graph.top_k"(%a) {axis = 1, k = 2} : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return
}

// -----

// Contractions.

func.func @f(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @below {{'graph.matmul' op 'a, b' reduction dims of tensor<2x3xf32> and tensor<4x5xf32> differ: 3 against 4}}
  %r = "graph.matmul"(%a, %b) : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a: tensor<f32>, %b: tensor<4x5xf32>) {
  // expected-error @below {{'graph.matmul' op 'a' is a scalar: tensor<f32>}}
  %r = "graph.matmul"(%a, %b) : (tensor<f32>, tensor<4x5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2x3xf32>, %b: tensor<3x3x4xf32>) {
  // expected-error @below {{'graph.matmul' op 'a, b' do not broadcast: a [2] and b [3], dim 0 of the result}}
  %r = "graph.matmul"(%a, %b) : (tensor<2x2x3xf32>, tensor<3x3x4xf32>) -> tensor<2x2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<3xf32>, %b: tensor<2x3x16xf32>) {
  // expected-error @below {{'graph.matmul_packed' op 'a' needs rank 2 or more: tensor<3xf32>}}
  %r = "graph.matmul_packed"(%a, %b) : (tensor<3xf32>, tensor<2x3x16xf32>) -> tensor<2x16xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x32xf32>) {
  // expected-error @below {{'graph.matmul_packed' op 'b' needs rank 3 or 4 ([batch], N/t, K, t): tensor<3x32xf32>}}
  %r = "graph.matmul_packed"(%a, %b) : (tensor<2x3xf32>, tensor<3x32xf32>) -> tensor<2x2x16xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x4x16xf32>) {
  // expected-error @below {{'graph.matmul_packed' op 'a, b' reduction dims of tensor<2x3xf32> and tensor<2x4x16xf32> differ: 3 against 4}}
  %r = "graph.matmul_packed"(%a, %b) : (tensor<2x3xf32>, tensor<2x4x16xf32>) -> tensor<2x2x16xf32>
  return
}

// -----

// Convolutions and pooling.

func.func @f(%a: tensor<1x3x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 'x' has rank 3 instead of 4, layout NCHW with 2 spatial dims (entries of strides): tensor<1x3x8xf32>}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x8x8xf32>, %b: tensor<4x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 'w' has rank 3 instead of 4 (layout NCHW): tensor<4x3x3xf32>}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x8x8xf32>, %b: tensor<4x2x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 'w' input channels per group (dim 1) of tensor<4x2x3x3xf32> do not fit tensor<1x3x8x8xf32>: 3 against 2}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 'group' 2 does not divide the 3 input channels}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 2} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a: tensor<1x2x8x8xf32>, %b: tensor<3x1x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 'group' 2 does not divide the 3 output channels}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 2} : (tensor<1x2x8x8xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x6x6xf32>
  return
}

// -----

func.func @f(%a: tensor<1x2x8x8xf32>, %b: tensor<3x1x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 'group' 0 is below 1}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 0} : (tensor<1x2x8x8xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x6x6xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 'pads' [0, 0, -1, 0] has an entry below 0}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, -1, 0>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 'pads' [0, 0] has 2 entries instead of 4 (2 spatial dims)}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 'strides' [1, 0] has an entry below 1}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 0>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x8x4xf32>, %b: tensor<4x3x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 'x' spatial dim 1 (4 padded by 0 and 0) is smaller than the window 5 (kernel 3, dilation 2): tensor<1x3x8x4xf32>}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 2>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x4xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x1xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 'layout' is "NHWC" instead of one of NCHW, NCHWc}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NHWC"}
      : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a: tensor<1x2x8x8x4xf32>, %b: tensor<3x2x3x3x8x8xf32>) {
  // expected-error @below {{'graph.conv' op 'w' block of channels (dim -2) of tensor<3x2x3x3x8x8xf32> does not fit tensor<1x2x8x8x4xf32>: 4 against 8}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x8x8x4xf32>, tensor<3x2x3x3x8x8xf32>) -> tensor<1x3x6x6x8xf32>
  return
}

// -----

func.func @f(%a: tensor<1x2x8x8x4xf32>, %b: tensor<3x1x3x3x4x8xf32>) {
  // expected-error @below {{'graph.conv' op 'w' channel blocks per group (dim 1) of tensor<3x1x3x3x4x8xf32> do not fit tensor<1x2x8x8x4xf32>: 2 against 1}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x8x8x4xf32>, tensor<3x1x3x3x4x8xf32>) -> tensor<1x3x6x6x8xf32>
  return
}

// -----

func.func @f(%a: tensor<1x2x8x8x4xf32>, %b: tensor<3x1x3x3x4x8xf32>) {
  // expected-error @below {{'graph.conv' op 'group' 2 does not divide the 3 output channels}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 2, layout = "NCHWc"}
      : (tensor<1x2x8x8x4xf32>, tensor<3x1x3x3x4x8xf32>) -> tensor<1x3x6x6x8xf32>
  return
}

// -----

func.func @f(%a: tensor<1x2x8x8x4xf32>, %b: tensor<2x3x3x4xf32>) {
  // expected-error @below {{'graph.conv' op 'group' a depthwise w needs one group per channel: 8 against 2}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 2, layout = "NCHWc"}
      : (tensor<1x2x8x8x4xf32>, tensor<2x3x3x4xf32>) -> tensor<1x2x6x6x4xf32>
  return
}

// -----

func.func @f(%a: tensor<1x2x8x8x4xf32>, %b: tensor<3x3x3x4xf32>) {
  // expected-error @below {{'graph.conv' op 'w' channel blocks (dim 0) of tensor<3x3x3x4xf32> do not fit tensor<1x2x8x8x4xf32>: 2 against 3}}
  %r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 8, layout = "NCHWc"}
      : (tensor<1x2x8x8x4xf32>, tensor<3x3x3x4xf32>) -> tensor<1x2x6x6x4xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x8x8xf32>) {
  // expected-error @below {{'graph.max_pool' op 'strides' [1, 1] has 2 entries instead of 1 (one per entry of kernel)}}
  %r = "graph.max_pool"(%a) {kernel = array<i64: 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x7x7xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x8x8xf32>) {
  // expected-error @below {{'graph.max_pool' op 'kernel' [2, 0] has an entry below 1}}
  %r = "graph.max_pool"(%a) {kernel = array<i64: 2, 0>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x7x7xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x8x8x4xf32>) {
  // expected-error @below {{'graph.average_pool' op 'x' has rank 5 instead of 4, layout NCHW with 2 spatial dims (entries of strides): tensor<1x3x8x8x4xf32>}}
  %r = "graph.average_pool"(%a) {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x8x4xf32>) -> tensor<1x3x7x7xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x1x8xf32>) {
  // expected-error @below {{'graph.average_pool' op 'x' spatial dim 0 (1 padded by 0 and 0) is smaller than the window 3 (kernel 3, dilation 1): tensor<1x3x1x8xf32>}}
  %r = "graph.average_pool"(%a) {kernel = array<i64: 3, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x1x8xf32>) -> tensor<1x3x1x7xf32>
  return
}

// -----

func.func @f(%a: tensor<3x8xf32>) {
  // expected-error @below {{'graph.lrn' op 'x' needs a batch dim, blocks and their channels: tensor<3x8xf32>}}
  %r = "graph.lrn"(%a) {size = 3, layout = "NCHWc"} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @f(%a: tensor<1x3x1x8xf32>) {
  // expected-error @below {{'graph.lrn' op 'size' 0 is below 1}}
  %r = "graph.lrn"(%a) {size = 0} : (tensor<1x3x1x8xf32>) -> tensor<1x3x1x8xf32>
  return
}

// -----

// Normalisations.

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.softmax' op 'axis' 2 is outside [0, 2)}}
  %r = "graph.softmax"(%a) {axis = 2} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.layer_norm' op 'axes' [1, 1] names an axis twice}}
  %r = "graph.layer_norm"(%a) {axes = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<4xf32>, %e: tensor<3xf32>) {
  // expected-error @below {{'graph.batch_norm' op 'mean' channels of x (dim 1) and length differ: 3 against 4}}
  %r = "graph.batch_norm"(%a, %b, %c, %d, %e) : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3x1xf32>, %e: tensor<3xf32>) {
  // expected-error @below {{'graph.batch_norm' op 'mean' has rank 2 instead of 1: tensor<3x1xf32>}}
  %r = "graph.batch_norm"(%a, %b, %c, %d, %e) : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  // expected-error @below {{'graph.batch_norm' op 'x' needs a batch and a channel dim: tensor<3xf32>}}
  %r = "graph.batch_norm"(%a, %b, %c, %d, %e) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// Movement.

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.reshape' op 'shape' [7] has 7 elements, x has 6: tensor<2x3xf32>}}
  %r = "graph.reshape"(%a) {shape = array<i64: 7>} : (tensor<2x3xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.reshape' op 'shape' [4, -1] does not divide the 6 elements of x: tensor<2x3xf32>}}
  %r = "graph.reshape"(%a) {shape = array<i64: 4, -1>} : (tensor<2x3xf32>) -> tensor<4x?xf32>
  return
}

// -----

func.func @f(%a: tensor<0x3xf32>) {
  // expected-error @below {{'graph.reshape' op 'shape' [0, -1] leaves -1 undetermined next to a dim of 0}}
  %r = "graph.reshape"(%a) {shape = array<i64: 0, -1>} : (tensor<0x3xf32>) -> tensor<0x?xf32>
  return
}

// -----

func.func @f(%a: tensor<?x3xf32>) {
  // expected-error @below {{'graph.reshape' op 'shape' [7] has 7 elements, no multiple of x's known dims: tensor<?x3xf32>}}
  %r = "graph.reshape"(%a) {shape = array<i64: 7>} : (tensor<?x3xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error @below {{'graph.reshape' op 'dims' length and number of result dims differ: 3 against 2}}
  %r = "graph.reshape"(%a, %b) {shape = array<i64: -1, -1>} : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.expand' op 'shape' [2, 4] does not broadcast with x: tensor<2x3xf32>}}
  %r = "graph.expand"(%a) {shape = array<i64: 2, 4>} : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.expand' op 'shape' [3] has fewer dims than x: tensor<2x3xf32>}}
  %r = "graph.expand"(%a) {shape = array<i64: 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.transpose' op 'permutation' [0] has 1 entries instead of 2 (one per dim of x)}}
  %r = "graph.transpose"(%a) {permutation = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @below {{'graph.transpose' op 'permutation' [1, 1] names an axis twice}}
  %r = "graph.transpose"(%a) {permutation = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x1xf32>) {
  // expected-error @below {{'graph.squeeze' op 'axes' [0] names dim 0, which is not 1: tensor<2x1xf32>}}
  %r = "graph.squeeze"(%a) {axes = array<i64: 0>} : (tensor<2x1xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.unsqueeze' op 'axes' [2] has an axis outside [0, 2)}}
  %r = "graph.unsqueeze"(%a) {axes = array<i64: 2>} : (tensor<2xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.tile' op 'repeats' [2, 2] has 2 entries instead of 1 (one per dim of x)}}
  %r = "graph.tile"(%a) {repeats = array<i64: 2, 2>} : (tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.trilu' op 'x' needs rank 2 or more: tensor<2xf32>}}
  %r = "graph.trilu"(%a) {k = 0} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x3xf32>) {
  // expected-error @below {{'graph.concat' op 'inputs' dim 0 of inputs[0] to inputs[1] differs: 2 against 3}}
  %r = "graph.concat"(%a, %b) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{'graph.concat' op 'inputs[1]' has rank 1 instead of 2 (as inputs[0]): tensor<3xf32>}}
  %r = "graph.concat"(%a, %b) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf16>) {
  // expected-error @below {{'graph.concat' op 'inputs[1]' has elements f16, inputs[0] has f32}}
  %r = "graph.concat"(%a, %b) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x3xf32>, tensor<2x3xf16>) -> tensor<2x6xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'graph.slice' op 'starts, sizes, steps' leave x in dim 0 (start 1, size 4, step 1): tensor<4xf32>}}
  %r = "graph.slice"(%a) {starts = array<i64: 1>, sizes = array<i64: 4>, steps = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'graph.slice' op 'starts, sizes, steps' leave x in dim 0 (start 1, size 3, step -1): tensor<4xf32>}}
  %r = "graph.slice"(%a) {starts = array<i64: 1>, sizes = array<i64: 3>, steps = array<i64: -1>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'graph.slice' op 'steps' [0] has a step of 0}}
  %r = "graph.slice"(%a) {starts = array<i64: 1>, sizes = array<i64: 3>, steps = array<i64: 0>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'graph.slice' op 'starts' [1, 1] has 2 entries instead of 1 (one per dim of x)}}
  %r = "graph.slice"(%a) {starts = array<i64: 1, 1>, sizes = array<i64: 3>, steps = array<i64: 1>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'graph.pad' op 'low' [-1] has an entry below 0}}
  %r = "graph.pad"(%a) {low = array<i64: -1>, high = array<i64: 0>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'graph.pad' op 'low, high' pad dim 0 by 4 in mode reflect, which tensor<4xf32> is too small for}}
  %r = "graph.pad"(%a) {low = array<i64: 4>, high = array<i64: 0>, mode = "reflect"} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x2xf32>, %b: tensor<3xi64>) {
  // expected-error @below {{'graph.gather' op 'axis' 2 is outside [0, 2)}}
  %r = "graph.gather"(%a, %b) {axis = 2} : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x0xf32>, %b: tensor<3xi64>) {
  // expected-error @below {{'graph.gather' op 'data' has no elements that indices could name: tensor<4x0xf32>}}
  %r = "graph.gather"(%a, %b) {axis = 1} : (tensor<4x0xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%a: tensor<0x2xf32>, %b: tensor<3x2xi64>) {
  // expected-error @below {{'graph.gather_elements' op 'data' has no elements that indices could name: tensor<0x2xf32>}}
  %r = "graph.gather_elements"(%a, %b) {axis = 0} : (tensor<0x2xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x0x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error @below {{'graph.gather_nd' op 'data' has no elements that indices could name: tensor<4x0x2xf32>}}
  %r = "graph.gather_nd"(%a, %b) : (tensor<4x0x2xf32>, tensor<5x2xi64>) -> tensor<5x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x2xf32>, %b: tensor<3xi64>) {
  // expected-error @below {{'graph.gather_elements' op 'indices' has rank 1 instead of 2 (as data): tensor<3xi64>}}
  %r = "graph.gather_elements"(%a, %b) {axis = 1} : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error @below {{'graph.gather_elements' op 'indices' dim 0 is larger than data's: tensor<5x2xi64> against tensor<4x2xf32>}}
  %r = "graph.gather_elements"(%a, %b) {axis = 1} : (tensor<4x2xf32>, tensor<5x2xi64>) -> tensor<5x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<4x2xi64>) {
  // expected-error @below {{'graph.gather_nd' op 'batch_dims' 2 is outside [0, 2)}}
  %r = "graph.gather_nd"(%a, %b) {batch_dims = 2} : (tensor<4x3x2xf32>, tensor<4x2xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error @below {{'graph.gather_nd' op 'indices' dim 0 of data and of indices, a batch dim, differ: 4 against 5}}
  %r = "graph.gather_nd"(%a, %b) {batch_dims = 1} : (tensor<4x3x2xf32>, tensor<5x2xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<5x4xi64>) {
  // expected-error @below {{'graph.gather_nd' op 'indices' has indices of length 4 for 3 dims: tensor<5x4xi64>}}
  %r = "graph.gather_nd"(%a, %b) : (tensor<4x3x2xf32>, tensor<5x4xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<5x?xi64>) {
  // expected-error @below {{'graph.gather_nd' op 'indices' needs a last dim that is known: tensor<5x?xi64>}}
  %r = "graph.gather_nd"(%a, %b) : (tensor<4x3x2xf32>, tensor<5x?xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<i64>) {
  // expected-error @below {{'graph.gather_nd' op 'indices' needs rank 1 or more: tensor<i64>}}
  %r = "graph.gather_nd"(%a, %b) : (tensor<4x3x2xf32>, tensor<i64>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<4x3x2xi64>, %c: tensor<4x3x2xf32>) {
  // expected-error @below {{'graph.scatter_elements' op 'axis' 3 is outside [0, 3)}}
  %r = "graph.scatter_elements"(%a, %b, %c) {axis = 3} : (tensor<4x3x2xf32>, tensor<4x3x2xi64>, tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<4x1x2xi64>, %c: tensor<4x2x2xf32>) {
  // expected-error @below {{'graph.scatter_elements' op 'updates' dim 1 of indices and of updates differ: 1 against 2}}
  %r = "graph.scatter_elements"(%a, %b, %c) {axis = 1} : (tensor<4x3x2xf32>, tensor<4x1x2xi64>, tensor<4x2x2xf32>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<5x1x2xi64>, %c: tensor<5x1x2xf32>) {
  // expected-error @below {{'graph.scatter_elements' op 'indices' dim 0 is larger than data's: tensor<5x1x2xi64> against tensor<4x3x2xf32>}}
  %r = "graph.scatter_elements"(%a, %b, %c) {axis = 1} : (tensor<4x3x2xf32>, tensor<5x1x2xi64>, tensor<5x1x2xf32>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<4x1x2xi64>, %c: tensor<4x1x2xf64>) {
  // expected-error @below {{'graph.scatter_elements' op 'updates' has elements f64, data has f32}}
  %r = "graph.scatter_elements"(%a, %b, %c) {axis = 1} : (tensor<4x3x2xf32>, tensor<4x1x2xi64>, tensor<4x1x2xf64>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5xf32>) {
  // expected-error @below {{'graph.scatter_nd' op 'updates' has rank 1 instead of 2 (the dims of indices but the last, then data's others): tensor<5xf32>}}
  %r = "graph.scatter_nd"(%a, %b, %c) : (tensor<4x3x2xf32>, tensor<5x2xi64>, tensor<5xf32>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x3xf32>) {
  // expected-error @below {{'graph.scatter_nd' op 'updates' dim 1 does not follow from data and indices: 2 against 3}}
  %r = "graph.scatter_nd"(%a, %b, %c) : (tensor<4x3x2xf32>, tensor<5x2xi64>, tensor<5x3xf32>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x3x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2xf32>) {
  // expected-error @below {{'graph.scatter_nd' op 'reduction' is "sum" instead of one of none, add, mul, min, max}}
  %r = "graph.scatter_nd"(%a, %b, %c) {reduction = "sum"} : (tensor<4x3x2xf32>, tensor<5x2xi64>, tensor<5x2xf32>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x!graph.string>, %b: tensor<5x1xi64>, %c: tensor<5x!graph.string>) {
  // expected-error @below {{'graph.scatter_nd' op 'data' has elements !graph.string, which cannot be joined: tensor<4x!graph.string>}}
  %r = "graph.scatter_nd"(%a, %b, %c) {reduction = "add"} : (tensor<4x!graph.string>, tensor<5x1xi64>, tensor<5x!graph.string>) -> tensor<4x!graph.string>
  return
}

// -----

// Layouts.

func.func @f(%a: tensor<4x6xf32>) {
  // expected-error @below {{'graph.pack' op 'inner_tiles' [4]: 4 does not divide dim 1 (no padding): tensor<4x6xf32>}}
  %r = "graph.pack"(%a) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 4>} : (tensor<4x6xf32>) -> tensor<4x2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x6xf32>) {
  // expected-error @below {{'graph.pack' op 'inner_dims' [2] has an axis outside [0, 2)}}
  %r = "graph.pack"(%a) {inner_dims = array<i64: 2>, inner_tiles = array<i64: 4>} : (tensor<4x6xf32>) -> tensor<4x2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x6xf32>) {
  // expected-error @below {{'graph.pack' op 'inner_tiles' [3, 2] has 2 entries instead of 1 (one per entry of inner_dims)}}
  %r = "graph.pack"(%a) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 3, 2>} : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<4x6xf32>) {
  // expected-error @below {{'graph.pack' op 'outer_permutation' [1] has 1 entries instead of 2 (one per plain dim)}}
  %r = "graph.pack"(%a) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 3>, outer_permutation = array<i64: 1>} : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<4x2x4xf32>) {
  // expected-error @below {{'graph.unpack' op 'inner_tiles' [8] are not x's inner dims: tensor<4x2x4xf32>}}
  %r = "graph.unpack"(%a) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>} : (tensor<4x2x4xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%a: tensor<4x2x4xf32>) {
  // expected-error @below {{'graph.unpack' op 'shape' [4, 4] does not pack to x, dim 1: 1 against 2, tensor<4x2x4xf32>}}
  %r = "graph.unpack"(%a) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 4>, shape = array<i64: 4, 4>} : (tensor<4x2x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'graph.unpack' op 'inner_tiles' [4, 4] has more entries than x has dims: tensor<4xf32>}}
  %r = "graph.unpack"(%a) {inner_dims = array<i64: 0, 1>, inner_tiles = array<i64: 4, 4>} : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// Creation.

func.func @f() {
  // expected-error @below {{'graph.constant' op 'value' has 1028 bytes, over the 1024 of a constant; use graph.weight: tensor<257xf32>}}
  %r = "graph.constant"() {value = dense<0.0> : tensor<257xf32>} : () -> tensor<257xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.constant' op 'result' is tensor<2xf16>, the definition gives tensor<2xf32>}}
  %r = "graph.constant"() {value = dense<0.0> : tensor<2xf32>} : () -> tensor<2xf16>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.constant' op 'value' is 1.000000e+00 : f64 instead of dense<...>}}
  %r = "graph.constant"() {value = 1.0} : () -> tensor<f32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.weight' op 'size' 20 is not the result's 24 bytes: tensor<2x3xf32>}}
  %r = "graph.weight"() {source = "w", offset = 0, size = 20, hash = "0"} : () -> tensor<2x3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.weight' op 'offset' -4 is negative}}
  %r = "graph.weight"() {source = "w", offset = -4, size = 24, hash = "0"} : () -> tensor<2x3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.weight' op 'result' needs static dims: tensor<?x3xf32>}}
  %r = "graph.weight"() {source = "w", offset = 0, size = 24, hash = "0"} : () -> tensor<?x3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.prepared' op 'index' -1 is negative}}
  %r = "graph.prepared"() {index = -1} : () -> tensor<2xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.full' op 'value' 300 is no i8}}
  %r = "graph.full"() {value = 300} : () -> tensor<4xi8>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.full' op 'value' -1 is no ui8}}
  %r = "graph.full"() {value = -1} : () -> tensor<4xui8>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.full' op 'value' 0.5 is no i32}}
  %r = "graph.full"() {value = 0.5} : () -> tensor<4xi32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.full' op 'value' 65520.0 is no f16}}
  %r = "graph.full"() {value = 65520.0} : () -> tensor<4xf16>
  return
}

// -----

func.func @f(%a: tensor<4xui8>) {
  // expected-error @below {{'graph.clamp' op 'min' -1.0 is no ui8}}
  %r = "graph.clamp"(%a) {min = -1.0, max = 6.0} : (tensor<4xui8>) -> tensor<4xui8>
  return
}

// -----

func.func @f(%a: tensor<4xi32>) {
  // expected-error @below {{'graph.pad' op 'value' -inf is no i32}}
  %r = "graph.pad"(%a) {low = array<i64: 1>, high = array<i64: 0>, value = 0xFFF0000000000000 : f64} : (tensor<4xi32>) -> tensor<5xi32>
  return
}

// -----

func.func @f(%a: tensor<2xi64>) {
  // expected-error @below {{'graph.full' op 'dims' length and number of result dims differ: 2 against 1}}
  %r = "graph.full"(%a) {value = 1.0} : (tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a: tensor<1xi64>, %b: tensor<i64>, %c: tensor<i64>) {
  // expected-error @below {{'graph.range' op 'start' has rank 1 instead of 0: tensor<1xi64>}}
  %r = "graph.range"(%a, %b, %c) : (tensor<1xi64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @f(%a: tensor<1x2xi64>) {
  // expected-error @below {{'graph.shape_of' op 'result' is tensor<3xi64>, the definition gives tensor<2xi64>}}
  %r = "graph.shape_of"(%a) : (tensor<1x2xi64>) -> tensor<3xi64>
  return
}

// -----

func.func @f(%a: tensor<2xi64>) {
  // expected-error @below {{'graph.sizes' op 'dims' 'm*n' has n, which none of names is}}
  %r = "graph.sizes"(%a) {dims = ["m*n"], names = ["m", ""], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<1xi64>
  return
}

// -----

func.func @f(%a: tensor<2xi64>) {
  // expected-error @below {{'graph.sizes' op 'dims' 'm n' is no size: 'n' instead of its end}}
  %r = "graph.sizes"(%a) {dims = ["m n"], names = ["m", ""], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<1xi64>
  return
}

// -----

func.func @f(%a: tensor<2xi64>) {
  // expected-error @below {{'graph.sizes' op 'names' [m] has 1 entries instead of 2 (one per element of values)}}
  %r = "graph.sizes"(%a) {dims = ["m"], names = ["m"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<1xi64>
  return
}

// -----

// Quantisation.

func.func @f(%a: tensor<2x8xf32>, %b: tensor<7xf32>) {
  // expected-error @below {{'graph.quantize_linear' op 'scale' length and dim 1 of x differ: 7 against 8}}
  %r = "graph.quantize_linear"(%a, %b) {axis = 1} : (tensor<2x8xf32>, tensor<7xf32>) -> tensor<2x8xi8>
  return
}

// -----

func.func @f(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>) {
  // expected-error @below {{'graph.quantize_linear' op 'scale' is neither a scalar nor a vector, and block_size is 0: tensor<2x8xf32>}}
  %r = "graph.quantize_linear"(%a, %b) {axis = 1} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xi8>
  return
}

// -----

func.func @f(%a: tensor<2x8xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{'graph.quantize_linear' op 'scale' dim 1 does not fit x (tensor<2x8xf32>) in blocks of 4: 3 against 2}}
  %r = "graph.quantize_linear"(%a, %b) {axis = 1, block_size = 4} : (tensor<2x8xf32>, tensor<2x3xf32>) -> tensor<2x8xi8>
  return
}

// -----

func.func @f(%a: tensor<2x8xf32>, %b: tensor<f32>, %c: tensor<ui8>) {
  // expected-error @below {{'graph.quantize_linear' op 'zero_point' has elements ui8, the result has i8}}
  %r = "graph.quantize_linear"(%a, %b, %c) : (tensor<2x8xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x8xi8>
  return
}

// -----

func.func @f(%a: tensor<2x8xf32>, %b: tensor<f32>) {
  // expected-error @below {{'graph.quantize_linear' op 'result' has elements f32, not quantised}}
  %r = "graph.quantize_linear"(%a, %b) : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8xi8>, %b: tensor<8xf32>, %c: tensor<i8>) {
  // expected-error @below {{'graph.dequantize_linear' op 'zero_point' has rank 0 instead of 1 (as scale): tensor<i8>}}
  %r = "graph.dequantize_linear"(%a, %b, %c) {axis = 1} : (tensor<2x8xi8>, tensor<8xf32>, tensor<i8>) -> tensor<2x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8xi8>, %b: tensor<f32>, %c: tensor<ui8>) {
  // expected-error @below {{'graph.dequantize_linear' op 'zero_point' has elements ui8, x has i8}}
  %r = "graph.dequantize_linear"(%a, %b, %c) : (tensor<2x8xi8>, tensor<f32>, tensor<ui8>) -> tensor<2x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8xi8>, %b: tensor<8xf32>) {
  // expected-error @below {{'graph.dequantize_linear' op 'axis' 2 is outside [0, 2)}}
  %r = "graph.dequantize_linear"(%a, %b) {axis = 2} : (tensor<2x8xi8>, tensor<8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// No result, and an operand list that contradicts its segments.

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.exp' op 'results' number 0 instead of 1}}
  "graph.exp"(%a) : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'operandSegmentSizes' attribute is expected but not provided}}
  %r = "graph.concat"(%a, %a) {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'graph.relu' has no custom form; write "graph.relu"(...) instead}}
  %r = graph.relu %a : tensor<2xf32>
  return
}

// -----

func.func @f(%q: tensor<5x4xf32>) {
  // expected-error @below {{'graph.attention' op 'q' needs rank 3 or more, and q's: tensor<5x4xf32>}}
  %r = "graph.attention"(%q, %q, %q) {scale = 1.0} : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @f(%q: tensor<8x5x4xf32>, %k: tensor<3x7x4xf32>) {
  // expected-error @below {{'graph.attention' op 'k' has 3 heads, which do not divide the 8 of q: tensor<3x7x4xf32>}}
  %r = "graph.attention"(%q, %k, %k) {scale = 1.0} : (tensor<8x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x4xf32>) -> tensor<8x5x4xf32>
  return
}

// -----

func.func @f(%q: tensor<8x5x4xf32>, %k: tensor<4x7x4xf32>, %v: tensor<2x7x4xf32>) {
  // expected-error @below {{'graph.attention' op 'k, v' heads of tensor<4x7x4xf32> and tensor<2x7x4xf32> differ: 4 against 2}}
  %r = "graph.attention"(%q, %k, %v) {scale = 1.0} : (tensor<8x5x4xf32>, tensor<4x7x4xf32>, tensor<2x7x4xf32>) -> tensor<8x5x4xf32>
  return
}

// -----

func.func @f(%q: tensor<8x5x4xf32>, %k: tensor<8x7x3xf32>) {
  // expected-error @below {{'graph.attention' op 'k' last dims of tensor<8x5x4xf32> and tensor<8x7x3xf32> differ: 4 against 3}}
  %r = "graph.attention"(%q, %k, %k) {scale = 1.0} : (tensor<8x5x4xf32>, tensor<8x7x3xf32>, tensor<8x7x3xf32>) -> tensor<8x5x3xf32>
  return
}

// -----

func.func @f(%q: tensor<8x5x4xf32>, %k: tensor<8x7x4xf32>, %v: tensor<8x6x4xf32>) {
  // expected-error @below {{'graph.attention' op 'v' keys of tensor<8x7x4xf32> and tensor<8x6x4xf32> differ: 7 against 6}}
  %r = "graph.attention"(%q, %k, %v) {scale = 1.0} : (tensor<8x5x4xf32>, tensor<8x7x4xf32>, tensor<8x6x4xf32>) -> tensor<8x5x4xf32>
  return
}

// -----

func.func @f(%q: tensor<8x5x4xf32>, %m: tensor<5x5xi64>) {
  // expected-error @below {{'graph.attention' op 'mask' has elements i64, neither i1 nor f32 as q}}
  %r = "graph.attention"(%q, %q, %q, %m) {scale = 1.0} : (tensor<8x5x4xf32>, tensor<8x5x4xf32>, tensor<8x5x4xf32>, tensor<5x5xi64>) -> tensor<8x5x4xf32>
  return
}

// -----

func.func @f(%q: tensor<8x5x4xf32>, %m: tensor<3x8x5x5xi1>) {
  // expected-error @below {{'graph.attention' op 'mask' does not broadcast to the scores tensor<8x5x5xf32>: tensor<3x8x5x5xi1>}}
  %r = "graph.attention"(%q, %q, %q, %m) {scale = 1.0} : (tensor<8x5x4xf32>, tensor<8x5x4xf32>, tensor<8x5x4xf32>, tensor<3x8x5x5xi1>) -> tensor<8x5x4xf32>
  return
}

// -----

func.func @f(%x: tensor<8x5xf32>) {
  // expected-error @below {{'graph.rotary_embedding' op 'x' needs an even last dim: tensor<8x5xf32>}}
  %r = "graph.rotary_embedding"(%x, %x, %x) : (tensor<8x5xf32>, tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @f(%x: tensor<8x6xf32>, %c: tensor<1xf32>) {
  // expected-error @below {{'graph.rotary_embedding' op 'sin' last dims of tensor<8x6xf32> and tensor<1xf32> differ: 6 against 1}}
  %r = "graph.rotary_embedding"(%x, %x, %c) : (tensor<8x6xf32>, tensor<8x6xf32>, tensor<1xf32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<8x6xf32>, %c: tensor<2x8x6xf32>) {
  // expected-error @below {{'graph.rotary_embedding' op 'cos' does not broadcast to x tensor<8x6xf32>: tensor<2x8x6xf32>}}
  %r = "graph.rotary_embedding"(%x, %c, %x) : (tensor<8x6xf32>, tensor<2x8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @main(%data: tensor<0x3xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>) {
  // expected-error @below {{'graph.scatter_elements' op 'data' has no elements that indices could name: tensor<0x3xf32>}}
  %r = "graph.scatter_elements"(%data, %i, %u) {axis = 0} : (tensor<0x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<0x3xf32>
  return
}

// -----

func.func @main(%data: tensor<4x0xf32>, %i: tensor<2x2xi64>, %u: tensor<2xf32>) {
  // expected-error @below {{'graph.scatter_nd' op 'data' has no elements that indices could name: tensor<4x0xf32>}}
  %r = "graph.scatter_nd"(%data, %i, %u) : (tensor<4x0xf32>, tensor<2x2xi64>, tensor<2xf32>) -> tensor<4x0xf32>
  return
}

// -----

func.func @main(%i: tensor<2x3xi64>, %e: tensor<2xi64>) {
  // expected-error @below {{'graph.expect_indices' op 'extents' does not broadcast to indices tensor<2x3xi64>: tensor<2xi64>}}
  "graph.expect_indices"(%i, %e) {axis = 0, front_only = false, what = "Gather"} : (tensor<2x3xi64>, tensor<2xi64>) -> ()
  return
}

// -----

func.func @main(%a: tensor<3xi64>, %b: tensor<2xi64>) {
  // expected-error @below {{'graph.expect_sizes' op 'right' has not the shape of left: tensor<2xi64> against tensor<3xi64>}}
  "graph.expect_sizes"(%a, %b) {fault = "wrong", relation = "equal", what = "Conv"} : (tensor<3xi64>, tensor<2xi64>) -> ()
  return
}
