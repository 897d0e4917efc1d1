// RUN: mlc-translate --help | filecheck %s --check-prefix=HELP
// RUN: not mlc-translate 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not mlc-translate --import-onnx --mlir-to-obj 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not mlc-translate --import-onxn x 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not mlc-translate --import-onnx a b 2>&1 | filecheck %s --check-prefix=TWO
// RUN: not mlc-translate --import-onnx --dim batch a 2>&1 | filecheck %s --check-prefix=DIM
// RUN: not mlc-translate --import-onnx --shape x=1y2 a 2>&1 | filecheck %s --check-prefix=SHAPE
// RUN: sh -c 'mlc-translate --bad 2> /dev/null; test $? -eq 2'
// RUN: sh -c 'mlc-translate --import-onnx %t.no.onnx 2> /dev/null; test $? -eq 1'

// HELP: USAGE: mlc-translate
// HELP: --import-onnx
// NONE: mlc-translate: error: exactly one translation must be given
// UNKNOWN: mlc-translate: error: unknown argument '--import-onxn'; did you mean --import-onnx?
// TWO: mlc-translate: error: one input file at most, but got a, b
// DIM: mlc-translate: error: --dim=batch: expected name=number
// SHAPE: mlc-translate: error: --shape=x=1y2: expected input:dims
