// RUN: %python %S/Inputs/make_model.py unsupported_operators %t.unsupported.onnx
// RUN: %python %S/Inputs/make_model.py escape %t.escape.onnx
// RUN: %python %S/Inputs/make_model.py block %t.block.onnx
// RUN: head -c 1000 %t.block.onnx > %t.half.onnx
// RUN: not mlc-translate --import-onnx %t.unsupported.onnx 2>&1 | filecheck %s --check-prefix=ALL
// RUN: not mlc-translate --import-onnx %t.escape.onnx 2>&1 | filecheck %s --check-prefix=ESCAPE
// RUN: not mlc-translate --import-onnx %t.half.onnx 2>&1 | filecheck %s --check-prefix=HALF
// RUN: not mlc-translate --import-onnx %t.nothing.onnx 2>&1 | filecheck %s --check-prefix=NOTHING

// Everything that is not supported is named at once.
// ALL: mlc-translate: error: {{.*}}.unsupported.onnx: 4 nodes cannot be imported:
// ALL-NEXT: com.acme.Fourier (a domain that the model does not import): the operator is not supported: nodes 'f1', 'f2'
// ALL-NEXT: ImageDecoder (opset 17): the operator is not supported: node 'ImageDecoder:d'
// ALL-NEXT: Wavelet (opset 17): the operator is not supported: node 'w'

// ESCAPE: mlc-translate: error: {{.*}}.escape.onnx: tensor 'w': '../../etc/passwd' leaves the model's folder ('..')
// HALF: mlc-translate: error: {{.*}}.half.onnx: not a valid ONNX model: at byte {{[0-9]+}}: a field of {{[0-9]+}} bytes reaches beyond the end at byte 1000
// NOTHING: mlc-translate: error: '{{.*}}.nothing.onnx' cannot be opened: No such file or directory
