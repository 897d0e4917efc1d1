// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_80 --accel-distribute --canonicalize --cse | filecheck %s

// 100 elements are 25 pieces of 16 bytes: a thread asks once for its 4 elements, and stores them at once.
// CHECK-LABEL: llvm.func @whole_pieces_0(
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %c100_i32 : i32
// CHECK-NOT: arith.cmpi
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK: scf.if %[[IN]] {
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK-NOT: llvm.store
// 102 elements are pairs.
// CHECK-LABEL: llvm.func @pairs_1(
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>
// CHECK-NOT: llvm.store
// Of 101 each is asked for.
// CHECK-LABEL: llvm.func @single_elements_2(
// CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : f32
// A mask that is computed: a part of a row from a multiple of 32 on, up to 700.
// CHECK-LABEL: llvm.func @compared_3(
// CHECK-COUNT-1: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-1: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
func.func @whole_pieces(%x: memref<128xf32>, %y: memref<300xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %mask = vector.create_mask %c100 : vector<128xi1>
    %v = vector.transfer_read %x[%c0], %none, %mask {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
    vector.transfer_write %v, %y[%c100], %mask {in_bounds = [true]} : vector<128xf32>, memref<300xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

func.func @pairs(%x: memref<128xf32>, %y: memref<300xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %c102 = arith.constant 102 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %mask = vector.create_mask %c102 : vector<128xi1>
    %v = vector.transfer_read %x[%c0], %none, %mask {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
    vector.transfer_write %v, %y[%c100], %mask {in_bounds = [true]} : vector<128xf32>, memref<300xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

func.func @single_elements(%x: memref<128xf32>, %y: memref<300xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %c101 = arith.constant 101 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %mask = vector.create_mask %c101 : vector<128xi1>
    %v = vector.transfer_read %x[%c0], %none {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
    vector.transfer_write %v, %y[%c100], %mask {in_bounds = [true]} : vector<128xf32>, memref<300xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

func.func @compared(%x: memref<1024xf32>, %y: memref<1024xf32>) {
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant 0.0 : f32
  %end = arith.constant dense<700> : vector<128xindex>
  "accel.launch"(%c8) ({
  ^bb0(%i: index):
    %at = arith.muli %i, %c128 : index
    %steps = vector.step : vector<128xindex>
    %starts = vector.broadcast %at : index to vector<128xindex>
    %places = arith.addi %steps, %starts : vector<128xindex>
    %mask = arith.cmpi ult, %places, %end : vector<128xindex>
    %v = vector.transfer_read %x[%at], %none, %mask {in_bounds = [true]} : memref<1024xf32>, vector<128xf32>
    vector.transfer_write %v, %y[%at], %mask {in_bounds = [true]} : vector<128xf32>, memref<1024xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// A thread's indices are constants after the first one: it is subtracted once from what they are compared with.
// Integers that are loaded are compared as they are.
// CHECK-LABEL: llvm.func @places_
// CHECK-SAME: %[[LIMIT:[a-z0-9]+]]: i32)
// CHECK: %[[FIRST:.*]] = arith.addi
// CHECK-NEXT: %[[REST:.*]] = arith.subi %[[LIMIT]], %[[FIRST]]
// CHECK-NEXT: arith.cmpi slt, %[[REST]], %c0_i32
// CHECK-NEXT: arith.cmpi slt, %[[REST]], %c1_i32
// CHECK-NEXT: arith.cmpi slt, %[[REST]], %c2_i32
// CHECK: llvm.load
// CHECK: arith.cmpi sgt, %{{.*}}, %[[LIMIT]]
// CHECK-NOT: arith.subi
// CHECK: gpu.launch_func
func.func @places(%n: index, %limit: index, %x: memref<128xi32>, %r: memref<128xi1>, %s: memref<128xi1>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %step = vector.step : vector<128xindex>
    %first = vector.broadcast %i : index to vector<128xindex>
    %places = arith.addi %step, %first : vector<128xindex>
    %limits = vector.broadcast %limit : index to vector<128xindex>
    %later = arith.cmpi sgt, %places, %limits : vector<128xindex>
    vector.transfer_write %later, %r[%c0] {in_bounds = [true]} : vector<128xi1>, memref<128xi1>
    %read = vector.transfer_read %x[%c0], %none {in_bounds = [true]} : memref<128xi32>, vector<128xi32>
    %data = arith.index_cast %read : vector<128xi32> to vector<128xindex>
    %greater = arith.cmpi sgt, %data, %limits : vector<128xindex>
    vector.transfer_write %greater, %s[%c0] {in_bounds = [true]} : vector<128xi1>, memref<128xi1>
  }) {warps = 1 : i64} : (index) -> ()
  return
}
