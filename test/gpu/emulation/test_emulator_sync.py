"""Barriers, mbarriers and races."""

import numpy as np
import pytest
from emulator import Deadlock, EmulatorError, Options, RaceFound
from emulator.barriers import Mbarrier
from emulator.races import NO_CLOCK
from snippets import per_thread, run

EXCHANGE = """
  %mine = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %tid, %mine : i32, !llvm.ptr<3>
  {}
  %other = arith.xori %tid, %c32 : i32
  %theirs = llvm.getelementptr %smem[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %r = llvm.load %theirs : !llvm.ptr<3> -> i32
"""
THREADS = np.arange(64)


@pytest.mark.parametrize("early", range(4))
def test_a_barrier_orders_two_warps(early: int) -> None:
    options = Options(early, races=True)
    result = per_thread(EXCHANGE.format("nvvm.barrier"), threads=64, shared_bytes=256, options=options)
    assert (result == THREADS ^ 32).all()


def test_without_a_barrier_it_is_a_race() -> None:
    options, message = Options(races=True), r"(reads|writes) byte \d+ of shared memory, which .*, in no order"
    with pytest.raises(RaceFound, match=message):
        per_thread(EXCHANGE.format(""), threads=64, shared_bytes=256, options=options)


def test_memory_that_nobody_wrote_is_nan() -> None:
    body = "%r = llvm.load %smem : !llvm.ptr<3> -> f32"
    assert np.isnan(per_thread(body, element_type="f32", shared_bytes=64)).all()


def test_a_barrier_that_some_warps_miss_is_a_deadlock() -> None:
    body = """
      %first = arith.cmpi ult, %tid, %c32 : i32
      scf.if %first { nvvm.barrier }
    """
    with pytest.raises(Deadlock, match=r"warp 0 at nvvm\.barrier"):
        run(body, threads=64)


def test_a_barrier_in_part_of_a_warp_is_an_error() -> None:
    body = """
      %few = arith.cmpi ult, %tid, %c2 : i32
      scf.if %few { nvvm.barrier }
    """
    with pytest.raises(EmulatorError, match="have diverged"):
        run(body)


ARRIVAL = """
  %first = arith.cmpi ult, %tid, %c32 : i32
  scf.if %first {{ nvvm.barrier.arrive id = %c1 number_of_threads = %both }} else {{ {} }}
"""
BOTH = "%both = arith.constant 64 : i32\n"


@pytest.mark.parametrize("early", range(4))
def test_a_warp_that_arrives_does_not_wait(early: int) -> None:
    waits = "nvvm.barrier id = %c1 number_of_threads = %both"
    run(BOTH + ARRIVAL.format(waits), threads=64, options=Options(early))


def test_an_arrival_that_nobody_waits_for_is_an_error() -> None:
    with pytest.raises(EmulatorError, match="32 of 64 threads left at barrier 1"):
        run(BOTH + ARRIVAL.format(""), threads=64)


def test_a_loop_without_end_is_noticed() -> None:
    body = """
      %true = arith.constant true
      scf.while : () -> () { scf.condition(%true) } do { scf.yield }
    """
    with pytest.raises(Deadlock, match="no end after 1000 steps"):
        run(body, options=Options(max_steps=1000))


def test_phases_of_an_mbarrier() -> None:
    barrier = Mbarrier(2)
    # The phase before the first counts as complete: producers find all buffers empty.
    assert barrier.has_completed(1) and not barrier.has_completed(0)
    barrier.arrive(1, NO_CLOCK)
    assert not barrier.has_completed(0)
    barrier.arrive(1, NO_CLOCK)
    assert barrier.has_completed(0) and not barrier.has_completed(1)
    barrier.arrive(2, NO_CLOCK)
    assert barrier.has_completed(1) and not barrier.has_completed(0)


def test_an_mbarrier_waits_for_bytes_too() -> None:
    barrier = Mbarrier(1)
    barrier.expect(32)
    barrier.transfer(16, NO_CLOCK)
    barrier.arrive(1, NO_CLOCK)
    assert not barrier.has_completed(0)
    barrier.transfer(16, NO_CLOCK)
    assert barrier.has_completed(0)


def test_bytes_may_come_before_they_are_announced() -> None:
    barrier = Mbarrier(1)
    barrier.transfer(32, NO_CLOCK)
    assert not barrier.has_completed(0)
    barrier.expect(32)
    barrier.arrive(1, NO_CLOCK)
    assert barrier.has_completed(0)


def test_too_many_arrivals_are_an_error() -> None:
    with pytest.raises(EmulatorError, match="more arrivals"):
        Mbarrier(2).arrive(3, NO_CLOCK)


HANDSHAKE = """
  %first = arith.cmpi ult, %tid, %c32 : i32
  %zero = arith.cmpi eq, %tid, %c0 : i32
  %data = llvm.getelementptr %smem[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  scf.if %zero {{ nvvm.mbarrier.init %smem, %c32 : !llvm.ptr<3>, i32 }}
  nvvm.barrier
  %r = scf.if %first -> i32 {{
    %p = llvm.getelementptr %data[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %p : i32, !llvm.ptr<3>
    nvvm.mbarrier.arrive %smem : !llvm.ptr<3>
    scf.yield %tid : i32
  }} else {{
    nvvm.mbarrier.try_wait.parity %smem, {}, %c1 : !llvm.ptr<3>, i32, i32
    %p = llvm.getelementptr %data[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %x = llvm.load %p : !llvm.ptr<3> -> i32
    scf.yield %x : i32
  }}
"""


def test_an_mbarrier_orders_two_warps() -> None:
    options = Options(races=True)
    result = per_thread(HANDSHAKE.format("%c0"), threads=64, shared_bytes=256, options=options)
    assert (result == THREADS % 32).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_wrong_parity_is_a_race_or_never_comes(seed: int) -> None:
    options = Options(seed, races=True)
    with pytest.raises((RaceFound, Deadlock)):
        per_thread(HANDSHAKE.format("%c1"), threads=64, shared_bytes=256, options=options)
