"""Threads of a warp: exchange of values, divergence and reconvergence."""

import numpy as np
import pytest
from emulator import EmulatorError, MemoryFault, UnknownOp
from snippets import per_thread, run

LANES = np.arange(32, dtype=np.uint32)


@pytest.mark.parametrize(
    ("mode", "distance", "clamp", "source"),
    [
        ("idx", 5, 31, np.full(32, 5)),
        ("bfly", 4, 31, LANES ^ 4),
        ("down", 3, 31, np.where(LANES + 3 < 32, LANES + 3, LANES)),
        ("up", 3, 0, np.where(LANES >= 3, LANES - 3, LANES)),
        # Segments of 8 lanes: the mask in bits 8 to 12 of the clamp.
        ("idx", 2, 0x1807 | 0x1800, LANES // 8 * 8 + 2),
        ("down", 6, 0x1807, np.where(LANES % 8 < 2, LANES + 6, LANES)),
    ],
)
def test_shuffles_take_the_lane_of_the_documentation(
    mode: str, distance: int, clamp: int, source: np.ndarray
) -> None:
    body = f"""
      %d = arith.constant {distance} : i32
      %clamp = arith.constant {clamp} : i32
      %r = nvvm.shfl.sync {mode} %all, %lane, %d, %clamp : i32 -> i32
    """
    assert (per_thread(body) == source).all()


def test_votes_and_elections() -> None:
    body = """
      %odd = arith.andi %lane, %c1 : i32
      %is = arith.cmpi eq, %odd, %c1 : i32
      %b = nvvm.vote.sync ballot %all, %is -> i32
      %e = nvvm.elect.sync -> i1
      %some = nvvm.vote.sync any %all, %e -> i1
      %s = arith.extui %some : i1 to i32
      %x = arith.extui %e : i1 to i32
      %y = arith.addi %x, %s : i32
      %r = arith.xori %b, %y : i32
    """
    assert (per_thread(body) == (0xAAAAAAAA ^ np.where(LANES == 0, 2, 1))).all()


@pytest.mark.parametrize(("operation", "wanted"), [("add", 496), ("umax", 31), ("min", 0), ("or", 31)])
def test_reductions_of_a_warp(operation: str, wanted: int) -> None:
    assert (per_thread(f"%r = nvvm.redux.sync {operation} %lane, %all : i32 -> i32") == wanted).all()


def test_a_shuffle_needs_the_lanes_that_its_mask_names() -> None:
    body = """
      %half = arith.cmpi ult, %lane, %c2 : i32
      scf.if %half { %x = nvvm.shfl.sync idx %all, %lane, %c0, %c31 : i32 -> i32 }
    """
    with pytest.raises(EmulatorError, match="names lanes that are not there"):
        run(body)


def collatz(value: int) -> int:
    """Returns the number of steps from `value` to 1."""
    return 0 if value <= 1 else 1 + collatz(3 * value + 1 if value % 2 else value // 2)


COLLATZ = np.array([collatz(index) for index in range(32)])
NEXT = """
  %bit = arith.andi %n, %c1 : i32
  %even = arith.cmpi eq, %bit, %c0 : i32
  %halved = arith.shrui %n, %c1 : i32
  %c3 = arith.constant 3 : i32
  %tripled = arith.muli %n, %c3 : i32
  %odd = arith.addi %tripled, %c1 : i32
  %next = arith.select %even, %halved, %odd : i32
  %more = arith.addi %count, %c1 : i32
"""


def test_lanes_leave_a_loop_one_by_one() -> None:
    body = f"""
      %last, %r = scf.while (%n = %tid, %count = %c0) : (i32, i32) -> (i32, i32) {{
        %go = arith.cmpi ugt, %n, %c1 : i32
        scf.condition(%go) %n, %count : i32, i32
      }} do {{
      ^bb0(%n: i32, %count: i32):
        {NEXT}
        scf.yield %next, %more : i32, i32
      }}
    """
    assert (per_thread(body) == COLLATZ).all()


def test_the_same_with_branches() -> None:
    body = f"""
      llvm.br ^head(%tid, %c0 : i32, i32)
    ^head(%n: i32, %count: i32):
      %go = arith.cmpi ugt, %n, %c1 : i32
      llvm.cond_br %go, ^body, ^exit
    ^body:
      {NEXT}
      llvm.br ^head(%next, %more : i32, i32)
    ^exit:
      %together = nvvm.shfl.sync idx %all, %c0, %c0, %c31 : i32 -> i32
      %r = arith.addi %count, %together : i32
    """
    assert (per_thread(body) == COLLATZ).all()


@pytest.mark.parametrize("dialect", ["cf", "llvm"])
def test_lanes_take_the_cases_of_a_switch(dialect: str) -> None:
    body = f"""
      %flag = arith.remui %tid, %four : i32
      {dialect}.switch %flag : i32, [
        default: ^other(%c0 : i32),
        1: ^other(%c31 : i32),
        2: ^two
      ]
    ^two:
      llvm.br ^other(%tid : i32)
    ^other(%r: i32):
    """
    if dialect == "llvm":
        body = body.replace("[\n        default: ", "").replace("i32),\n        1", "i32) [\n        1")
    result = per_thread("%four = arith.constant 4 : i32\n" + body)
    assert (result == np.choose(LANES % 4, [0, 31, LANES, 0])).all()


def test_loops_of_unlike_length() -> None:
    body = """
      %r = scf.for %i = %c0 to %tid step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
        %next = arith.addi %sum, %i : i32
        scf.yield %next : i32
      }
    """
    assert (per_thread(body) == LANES * (LANES - np.minimum(LANES, 1)) // 2).all()


def test_atomics_count_every_lane_once() -> None:
    total, most, sums = np.zeros(1, np.uint32), np.zeros(1, np.uint32), np.zeros(2, np.float32)
    body = """
      %old = llvm.atomicrmw add %p0, %c2 monotonic : !llvm.ptr, i32
      %was = llvm.atomicrmw umax %p1, %old monotonic : !llvm.ptr, i32
      %half = arith.andi %lane, %c1 : i32
      %address = llvm.getelementptr %p2[%half] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %value = arith.uitofp %lane : i32 to f32
      %before = llvm.atomicrmw fadd %address, %value monotonic : !llvm.ptr, f32
    """
    run(body, total, most, sums, threads=64, blocks=3)
    assert (total[0], most[0]) == (2 * 192, 2 * 191)
    assert (sums == 6 * np.array([240, 256])).all()


def test_accesses_outside_and_misaligned_are_errors() -> None:
    array = np.zeros(32, np.uint32)
    load = (
        "%q = llvm.getelementptr %p0[{}] : (!llvm.ptr) -> !llvm.ptr, i8\n%x = llvm.load %q : !llvm.ptr -> {}"
    )
    with pytest.raises(MemoryFault, match=r"block \(0, 0, 0\) warp 0, llvm\.load .*4 bytes at offset 128"):
        run(load.format(128, "i32"), array)
    with pytest.raises(MemoryFault, match="offset 8 of argument array 0 is not aligned to 16"):
        run(load.format(8, "vector<4xf32>"), array)
    with pytest.raises(MemoryFault, match="offset -4"):
        run(load.format(-4, "i32"), array)


def test_unknown_ops_are_named() -> None:
    with pytest.raises(UnknownOp, match=r"nvvm\.breakpoint"):
        run("nvvm.breakpoint")
    with pytest.raises(UnknownOp, match="brev"):
        run('%x = llvm.inline_asm "brev.b32 $0, $1;", "=r,r" %tid : (i32) -> i32')
