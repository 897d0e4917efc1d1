func.func private @f() loc("a")
