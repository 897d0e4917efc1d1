// RUN: not mlc-opt %s --canonicalize="max-iterations=x" 2>&1 | filecheck %s --check-prefix=NUMBER
// RUN: not mlc-opt %s --cse="foo=1" 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not mlc-opt %s --inline="op-pipelines=func.func(cse" 2>&1 | filecheck %s --check-prefix=NESTED
// RUN: not mlc-opt %s --pass-pipeline= 2>&1 | filecheck %s --check-prefix=EMPTY
// RUN: not mlc-opt %s --pass-pipeline="cse" 2>&1 | filecheck %s --check-prefix=ANCHOR

// What the option parser of LLVM says is part of the one message.
// NUMBER: {{^}}mlc-opt: error: pass 'canonicalize': for the --max-iterations option: 'x' value invalid for long argument; its options with their defaults:
// NONE: {{^}}mlc-opt: error: pass 'cse': no such option foo; no options of it are known (upstream's bindings do not show options that are lists)
// NESTED: {{^}}mlc-opt: error: pass 'inline': expected pass pipeline to be wrapped with the anchor operation type
// EMPTY: {{^}}mlc-opt: error: the pipeline is empty; expected one with an anchor, such as 'builtin.module(...)'
// ANCHOR: {{^}}mlc-opt: error: expected a pipeline with an anchor, such as 'builtin.module(...)'
func.func @f() {
  return
}
