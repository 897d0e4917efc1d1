// RUN: not mlc-reduce %s --test-command="grep -q absent-%%s" -o %t 2>&1 | filecheck %s --check-prefix=DULL
// RUN: not mlc-reduce %s 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not mlc-reduce %s --test=%S/Inputs/none.sh 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not mlc-reduce %s --test=%S/Inputs/not-executable.sh 2>&1 | filecheck %s --check-prefix=EXECUTABLE
// RUN: not mlc-reduce %s --reduction-tree="traversal-mode=0 test=x" 2>&1 | filecheck %s --check-prefix=TREE
// RUN: not mlc-reduce %s --tset=true 2>&1 | filecheck %s --check-prefix=TYPO
// RUN: not mlc-reduce %s --test=true --jobs=many 2>&1 | filecheck %s --check-prefix=NUMBER
// RUN: not mlc-reduce %s --test=true --jobs=0 2>&1 | filecheck %s --check-prefix=JOBS
// RUN: not mlc-reduce %s --test=true --timeout=-1 2>&1 | filecheck %s --check-prefix=TIMEOUT
// RUN: not mlc-reduce %s --test=true --expect-stderr="(" 2>&1 | filecheck %s --check-prefix=REGEX
// RUN: not mlc-reduce %s --test-command="grep -q x %%s | cat" 2>&1 | filecheck %s --check-prefix=SHELL
// RUN: not mlc-reduce %s --test=true -o %t/none/out.mlir 2>&1 | filecheck %s --check-prefix=OUTPUT
// RUN: not mlc-reduce %S/Inputs/none.mlir --test=true 2>&1 | filecheck %s --check-prefix=INPUT

// SHELL: mlc-reduce: error: no shell runs --test-command: put what needs '|' into a script for --test
// OUTPUT-NOT: {{[0-9]+}} tests
// OUTPUT: mlc-reduce: error: {{.*}}out.mlir: No such file or directory
// OUTPUT-NOT: {{[0-9]+}} tests
// INPUT: mlc-reduce: error: {{.*}}none.mlir: No such file or directory
// DULL: mlc-reduce: error: {{.*}}usage.mlir is not interesting: the test ended with
// NONE: mlc-reduce: error: either --test=<program> or --test-command=<command> is needed
// MISSING: mlc-reduce: error: the test '{{.*}}none.sh' is not there
// EXECUTABLE: mlc-reduce: error: the test '{{.*}}not-executable.sh' is not executable
// TREE: mlc-reduce: error: --reduction-tree is not supported: mlc-reduce tries all of its edits
// TYPO: mlc-reduce: error: unknown argument '--tset=true'; did you mean --text or --test
// JOBS: mlc-reduce: error: --jobs needs an integer from 1, not '0'
// TIMEOUT: mlc-reduce: error: --timeout needs a number of seconds, not '-1'
// NUMBER: mlc-reduce: error: --jobs needs an integer from 1, not 'many'
// REGEX: mlc-reduce: error: --expect-stderr is not a regular expression
