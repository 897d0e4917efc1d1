// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(accel-to-cpu))" | filecheck %s --check-prefix=CPU
// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_80 --accel-distribute --canonicalize --cse | filecheck %s --check-prefix=THREADS

// What the mask leaves out is not read.
// CPU-LABEL: func.func @gather(
// CPU-SAME: %[[X:.*]]: memref<100xf32>, %[[AT:.*]]: memref<32xi32>, %[[Y:.*]]: memref<32xf32>
// CPU: %[[CHOSEN:.*]] = tensor.extract %{{.*}}[%[[I:.*]]] : tensor<32xi1>
// CPU: %[[VALUE:.*]] = scf.if %[[CHOSEN]] -> (f32)
// CPU: %[[PLACE:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<32xindex>
// CPU: %[[AT:.*]] = arith.addi %{{.*}}, %[[PLACE]] : index
// CPU: %[[ELEMENT:.*]] = memref.load %[[X]][%[[AT]]] : memref<100xf32>
// CPU: scf.yield %[[ELEMENT]]
// CPU: } else {
// CPU: tensor.extract %{{.*}}[%[[I]]] : tensor<32xf32>
// CPU: memref.store %[[VALUE]], %{{.*}}[%[[I]]]

// Of lanes without truth the first element is read, and thrown away.
// THREADS: llvm.func @gather_0(%[[AT:.*]]: !llvm.ptr<1>, %[[X:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>)
// THREADS: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// THREADS: %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %c20_i32
// THREADS: %[[POINTER:.*]] = llvm.getelementptr %[[X]][
// THREADS: %[[SAFE:.*]] = arith.select %[[INSIDE]], %[[POINTER]], %[[X]]
// THREADS: %[[LOADED:.*]] = llvm.load %[[SAFE]] {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// THREADS: %[[VALUE:.*]] = arith.select %[[INSIDE]], %[[LOADED]], %{{.*}} : f32
// Rows of an embedding: what a thread reads follows each other, and is there or not, as a whole. 256 elements are 2 pieces
// of 16 bytes for each thread.
// THREADS-LABEL: llvm.func @rows_1(
// THREADS-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// THREADS-NOT: -> vector<4xf32>
// Rows of 50 elements begin at multiples of 8 bytes.
// THREADS-LABEL: llvm.func @short_rows_2(
// THREADS-COUNT-4: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// THREADS-NOT: -> vector<2xf32>
// A mask that ends within a piece of 8 bytes.
// THREADS-LABEL: llvm.func @odd_mask_3(
// THREADS-COUNT-8: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// All of the rows.
// THREADS-LABEL: llvm.func @all_rows_4(
// THREADS-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// THREADS-NOT: -> vector<4xf32>
func.func @gather(%x: memref<100xf32>, %at: memref<32xi32>, %y: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c20 = arith.constant 20 : index
    %none = arith.constant 0 : i32
    %numbers = vector.transfer_read %at[%c0], %none {in_bounds = [true]} : memref<32xi32>, vector<32xi32>
    %places = arith.index_cast %numbers : vector<32xi32> to vector<32xindex>
    %mask = vector.create_mask %c20 : vector<32xi1>
    %otherwise = arith.constant dense<0.0> : vector<32xf32>
    %v = vector.gather %x[%c0] [%places], %mask, %otherwise : memref<100xf32>, vector<32xindex>, vector<32xi1>, vector<32xf32> into vector<32xf32>
    vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

func.func @rows(%x: memref<64000xf32>, %at: memref<4xi64>, %y: memref<4x64xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c4 = arith.constant 4 : index
    %shown = arith.constant 60 : index
    %none = arith.constant 0 : i64
    %length = arith.constant dense<64> : vector<4x64xindex>
    %numbers = vector.transfer_read %at[%c0], %none {in_bounds = [true]} : memref<4xi64>, vector<4xi64>
    %rows = arith.index_cast %numbers : vector<4xi64> to vector<4xindex>
    %column = vector.shape_cast %rows : vector<4xindex> to vector<4x1xindex>
    %every = vector.broadcast %column : vector<4x1xindex> to vector<4x64xindex>
    %starts = arith.muli %every, %length : vector<4x64xindex>
    %steps = vector.step : vector<64xindex>
    %along = vector.broadcast %steps : vector<64xindex> to vector<4x64xindex>
    %places = arith.addi %starts, %along : vector<4x64xindex>
    %mask = vector.create_mask %c4, %shown : vector<4x64xi1>
    %otherwise = arith.constant dense<0.0> : vector<4x64xf32>
    %v = vector.gather %x[%c0] [%places], %mask, %otherwise : memref<64000xf32>, vector<4x64xindex>, vector<4x64xi1>, vector<4x64xf32> into vector<4x64xf32>
    vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x64xf32>, memref<4x64xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

func.func @short_rows(%x: memref<50000xf32>, %at: memref<4xi64>, %y: memref<4x64xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c4 = arith.constant 4 : index
    %shown = arith.constant 50 : index
    %none = arith.constant 0 : i64
    %length = arith.constant dense<50> : vector<4x64xindex>
    %numbers = vector.transfer_read %at[%c0], %none {in_bounds = [true]} : memref<4xi64>, vector<4xi64>
    %rows = arith.index_cast %numbers : vector<4xi64> to vector<4xindex>
    %column = vector.shape_cast %rows : vector<4xindex> to vector<4x1xindex>
    %every = vector.broadcast %column : vector<4x1xindex> to vector<4x64xindex>
    %starts = arith.muli %every, %length : vector<4x64xindex>
    %steps = vector.step : vector<64xindex>
    %along = vector.broadcast %steps : vector<64xindex> to vector<4x64xindex>
    %places = arith.addi %starts, %along : vector<4x64xindex>
    %mask = vector.create_mask %c4, %shown : vector<4x64xi1>
    %otherwise = arith.constant dense<0.0> : vector<4x64xf32>
    %v = vector.gather %x[%c0] [%places], %mask, %otherwise : memref<50000xf32>, vector<4x64xindex>, vector<4x64xi1>, vector<4x64xf32> into vector<4x64xf32>
    vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x64xf32>, memref<4x64xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

func.func @odd_mask(%x: memref<64000xf32>, %at: memref<4xi64>, %y: memref<4x64xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c4 = arith.constant 4 : index
    %shown = arith.constant 59 : index
    %none = arith.constant 0 : i64
    %length = arith.constant dense<64> : vector<4x64xindex>
    %numbers = vector.transfer_read %at[%c0], %none {in_bounds = [true]} : memref<4xi64>, vector<4xi64>
    %rows = arith.index_cast %numbers : vector<4xi64> to vector<4xindex>
    %column = vector.shape_cast %rows : vector<4xindex> to vector<4x1xindex>
    %every = vector.broadcast %column : vector<4x1xindex> to vector<4x64xindex>
    %starts = arith.muli %every, %length : vector<4x64xindex>
    %steps = vector.step : vector<64xindex>
    %along = vector.broadcast %steps : vector<64xindex> to vector<4x64xindex>
    %places = arith.addi %starts, %along : vector<4x64xindex>
    %mask = vector.create_mask %c4, %shown : vector<4x64xi1>
    %otherwise = arith.constant dense<0.0> : vector<4x64xf32>
    %v = vector.gather %x[%c0] [%places], %mask, %otherwise : memref<64000xf32>, vector<4x64xindex>, vector<4x64xi1>, vector<4x64xf32> into vector<4x64xf32>
    vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x64xf32>, memref<4x64xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

func.func @all_rows(%x: memref<64000xf32>, %at: memref<4xi64>, %y: memref<4x64xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %none = arith.constant 0 : i64
    %length = arith.constant dense<64> : vector<4x64xindex>
    %numbers = vector.transfer_read %at[%c0], %none {in_bounds = [true]} : memref<4xi64>, vector<4xi64>
    %rows = arith.index_cast %numbers : vector<4xi64> to vector<4xindex>
    %column = vector.shape_cast %rows : vector<4xindex> to vector<4x1xindex>
    %every = vector.broadcast %column : vector<4x1xindex> to vector<4x64xindex>
    %starts = arith.muli %every, %length : vector<4x64xindex>
    %steps = vector.step : vector<64xindex>
    %along = vector.broadcast %steps : vector<64xindex> to vector<4x64xindex>
    %places = arith.addi %starts, %along : vector<4x64xindex>
    %mask = arith.constant dense<true> : vector<4x64xi1>
    %otherwise = arith.constant dense<0.0> : vector<4x64xf32>
    %v = vector.gather %x[%c0] [%places], %mask, %otherwise : memref<64000xf32>, vector<4x64xindex>, vector<4x64xi1>, vector<4x64xf32> into vector<4x64xf32>
    vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x64xf32>, memref<4x64xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}
