"""Parallel regions: what OpenMPIRBuilder's code asks of the runtime."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mlc.runtime._native import Image, call_entry

# The shape of the code that LLVM emits for a statically scheduled loop: out[i] += i + 1 for i in [0, trip).
LOOP = """
declare void @mlc_kmpc_fork_call(ptr, i32, ptr, ...)
declare i32 @mlc_kmpc_global_thread_num(ptr)
declare void @mlc_kmpc_barrier(ptr, i32)
declare void @mlc_kmpc_for_static_init_8u(ptr, i32, i32, ptr, ptr, ptr, ptr, i64, i64)
declare void @mlc_kmpc_for_static_fini(ptr, i32)

define internal void @region(ptr %gtid, ptr %btid, ptr %context) {
entry:
  %last = alloca i32
  %lower = alloca i64
  %upper = alloca i64
  %stride = alloca i64
  %out = load ptr, ptr %context
  %field = getelementptr ptr, ptr %context, i64 1
  %trip = load i64, ptr %field
  %max = sub i64 %trip, 1
  store i64 0, ptr %lower
  store i64 %max, ptr %upper
  store i64 1, ptr %stride
  %id = call i32 @mlc_kmpc_global_thread_num(ptr null)
  call void @mlc_kmpc_for_static_init_8u(ptr null, i32 %id, i32 34, ptr %last, ptr %lower, ptr %upper,
                                         ptr %stride, i64 1, i64 0)
  %low = load i64, ptr %lower
  %high = load i64, ptr %upper
  %difference = sub i64 %high, %low
  %count = add i64 %difference, 1
  br label %header
header:
  %i = phi i64 [0, %entry], [%next, %body]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %exit
body:
  %index = add i64 %i, %low
  %address = getelementptr i64, ptr %out, i64 %index
  %old = load i64, ptr %address
  %part = add i64 %old, %index
  %sum = add i64 %part, 1
  store i64 %sum, ptr %address
  %next = add i64 %i, 1
  br label %header
exit:
  call void @mlc_kmpc_for_static_fini(ptr null, i32 %id)
  call void @mlc_kmpc_barrier(ptr null, i32 %id)
  ret void
}

define void @loop(ptr %buffers, ptr %dims) {
  %context = alloca {ptr, i64}
  %out = load ptr, ptr %buffers
  %trip = load i64, ptr %dims
  store ptr %out, ptr %context
  %field = getelementptr ptr, ptr %context, i64 1
  store i64 %trip, ptr %field
  call void (ptr, i32, ptr, ...) @mlc_kmpc_fork_call(ptr null, i32 1, ptr @region, ptr %context)
  ret void
}

define void @loops(ptr %buffers, ptr %dims) {
entry:
  %field = getelementptr i64, ptr %dims, i64 1
  %count = load i64, ptr %field
  br label %body
body:
  %i = phi i64 [0, %entry], [%next, %body]
  call void @loop(ptr %buffers, ptr %dims)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %body, label %exit
exit:
  ret void
}
"""

# out[thread] = the thread's id plus one; eight arguments arrive in order; a region inside is serial.
REGIONS = """
declare void @mlc_kmpc_fork_call(ptr, i32, ptr, ...)
declare i32 @mlc_kmpc_global_thread_num(ptr)

define internal void @mark(ptr %gtid, ptr %btid, ptr %out) {
  %id = load i32, ptr %gtid
  %wide = sext i32 %id to i64
  %address = getelementptr i64, ptr %out, i64 %wide
  %value = add i64 %wide, 1
  store i64 %value, ptr %address
  ret void
}

define void @threads(ptr %buffers, ptr %dims) {
  %out = load ptr, ptr %buffers
  call void (ptr, i32, ptr, ...) @mlc_kmpc_fork_call(ptr null, i32 1, ptr @mark, ptr %out)
  ret void
}

define internal void @count(ptr %gtid, ptr %btid, ptr %out) {
  %old = atomicrmw add ptr %out, i64 1 seq_cst
  %inner = call i32 @mlc_kmpc_global_thread_num(ptr null)
  %wide = sext i32 %inner to i64
  %address = getelementptr i64, ptr %out, i64 1
  %ignored = atomicrmw add ptr %address, i64 %wide seq_cst
  ret void
}

define internal void @nest(ptr %gtid, ptr %btid, ptr %out) {
  call void (ptr, i32, ptr, ...) @mlc_kmpc_fork_call(ptr null, i32 1, ptr @count, ptr %out)
  ret void
}

