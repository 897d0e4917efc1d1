// RUN: mlc-opt %s --verify-diagnostics --split-input-file

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.split' op factors must be positive, with at most one -1 for what is left, but are [-1, -1]}}
%s:2 = "tloop.split"(%l#0) {factors = array<i64: -1, -1>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.split' op factors must be positive, with at most one -1 for what is left, but are [0, 4]}}
%s:2 = "tloop.split"(%l#0) {factors = array<i64: 0, 4>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.split' op tail must be one of guard, peel, exact, but is 'mask'}}
%s:2 = "tloop.split"(%l#0) {factors = array<i64: -1, 4>, tail = "mask"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.split' op takes one factor for each of the loops that it makes, at least 2, but [-1, 4, 4] make 2}}
%s:2 = "tloop.split"(%l#0) {factors = array<i64: -1, 4, 4>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.split' op factors leave 1 to sampled values (-2), but there are 0 operands for them}}
%s:2 = "tloop.split"(%l#0) {factors = array<i64: -1, -2>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{expected base type 'tloop.loop' but got 'tloop.block'}}
%s:2 = "tloop.split"(%b) {factors = array<i64: -1, 4>, tail = "guard"} : (!tloop.block) -> (!tloop.loop, !tloop.loop)

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.fuse' op takes at least 2 loops, but has 1}}
%f = "tloop.fuse"(%l#0) : (!tloop.loop) -> !tloop.loop

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.reorder' op takes at least 2 loops, but has 1}}
"tloop.reorder"(%l#0) : (!tloop.loop) -> ()

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.bind' op axis must be one of block.x, block.y, block.z, thread.x, thread.y, thread.z, but is 'warp.x'}}
"tloop.bind"(%l#0) {axis = "warp.x"} : (!tloop.loop) -> ()

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.annotate' op value is missing}}
"tloop.annotate"(%l#0) {key = "k"} : (!tloop.loop) -> ()

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.annotate' op key is empty}}
"tloop.annotate"(%l#0) {key = "", value} : (!tloop.loop) -> ()

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.sample_categorical' op needs a probability per candidate, but has 1 for 2}}
%v = "tloop.sample_categorical"() {candidates = array<i64: 1, 2>, probabilities = array<f64: 0.5>} : () -> !tloop.value

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.sample_categorical' op probabilities must be non-negative and sum to 1, but are [0.5, 0.6]}}
%v = "tloop.sample_categorical"() {candidates = array<i64: 1, 2>, probabilities = array<f64: 0.5, 0.6>} : () -> !tloop.value

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.sample_perfect_tile' op dim must not be negative and largest must be positive, but are 0 and 0}}
%v:2 = "tloop.sample_perfect_tile"(%l#0) {dim = 0, largest = 0} : (!tloop.loop) -> (!tloop.value, !tloop.value)

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.vectorize' op takes blocks, or one loop}}
"tloop.vectorize"(%l#0, %l#1) : (!tloop.loop, !tloop.loop) -> ()

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.pack' op sizes must be non-negative and not all 0, but are [0, 0]}}
%p = "tloop.pack"(%b) {sizes = array<i64: 0, 0>} : (!tloop.block) -> !tloop.block

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.rfactor' op factor must be at least 2, but is 1}}
%p:2 = "tloop.rfactor"(%b) {factor = 1} : (!tloop.block) -> (!tloop.block, !tloop.block)

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.tensorize' op intrinsic must be a symbol, but is "x"}}
"tloop.tensorize"(%b) {intrinsic = "x"} : (!tloop.block) -> ()

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.compute_at' op rolling must be a unit attribute}}
%m = "tloop.compute_at"(%b, %l#0) {rolling = 3} : (!tloop.block, !tloop.loop) -> !tloop.block

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.balance' op full must be a unit attribute}}
"tloop.balance"(%l#0) {full = 3} : (!tloop.loop) -> ()

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.cache_read' op operand must not be negative, but is -1}}
%m = "tloop.cache_read"(%b, %l#0) {operand = -1, block_name = "x"} : (!tloop.block, !tloop.loop) -> !tloop.block

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.cache_write' op block_name is missing}}
%m = "tloop.cache_write"(%b, %l#0) : (!tloop.block, !tloop.loop) -> !tloop.block

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{'tloop.prefetch' op distance must be positive, but is 0}}
"tloop.prefetch"(%b, %l#0) {operand = 0, distance = 0} : (!tloop.block, !tloop.loop) -> ()

// -----

%b = "tloop.get_block"() {block_name = "a"} : () -> !tloop.block
%l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// expected-error @below {{expected base type 'tloop.block' but got 'tloop.loop'}}
"tloop.compute_inline"(%l#0) : (!tloop.loop) -> ()
