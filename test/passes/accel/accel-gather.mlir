// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(accel-to-cpu))" | filecheck %s --check-prefix=CPU
// RUN: mlc-opt %s --accel-distribute --canonicalize --cse | filecheck %s --check-prefix=THREADS

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
