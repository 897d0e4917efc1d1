// RUN: mlc-opt %s --graph-to-linalg --canonicalize --cse --tloop-collapse-dims --split-input-file | filecheck %s

// CHECK-LABEL: func.func private @together(
// CHECK-SAME: %{{.*}}: tensor<120xf32> {{.*}}, %{{.*}}: tensor<120xf32> {{.*}}) -> tensor<120xf32>
// CHECK: %[[OUT:.*]] = tensor.empty() : tensor<120xf32>
// CHECK: linalg.generic {indexing_maps = [#[[M:.*]], #[[M]], #[[M]]], iterator_types = ["parallel"]} {{.*}} outs(%[[OUT]] : tensor<120xf32>)
func.func private @together(%x: tensor<4x5x6xf32>, %y: tensor<4x5x6xf32>) -> tensor<4x5x6xf32> attributes {tloop.kernel} {
  %0 = "graph.add"(%x, %y) : (tensor<4x5x6xf32>, tensor<4x5x6xf32>) -> tensor<4x5x6xf32>
  return %0 : tensor<4x5x6xf32>
}

// -----

// An operand that is the same along rows and columns, but not along channels: only the former become one.
// CHECK-DAG: #[[CHANNEL:.*]] = affine_map<(d0, d1, d2) -> (0, d1, 0, 0)>
// CHECK-LABEL: func.func private @apart(
// CHECK: linalg.generic {indexing_maps = [#[[ALL:.*]], #[[CHANNEL]], #[[ALL]]]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<4x5x42xf32>, tensor<1x5x1x1xf32>)
func.func private @apart(%x: tensor<4x5x6x7xf32>, %y: tensor<1x5x1x1xf32>) -> tensor<4x5x6x7xf32> attributes {tloop.kernel} {
  %0 = "graph.add"(%x, %y) : (tensor<4x5x6x7xf32>, tensor<1x5x1x1xf32>) -> tensor<4x5x6x7xf32>
  return %0 : tensor<4x5x6x7xf32>
}

// -----