define void @nested(ptr %buffers, ptr %dims) {
  %out = load ptr, ptr %buffers
  call void (ptr, i32, ptr, ...) @mlc_kmpc_fork_call(ptr null, i32 1, ptr @nest, ptr %out)
  ret void
}

define internal void @store8(ptr %gtid, ptr %btid, ptr %a, ptr %b, ptr %c, ptr %d, ptr %e, ptr %f, ptr %g,
                             ptr %h) {
  store i64 1, ptr %a
  store i64 2, ptr %b
  store i64 3, ptr %c
  store i64 4, ptr %d
  store i64 5, ptr %e
  store i64 6, ptr %f
  store i64 7, ptr %g
  store i64 8, ptr %h
  ret void
}

define void @eight(ptr %buffers, ptr %dims) {
  %a = load ptr, ptr %buffers
  %b = getelementptr i64, ptr %a, i64 1
  %c = getelementptr i64, ptr %a, i64 2
  %d = getelementptr i64, ptr %a, i64 3
  %e = getelementptr i64, ptr %a, i64 4
  %f = getelementptr i64, ptr %a, i64 5
  %g = getelementptr i64, ptr %a, i64 6
  %h = getelementptr i64, ptr %a, i64 7
  call void (ptr, i32, ptr, ...) @mlc_kmpc_fork_call(ptr null, i32 8, ptr @store8,
    ptr %a, ptr %b, ptr %c, ptr %d, ptr %e, ptr %f, ptr %g, ptr %h)
  ret void
}
"""

# Writes the part of the current thread (number = gtid) of a loop: buffers = out [threads, 4], bounds
# [lower, upper, step, chunk, schedule].
SCHEDULE = """
declare void @mlc_kmpc_fork_call(ptr, i32, ptr, ...)
declare void @mlc_kmpc_for_static_init_SUFFIX(ptr, i32, i32, ptr, ptr, ptr, ptr, TYPE, TYPE)

define internal void @part(ptr %gtid, ptr %btid, ptr %out, ptr %bounds) {
  %id = load i32, ptr %gtid
  %wide = sext i32 %id to i64
  %first = mul i64 %wide, 4
  %pl = getelementptr TYPE, ptr %out, i64 %first
  %pu = getelementptr TYPE, ptr %pl, i64 1
  %ps = getelementptr TYPE, ptr %pl, i64 2
  %pf = getelementptr TYPE, ptr %pl, i64 3
  %b1 = getelementptr TYPE, ptr %bounds, i64 1
  %b2 = getelementptr TYPE, ptr %bounds, i64 2
  %b3 = getelementptr TYPE, ptr %bounds, i64 3
  %b4 = getelementptr TYPE, ptr %bounds, i64 4
  %lower = load TYPE, ptr %bounds
  %upper = load TYPE, ptr %b1
  %step = load TYPE, ptr %b2
  %chunk = load TYPE, ptr %b3
  %schedule = load i32, ptr %b4
  store TYPE %lower, ptr %pl
  store TYPE %upper, ptr %pu
  call void @mlc_kmpc_for_static_init_SUFFIX(ptr null, i32 %id, i32 %schedule, ptr %pf, ptr %pl, ptr %pu,
                                             ptr %ps, TYPE %step, TYPE %chunk)
  ret void
}

