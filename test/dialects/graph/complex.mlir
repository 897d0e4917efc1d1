// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Complex numbers and their parts.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<2x?xcomplex<f32>>, %y: tensor<3xcomplex<f64>>, %re: tensor<2x?xf32>, %im: tensor<f32>) {
  // CHECK-NEXT: %{{.*}} = "graph.real"(%{{.*}}) : (tensor<2x?xcomplex<f32>>) -> tensor<2x?xf32>
  %0 = "graph.real"(%x) : (tensor<2x?xcomplex<f32>>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.imag"(%{{.*}}) : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %1 = "graph.imag"(%y) : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  // CHECK-NEXT: %{{.*}} = "graph.complex"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xcomplex<f32>>
  %2 = "graph.complex"(%re, %im) : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xcomplex<f32>>
  return
}
