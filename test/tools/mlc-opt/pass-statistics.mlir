// RUN: mlc-opt %s --load-plugin=%S/Inputs/counting.py --pass-pipeline="builtin.module(func.func(test-count,cse,test-count),graph-simplify)" --mlir-pass-statistics -o \
// RUN:   /dev/null 2>&1 \
// RUN:   | filecheck %s --strict-whitespace --check-prefix=PIPELINE
// RUN: mlc-opt %s --load-plugin=%S/Inputs/counting.py --test-count --graph-simplify --test-count --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null \
// RUN:   2>&1 \
// RUN:   | filecheck %s --strict-whitespace --check-prefix=LIST
// RUN: mlc-opt %s --cse -o /dev/null 2>&1 | filecheck %s --check-prefix=OFF --allow-empty
// RUN: not mlc-opt %s --mlir-pass-statistics-display=tree 2>&1 | filecheck %s --check-prefix=BAD

// PIPELINE: {{^}}                         ... Pass statistics report ...{{$}}
// PIPELINE: {{^}}'func.func' Pipeline
// PIPELINE-NEXT: {{^}}  CountOps{{$}}
// PIPELINE-NEXT: {{^}}    (S) 11 num-ops     - Number of ops{{$}}
// PIPELINE-NEXT: {{^}}    (S)  2 num-returns - Number of ops that return{{$}}
// PIPELINE-NEXT: {{^}}  CSEPass{{$}}
// PIPELINE-NEXT: {{^}}  CountOps{{$}}
// PIPELINE-NEXT: {{^}}    (S) 8 num-ops     - Number of ops{{$}}
// PIPELINE-NEXT: {{^}}    (S) 2 num-returns - Number of ops that return{{$}}
// PIPELINE-NEXT: {{^}}Simplify{{$}}
// PIPELINE-NEXT: {{^}}  (S) 2 graph.simplify.copy_rules.same - rewrites by this pattern{{$}}

// LIST: {{^}}  CountOps{{$}}
// LIST-NEXT: {{^}}    (S) 18 num-ops     - Number of ops{{$}}
// LIST-NEXT: {{^}}    (S)  4 num-returns - Number of ops that return{{$}}
// LIST-NEXT: {{^}}  Simplify{{$}}
// LIST-NEXT: {{^}}    (S) 4 graph.simplify.copy_rules.same - rewrites by this pattern{{$}}
// LIST-NOT: CountOps

// OFF-NOT: statistics
// BAD: --mlir-pass-statistics-display must be one of pipeline, list, not 'tree'
func.func @f(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = "graph.identity"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "graph.identity"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "graph.neg"(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = "graph.abs"(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %2, %3 : tensor<2xf32>, tensor<2xf32>
}
func.func @g(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = "graph.identity"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "graph.identity"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "graph.neg"(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = "graph.abs"(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %4 = "graph.abs"(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %2, %3 : tensor<2xf32>, tensor<2xf32>
}
