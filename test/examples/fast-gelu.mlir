// RUN: mlc-opt --load-plugin=%S/../../examples/fast_gelu.py --fast-gelu %S/../../examples/gelu.mlir | filecheck %s --check-prefix=ALL
// RUN: mlc-opt --load-plugin=%S/../../examples/fast_gelu.py --fast-gelu="min-elements=16" %S/../../examples/gelu.mlir | filecheck %s --check-prefix=LARGE

// ALL-LABEL: func.func @large
// ALL: "graph.gelu"(%{{.*}}) {approximate = "tanh"}
// ALL-LABEL: func.func @small
// ALL: "graph.gelu"(%{{.*}}) {approximate = "tanh"}

// LARGE-LABEL: func.func @large
// LARGE: "graph.gelu"(%{{.*}}) {approximate = "tanh"}
// LARGE-LABEL: func.func @small
// LARGE: "graph.gelu"(%{{.*}}) {approximate = "none"}
