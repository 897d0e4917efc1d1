// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Every elementwise op of several operands, and how dims broadcast.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<2x?xf32>,
            %i: tensor<2x?xi32>,
            %b: tensor<2x?xi1>,
            %row: tensor<3xf32>,
            %one: tensor<1x1xf32>,
            %u: tensor<4x1x1xf32>,
            %s: tensor<f32>) {
  // CHECK-NEXT: %{{.*}} = "graph.add"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %0 = "graph.add"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.sub"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %1 = "graph.sub"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.mul"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %2 = "graph.mul"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.div"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %3 = "graph.div"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.pow"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %4 = "graph.pow"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.min"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %5 = "graph.min"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.max"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %6 = "graph.max"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.mod"(%{{.*}}, %{{.*}}) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  %7 = "graph.mod"(%i, %i) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  // CHECK-NEXT: %{{.*}} = "graph.and"(%{{.*}}, %{{.*}}) : (tensor<2x?xi1>, tensor<2x?xi1>) -> tensor<2x?xi1>
  %8 = "graph.and"(%b, %b) : (tensor<2x?xi1>, tensor<2x?xi1>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.or"(%{{.*}}, %{{.*}}) : (tensor<2x?xi1>, tensor<2x?xi1>) -> tensor<2x?xi1>
  %9 = "graph.or"(%b, %b) : (tensor<2x?xi1>, tensor<2x?xi1>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.xor"(%{{.*}}, %{{.*}}) : (tensor<2x?xi1>, tensor<2x?xi1>) -> tensor<2x?xi1>
  %10 = "graph.xor"(%b, %b) : (tensor<2x?xi1>, tensor<2x?xi1>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.bitwise_and"(%{{.*}}, %{{.*}}) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  %11 = "graph.bitwise_and"(%i, %i) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  // CHECK-NEXT: %{{.*}} = "graph.bitwise_or"(%{{.*}}, %{{.*}}) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  %12 = "graph.bitwise_or"(%i, %i) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  // CHECK-NEXT: %{{.*}} = "graph.bitwise_xor"(%{{.*}}, %{{.*}}) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  %13 = "graph.bitwise_xor"(%i, %i) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  // CHECK-NEXT: %{{.*}} = "graph.shift_left"(%{{.*}}, %{{.*}}) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  %14 = "graph.shift_left"(%i, %i) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  // CHECK-NEXT: %{{.*}} = "graph.shift_right"(%{{.*}}, %{{.*}}) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  %15 = "graph.shift_right"(%i, %i) : (tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>
  // CHECK-NEXT: %{{.*}} = "graph.equal"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xi1>
  %16 = "graph.equal"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.less"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xi1>
  %17 = "graph.less"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.less_equal"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xi1>
  %18 = "graph.less_equal"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.greater"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xi1>
  %19 = "graph.greater"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.greater_equal"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xi1>
  %20 = "graph.greater_equal"(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.mod"(%{{.*}}, %{{.*}}) {fmod = true} : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %21 = "graph.mod"(%x, %x) {fmod = true} : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.add"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %22 = "graph.add"(%x, %row) : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %{{.*}} = "graph.add"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<1x1xf32>) -> tensor<2x?xf32>
  %23 = "graph.add"(%x, %one) : (tensor<2x?xf32>, tensor<1x1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.add"(%{{.*}}, %{{.*}}) : (tensor<4x1x1xf32>, tensor<2x?xf32>) -> tensor<4x2x?xf32>
  %24 = "graph.add"(%u, %x) : (tensor<4x1x1xf32>, tensor<2x?xf32>) -> tensor<4x2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.mul"(%{{.*}}, %{{.*}}) : (tensor<f32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %25 = "graph.mul"(%s, %x) : (tensor<f32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.prelu"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x?xf32>
  %26 = "graph.prelu"(%x, %row) : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.prelu"(%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32>
  %27 = "graph.prelu"(%x, %s) : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.where"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x?xi1>, tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %28 = "graph.where"(%b, %x, %row) : (tensor<2x?xi1>, tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %{{.*}} = "graph.where"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x?xi1>, tensor<4x1x1xf32>, tensor<f32>) -> tensor<4x2x?xf32>
  %29 = "graph.where"(%b, %u, %s) : (tensor<2x?xi1>, tensor<4x1x1xf32>, tensor<f32>) -> tensor<4x2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.equal"(%{{.*}}, %{{.*}}) : (tensor<2x?xi1>, tensor<2x?xi1>) -> tensor<2x?xi1>
  %30 = "graph.equal"(%b, %b) : (tensor<2x?xi1>, tensor<2x?xi1>) -> tensor<2x?xi1>
  return
}
