// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(accel-to-cpu),canonicalize)' --split-input-file | filecheck %s

// Reads fill a buffer with padding, then with the elements within bounds; a mask selects from these. Masked writes
// test each element.
// CHECK-LABEL: func.func @transfers
// CHECK: %[[STEPS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8xindex>)
// CHECK: linalg.index 0
// CHECK: %[[MASK:.*]] = arith.cmpi ult, %[[STEPS]], %{{.*}} : tensor<8xindex>
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: linalg.fill ins(%[[PADDING:.*]] : f32) outs(%[[BUFFER]] : memref<8xf32>)
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[NUMBER:.*]] = memref.load %{{.*}} : memref<?x?xf32>
// CHECK-NEXT: %[[CHOSEN:.*]] = tensor.extract %[[MASK]][%[[I]]] : tensor<8xi1>
// CHECK-NEXT: %[[SELECTED:.*]] = arith.select %[[CHOSEN]], %[[NUMBER]], %[[PADDING]] : f32
// CHECK-NEXT: memref.store %[[SELECTED]], %[[BUFFER]][%[[I]]]
// CHECK: %[[TILE:.*]] = bufferization.to_tensor %[[BUFFER]] restrict writable
// CHECK: scf.for
// CHECK-NEXT: scf.for %[[J:.*]] =
// CHECK: %[[WRITTEN:.*]] = tensor.extract %[[MASK]][%[[J]]] : tensor<8xi1>
// CHECK-NEXT: scf.if %[[WRITTEN]] {
// CHECK-NEXT: tensor.extract %[[TILE]][%[[J]]]
// CHECK-NEXT: memref.store
func.func @transfers(%n: index, %x: memref<?x?xf32>) {
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %steps = vector.step : vector<8xindex>
    %end = vector.broadcast %i : index to vector<8xindex>
    %mask = arith.cmpi ult, %steps, %end : vector<8xindex>
    %v = vector.transfer_read %x[%i, %i], %none, %mask {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<?x?xf32>, vector<8xf32>
    vector.transfer_write %v, %x[%i, %i], %mask : vector<8xf32>, memref<?x?xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// A dim of the tile along which an element is broadcast has a separate loop.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<4x8xf32>
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[NUMBER:.*]] = memref.load
// CHECK-NEXT: scf.for %[[J:.*]] = %c0 to %c4 step %c1 {
// CHECK-NEXT: memref.store %[[NUMBER]], %[[BUFFER]][%[[J]], %[[I]]]
func.func @repeated(%n: index, %x: memref<?xf32>, %y: memref<?x?xf32>) {
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%i], %none {permutation_map = affine_map<(d0) -> (0, d0)>, in_bounds = [true, false]} : memref<?xf32>, vector<4x8xf32>
    vector.transfer_write %v, %y[%i, %i] : vector<4x8xf32>, memref<?x?xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// CHECK: #[[ALONG:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK: #[[TURNED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @shapes
// CHECK: %[[EVERY:.*]] = linalg.generic {indexing_maps = [#[[ALONG]], #{{.*}}], {{.*}}} ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<4x8xf32>)
// CHECK: %[[TURN:.*]] = linalg.generic {indexing_maps = [#[[TURNED]], #{{.*}}], {{.*}}} ins(%[[EVERY]] : tensor<4x8xf32>) outs(%{{.*}} : tensor<8x4xf32>)
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[TURN]] {{\[\[}}0, 1]] : tensor<8x4xf32> into tensor<32xf32>
// CHECK-NEXT: %[[SHAPED:.*]] = tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1, 2]] output_shape [2, 1, 16]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "reduction"]} ins(%[[SHAPED]] : tensor<2x1x16xf32>) outs(%{{.*}} : tensor<1xf32>)
// CHECK: arith.maximumf
// CHECK: linalg.index 0
// CHECK: linalg.index 1
func.func @shapes(%n: index, %x: memref<?xf32>, %y: memref<?x?xf32>) {
  %none = arith.constant 0.0 : f32
  %least = arith.constant dense<0xFF800000> : vector<1xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%i], %none : memref<?xf32>, vector<8xf32>
    %every = vector.broadcast %v : vector<8xf32> to vector<4x8xf32>
    %turn = vector.transpose %every, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
    %shaped = vector.shape_cast %turn : vector<8x4xf32> to vector<2x1x16xf32>
    %most = vector.multi_reduction <maximumf>, %shaped, %least [0, 2] : vector<2x1x16xf32> to vector<1xf32>
    %same = vector.broadcast %most : vector<1xf32> to vector<4x8xf32>
    %mask = vector.create_mask %n, %i : vector<4x8xi1>
    vector.transfer_write %same, %y[%i, %i], %mask : vector<4x8xf32>, memref<?x?xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// A scalar is the sum of all elements.
