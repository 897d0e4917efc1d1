"""Loops with the dynamic schedule, as OpenMPIRBuilder's code asks for them."""

from collections.abc import Callable

import numpy as np
import pytest

from mlc.runtime._native import Image, call_entry

# `repeats` loops in one region, without barriers: out[i] += i + 1 for i in [0, trip), atomically, as threads
# may be in different loops. @share calls `work` for parts of one loop, while there are any.
LOOPS = """
declare void @mlc_kmpc_fork_call(ptr, i32, ptr, ...)
declare i32 @mlc_kmpc_global_thread_num(ptr)
declare void @mlc_kmpc_dispatch_init_SUFFIX(ptr, i32, i32, TYPE, TYPE, TYPE, TYPE)
declare i32 @mlc_kmpc_dispatch_next_SUFFIX(ptr, i32, ptr, ptr, ptr, ptr)

define internal void @add(ptr %out, TYPE %from, TYPE %to) {
entry:
  br label %body
body:
  %i = phi TYPE [%from, %entry], [%next, %body]
  %index = sub TYPE %i, 1
  %address = getelementptr TYPE, ptr %out, TYPE %index
  %old = atomicrmw add ptr %address, TYPE %i monotonic
  %next = add TYPE %i, 1
  %more = icmp ule TYPE %next, %to
  br i1 %more, label %body, label %exit
exit:
  ret void
}

define internal void @share(i32 %id, TYPE %trip, ptr %work, ptr %out) {
  %last = alloca i32
  %lower = alloca TYPE
  %upper = alloca TYPE
  %stride = alloca TYPE
  call void @mlc_kmpc_dispatch_init_SUFFIX(ptr null, i32 %id, i32 35, TYPE 1, TYPE %trip, TYPE 1, TYPE 1)
  br label %take
take:
  %some = call i32 @mlc_kmpc_dispatch_next_SUFFIX(ptr null, i32 %id, ptr %last, ptr %lower, ptr %upper,
                                                  ptr %stride)
  %taken = icmp ne i32 %some, 0
  br i1 %taken, label %part, label %exit
part:
  %low = load TYPE, ptr %lower
  %high = load TYPE, ptr %upper
  call void %work(ptr %out, TYPE %low, TYPE %high)
  br label %take
exit:
  ret void
}

define internal void @inside(ptr %gtid, ptr %btid, ptr %out, ptr %trip, ptr %repeats) {
entry:
  %id = call i32 @mlc_kmpc_global_thread_num(ptr null)
  %max = load TYPE, ptr %trip
  %count = load TYPE, ptr %repeats
  br label %loop
loop:
  %r = phi TYPE [0, %entry], [%r.next, %loop]
  call void @share(i32 %id, TYPE %max, ptr @WORK, ptr %out)
  %r.next = add TYPE %r, 1
  %again = icmp ult TYPE %r.next, %count
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

define void @loops(ptr %buffers, ptr %dims) {
  %out = load ptr, ptr %buffers
  %second = getelementptr ptr, ptr %buffers, i64 1
  %trip = load ptr, ptr %second
  %third = getelementptr ptr, ptr %buffers, i64 2
  %repeats = load ptr, ptr %third
  call void (ptr, i32, ptr, ...) @mlc_kmpc_fork_call(ptr null, i32 3, ptr @inside, ptr %out, ptr %trip,
                                                   ptr %repeats)
  ret void
}
"""
# Each part does its work in a region inside the region, as a loop of one iteration: out[0] += 1.
NESTED = """
define internal void @once(ptr %gtid, ptr %btid, ptr %out) {
  call void @share(i32 0, TYPE 1, ptr @add, ptr %out)
  ret void
}

define internal void @within(ptr %out, TYPE %from, TYPE %to) {
  call void (ptr, i32, ptr, ...) @mlc_kmpc_fork_call(ptr null, i32 1, ptr @once, ptr %out)
  %next = getelementptr TYPE, ptr %out, i64 1
  call void @add(ptr %next, TYPE %from, TYPE %to)
  ret void
}
"""
TYPES = {"4u": ("i32", np.uint32), "8u": ("i64", np.uint64)}


def image_of(compile_ir: Callable[..., bytes], suffix: str, text: str, work: str) -> Image:
    text = text.replace("WORK", work).replace("SUFFIX", suffix).replace("TYPE", TYPES[suffix][0])
    return Image([compile_ir(text)])


@pytest.mark.parametrize("suffix", TYPES)
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_each_iteration_runs_once(compile_ir: Callable[..., bytes], suffix: str, threads: int) -> None:
    image, dtype = image_of(compile_ir, suffix, LOOPS, "add"), TYPES[suffix][1]
    for trip in (0, 1, 2, 3, 7, 8, 100, 1000):
        for repeats in (1, 2, 40):
            out = np.zeros(trip + 1, dtype)
            call_entry(
                image, "loops", [out, np.array([trip], dtype), np.array([repeats], dtype)], [], threads
            )
            np.testing.assert_array_equal(out[:-1], repeats * (np.arange(trip) + 1))
            assert out[-1] == 0


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_region_inside_leaves_the_loop_as_it_was(compile_ir: Callable[..., bytes], threads: int) -> None:
    image = image_of(compile_ir, "8u", LOOPS + NESTED, "within")
    out = np.zeros(102, np.uint64)
    call_entry(image, "loops", [out, np.array([100], np.uint64), np.array([20], np.uint64)], [], threads)
    np.testing.assert_array_equal(out[1:-1], 20 * (np.arange(100) + 1))
    # One per part that a thread took: a thread alone takes each loop at once.
    assert out[0] == 20 if threads == 1 else out[0] >= 20
