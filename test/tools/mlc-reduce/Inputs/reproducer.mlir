func.func @f() {
  return
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(cse,func.func(canonicalize{top-down=false},no-such-pass{a=1 b=2 c={x y}}),symbol-dce)",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
