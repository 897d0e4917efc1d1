// RUN: mlc-opt %s --llvm-nonnegative-offsets --split-input-file | filecheck %s

// Every second element of the rows of a matrix: the size of a row, the variables of both loops and the step are not
// negative, and so is no offset. The sum that is the loop's next variable stays as it is.
// CHECK-LABEL: llvm.func @strided
// CHECK-SAME: (%[[X:.*]]: !llvm.ptr {llvm.noalias}, %[[SIZES:.*]]: !llvm.ptr {llvm.nonnull}, %[[Y:.*]]: !llvm.ptr)
// CHECK: omp.loop_nest (%[[ROW:.*]]) : i64
// CHECK: ^bb1(%[[I:.*]]: i64):
// CHECK: %[[AT:.*]] = llvm.mul %[[I]], %{{.*}} overflow<nsw, nuw> : i64
// CHECK-NEXT: %[[LINE:.*]] = llvm.mul %[[ROW]], %{{.*}} overflow<nsw, nuw> : i64
// CHECK-NEXT: %[[OFFSET:.*]] = llvm.add %[[LINE]], %[[AT]] overflow<nsw, nuw> : i64
// CHECK-NEXT: %[[FROM:.*]] = llvm.getelementptr inbounds|nuw %[[X]][%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT: llvm.load %[[FROM]] : !llvm.ptr -> f64
// CHECK: llvm.add %[[I]], %{{[0-9]+}} : i64
llvm.func @strided(%x: !llvm.ptr {llvm.noalias}, %sizes: !llvm.ptr {llvm.nonnull, tloop.sizes}, %y: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %second = llvm.getelementptr %sizes[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %columns = llvm.load %second : !llvm.ptr -> i64
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%row) : i64 = (%zero) to (%columns) step (%one) {
        llvm.br ^bb1(%zero : i64)
      ^bb1(%i: i64):
        %more = llvm.icmp "slt" %i, %columns : i64
        llvm.cond_br %more, ^bb2, ^bb3
      ^bb2:
        %at = llvm.mul %i, %two overflow<nsw> : i64
        %line = llvm.mul %row, %columns : i64
        %offset = llvm.add %line, %at overflow<nsw> : i64
        %from = llvm.getelementptr inbounds %x[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        %v = llvm.load %from : !llvm.ptr -> f64
        %to = llvm.getelementptr inbounds %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        llvm.store %v, %to : f64, !llvm.ptr
        %next = llvm.add %i, %one : i64
        llvm.br ^bb1(%next : i64)
      ^bb3:
        omp.yield
      }
    }
    omp.terminator
  }
  llvm.return
}

// -----

// Integers that are data may wrap, and so may what is read from elsewhere, a loop that begins below 0, or a difference.
// CHECK-LABEL: llvm.func @others
// CHECK-NOT: nuw
// CHECK: llvm.return
llvm.func @others(%x: !llvm.ptr, %sizes: !llvm.ptr {tloop.sizes}, %y: !llvm.ptr) {
  %below = llvm.mlir.constant(-1 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %large = llvm.mlir.constant(4611686018427387904 : i64) : i64
  %size = llvm.load %sizes : !llvm.ptr -> i64
  %hash = llvm.mul %size, %large : i64
  llvm.store %hash, %y : i64, !llvm.ptr
  %index = llvm.load %x : !llvm.ptr -> i64
  %scaled = llvm.mul %index, %size overflow<nsw> : i64
  %0 = llvm.getelementptr inbounds %y[%scaled] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %zero, %0 : i64, !llvm.ptr
  %less = llvm.sub %size, %size : i64
  %1 = llvm.getelementptr inbounds %y[%less] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %zero, %1 : i64, !llvm.ptr
  // Sums of 32 bits stay as they are.
  %narrow = llvm.mlir.constant(3 : i32) : i32
  %twice = llvm.add %narrow, %narrow : i32
  %same = llvm.icmp "eq" %twice, %narrow : i32
  llvm.br ^bb1(%below : i64)
^bb1(%i: i64):
  %ahead = llvm.add %i, %size overflow<nsw> : i64
  %2 = llvm.getelementptr inbounds %y[%ahead] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %zero, %2 : i64, !llvm.ptr
  %more = llvm.icmp "slt" %i, %size : i64
  %next = llvm.add %i, %size : i64
  llvm.cond_br %more, ^bb1(%next : i64), ^bb2
^bb2:
  llvm.return
}

// -----

// A sequential loop inside threads that begins below 0, while that of the threads does not.
// CHECK-LABEL: llvm.func @below
// CHECK-NOT: nuw
// CHECK: llvm.return
llvm.func @below(%x: !llvm.ptr, %sizes: !llvm.ptr {tloop.sizes}, %y: !llvm.ptr) {
  %below = llvm.mlir.constant(-1 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %size = llvm.load %sizes : !llvm.ptr -> i64
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%row) : i64 = (%zero) to (%size) step (%one) {
        llvm.br ^bb1(%below : i64)
      ^bb1(%i: i64):
        %more = llvm.icmp "slt" %i, %size : i64
        llvm.cond_br %more, ^bb2, ^bb3
      ^bb2:
        %offset = llvm.add %row, %i overflow<nsw> : i64
        %to = llvm.getelementptr inbounds %y[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
        llvm.store %size, %to : i64, !llvm.ptr
        %next = llvm.add %i, %one : i64
        llvm.br ^bb1(%next : i64)
      ^bb3:
        omp.yield
      }
    }
    omp.terminator
  }
  llvm.return
}

// -----

// Without dynamic dims there is nothing to show.
// CHECK-LABEL: llvm.func @static
// CHECK: llvm.mul %{{.*}}, %{{.*}} overflow<nsw> : i64
llvm.func @static(%x: !llvm.ptr {llvm.noalias}) {
  %two = llvm.mlir.constant(2 : i64) : i64
  %at = llvm.mul %two, %two overflow<nsw> : i64
  %0 = llvm.getelementptr inbounds %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.return
}
