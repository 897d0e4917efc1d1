// RUN: mlc-opt %s --tloop-apply-schedules --verify-diagnostics --split-input-file

// expected-error @below {{the schedule's kernel @missing does not exist}}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
}) {kernel = @missing} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 20>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @k: step 3 ('tloop.shift_inwards') does not apply: a loop from 0 to 16 has no full tile of 20}}
  "tloop.shift_inwards"(%l) : (!tloop.loop) -> ()
}) {kernel = @k} : () -> ()

// -----

// Elements of two tiles would be added twice.
func.func private @k(%x: tensor<10xf32>) -> tensor<10xf32> {
  %e = tensor.empty() : tensor<10xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<10xf32>)
      outs(%e : tensor<10xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  } -> tensor<10xf32>
  return %0 : tensor<10xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @k: step 3 ('tloop.shift_inwards') does not apply: the loop adds to its result: elements in two tiles would count twice}}
  "tloop.shift_inwards"(%l) : (!tloop.loop) -> ()
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  // expected-error @below {{schedule of @k: step 1 ('tloop.get_block') does not apply: the kernel has no block 'other'; it has: root}}
  %root = "tloop.get_block"() {block_name = "other"} : () -> !tloop.block
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  // expected-error @below {{schedule of @k: step 2 ('tloop.tile') does not apply: too many tiles provided, expected at most 1 found 2}}
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 0, 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  // expected-error @below {{schedule of @k: step 2 ('tloop.interchange') does not apply: "iterator_interchange" has length (2) different from the number of loops in the target operation (1)}}
  %r = "tloop.interchange"(%root) {permutation = array<i64: 1, 0>} : (!tloop.block) -> !tloop.block
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 4>, mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @k: step 3 ('tloop.peel') does not apply: the loop is parallel; only a sequential one can be changed}}
  "tloop.peel"(%l) : (!tloop.loop) -> ()
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 4>, mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @k: step 3 ('tloop.unroll') does not apply: the loop is parallel; only a sequential one can be changed}}
  "tloop.unroll"(%l) {factor = 2} : (!tloop.loop) -> ()
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @k: step 3 ('tloop.compute_at') does not apply: nothing in the loop reads computation 'root'}}
  %m = "tloop.compute_at"(%t, %l) : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>)
      outs(%e : tensor<?xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  // expected-error @below {{schedule of @k: step 2 ('tloop.vectorize') does not apply: its dynamic extents have no common bound, which would be the size of vectors}}
  "tloop.vectorize"(%root) : (!tloop.block) -> ()
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
%outside = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
"tloop.schedule"() ({
  // expected-error @below {{schedule of @k: step 1 ('tloop.tile') does not apply: it uses a handle that this schedule does not define}}
  %t, %l = "tloop.tile"(%outside) {sizes = array<i64: 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// expected-error @below {{'tloop.schedule' op may hold only schedule primitives, but holds 'tloop.schedule'}}
"tloop.schedule"() ({
  "tloop.schedule"() ({
    %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  }) {kernel = @k} : () -> ()
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 8>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @k: step 3 ('tloop.peel') does not apply: failed to peel the last iteration}}
  "tloop.peel"(%l) : (!tloop.loop) -> ()
  "tloop.unroll"(%l) {factor = 2} : (!tloop.loop) -> ()
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.vectorize"(%t) : (!tloop.block) -> ()
  // expected-error @below {{schedule of @k: step 4 ('tloop.tile') does not apply: what it works on is gone: an earlier step has replaced it}}
  %t2, %l2 = "tloop.tile"(%t) {sizes = array<i64: 2>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 1>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @k: step 3 ('tloop.balance') does not apply: only a loop from 0, with a constant step above 1, has tiles to balance}}
  "tloop.balance"(%l) : (!tloop.loop) -> ()
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @k: step 3 ('tloop.stream_keys') does not apply: the kernel has no block 'scores_init'}}
  "tloop.stream_keys"(%l) {queries = 32 : i64, keys = 512 : i64} : (!tloop.loop) -> ()
}) {kernel = @k} : () -> ()

// -----

func.func private @k(%x: tensor<10xf32>, %w: tensor<3xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<10xf32>, tensor<3xf32>) outs(%y : tensor<8xf32>) attrs = {tloop.block = "root", tloop.padding = array<i64: 1, 1>} {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 0, 2>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @k: step 3 ('tloop.skip_padding') does not apply: the loop does not run over the offsets of a window one by one}}
  "tloop.skip_padding"(%l) : (!tloop.loop) -> ()
}) {kernel = @k} : () -> ()

// -----

// Nothing is known of the image.
func.func private @k(%x: tensor<10xf32>, %w: tensor<3xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<10xf32>, tensor<3xf32>) outs(%y : tensor<8xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 0, 1>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @k: step 3 ('tloop.skip_padding') does not apply: the loop is not over the windows of an image whose padding is known}}
  "tloop.skip_padding"(%l) : (!tloop.loop) -> ()
}) {kernel = @k} : () -> ()

// -----

// Zeros count where they are not multiplied.
func.func private @k(%x: tensor<10xf32>, %w: tensor<3xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<10xf32>, tensor<3xf32>) outs(%y : tensor<8xf32>) attrs = {tloop.block = "root", tloop.padding = array<i64: 1, 1>} {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.maximumf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 0, 1>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  // expected-error @below {{schedule of @k: step 3 ('tloop.skip_padding') does not apply: the loop is not over the windows of an image whose padding is known}}
  "tloop.skip_padding"(%l) : (!tloop.loop) -> ()
}) {kernel = @k} : () -> ()
