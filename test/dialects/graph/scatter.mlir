// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Updates written at indices.

// CHECK-LABEL: func.func @f
func.func @f(%data: tensor<4x?x2xf32>,
            %flags: tensor<6xi1>,
            %i: tensor<3x?x2xi64>,
            %u: tensor<3x5x2xf32>,
            %places: tensor<7x2xi32>,
            %rows: tensor<7x2xf32>,
            %one: tensor<1xi64>,
            %flag: tensor<i1>) {
  // CHECK-NEXT: %{{.*}} = "graph.scatter_elements"(%{{.*}}, %{{.*}}, %{{.*}}) {axis = 1 : i64} : (tensor<4x?x2xf32>, tensor<3x?x2xi64>, tensor<3x5x2xf32>) -> tensor<4x?x2xf32>
  %0 = "graph.scatter_elements"(%data, %i, %u) {axis = 1} : (tensor<4x?x2xf32>, tensor<3x?x2xi64>, tensor<3x5x2xf32>) -> tensor<4x?x2xf32>
  // CHECK-NEXT: %{{.*}} = "graph.scatter_elements"(%{{.*}}, %{{.*}}, %{{.*}}) {axis = 0 : i64, reduction = "add"} : (tensor<4x?x2xf32>, tensor<3x?x2xi64>, tensor<3x5x2xf32>) -> tensor<4x?x2xf32>
  %1 = "graph.scatter_elements"(%data, %i, %u) {axis = 0, reduction = "add"} : (tensor<4x?x2xf32>, tensor<3x?x2xi64>, tensor<3x5x2xf32>) -> tensor<4x?x2xf32>
  // CHECK-NEXT: %{{.*}} = "graph.scatter_nd"(%{{.*}}, %{{.*}}, %{{.*}}) {reduction = "max"} : (tensor<4x?x2xf32>, tensor<7x2xi32>, tensor<7x2xf32>) -> tensor<4x?x2xf32>
  %2 = "graph.scatter_nd"(%data, %places, %rows) {reduction = "max"} : (tensor<4x?x2xf32>, tensor<7x2xi32>, tensor<7x2xf32>) -> tensor<4x?x2xf32>
  // CHECK-NEXT: %{{.*}} = "graph.scatter_nd"(%{{.*}}, %{{.*}}, %{{.*}}) {reduction = "mul"} : (tensor<6xi1>, tensor<1xi64>, tensor<i1>) -> tensor<6xi1>
  %3 = "graph.scatter_nd"(%flags, %one, %flag) {reduction = "mul"} : (tensor<6xi1>, tensor<1xi64>, tensor<i1>) -> tensor<6xi1>
  return
}