define void @schedule(ptr %buffers, ptr %dims) {
  %out = load ptr, ptr %buffers
  %p = getelementptr ptr, ptr %buffers, i64 1
  %bounds = load ptr, ptr %p
  call void (ptr, i32, ptr, ...) @mlc_kmpc_fork_call(ptr null, i32 2, ptr @part, ptr %out, ptr %bounds)
  ret void
}
"""
TYPES = {"4": np.int32, "4u": np.uint32, "8": np.int64, "8u": np.uint64}


@pytest.fixture(scope="module")
def loop(compile_ir: Callable[..., bytes]) -> Image:
    return Image([compile_ir(LOOP)])


@pytest.fixture(scope="module")
def regions(compile_ir: Callable[..., bytes]) -> Image:
    return Image([compile_ir(REGIONS)])


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_parts_of_threads_that_come_late_are_done_once(
    compile_ir: Callable[..., bytes], threads: int
) -> None:
    """Regions so short that workers often come when the caller has done their parts."""
    text = LOOP.replace("call void @mlc_kmpc_barrier(ptr null, i32 %id)", "")
    assert text != LOOP
    image = Image([compile_ir(text)])
    for trip in (1, 7, 40):
        out = np.zeros(trip, np.int64)
        call_entry(image, "loops", [out], [trip, 3000], threads)
        np.testing.assert_array_equal(out, 3000 * (np.arange(trip) + 1))


def expect_loop(image: Image, trip: int, repeats: int, threads: int) -> None:
    out = np.zeros(trip + 1, np.int64)
    call_entry(image, "loops", [out], [trip, repeats], threads)
    np.testing.assert_array_equal(out[:-1], repeats * (np.arange(trip) + 1))
    assert out[-1] == 0


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("trip", [0, 1, 2, 3, 6, 7, 8, 1000])
def test_loop_covers_every_iteration_once(loop: Image, trip: int, threads: int) -> None:
    expect_loop(loop, trip, 5, threads)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_region_runs_on_as_many_threads_as_asked(regions: Image, threads: int) -> None:
    out = np.zeros(8, np.int64)
    call_entry(regions, "threads", [out], [], threads)
    assert out.tolist() == [*range(1, threads + 1), *[0] * (8 - threads)]


def test_nested_region_is_serial(regions: Image) -> None:
    out = np.zeros(2, np.int64)
    call_entry(regions, "nested", [out], [], 3)
    assert out.tolist() == [3, 0]


def test_eight_arguments(regions: Image) -> None:
    out = np.zeros(8, np.int64)
    call_entry(regions, "eight", [out], [], 2)
    assert out.tolist() == list(range(1, 9))


def iterations(part: np.ndarray, bounds: tuple[int, ...], chunked: bool) -> list[int]:
    """The iterations that code using the part would run."""
    lower, upper, stride = (int(x) for x in part[:3])
    step = bounds[2]
    stop = bounds[1] + (1 if step > 0 else -1)
    if not chunked:
        return list(range(lower, upper + (1 if step > 0 else -1), step))
    result: list[int] = []
    while (lower < stop) if step > 0 else (lower > stop):
        end = min(upper + 1, stop) if step > 0 else max(upper - 1, stop)
        result += range(lower, end, step)
        lower, upper = lower + stride, upper + stride
    return result


BOUNDS = [(0, 9, 1), (0, 1, 1), (5, 5, 1), (3, 20, 4), (7, 6, 1), (0, 99, 7)]
SIGNED_BOUNDS = [(-5, 5, 2), (9, 0, -1), (10, -10, -3), (0, 1, -1)]


@pytest.mark.parametrize("suffix", TYPES)
@pytest.mark.parametrize("chunk", [0, 1, 3])
def test_static_schedule_partitions_the_loop(
    compile_ir: Callable[..., bytes], suffix: str, chunk: int
) -> None:
    text = SCHEDULE.replace("SUFFIX", suffix).replace("TYPE", "i64" if "8" in suffix else "i32")
    image = Image([compile_ir(text)])
    for bounds in BOUNDS + ([] if "u" in suffix else SIGNED_BOUNDS):
        for threads in (1, 2, 4):
            out = np.zeros((threads, 4), TYPES[suffix])
            given = np.array([*bounds, chunk, 33 if chunk else 34], np.int64).astype(TYPES[suffix])
            call_entry(image, "schedule", [out, given], [], threads)
            step = bounds[2]
            expected = list(range(bounds[0], bounds[1] + (1 if step > 0 else -1), step))
            parts = [iterations(part, bounds, bool(chunk)) for part in out] if expected else []
            assert sorted(i for part in parts for i in part) == sorted(expected), (bounds, threads)
            if not chunk and parts:
                assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_concurrent_callers(loop: Image) -> None:
    def work(trip: int) -> None:
        for _ in range(50):
            expect_loop(loop, trip, 20, 2)

    with ThreadPoolExecutor(4) as callers:
        list(callers.map(work, range(100, 104)))


def test_sleeping_workers_wake_up(loop: Image) -> None:
    for pause in (0.0, 0.002, 0.02):
        threading.Event().wait(pause)
        expect_loop(loop, 64, 3, 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_child_of_fork_starts_its_workers(loop: Image) -> None:
    expect_loop(loop, 64, 3, 2)
    child = os.fork()
    if child == 0:
        try:
            expect_loop(loop, 64, 3, 3)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    expect_loop(loop, 64, 3, 2)


def test_process_ends_while_workers_wait(compile_ir: Callable[..., bytes]) -> None:
    script = (
        "import sys, numpy as np\n"
        "from mlc.runtime._native import Image, call_entry\n"
        "image = Image([sys.stdin.buffer.read()])\n"
        "call_entry(image, 'loop', [np.zeros(10, np.int64)], [10], 4)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=compile_ir(LOOP), timeout=60, check=False, cwd="/"
    )
    assert done.returncode == 0
