"""Ops on mbarriers: arrivals, announced bytes, waits (PTX ISA, "mbarrier")."""

from __future__ import annotations

import numpy as np

from ..barriers import Mbarrier
from ..decode import Op
from ..interpreter import Steps
from ..registry import BLOCKED, RUNNING, op
from ..unit import Unit
from ..values import spread


def mbarrier_at(unit: Unit, address: int) -> Mbarrier:
    """Raises `EmulatorError` where no mbarrier was initialised, or the unit cannot know that one was."""
    block, offset = unit.shared_offset(address)
    if offset not in block.mbarriers:
        unit.fail(f"no mbarrier at offset {offset} of {block.shared.name}")
    barrier = block.mbarriers[offset]
    unit.clock.require_after(barrier.made, f"the mbarrier at offset {offset} of shared memory")
    unit.clock.reach(block)
    if block is not unit.block and not barrier.fenced:
        unit.fail(f"the mbarrier at offset {offset} of {block.shared.name} was not fenced after its init")
    return barrier


def _lanes(unit: Unit, predicate: tuple[np.ndarray, ...]) -> list[int]:
    """Active lanes, of those with a true predicate where there is one."""
    mask = unit.mask & spread(predicate[0], unit.lanes) if predicate else unit.mask
    return np.nonzero(mask)[0].tolist()


@op("nvvm.mbarrier.init")
def _init(unit: Unit, op: Op, address: np.ndarray, count: np.ndarray, *predicate: np.ndarray) -> None:
    addresses, counts = spread(address, unit.lanes), spread(count, unit.lanes)
    for lane in _lanes(unit, predicate):
        block, offset = unit.shared_offset(int(addresses[lane]))
        block.shared.offsets(addresses[lane : lane + 1], 8, 8)
        block.mbarriers[offset] = Mbarrier(int(counts[lane]), made=unit.clock.access(), maker=unit.index)


@op("nvvm.mbarrier.inval")
def _inval(unit: Unit, op: Op, address: np.ndarray) -> None:
    for lane_address in unit.active(address):
        mbarrier_at(unit, int(lane_address))
        block, offset = unit.shared_offset(int(lane_address))
        del block.mbarriers[offset]


def arrive(
    unit: Unit, address: np.ndarray, lanes: list[int], count: np.ndarray | None, due: np.ndarray | None
) -> np.ndarray:
    """Each of `lanes` arrives `count` times (once) and announces `due` bytes (none); the phases, per lane."""
    addresses, states = spread(address, unit.lanes), np.zeros(unit.lanes, np.uint64)
    counts = None if count is None else spread(count, unit.lanes)
    bytes_due = None if due is None else spread(due, unit.lanes)
    clock = unit.clock.release()
    for lane in lanes:
        barrier = mbarrier_at(unit, int(addresses[lane]))
        states[lane] = barrier.phase
        if bytes_due is not None:
            barrier.expect(int(bytes_due[lane]))
        barrier.arrive(1 if counts is None else int(counts[lane]), clock)
    unit.cluster.progress += 1
    return states


@op("nvvm.mbarrier.arrive")
def _arrive(unit: Unit, op: Op, address: np.ndarray, *count: np.ndarray) -> np.ndarray:
    return arrive(unit, address, _lanes(unit, ()), count[0] if count else None, None)


@op("nvvm.mbarrier.arrive.expect_tx")
def _arrive_expect(
    unit: Unit, op: Op, address: np.ndarray, due: np.ndarray, *predicate: np.ndarray
) -> np.ndarray:
    return arrive(unit, address, _lanes(unit, predicate), None, due)


@op("nvvm.mbarrier.expect_tx")
def _expect(unit: Unit, op: Op, address: np.ndarray, due: np.ndarray) -> None:
    for where, count in zip(unit.active(address), unit.active(due), strict=True):
        mbarrier_at(unit, int(where)).expect(int(count))


@op("nvvm.mbarrier.complete_tx")
def _complete(unit: Unit, op: Op, address: np.ndarray, count: np.ndarray) -> None:
    for where, count_of_lane in zip(unit.active(address), unit.active(count), strict=True):
        mbarrier_at(unit, int(where)).transfer(int(count_of_lane), unit.clock.release())
    unit.cluster.progress += 1


def _is_complete(unit: Unit, address: np.ndarray, phase: np.ndarray) -> np.ndarray:
    """Per lane, whether the phase that is waited for is complete: by parity (i32) or by state (i64)."""
    by_parity, answers = phase.dtype.itemsize < 8, np.ones(unit.lanes, np.bool_)
    addresses, phases = spread(address, unit.lanes), spread(phase, unit.lanes)
    for where, wanted in {
        (int(a), int(p)) for a, p in zip(unit.active(address), unit.active(phase), strict=True)
    }:
        barrier = mbarrier_at(unit, where)
        if by_parity and wanted > 1:
            unit.fail(f"waits for parity {wanted}")
        done = barrier.has_completed(wanted) if by_parity else barrier.phase > wanted
        if done:
            unit.clock.acquire(barrier.completed)
        else:
            answers[(addresses == where) & (phases == wanted)] = False
    return answers


@op("nvvm.mbarrier.try_wait", "nvvm.mbarrier.test.wait")
def try_wait(unit: Unit, op: Op, address: np.ndarray, phase: np.ndarray, *ticks: np.ndarray) -> Steps:
    """Waits a while; whether the phase is complete, per lane."""
    yield RUNNING
    answers = _is_complete(unit, address, phase)
    if not answers[unit.mask].all():
        yield BLOCKED
        answers = _is_complete(unit, address, phase)
    return answers


@op("nvvm.mbarrier.try_wait.parity")
def wait_parity(unit: Unit, op: Op, address: np.ndarray, phase: np.ndarray, *ticks: np.ndarray) -> Steps:
    """Waits until the phase is complete."""
    while not _is_complete(unit, address, phase)[unit.mask].all():
        yield BLOCKED
