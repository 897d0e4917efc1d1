"""Images that measure the launches of kernels, and profiles of programs without a compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from objects import TARGET, pointers

from mlc.runtime import Executable, ExecutableError, Image, call_entry
from mlc.runtime.profiling.formula import evaluate

Compile = Callable[..., bytes]

# y[0] counts launches of @leaf, by itself and by the loop: one through a pointer, `rounds` by calls with dims
# {round, rounds}; then it fails if x[0] is negative.
HOST = """
declare void @leaf(ptr, ptr)
declare void @mlc_host_fail(i64)
@pointer = internal constant ptr @leaf

define void @mlc_main(ptr %buffers, ptr %dims) {
entry:
POINTERS
  %own = alloca [2 x i64]
  %second = getelementptr i64, ptr %own, i64 1
  %rounds = load i64, ptr %x
  store i64 0, ptr %y
  %array = alloca ptr
  store ptr %y, ptr %array
  store i64 -1, ptr %own
  store i64 -1, ptr %second
  %kernel = load volatile ptr, ptr @pointer
  call void %kernel(ptr %array, ptr %own)
  %negative = icmp slt i64 %rounds, 0
  br i1 %negative, label %fail, label %loop
fail:
  call void @mlc_host_fail(i64 0)
  unreachable
loop:
  %round = phi i64 [0, %entry], [%next, %body]
  %more = icmp slt i64 %round, %rounds
  br i1 %more, label %body, label %exit
body:
  store i64 %round, ptr %own
  store i64 %rounds, ptr %second
  call void @leaf(ptr %array, ptr %own)
  %next = add i64 %round, 1
  br label %loop
exit:
  ret void
}
""".replace("POINTERS", pointers("x", "y"))
# Its calls of itself are no launches.
LEAF = """
define void @leaf(ptr %buffers, ptr %dims) {
  %y = load ptr, ptr %buffers
  %old = load i64, ptr %y
  %new = add i64 %old, 1
  store i64 %new, ptr %y
  %odd = and i64 %new, 1
  %again = icmp eq i64 %odd, 1
  br i1 %again, label %recurse, label %exit
recurse:
  call void @leaf(ptr %buffers, ptr %dims)
  br label %exit
exit:
  ret void
}
"""


def manifest(**leaf: Any) -> dict[str, Any]:
    described = {"kernel": "leaf", "nodes": ["a", "b"], "dtype": "float32", "schedule": "rows", **leaf}
    return {
        "format": 1,
        "compiler": "test",
        "target": TARGET,
        "entry": "mlc_main",
        "inputs": [{"name": "x", "dtype": "int64", "shape": [1]}],
        "outputs": [{"name": "y", "dtype": "int64", "shape": [1]}],
        "weights": [],
        "arena_bytes": 0,
        "messages": ["x is negative"],
        "report": {"launched_kernels": [described]},
    }


@pytest.fixture(scope="module")
def objects(compile_ir: Compile) -> list[bytes]:
    return [compile_ir(HOST), compile_ir(LEAF)]


def rounds(count: int) -> np.ndarray:
    return np.array([count], np.int64)


def test_launches_are_counted_by_dims(objects: list[bytes]) -> None:
    executable = Executable(manifest(dims=1), objects, {})
    program = executable._link_measured()._program
    outputs, launches = program.profile([rounds(3)])
    assert outputs[0] == executable(rounds(3))[0] == 8
    assert [(kernel, dims, count) for kernel, dims, count, _ in launches] == [
        (0, (-1,), 1),
        (0, (0,), 1),
        (0, (1,), 1),
        (0, (2,), 1),
    ]


def test_launches_with_many_dims_share_a_record(objects: list[bytes]) -> None:
    program = Executable(manifest(dims=2), objects, {})._link_measured()._program
    _, launches = program.profile([rounds(100)])
    counts = {dims: count for _, dims, count, _ in launches}
    assert len(counts) == 65 and counts[()] == 101 - 64 and counts[62, 100] == 1
    profile = Executable(manifest(dims=2, flops=[[1, 0]]), objects, {}).profile(rounds(100), calls=1)
    assert profile.kernels[0].launches == 101 and profile.kernels[0].flops is None


def test_a_profile_sums_launches(objects: list[bytes]) -> None:
    executable = Executable(manifest(dims=2, flops=[[10, 0], [1]], bytes=8), objects, {}, threads=1)
    profile = executable.profile(rounds(4), calls=5, warmup=1)
    [leaf] = profile.kernels
    assert (profile.calls, profile.of_calls, profile.threads, profile.sizes) == (3, 5, 1, None)
    assert (leaf.kernel, leaf.nodes, leaf.schedule) == ("leaf", ("a", "b"), "rows")
    assert leaf.launches == 3 * 5 and leaf.moved_bytes == 3 * 5 * 8
    assert leaf.flops == 3 * (10 * (-1 + 0 + 1 + 2 + 3) + 5)
    assert profile.host_seconds + leaf.seconds == pytest.approx(profile.seconds)
    assert 0 < leaf.seconds < profile.seconds
    assert executable.profile({"x": rounds(0)}, seconds=0).of_calls == 1


def test_other_calls_are_not_measured(objects: list[bytes]) -> None:
    image = Image(objects, (), (("leaf", 0),))
    out = rounds(0)
    call_entry(image, "mlc_main", [rounds(2), out])
    assert out[0] == 6
    plain = Executable(manifest(), objects, {}).native
    assert plain.profile([rounds(2)])[1] == []


def test_a_call_that_fails_leaves_nothing(objects: list[bytes]) -> None:
    executable = Executable(manifest(), objects, {})
    with pytest.raises(ValueError, match="x is negative"):
        executable.profile(rounds(-1))
    assert executable.profile(rounds(1), calls=1, warmup=0).kernels[0].launches == 2
    with pytest.raises(ValueError, match="calls is 0, expected at least 1"):
        executable.profile(rounds(1), calls=0)
    with pytest.raises(TypeError, match="missing input 'x'"):
        executable.profile()


@pytest.mark.parametrize(
    ("measured", "error", "message"),
    [
        ((("none", 0),), ValueError, "the code defines no kernel 'none'"),
        ((("mlc_host_fail", 0),), ValueError, "the code defines no kernel 'mlc_host_fail'"),
        ((("leaf", -1),), ValueError, "a negative number of dims"),
        (("leaf",), TypeError, "a measured kernel is described by a tuple"),
        ((("leaf",),), TypeError, "takes exactly 2 arguments"),
    ],
)
def test_wrong_kernels(objects: list[bytes], measured: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        Image(objects, (), measured)


def test_programs_that_do_not_list_their_kernels(objects: list[bytes]) -> None:
    old = manifest() | {"report": {}}
    with pytest.raises(
        ExecutableError, match=r"m\.mlcx: made by an earlier version .* its kernels; compile the"
    ):
        Executable(old, objects, {}, origin="m.mlcx").profile(rounds(1))


def test_formulas() -> None:
    assert evaluate(7, ()) == 7 and evaluate([], (3,)) == 0
    assert evaluate([[2, 0], [1, ["max", [[1, 0]], [[1, 1]]]]], (3, 5)) == 11
    assert evaluate([[3, 0, 0, 1], [-4]], (2, 5)) == 56
    assert evaluate([[2, ["floordiv", [[1, 0], [1]], 2]], [1, ["broadcast", [[1, 1]], 9]]], (6, 1)) == 15
