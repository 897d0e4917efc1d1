// RUN: %python %S/Inputs/make_model.py dense %t.onnx
// RUN: mlc-translate --import-onnx --dim batch=4 %t.onnx | filecheck %s --check-prefix=FIXED
// RUN: mlc-translate --import-onnx --shape=x:5x32 %t.onnx | filecheck %s --check-prefix=SHAPE
// RUN: mlc-translate --import-onnx --shape=x=?x32 %t.onnx | filecheck %s --check-prefix=KEPT
// RUN: not mlc-translate --import-onnx --dim seq=4 %t.onnx 2>&1 | filecheck %s --check-prefix=NO-DIM
// RUN: not mlc-translate --import-onnx --shape z=4 %t.onnx 2>&1 | filecheck %s --check-prefix=NO-INPUT
// RUN: not mlc-translate --import-onnx --shape x=4x31 %t.onnx 2>&1 | filecheck %s --check-prefix=CONFLICT
// RUN: not mlc-translate --import-onnx --shape x=4 %t.onnx 2>&1 | filecheck %s --check-prefix=RANK
// RUN: not mlc-translate --import-onnx --dim batch=9223372036854775808 %t.onnx 2>&1 | filecheck %s --check-prefix=SIZE
// RUN: not mlc-translate --import-onnx --import-budget elements=1000 --dim batch=4 %t.onnx 2>&1 | filecheck %s --check-prefix=BUDGET
// RUN: mlc-translate --import-onnx --import-budget elements=1024 --dim batch=4 %t.onnx | filecheck %s --check-prefix=FIXED
// RUN: not mlc-translate --import-onnx --import-budget element=1 %t.onnx 2>&1 | filecheck %s --check-prefix=LIMIT

// FIXED: tensor<4x32xf32>
// SHAPE: tensor<5x32xf32>
// KEPT: tensor<?x32xf32>
// NO-DIM: mlc-translate: error: {{.*}}.onnx: --dim seq: the model has no dynamic dim 'seq' (it has: 'batch')
// NO-INPUT: mlc-translate: error: {{.*}}.onnx: --shape z: the model has no input 'z' (it has: 'x')
// CONFLICT: mlc-translate: error: {{.*}}.onnx: --shape x:4x31: the model fixes dim 1 to 32
// RANK: mlc-translate: error: {{.*}}.onnx: --shape x:4: the input has rank 2
// SIZE: mlc-translate: error: {{.*}}.onnx: --dim batch: 9223372036854775808 is no size: an integer from 0 to 2^63 - 1
// BUDGET: mlc-translate: error: {{.*}}.onnx: node {{.*}}: a value has 1024 elements, more than the import budget of 1000 (--import-budget elements=N raises it)
// LIMIT: mlc-translate: error: the import budget has no limit 'element', but nodes, constant_bytes, elements, seconds
