"""Functions of the processor for the plan `host_calls`."""

from objects import compile_ir, pointers

CODE = compile_ir(
    """
declare void @mlc_kmpc_fork_call(ptr, i32, ptr, ...)

define internal void @add_one(ptr %gtid, ptr %btid, ptr %out) {
  %ignored = atomicrmw add ptr %out, i64 1 seq_cst
  ret void
}

define void @count(ptr %buffers, ptr %dims) {
N
  store i64 0, ptr %n
  call void (ptr, i32, ptr, ...) @mlc_kmpc_fork_call(ptr null, i32 1, ptr @add_one, ptr %n)
  ret void
}

define void @reverse(ptr %buffers, ptr %dims) {
entry:
XWZ
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %last = sub i64 7, %i
  %xi = getelementptr float, ptr %x, i64 %last
  %wi = getelementptr float, ptr %w, i64 %i
  %zi = getelementptr float, ptr %z, i64 %i
  %xv = load float, ptr %xi
  %wv = load float, ptr %wi
  %sum = fadd float %xv, %wv
  store float %sum, ptr %zi
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, 8
  br i1 %again, label %loop, label %end
end:
  ret void
}
""".replace("XWZ", pointers("x", "w", "z")).replace("N\n", pointers("n") + "\n")
)
