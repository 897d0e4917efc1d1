// RUN: mlc-opt %s --pass-pipeline="builtin.module(canonicalize,func.func(cse,sccp,cse),builtin.module(func.func(cse)))" --mlir-timing -o /dev/null 2>&1 \
// RUN:   | filecheck %s --check-prefix=TREE --strict-whitespace
// RUN: mlc-opt %s --cse --symbol-dce --cse --mlir-timing --mlir-timing-display=list -o /dev/null 2>&1 | filecheck %s --check-prefix=LIST
// RUN: mlc-opt %s --split-input-file --cse --mlir-timing -o /dev/null 2>&1 | filecheck %s --check-prefix=SPLIT
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(cse))" --mlir-timing --mlir-output-format=json -o /dev/null 2>&1 | filecheck %s --check-prefix=JSON
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(cse))" --mlir-timing --mlir-output-format=json -o /dev/null 2>&1 | %python -m json.tool
// RUN: not mlc-opt %s --mlir-timing-display=wide 2>&1 | filecheck %s --check-prefix=DISPLAY
// RUN: not mlc-opt %s --mlir-timing --mlir-output-format=xml 2>&1 | filecheck %s --check-prefix=FORMAT

// TREE: {{^}}===-------------------------------------------------------------------------==={{$}}
// TREE-NEXT: {{^}}                         ... Execution time report ...{{$}}
// TREE-NEXT: {{^}}===-------------------------------------------------------------------------==={{$}}
// TREE-NEXT: {{^}}  Total Execution Time: {{[0-9.]+}} seconds{{$}}
// TREE: {{^}}  ----Wall Time----  ----Name----{{$}}
// TREE-NEXT: {{^  +[0-9]+\.[0-9]{4} \( *[0-9]+\.[0-9]%\)  Parser$}}
// TREE-NEXT: {{%\)  CanonicalizerPass$}}
// TREE-NEXT: {{%\)  'func.func' Pipeline$}}
// TREE-NEXT: {{%\)    CSEPass$}}
// TREE-NEXT: {{%\)    SCCPPass$}}
// TREE-NEXT: {{%\)    CSEPass$}}
// TREE-NEXT: {{%\)  'builtin.module' Pipeline$}}
// TREE-NEXT: {{%\)    'func.func' Pipeline$}}
// TREE-NEXT: {{%\)      CSEPass$}}
// TREE-NEXT: {{%\)  Output$}}
// TREE-NEXT: {{%\)  Rest$}}
// TREE-NEXT: {{\(100.0%\)  Total$}}

// LIST: ----Wall Time---- ----Name----
// LIST-NEXT: (100.0%) root
// LIST: %) CSEPass
// LIST-NOT: CSEPass
// LIST: %) Rest
// LIST-NEXT: (100.0%) Total

// SPLIT: %) CSEPass
// SPLIT-NOT: CSEPass
// SPLIT: %) Rest
// SPLIT-NEXT: Total
// SPLIT-NOT: Total

// JSON: [
// JSON-NEXT: {"wall": {"duration": {{.*}}, "percentage": {{.*}}}, "name": "Parser", "passes": [
// JSON-NEXT: {}]},
// JSON-NEXT: "name": "'func.func' Pipeline", "passes": [
// JSON-NEXT: "name": "CSEPass", "passes": [
// JSON-NEXT: {}]},
// JSON-NEXT: {}]},
// JSON-NEXT: "name": "Output", "passes": [
// JSON-NEXT: {}]},
// JSON-NEXT: "name": "Rest"},
// JSON-NEXT: "percentage": 100.0}, "name": "Total"}
// JSON-NEXT: ]

// DISPLAY: --mlir-timing-display must be one of tree, list, not 'wide'
// FORMAT: --mlir-output-format must be one of text, json, not 'xml'
func.func @f() { return }
module @inner { func.func @h() { return } }
// -----
func.func @g() { return }
