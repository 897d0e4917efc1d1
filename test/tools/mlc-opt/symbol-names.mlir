// Names of symbols that are not UTF-8, and attributes of other types with the same names, harm nobody.
// RUN: not mlc-opt %s --allow-unregistered-dialect --load-plugin=%S/Inputs/plugin.py --pass-pipeline="builtin.module(func.func(test-fail))" 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not mlc-opt %s --allow-unregistered-dialect --pass-pipeline="builtin.module(no.symbol(cse))" 2>&1 | filecheck %s --check-prefix=KIND

// NAME: pass 'test-fail' failed on 'func.func' operation: @\xffx
// KIND: pass 'cse' failed on 'no.symbol' operation{{$}}
func.func @"\FFx"(%a: i32) { return }
"no.symbol"() ({}) {sym_name = 3 : i32} : () -> ()