// What is reduced, and what is not, each by itself.
// CHECK-LABEL: func.func private @reduced(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<20x42xf32>) outs(%{{.*}} : tensor<20xf32>)
func.func private @reduced(%x: tensor<4x5x6x7xf32>) -> tensor<4x5xf32> attributes {tloop.kernel} {
  %0 = "graph.reduce_sum"(%x) {axes = array<i64: 2, 3>, keepdims = false} : (tensor<4x5x6x7xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// The computation after the reduction reads its result for the first two dims alone.
// CHECK-LABEL: func.func private @centred(
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<20x42xf32>) outs(%{{.*}} : tensor<20x1xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<20x42xf32>, tensor<20x1xf32>) outs(%{{.*}} : tensor<20x42xf32>)
func.func private @centred(%x: tensor<4x5x42xf32>) -> tensor<4x5x42xf32> attributes {tloop.kernel} {
  %0 = "graph.reduce_max"(%x) {axes = array<i64: 2>, keepdims = true} : (tensor<4x5x42xf32>) -> tensor<4x5x1xf32>
  %1 = "graph.sub"(%x, %0) : (tensor<4x5x42xf32>, tensor<4x5x1xf32>) -> tensor<4x5x42xf32>
  return %1 : tensor<4x5x42xf32>
}

// -----

// The size of dynamic dims is a product, of which `tloop.dims` names the factors.
// CHECK-LABEL: func.func private @open(
// CHECK-SAME: %{{.*}}: tensor<?xf32> {{.*}}, %[[DIMS:.*]]: tensor<2xindex>
// CHECK-SAME: tloop.dims = {{\[\[}}"d0*3*d1*8"], ["d0*3*d1*8"]]
// CHECK-DAG: %[[A:.*]] = tensor.extract %[[DIMS]][%c0]
// CHECK-DAG: %[[B:.*]] = tensor.extract %[[DIMS]][%c1]
// CHECK: %[[PART:.*]] = arith.muli %c24, %[[A]]
// CHECK: %[[SIZE:.*]] = arith.muli %[[PART]], %[[B]]
// CHECK: tensor.empty(%[[SIZE]]) : tensor<?xf32>
func.func private @open(%x: tensor<?x3x?x8xf32>, %d: tensor<2xindex>) -> tensor<?x3x?x8xf32> attributes {tloop.kernel, tloop.dims = [["d0", "", "d1", ""], ["d0", "", "d1", ""]]} {
  %0 = "graph.relu"(%x) : (tensor<?x3x?x8xf32>) -> tensor<?x3x?x8xf32>
  return %0 : tensor<?x3x?x8xf32>
}

// -----

// The elements of a constant have its shape.
// CHECK-LABEL: func.func private @constant(
// CHECK-SAME: tensor<2x3xf32>
// CHECK: arith.constant dense<{{.*}}> : tensor<2x3xf32>
func.func private @constant(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {tloop.kernel} {
  %0 = "graph.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %1 = "graph.add"(%x, %0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// Products stay, and so do kernels with a schedule.
// CHECK-LABEL: func.func private @product(
// CHECK-SAME: tensor<2x3x4xf32>
// CHECK-LABEL: func.func private @scheduled(
// CHECK-SAME: tensor<4x6xf32>
func.func private @product(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}
func.func private @scheduled(%x: tensor<4x6xf32>) -> tensor<4x6xf32> attributes {tloop.kernel} {
  %0 = "graph.relu"(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
}) {kernel = @scheduled} : () -> ()

// -----

// A reduction that reads the mean, too, is no product: the volume's three dims are one.
// CHECK-LABEL: func.func private @variance(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x210xf32>, tensor<4x1x1x1xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x210xf32>)
func.func private @variance(%x: tensor<4x5x6x7xf32>) -> tensor<4x5x6x7xf32> attributes {tloop.kernel} {
  %0 = "graph.layer_norm"(%x) {axes = array<i64: 1, 2, 3>, epsilon = 1.0e-05 : f64} : (tensor<4x5x6x7xf32>) -> tensor<4x5x6x7xf32>
  return %0 : tensor<4x5x6x7xf32>
}

// -----

// Parts that have all of the dims after the joined one are contiguous.
// CHECK-LABEL: func.func private @joined(
// CHECK-SAME: %[[A:.*]]: tensor<?x?xf32> {{.*}}, %[[B:.*]]: tensor<?x?xf32> {{.*}}, %[[DIMS:.*]]: tensor<4xindex> {{.*}}) -> tensor<?x?xf32>
// CHECK-SAME: tloop.dims = {{\[\[}}"d0", "d1*d2*4"], ["d0", "5*d2*4"], ["d0", "d3*d2*4"]]
// CHECK-DAG: %[[D0:.*]] = tensor.extract %[[DIMS]][%c0]
// CHECK-DAG: %[[D1:.*]] = tensor.extract %[[DIMS]][%c1]
// CHECK-DAG: %[[D2:.*]] = tensor.extract %[[DIMS]][%c2]
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %[[A]] into %{{.*}}[0, 0] [%[[D0]], %{{.*}}] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
// CHECK: %[[ROWS:.*]] = arith.muli %c4{{.*}}, %[[D1]]
// CHECK: %[[START:.*]] = arith.muli %[[ROWS]], %[[D2]]
// CHECK: tensor.insert_slice %[[B]] into %[[FIRST]][0, %[[START]]] [%[[D0]], %{{.*}}] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
func.func private @joined(%a: tensor<?x?x?x4xf32>, %b: tensor<?x5x?x4xf32>, %d: tensor<4xindex>) -> tensor<?x?x?x4xf32> attributes {tloop.kernel, tloop.dims = [["d0", "d1", "d2", ""], ["d0", "", "d2", ""], ["d0", "d3", "d2", ""]]} {
  %0 = "graph.concat"(%a, %b) {axis = 1 : i64, graph.dims = [["d0", "d3", "d2", ""]], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x?x?x4xf32>, tensor<?x5x?x4xf32>) -> tensor<?x?x?x4xf32>
  return %0 : tensor<?x?x?x4xf32>
}

// -----

// Rows that are cut stay apart from the dim before them; whole ones become one dim with it.
// CHECK-LABEL: func.func private @cut(
// CHECK-SAME: %[[X:.*]]: tensor<8x30x7xf32>
// CHECK: tensor.extract_slice %[[X]][0, 12, 1] [8, 12, 5] [1, 1, 1] : tensor<8x30x7xf32> to tensor<8x12x5xf32>
func.func private @cut(%x: tensor<8x5x6x7xf32>) -> tensor<8x2x6x5xf32> attributes {tloop.kernel} {
  %0 = "graph.slice"(%x) {starts = array<i64: 0, 2, 0, 1>, sizes = array<i64: 8, 2, 6, 5>, steps = array<i64: 1, 1, 1, 1>} : (tensor<8x5x6x7xf32>) -> tensor<8x2x6x5xf32>
  return %0 : tensor<8x2x6x5xf32>
}

// -----

// Steps keep all dims.
// CHECK-LABEL: func.func private @every_second(
// CHECK-SAME: tensor<8x6x7xf32>
func.func private @every_second(%x: tensor<8x6x7xf32>) -> tensor<4x6x7xf32> attributes {tloop.kernel} {
  %0 = "graph.slice"(%x) {starts = array<i64: 0, 0, 0>, sizes = array<i64: 4, 6, 7>, steps = array<i64: 2, 1, 1>} : (tensor<8x6x7xf32>) -> tensor<4x6x7xf32>
  return %0 : tensor<4x6x7xf32>
}

// -----

// A look-up walks the axes after that of its indices as one, and so do those before; the index of the dim that
// they become has another position.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: %[[X:.*]]: tensor<8x8xf32> {{.*}}) -> tensor<3x8xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK: %[[COLUMN:.*]] = linalg.index 1
// CHECK-NOT: linalg.index
// CHECK: tensor.extract %[[X]][%{{.*}}, %[[COLUMN]]] : tensor<8x8xf32>
// CHECK-LABEL: func.func private @columns(
// CHECK-SAME: %[[X:.*]]: tensor<8x5x2xf32> {{.*}}) -> tensor<8x3x2xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[COLUMN:.*]] = linalg.index 2
// CHECK: tensor.extract %[[X]][%[[ROW]], %{{.*}}, %[[COLUMN]]] : tensor<8x5x2xf32>
func.func private @rows(%x: tensor<8x4x2xf32>, %i: tensor<3xi32>) -> tensor<3x4x2xf32> attributes {tloop.kernel} {
  %0 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<8x4x2xf32>, tensor<3xi32>) -> tensor<3x4x2xf32>
  return %0 : tensor<3x4x2xf32>
}
func.func private @columns(%x: tensor<2x4x5x2xf32>, %i: tensor<3xi32>) -> tensor<2x4x3x2xf32> attributes {tloop.kernel} {
  %0 = "graph.gather"(%x, %i) {axis = 2 : i64} : (tensor<2x4x5x2xf32>, tensor<3xi32>) -> tensor<2x4x3x2xf32>
  return %0 : tensor<2x4x3x2xf32>
}

// -----

// Dims whose indices are values stay apart from others: here the rows and columns of a triangle.
// CHECK-LABEL: func.func private @triangle(
// CHECK-SAME: tensor<6x5x5xf32> {{.*}}) -> tensor<6x5x5xf32>
// CHECK: %[[ROW:.*]] = linalg.index 1
// CHECK: %[[COLUMN:.*]] = linalg.index 2
// CHECK: arith.cmpi {{.*}}%[[ROW]]
func.func private @triangle(%x: tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32> attributes {tloop.kernel} {
  %0 = "graph.trilu"(%x) {k = 0 : i64, upper = true} : (tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32>
  return %0 : tensor<2x3x5x5xf32>
}
