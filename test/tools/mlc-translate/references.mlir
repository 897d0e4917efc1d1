// RUN: rm -rf %t && mkdir -p %t/sub
// RUN: %python %S/Inputs/make_model.py dense %t/dense.onnx
// RUN: %python %S/Inputs/make_model.py varint_weight %t/unpacked.onnx

// Equal weights share one reference; the file is below the output's folder.
// RUN: mlc-translate --import-onnx %t/dense.onnx -o %t/dense.mlir
// RUN: filecheck %s --input-file=%t/dense.mlir --check-prefix=SHARED
// SHARED: tensor<?x32xf32>
// SHARED: hash = "[[HASH:[0-9a-f]+]]", offset = [[OFFSET:[0-9]+]] : i64, size = 4096 : i64, source = "dense.onnx"
// SHARED: "graph.transpose"
// SHARED: "graph.matmul"
// SHARED: hash = "[[HASH]]", offset = [[OFFSET]] : i64, size = 4096 : i64, source = "dense.onnx"

// The file is elsewhere, or there is none: the bytes go beside the output.
// RUN: mlc-translate --import-onnx %t/dense.onnx -o %t/sub/dense.mlir
// RUN: filecheck %s --input-file=%t/sub/dense.mlir --check-prefix=BESIDE
// RUN: mlc-translate --import-onnx -o %t/sub/stdin.mlir < %t/dense.onnx
// RUN: filecheck %s --input-file=%t/sub/stdin.mlir --check-prefix=BESIDE
// RUN: mlc-translate --import-onnx %t/unpacked.onnx -o %t/unpacked.mlir
// RUN: filecheck %s --input-file=%t/unpacked.mlir --check-prefix=BESIDE
// BESIDE: source = "{{[a-z]+}}.weights.safetensors"

// What was written parses again.
// RUN: mlc-opt %t/sub/dense.mlir | filecheck %s --check-prefix=AGAIN
// AGAIN: "graph.weight"
