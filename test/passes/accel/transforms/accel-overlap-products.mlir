// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-overlap-products --canonicalize --cse --split-input-file | filecheck %s

#shared = #gpu.address_space<workgroup>

// The first iteration is peeled. Each iteration starts its first mma, then the last one of the previous iteration,
// whose stage it releases at the end. The branch is not taken in the first loop, and is in the second one, which
// begins at the first multiple of 64 from which 64 more are greater than the limit.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %{{.*}}: index, %[[UPPER:.*]]: index, %[[LIMIT:.*]]: index, %[[R:.*]]: memref<64x64xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : vector<64x64xf32>
// CHECK: %[[Q:.*]] = "accel.alloc"
// CHECK-NEXT: %[[KS:.*]] = "accel.alloc"
// CHECK-NEXT: %[[VS:.*]] = "accel.alloc"
// CHECK-NEXT: %[[FULL:.*]] = "accel.create_semaphore"
// CHECK-NEXT: %[[EMPTY:.*]] = "accel.create_semaphore"
// CHECK: }, {
// CHECK-NEXT: "accel.await"(%[[FULL]], %c0, %c0)
// CHECK-NEXT: memref.subview %[[KS]][0, 0, 0]
// CHECK: %[[RAW0:.*]] = "accel.mma"(%[[Q]], %{{.*}}, %[[ZERO]]) {precision = "exact", transpose_b}
// CHECK-NEXT: %[[REACHES:.*]] = arith.cmpi slt, %[[LIMIT]], %c64
// CHECK-NEXT: %[[S0:.*]] = scf.if %[[REACHES]]
// CHECK: %[[ACC0:.*]] = arith.mulf %[[S0]], %[[ZERO]]
// CHECK-NEXT: %[[W0:.*]] = arith.truncf %[[S0]]
// CHECK-NEXT: %[[LEAST:.*]] = arith.maxsi %[[LIMIT]], %c0
// CHECK-NEXT: %[[COUNT:.*]] = arith.divui %[[LEAST]], %c64
// CHECK-NEXT: %[[EDGE:.*]] = arith.muli %[[COUNT]], %c64
// CHECK-NEXT: %[[END:.*]] = arith.minsi %[[EDGE]], %[[UPPER]]
// CHECK-NEXT: %[[ONE:.*]]:5 = scf.for %{{.*}} = %c64 to %[[END]] step %c64 iter_args(%[[STAGE:.*]] = %c1, %[[PHASE:.*]] = %c0, %[[BEFORE:.*]] = %c0, %[[W:.*]] = %[[W0]], %[[ACC:.*]] = %[[ACC0]])
// CHECK-NEXT: "accel.await"(%[[FULL]], %[[STAGE]], %[[PHASE]])
// CHECK-NEXT: %[[K:.*]] = memref.subview %[[KS]][%[[STAGE]], 0, 0]
// CHECK-NEXT: %[[V:.*]] = memref.subview %[[VS]][%[[BEFORE]], 0, 0]
// CHECK-NEXT: %[[RAW:.*]] = "accel.mma"(%[[Q]], %[[K]], %[[ZERO]])
// CHECK-NEXT: %[[SUMS:.*]] = "accel.mma"(%[[W]], %[[V]], %[[ACC]])
// CHECK-NEXT: %[[NEW_ACC:.*]] = arith.mulf %[[SUMS]], %[[RAW]]
// CHECK-NEXT: %[[NEW_W:.*]] = arith.truncf %[[RAW]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.xori %[[STAGE]], %c1
// CHECK-NEXT: %[[OTHER:.*]] = arith.xori %[[PHASE]], %[[STAGE]]
// CHECK-NEXT: "accel.notify"(%[[EMPTY]], %[[BEFORE]])
// CHECK-NEXT: scf.yield %[[NEXT]], %[[OTHER]], %[[STAGE]], %[[NEW_W]], %[[NEW_ACC]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[FIRST:.*]] = arith.maxsi %[[EDGE]], %c64
// CHECK-NEXT: %[[TWO:.*]]:5 = scf.for %{{.*}} = %[[FIRST]] to %[[UPPER]] step %c64
// CHECK-SAME: iter_args(%{{.*}} = %[[ONE]]#0, %{{.*}} = %[[ONE]]#1, %{{.*}} = %[[ONE]]#2, %{{.*}} = %[[ONE]]#3, %{{.*}} = %[[ONE]]#4)
// CHECK: %[[RAW2:.*]] = "accel.mma"(%[[Q]]
// CHECK: %[[SUMS2:.*]] = "accel.mma"
// CHECK-NEXT: %[[TAKEN:.*]] = math.absf %[[RAW2]]
// CHECK-NEXT: arith.mulf %[[SUMS2]], %[[TAKEN]]
// CHECK: scf.yield
// CHECK: %[[LAST_V:.*]] = memref.subview %[[VS]][%[[TWO]]#2, 0, 0]
// CHECK-NEXT: %[[RESULT:.*]] = "accel.mma"(%[[TWO]]#3, %[[LAST_V]], %[[TWO]]#4)
// CHECK-NEXT: "accel.notify"(%[[EMPTY]], %[[TWO]]#2)
// CHECK-NEXT: vector.transfer_write %[[RESULT]], %[[R]]
func.func @attention(%n: index, %end: index, %limit: index, %r: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %q = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %ks = "accel.alloc"() {stages = 2 : i64, swizzle = 128 : i64} : () -> memref<2x64x64xbf16, #shared>
    %vs = "accel.alloc"() {stages = 2 : i64, swizzle = 128 : i64} : () -> memref<2x64x64xbf16, #shared>
    %full = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64} : () -> !accel.semaphore
    %empty = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      "accel.await"(%empty, %c0, %c1) : (!accel.semaphore, index, index) -> ()
    }, {
      %result:3 = scf.for %at = %c0 to %end step %c64 iter_args(%sums = %zero, %stage = %c0, %phase = %c0) -> (vector<64x64xf32>, index, index) {
        "accel.await"(%full, %stage, %phase) : (!accel.semaphore, index, index) -> ()
        %k = memref.subview %ks[%stage, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xbf16, #shared> to memref<64x64xbf16, strided<[64, 1], offset: ?>, #shared>
        %v = memref.subview %vs[%stage, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xbf16, #shared> to memref<64x64xbf16, strided<[64, 1], offset: ?>, #shared>
        %raw = "accel.mma"(%q, %k, %zero) {precision = "exact", transpose_b}
            : (memref<64x64xbf16, #shared>, memref<64x64xbf16, strided<[64, 1], offset: ?>, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
        %behind = arith.addi %at, %c64 : index
        %reaches = arith.cmpi sgt, %behind, %limit : index
        %scores = scf.if %reaches -> (vector<64x64xf32>) {
          %low = math.absf %raw : vector<64x64xf32>
          scf.yield %low : vector<64x64xf32>
        } else {
          scf.yield %raw : vector<64x64xf32>
        }
        %scaled = arith.mulf %sums, %scores : vector<64x64xf32>
        %weights = arith.truncf %scores : vector<64x64xf32> to vector<64x64xbf16>
        %new = "accel.mma"(%weights, %v, %scaled) {precision = "exact"} : (vector<64x64xbf16>, memref<64x64xbf16, strided<[64, 1], offset: ?>, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
        "accel.notify"(%empty, %stage) : (!accel.semaphore, index) -> ()
        %next = arith.xori %stage, %c1 : index
        %other = arith.xori %phase, %stage : index
        scf.yield %new, %next, %other : vector<64x64xf32>, index, index
      } {accel.overlap}
      vector.transfer_write %result#0, %r[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32>
    }) {consumer_registers = 240 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, producer_warps = 4 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// No branch: one loop. Without the attribute, or if the accumulator is read before the first mma, loops stay.
// CHECK-LABEL: func.func @others(
// CHECK: }, {
// CHECK-NEXT: "accel.mma"
// CHECK: %[[ONE:.*]]:2 = scf.for %{{.*}} = %c1 to %{{.*}} step %c1
// CHECK: "accel.mma"
// CHECK-NEXT: "accel.mma"
// CHECK: %[[SUMS:.*]] = "accel.mma"(%[[ONE]]#0, %{{.*}}, %[[ONE]]#1)
// CHECK-NEXT: %[[TWO:.*]] = scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args(%{{.*}} = %[[SUMS]])
// CHECK-NEXT: %[[RAW:.*]] = "accel.mma"
// CHECK-NEXT: arith.truncf %[[RAW]]
// CHECK: %[[THREE:.*]] = scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args(%{{.*}} = %[[TWO]])
// CHECK: } {accel.overlap}
// CHECK-NEXT: vector.transfer_write %[[THREE]]
func.func @others(%n: index, %end: index, %r: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %q = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %k = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    "accel.specialize"() ({
    ^bb0:
    }, {
      %one = scf.for %at = %c0 to %end step %c1 iter_args(%sums = %zero) -> (vector<64x64xf32>) {
        %raw = "accel.mma"(%q, %k, %zero) {precision = "exact", transpose_b} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
        %scaled = arith.mulf %sums, %raw : vector<64x64xf32>
        %weights = arith.truncf %raw : vector<64x64xf32> to vector<64x64xbf16>
        %new = "accel.mma"(%weights, %k, %scaled) {precision = "exact"} : (vector<64x64xbf16>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
        scf.yield %new : vector<64x64xf32>
      } {accel.overlap}
      %two = scf.for %at = %c0 to %end step %c1 iter_args(%sums = %one) -> (vector<64x64xf32>) {
        %raw = "accel.mma"(%q, %k, %zero) {precision = "exact", transpose_b} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
        %weights = arith.truncf %raw : vector<64x64xf32> to vector<64x64xbf16>
        %scaled = math.absf %sums : vector<64x64xf32>
        %new = "accel.mma"(%weights, %k, %scaled) {precision = "exact"} : (vector<64x64xbf16>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
        scf.yield %new : vector<64x64xf32>
      }
      %three = scf.for %at = %c0 to %end step %c1 iter_args(%sums = %two) -> (vector<64x64xf32>) {
        %raw = "accel.mma"(%q, %k, %sums) {precision = "exact", transpose_b} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
        %weights = arith.truncf %raw : vector<64x64xf32> to vector<64x64xbf16>
        %new = "accel.mma"(%weights, %k, %raw) {precision = "exact"} : (vector<64x64xbf16>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
        scf.yield %new : vector<64x64xf32>
      } {accel.overlap}
      vector.transfer_write %three, %r[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32>
    }) {consumer_registers = 240 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, producer_warps = 4 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Two warp groups ping-pong: they start the mma of each iteration one after the other. The first section is the mma
// before the loop, the last one that after it.
// CHECK-LABEL: func.func @turns(
// CHECK: }, {
// CHECK-NEXT: "accel.await_ping_pong"() {first}
// CHECK-NEXT: "accel.mma"
// CHECK-NEXT: "accel.pass_ping_pong"() :
// CHECK: scf.for
// CHECK-NEXT: "accel.await_ping_pong"() :
// CHECK-NEXT: %[[RAW:.*]] = "accel.mma"
// CHECK-NEXT: %[[SUMS:.*]] = "accel.mma"
// CHECK-NEXT: "accel.pass_ping_pong"() :
// CHECK-NEXT: arith.mulf %[[SUMS]], %[[RAW]]
// CHECK: }
// CHECK-NEXT: "accel.await_ping_pong"() :
// CHECK-NEXT: "accel.mma"
// CHECK-NEXT: "accel.pass_ping_pong"() {last}
// CHECK-NEXT: vector.transfer_write
func.func @turns(%n: index, %end: index, %r: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<128x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %q = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %k = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    "accel.specialize"() ({
    ^bb0:
    }, {
      %one = scf.for %at = %c0 to %end step %c1 iter_args(%sums = %zero) -> (vector<128x64xf32>) {
        %raw = "accel.mma"(%q, %k, %zero) {precision = "exact", transpose_b} : (memref<128x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<128x64xf32>) -> vector<128x64xf32>
        %scaled = arith.mulf %sums, %raw : vector<128x64xf32>
        %weights = arith.truncf %raw : vector<128x64xf32> to vector<128x64xbf16>
        %new = "accel.mma"(%weights, %k, %scaled) {precision = "exact"} : (vector<128x64xbf16>, memref<64x64xbf16, #shared>, vector<128x64xf32>) -> vector<128x64xf32>
        scf.yield %new : vector<128x64xf32>
      } {accel.overlap, accel.ping_pong}
      vector.transfer_write %one, %r[%c0, %c0] : vector<128x64xf32>, memref<128x64xf32>
    }) {consumer_registers = 240 : i64, consumer_warps = 8 : i64, producer_registers = 40 : i64, producer_warps = 4 : i64} : () -> ()
  }) {warps = 8 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// One warp group cannot ping-pong; four would share rows, and synchronise at barriers.
// CHECK-LABEL: func.func @one_group(
// CHECK-NOT: {{await|pass}}_turn
// CHECK: "accel.mma"(%{{.*}}#0, %{{.*}}, %{{.*}}#1)
// CHECK-LABEL: func.func @shared_rows(
// CHECK-NOT: {{await|pass}}_turn
// CHECK: "accel.mma"(%{{.*}}#0, %{{.*}}, %{{.*}}#1)
// CHECK-NOT: {{await|pass}}_turn
func.func @one_group(%n: index, %end: index, %r: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<128x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %q = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %k = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    "accel.specialize"() ({
    ^bb0:
    }, {
      %one = scf.for %at = %c0 to %end step %c1 iter_args(%sums = %zero) -> (vector<128x64xf32>) {
        %raw = "accel.mma"(%q, %k, %zero) {precision = "exact", transpose_b} : (memref<128x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<128x64xf32>) -> vector<128x64xf32>
        %scaled = arith.mulf %sums, %raw : vector<128x64xf32>
        %weights = arith.truncf %raw : vector<128x64xf32> to vector<128x64xbf16>
        %new = "accel.mma"(%weights, %k, %scaled) {precision = "exact"} : (vector<128x64xbf16>, memref<64x64xbf16, #shared>, vector<128x64xf32>) -> vector<128x64xf32>
        scf.yield %new : vector<128x64xf32>
      } {accel.overlap, accel.ping_pong}
      vector.transfer_write %one, %r[%c0, %c0] : vector<128x64xf32>, memref<128x64xf32>
    }) {consumer_registers = 240 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, producer_warps = 4 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @shared_rows(%n: index, %end: index, %r: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<128x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %q = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %k = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<64x64xbf16, #shared>
    "accel.specialize"() ({
    ^bb0:
    }, {
      %one = scf.for %at = %c0 to %end step %c1 iter_args(%sums = %zero) -> (vector<128x64xf32>) {
        %raw = "accel.mma"(%q, %k, %zero) {precision = "exact", transpose_b} : (memref<128x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<128x64xf32>) -> vector<128x64xf32>
        %scaled = arith.mulf %sums, %raw : vector<128x64xf32>
        %weights = arith.truncf %raw : vector<128x64xf32> to vector<128x64xbf16>
        %new = "accel.mma"(%weights, %k, %scaled) {precision = "exact"} : (vector<128x64xbf16>, memref<64x64xbf16, #shared>, vector<128x64xf32>) -> vector<128x64xf32>
        scf.yield %new : vector<128x64xf32>
      } {accel.overlap, accel.ping_pong}
      vector.transfer_write %one, %r[%c0, %c0] : vector<128x64xf32>, memref<128x64xf32>
    }) {consumer_registers = 240 : i64, consumer_warps = 16 : i64, producer_registers = 40 : i64, producer_warps = 4 : i64} : () -> ()
  }) {warps = 16 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Keys and values have separate semaphores. The operands of the last mma are awaited before both mma of an iteration,
// and released at its end; keys are released while the last mma may stay in flight.
// CHECK-LABEL: func.func @two_rings(
// CHECK: %[[FULL:.*]] = "accel.create_semaphore"
// CHECK-NEXT: %[[EMPTY:.*]] = "accel.create_semaphore"
// CHECK-NEXT: %[[FULL_V:.*]] = "accel.create_semaphore"
// CHECK-NEXT: %[[EMPTY_V:.*]] = "accel.create_semaphore"
// CHECK: }, {
// CHECK-NEXT: "accel.await"(%[[FULL]], %c0, %c0)
// CHECK-NEXT: "accel.mma"
// CHECK-NEXT: "accel.notify"(%[[EMPTY]], %c0) :
// CHECK-NOT: "accel.await"
// CHECK: %[[ONE:.*]]:6 = scf.for %{{.*}} iter_args(%[[STAGE:.*]] = %c1, %[[PHASE:.*]] = %c0, %[[BEFORE:.*]] = %c0, %[[ITS_PHASE:.*]] = %c0, %[[WEIGHTS:.*]] = %{{.*}}, %[[SUMS:.*]] = %{{.*}})
// CHECK-NEXT: "accel.await"(%[[FULL]], %[[STAGE]], %[[PHASE]])
// CHECK-NEXT: "accel.await"(%[[FULL_V]], %[[BEFORE]], %[[ITS_PHASE]])
// CHECK-NEXT: "accel.mma"
// CHECK-NEXT: "accel.mma"(%[[WEIGHTS]], %{{.*}}, %[[SUMS]])
// CHECK-NEXT: "accel.notify"(%[[EMPTY]], %[[STAGE]]) {pending = 1 : i64}
// CHECK: "accel.notify"(%[[EMPTY_V]], %[[BEFORE]]) :
// CHECK-NEXT: scf.yield %{{.*}}, %{{.*}}, %[[STAGE]], %[[PHASE]],
// CHECK-NEXT: }
// CHECK-NEXT: "accel.await"(%[[FULL_V]], %[[ONE]]#2, %[[ONE]]#3)
// CHECK-NEXT: "accel.mma"(%[[ONE]]#4, %{{.*}}, %[[ONE]]#5)
// CHECK-NEXT: "accel.notify"(%[[EMPTY_V]], %[[ONE]]#2) :
func.func @two_rings(%n: index, %end: index, %r: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %q = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %k = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %full = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64} : () -> !accel.semaphore
    %empty = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64} : () -> !accel.semaphore
    %full_v = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64} : () -> !accel.semaphore
    %empty_v = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      "accel.await"(%empty, %c0, %c1) : (!accel.semaphore, index, index) -> ()
    }, {
      %one:3 = scf.for %at = %c0 to %end step %c1 iter_args(%sums = %zero, %stage = %c0, %phase = %c0) -> (vector<64x64xf32>, index, index) {
        "accel.await"(%full, %stage, %phase) : (!accel.semaphore, index, index) -> ()
        %raw = "accel.mma"(%q, %k, %zero) {precision = "exact", transpose_b} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
        "accel.notify"(%empty, %stage) : (!accel.semaphore, index) -> ()
        %scaled = arith.mulf %sums, %raw : vector<64x64xf32>
        %weights = arith.truncf %raw : vector<64x64xf32> to vector<64x64xbf16>
        "accel.await"(%full_v, %stage, %phase) : (!accel.semaphore, index, index) -> ()
        %new = "accel.mma"(%weights, %k, %scaled) {precision = "exact"} : (vector<64x64xbf16>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
        "accel.notify"(%empty_v, %stage) : (!accel.semaphore, index) -> ()
        %next = arith.xori %stage, %c1 : index
        %other = arith.xori %phase, %stage : index
        scf.yield %new, %next, %other : vector<64x64xf32>, index, index
      } {accel.overlap}
      vector.transfer_write %one#0, %r[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32>
    }) {consumer_registers = 240 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, producer_warps = 4 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}