// CHECK-LABEL: func.func @number
// CHECK: %[[GIVEN:.*]] = memref.load
// CHECK: %[[START:.*]] = tensor.from_elements %[[GIVEN]] : tensor<f32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} outs(%[[START]] : tensor<f32>)
// CHECK: %[[NUMBER:.*]] = tensor.extract %[[SUM]][] : tensor<f32>
// CHECK: memref.store %[[NUMBER]]
func.func @number(%n: index, %x: memref<?xf32>) {
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %given = memref.load %x[%i] : memref<?xf32>
    %v = vector.transfer_read %x[%i], %none : memref<?xf32>, vector<8xf32>
    %sum = vector.multi_reduction <add>, %v, %given [0] : vector<8xf32> to f32
    memref.store %sum, %x[%i] : memref<?xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// Loop-carried values are updated in place; values that are swapped are read first.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}, %[[R:.*]] = %{{.*}}) ->
// CHECK-NEXT: %[[E:.*]] = math.exp %[[R]] : tensor<8xf32>
// CHECK-NEXT: %[[COPY_Q:.*]] = bufferization.alloc_tensor() copy(%[[Q]])
// CHECK-NEXT: %[[COPY_P:.*]] = bufferization.alloc_tensor() copy(%[[P]])
// CHECK-NEXT: %[[NEW_P:.*]] = bufferization.materialize_in_destination %[[COPY_Q]] in %[[P]]
// CHECK-NEXT: %[[NEW_Q:.*]] = bufferization.materialize_in_destination %[[COPY_P]] in %[[Q]]
// CHECK-NEXT: %[[NEW_R:.*]] = bufferization.materialize_in_destination %[[E]] in %[[R]]
// CHECK-NEXT: scf.yield %[[NEW_P]], %[[NEW_Q]], %[[NEW_R]]
func.func @carried(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %a = vector.transfer_read %x[%i], %none : memref<?xf32>, vector<8xf32>
    %b = vector.transfer_read %x[%n], %none : memref<?xf32>, vector<8xf32>
    %l:3 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b, %r = %a) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>) {
      %e = math.exp %r : vector<8xf32>
      scf.yield %q, %p, %e : vector<8xf32>, vector<8xf32>, vector<8xf32>
    }
    vector.transfer_write %l#0, %x[%i] : vector<8xf32>, memref<?xf32>
    vector.transfer_write %l#2, %x[%n] : vector<8xf32>, memref<?xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// A reduction adds to what one value was, and the loop carries it as another.
// CHECK-LABEL: func.func @reduced
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) ->
// CHECK-NEXT: %[[M:.*]] = linalg.generic {{.*}} outs(%[[P]] : tensor<4xf32>)
// CHECK: %[[COPY_Q:.*]] = bufferization.alloc_tensor() copy(%[[Q]])
// CHECK-NEXT: %[[COPY_M:.*]] = bufferization.alloc_tensor() copy(%[[M]])
// CHECK-NEXT: bufferization.materialize_in_destination %[[COPY_Q]] in %[[P]]
// CHECK-NEXT: bufferization.materialize_in_destination %[[COPY_M]] in %[[Q]]
func.func @reduced(%n: index, %x: memref<?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %a = vector.transfer_read %x[%i], %none : memref<?xf32>, vector<4xf32>
    %b = vector.transfer_read %x[%n], %none : memref<?xf32>, vector<4xf32>
    %t = vector.transfer_read %y[%i, %i], %none : memref<?x?xf32>, vector<4x8xf32>
    %l:2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (vector<4xf32>, vector<4xf32>) {
      %m = vector.multi_reduction <add>, %t, %p [1] : vector<4x8xf32> to vector<4xf32>
      scf.yield %q, %m : vector<4xf32>, vector<4xf32>
    }
    vector.transfer_write %l#0, %x[%i] : vector<4xf32>, memref<?xf32>
    vector.transfer_write %l#1, %x[%n] : vector<4xf32>, memref<?xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// Without a launch nothing changes.
// CHECK-LABEL: func.func @other
// CHECK: math.exp %{{.*}} : vector<8xf32>
func.func @other(%x: vector<8xf32>) -> vector<8xf32> {
  %e = math.exp %x : vector<8xf32>
  return %e : vector<8xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// A buffer that reuses the memory of another one becomes a separate buffer; it does not matter who copies.
// CHECK-LABEL: func.func @stored_by_the_copy_engine
// CHECK: %[[TILE:.*]] = memref.alloc() : memref<8x32xf32>
// CHECK: memref.load %[[TILE]]
// CHECK-NEXT: memref.store %{{.*}}, %arg0
func.func @stored_by_the_copy_engine(%x: memref<512x512xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<8x64xf16, #shared>
    %r = "accel.reuse"(%m) {swizzle = 128 : i64} : (memref<8x64xf16, #shared>) -> memref<8x32xf32, #shared>
    %t = "accel.copy"(%r, %x, %i, %i) {bulk} : (memref<8x32xf32, #shared>, memref<512x512xf32>, index, index) -> !accel.token
    "accel.wait"(%t) {read} : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}
