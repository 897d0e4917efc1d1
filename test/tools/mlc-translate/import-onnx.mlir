// RUN: %python %S/Inputs/make_model.py block %t.onnx
// RUN: mlc-translate --import-onnx %t.onnx | filecheck %s
// RUN: mlc-translate --import-onnx < %t.onnx 2>&1 | filecheck %s --check-prefix=STDIN
// RUN: mlc-translate --import-onnx %t.onnx --mlir-print-debuginfo | filecheck %s --check-prefix=LOC

// Convolution and bias are two ops; weights over 1 KiB are references; small ones are constants.
// CHECK: func.func @main(%arg0: tensor<1x16x8x8xf32> {graph.name = "x"}) -> (tensor<1x16x8x8xf32> {graph.name = "y"})
// CHECK: %[[W:.*]] = "graph.weight"() {hash = "{{[0-9a-f]+}}", offset = {{[0-9]+}} : i64, size = 9216 : i64, source = "{{.*}}.onnx"}
// CHECK: %[[C:.*]] = "graph.conv"(%arg0, %[[W]]) {{.*}}pads = array<i64: 1, 1, 1, 1>
// CHECK: %[[R:.*]] = "graph.constant"() {{.*}}: tensor<16x1x1xf32>
// CHECK: %[[B:.*]] = "graph.add"(%[[C]], %[[R]])
// CHECK: %[[N:.*]] = "graph.batch_norm"(%[[B]],
// CHECK: %[[A:.*]] = "graph.add"(%[[N]], %arg0)
// CHECK: %[[Y:.*]] = "graph.relu"(%[[A]])
// CHECK: return %[[Y]]

// STDIN: warning: 1 weights are in no file and are not written
// STDIN: source = "inline"

// Ops carry the names of their nodes; a node without a name is called after its operator and first output.
// LOC-DAG: loc("conv1")
// LOC-DAG: loc("bn1")
// LOC-DAG: loc("skip")
// LOC-DAG: loc("Relu:y")
