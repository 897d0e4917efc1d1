// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// expected-error @below {{'tloop.schedule' op may hold only schedule primitives, but holds 'arith.constant'}}
"tloop.schedule"() ({
  %0 = arith.constant 1 : i32
}) {kernel = @k} : () -> ()

// -----

// expected-error @below {{'tloop.schedule' op attribute "kernel" is expected but not provided}}
"tloop.schedule"() ({
}) : () -> ()

// -----

// expected-error @below {{'tloop.schedule' op must have a body of one block without arguments}}
"tloop.schedule"() ({
}) {kernel = @k} : () -> ()

// -----

// expected-error @below {{'tloop.get_block' op attribute "block_name" is expected but not provided}}
%0 = "tloop.get_block"() : () -> !tloop.block

// -----

// expected-error @below {{expected base attribute 'builtin.string' but got 'builtin.integer'}}
%0 = "tloop.get_block"() {block_name = 3} : () -> !tloop.block

// -----

// expected-error @below {{expected base type 'tloop.block' but got 'builtin.integer'}}
%0 = "tloop.get_block"() {block_name = "a"} : () -> i32

// -----

%0 = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
// expected-error @below {{'tloop.tile' op sizes must be an array<i64: ...>, but is 3 : i64}}
%t, %l = "tloop.tile"(%0) {sizes = 3 : i64, mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)

// -----

%0 = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
// expected-error @below {{'tloop.tile' op sizes must be an array<i64: ...>, but is [1, 2]}}
%t, %l = "tloop.tile"(%0) {sizes = [1, 2], mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)

// -----

%0 = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
// expected-error @below {{'tloop.tile' op mode must be one of parallel, sequential, but is 'both'}}
%t, %l = "tloop.tile"(%0) {sizes = array<i64: 1>, mode = "both"} : (!tloop.block) -> (!tloop.block, !tloop.loop)

// -----

%0 = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
// expected-error @below {{'tloop.tile' op sizes must be non-negative and not all 0, but are [-1]}}
%t, %l = "tloop.tile"(%0) {sizes = array<i64: -1>, mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)

// -----

%0 = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
// expected-error @below {{'tloop.tile' op sizes must be non-negative and not all 0, but are []}}
%t, %l = "tloop.tile"(%0) {sizes = array<i64>, mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)

// -----

%0 = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
// expected-error @below {{'tloop.interchange' op permutation must hold 0 to 1 once each, but is [0, 2]}}
%1 = "tloop.interchange"(%0) {permutation = array<i64: 0, 2>} : (!tloop.block) -> !tloop.block

// -----

%0 = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
// expected-error @below {{'tloop.interchange' op permutation must be an array<i64: ...>, but is "x"}}
%1 = "tloop.interchange"(%0) {permutation = "x"} : (!tloop.block) -> !tloop.block

// -----

%0 = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
// expected-error @below {{expected base type 'tloop.loop' but got 'tloop.block'}}
"tloop.peel"(%0) : (!tloop.block) -> ()

// -----

%0 = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%t, %l = "tloop.tile"(%0) {sizes = array<i64: 1>, mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
// expected-error @below {{'tloop.unroll' op factor must be at least 2, or 0 for all, but is 1}}
"tloop.unroll"(%l) {factor = 1} : (!tloop.loop) -> ()

// -----

%0 = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%t, %l = "tloop.tile"(%0) {sizes = array<i64: 1>, mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
// expected-error @below {{'tloop.unroll' op factor is missing}}
"tloop.unroll"(%l) : (!tloop.loop) -> ()

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%a: memref<4xf32>) {
// expected-error @below {{'tloop.launch' op operand #0 must be a ranked tensor, but has type memref<4xf32>}}
"tloop.launch"(%a) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 0, 0, 0, 0>} : (memref<4xf32>) -> ()
return
}

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%a: tensor<4xf32>) {
// expected-error @below {{'tloop.launch' op result #0 must be a ranked tensor, but has type i32}}
%0 = "tloop.launch"(%a) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4xf32>) -> i32
return
}

// -----

#first_1_of_25 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%a: memref<4xf32>) {
// expected-error @below {{'tloop.launch_into' op num_outputs is 2, but the launch has 1 buffers}}
"tloop.launch_into"(%a) {kernel = @k, num_outputs = 2, operandSegmentSizes = #first_1_of_25} : (memref<4xf32>) -> ()
return
}

// -----

#first_1_of_25 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%a: tensor<4xf32>) {
// expected-error @below {{'tloop.launch_into' op operand #0 must be a memref, but has type tensor<4xf32>}}
"tloop.launch_into"(%a) {kernel = @k, num_outputs = 1, operandSegmentSizes = #first_1_of_25} : (tensor<4xf32>) -> ()
return
}

// -----

#first_1_of_25 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%a: memref<4xf32>) {
// expected-error @below {{expected base attribute 'builtin.symbol_ref' but got 'builtin.string'}}
"tloop.launch_into"(%a) {kernel = "k", num_outputs = 1, operandSegmentSizes = #first_1_of_25} : (memref<4xf32>) -> ()
return
}

// -----

#first_1_of_25 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func @f(%a: memref<4xf32>) {
// expected-error @below {{'tloop.launch_into' op num_outputs is missing}}
"tloop.launch_into"(%a) {kernel = @k, operandSegmentSizes = #first_1_of_25} : (memref<4xf32>) -> ()
return
}

// -----

func.func @f(%a: tensor<4xf32>) {
// expected-error @below {{'tloop.transfer' op result must be of the operand's type tensor<4xf32>, but is a tensor<5xf32>}}
%0 = "tloop.transfer"(%a) {to = "accel"} : (tensor<4xf32>) -> tensor<5xf32>
return
}

// -----

%x = arith.constant dense<0.0> : tensor<f32>
%i = arith.constant dense<0> : tensor<i64>
// expected-error @below {{'tloop.row' op operand must be a tensor with rows, but has type tensor<f32>}}
%0 = "tloop.row"(%x, %i) {first = 0, step = 1} : (tensor<f32>, tensor<i64>) -> tensor<f32>

// -----

%x = arith.constant dense<0.0> : tensor<3x4xf32>
%i = arith.constant dense<0> : tensor<1xi64>
// expected-error @below {{'tloop.row' op iteration must be a tensor<i64>, but has type tensor<1xi64>}}
%0 = "tloop.row"(%x, %i) {first = 0, step = 1} : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<4xf32>

// -----

%x = arith.constant dense<0.0> : tensor<3x4xf32>
%i = arith.constant dense<0> : tensor<i64>
// expected-error @below {{'tloop.row' op row must be a tensor of the operand's elements, but is a tensor<4xi32>}}
%0 = "tloop.row"(%x, %i) {first = 0, step = 1} : (tensor<3x4xf32>, tensor<i64>) -> tensor<4xi32>

// -----

%x = arith.constant dense<0.0> : tensor<3x4xf32>
%i = arith.constant dense<0> : tensor<i64>
// expected-error @below {{'tloop.row' op row must have the 4 elements of a row of tensor<3x4xf32>, but is a tensor<5xf32>}}
%0 = "tloop.row"(%x, %i) {first = 0, step = 1} : (tensor<3x4xf32>, tensor<i64>) -> tensor<5xf32>
