"""Entries whose sizes are known only when they are called, as LLVM IR, with their manifests."""

from typing import Any

from objects import TARGET

from mlc.runtime import Executable

_FUNCTIONS = """
declare ptr @mlc_host_allocate(i64)
declare void @mlc_host_release(ptr)
declare ptr @mlc_host_output(i64, i64, ptr, i64)
declare void @mlc_host_mismatch(i64, i64, i64)
declare void @mlc_host_fail(i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""

# z = x above y, through allocated memory, and n = the number of elements of x.
STACK = (
    _FUNCTIONS
    + """
define void @mlc_main(ptr %buffers, ptr %dims) {
  %sizes = alloca [2 x i64]
  %p1 = getelementptr ptr, ptr %buffers, i64 1
  %x = load ptr, ptr %buffers
  %y = load ptr, ptr %p1
  %d1 = getelementptr i64, ptr %dims, i64 1
  %batch = load i64, ptr %dims
  %seq = load i64, ptr %d1
  %n = mul i64 %batch, %seq
  %bytes = mul i64 %n, 4
  %both = mul i64 %bytes, 2
  %temporary = call ptr @mlc_host_allocate(i64 %both)
  call void @llvm.memcpy.p0.p0.i64(ptr %temporary, ptr %x, i64 %bytes, i1 false)
  %second = getelementptr i8, ptr %temporary, i64 %bytes
  call void @llvm.memcpy.p0.p0.i64(ptr %second, ptr %y, i64 %bytes, i1 false)
  %count = call ptr @mlc_host_output(i64 1, i64 0, ptr null, i64 8)
  store i64 %n, ptr %count
  %rows = mul i64 %batch, 2
  %s1 = getelementptr i64, ptr %sizes, i64 1
  store i64 %rows, ptr %sizes
  store i64 %seq, ptr %s1
  %z = call ptr @mlc_host_output(i64 0, i64 2, ptr %sizes, i64 %both)
  call void @llvm.memcpy.p0.p0.i64(ptr %z, ptr %temporary, i64 %both, i1 false)
  call void @mlc_host_release(ptr %temporary)
  ret void
}
"""
)
STACK_MANIFEST: dict[str, Any] = {
    "format": 2,
    "compiler": "test",
    "target": TARGET,
    "report": {},
    "entry": "mlc_main",
    "inputs": [
        {"name": "x", "dtype": "float32", "shape": ["batch", "seq"]},
        {"name": "y", "dtype": "float32", "shape": ["batch", "seq"]},
    ],
    "outputs": [
        {"name": "z", "dtype": "float32", "shape": ["2*batch", "seq"]},
        {"name": "n", "dtype": "int64", "shape": []},
    ],
    "dims": [{"name": "batch", "least": 1, "most": None}, {"name": "seq", "least": 0, "most": 512}],
    "messages": [],
    "weights": [],
    "arena_bytes": 0,
}

# Does the steps that an input lists, each (what, a, b): 0 allocates a bytes, 1 releases the memory of step a,
# 2 fails with message a, 3 expects a == b with message 0, 4 gives output a to b elements, 5 writes a bytes of
# the number of the step to its memory, of step b. The output holds the address of each step's memory.
SCRIPT = (
    _FUNCTIONS
    + """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define void @mlc_main(ptr %buffers, ptr %dims) {
entry:
  %size = alloca i64
  %steps = load ptr, ptr %buffers
  %count = load i64, ptr %dims
  %bytes = mul i64 %count, 8
  %result = call ptr @mlc_host_output(i64 0, i64 1, ptr %dims, i64 %bytes)
  br label %check
check:
  %i = phi i64 [0, %entry], [%next, %done]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %step, label %exit
step:
  %at = mul i64 %i, 3
  %opcode.p = getelementptr i64, ptr %steps, i64 %at
  %a.p = getelementptr i64, ptr %opcode.p, i64 1
  %b.p = getelementptr i64, ptr %opcode.p, i64 2
  %opcode = load i64, ptr %opcode.p
  %a = load i64, ptr %a.p
  %b = load i64, ptr %b.p
  %slot = getelementptr ptr, ptr %result, i64 %i
  store ptr null, ptr %slot
  switch i64 %opcode, label %done [ i64 0, label %allocate
                                  i64 1, label %release
                                  i64 2, label %fail
                                  i64 3, label %expect
                                  i64 4, label %output
                                  i64 5, label %write ]
allocate:
  %new = call ptr @mlc_host_allocate(i64 %a)
  store ptr %new, ptr %slot
  br label %done
release:
  %slot.a = getelementptr ptr, ptr %result, i64 %a
  %old = load ptr, ptr %slot.a
  call void @mlc_host_release(ptr %old)
  br label %done
fail:
  call void @mlc_host_fail(i64 %a)
  unreachable
expect:
  %equal = icmp eq i64 %a, %b
  br i1 %equal, label %done, label %mismatch
mismatch:
  call void @mlc_host_mismatch(i64 %a, i64 %b, i64 0)
  unreachable
output:
  store i64 %b, ptr %size
  %b.bytes = mul i64 %b, 8
  %again = call ptr @mlc_host_output(i64 %a, i64 1, ptr %size, i64 %b.bytes)
  br label %done
write:
  %slot.b = getelementptr ptr, ptr %result, i64 %b
  %memory = load ptr, ptr %slot.b
  %byte = trunc i64 %i to i8
  call void @llvm.memset.p0.i64(ptr %memory, i8 %byte, i64 %a, i1 false)
  br label %done
done:
  %next = add i64 %i, 1
  br label %check
exit:
  ret void
}
"""
)
SCRIPT_MANIFEST: dict[str, Any] = {
    "format": 2,
    "compiler": "test",
    "target": TARGET,
    "report": {},
    "entry": "mlc_main",
    "inputs": [{"name": "steps", "dtype": "int64", "shape": ["n", 3]}],
    "outputs": [{"name": "memory", "dtype": "int64", "shape": ["n"]}],
    "dims": [{"name": "n", "least": 0, "most": None}],
    "messages": ["matmul 'n3': inner dims must be equal", "gather: an index is out of bounds"],
    "weights": [],
    "arena_bytes": 0,
}
ALLOCATE, RELEASE, FAIL, EXPECT, OUTPUT, WRITE = range(6)


def make_executable(compile_ir: Any, code: str, manifest: dict[str, Any]) -> Executable:
    """Makes a program of one thread."""
    return Executable(manifest, [compile_ir(code)], {}, threads=1)
