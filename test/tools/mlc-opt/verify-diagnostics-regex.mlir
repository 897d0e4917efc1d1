// An invalid regular expression is an error with LLVM's words.

// RUN: not mlc-opt %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s

// CHECK: found start of regex with no end '}}'
// expected-error-re {{op {{[0-9]+}}

// -----

// CHECK: invalid regex: parentheses not balanced
// expected-error-re {{op {{([0-9]+}}}}

// -----

// CHECK: invalid regex: repetition-operator operand invalid
// expected-error-re {{op {{*}} here}}
