// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Matrix products with NumPy's shapes, determinants.

// CHECK-LABEL: func.func @f
func.func @f(%m: tensor<5x4xf32>,
            %n: tensor<4x3xf32>,
            %v: tensor<4xf32>,
            %batch: tensor<?x1x5x4xf32>,
            %other: tensor<7x4x3xf32>,
            %p: tensor<2x4x16xf32>,
            %i: tensor<4x4xi32>,
            %square: tensor<?x3x3xf64>) {
  // CHECK-NEXT: %{{.*}} = "graph.matmul"(%{{.*}}, %{{.*}}) : (tensor<5x4xf32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  %0 = "graph.matmul"(%m, %n) : (tensor<5x4xf32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  // CHECK-NEXT: %{{.*}} = "graph.matmul"(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %1 = "graph.matmul"(%v, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  // CHECK-NEXT: %{{.*}} = "graph.matmul"(%{{.*}}, %{{.*}}) : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5xf32>
  %2 = "graph.matmul"(%m, %v) : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5xf32>
  // CHECK-NEXT: %{{.*}} = "graph.matmul"(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<3xf32>
  %3 = "graph.matmul"(%v, %n) : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<3xf32>
  // CHECK-NEXT: %{{.*}} = "graph.matmul"(%{{.*}}, %{{.*}}) : (tensor<?x1x5x4xf32>, tensor<7x4x3xf32>) -> tensor<?x7x5x3xf32>
  %4 = "graph.matmul"(%batch, %other) : (tensor<?x1x5x4xf32>, tensor<7x4x3xf32>) -> tensor<?x7x5x3xf32>
  // CHECK-NEXT: %{{.*}} = "graph.matmul"(%{{.*}}, %{{.*}}) : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %5 = "graph.matmul"(%i, %i) : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  // CHECK-NEXT: %{{.*}} = "graph.matmul_packed"(%{{.*}}, %{{.*}}) : (tensor<5x4xf32>, tensor<2x4x16xf32>) -> tensor<5x2x16xf32>
  %6 = "graph.matmul_packed"(%m, %p) : (tensor<5x4xf32>, tensor<2x4x16xf32>) -> tensor<5x2x16xf32>
  // CHECK-NEXT: %{{.*}} = "graph.matmul_packed"(%{{.*}}, %{{.*}}) : (tensor<?x1x5x4xf32>, tensor<2x4x16xf32>) -> tensor<?x1x5x2x16xf32>
  %7 = "graph.matmul_packed"(%batch, %p) : (tensor<?x1x5x4xf32>, tensor<2x4x16xf32>) -> tensor<?x1x5x2x16xf32>
  // CHECK-NEXT: %{{.*}} = "graph.det"(%{{.*}}) : (tensor<?x3x3xf64>) -> tensor<?xf64>
  %8 = "graph.det"(%square) : (tensor<?x3x3xf64>) -> tensor<?xf64>
  return
}
