"""Barriers of blocks and clusters, and the fences that have an effect here."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..barriers import NamedBarrier
from ..decode import Op
from ..interpreter import Steps
from ..registry import BLOCKED, RUNNING, op
from ..unit import Unit


def _optional(op: Op, values: tuple[np.ndarray, ...]) -> list[Any]:
    """Returns the barrier's index and its threads, None where left out."""
    if "operandSegmentSizes" in op.attributes:
        return [group[0] if group else None for group in op.groups(values)]
    return [*values, None, None]


def _arrive(unit: Unit, index: Any, threads: Any) -> tuple[NamedBarrier, int]:
    """The unit's active threads come to a barrier; the barrier, and the generation to wait for."""
    unit.require_whole_warps()
    barrier = unit.block.barriers.setdefault(unit.uniform(index) if index is not None else 0, NamedBarrier())
    expected = unit.uniform(threads) if threads is not None else unit.block.threads
    if expected % 32:
        unit.fail(f"a barrier of {expected} threads: no whole number of warps")
    generation = barrier.arrive(int(unit.mask.sum()), expected, unit.clock.release())
    unit.cluster.progress += 1
    return barrier, generation


def _wait(unit: Unit, barrier: NamedBarrier, generation: int) -> Steps:
    while barrier.generation == generation:
        yield BLOCKED
    unit.clock.acquire(barrier.completed[generation])


@op("nvvm.barrier", "gpu.barrier", "rocdl.barrier")
def barrier(unit: Unit, op: Op, *values: np.ndarray) -> Steps:
    """Runs bar.sync, or s_barrier with fences."""
    index, threads, *_ = _optional(op, values)
    yield RUNNING
    yield from _wait(unit, *_arrive(unit, index, threads))


@op("nvvm.barrier.arrive")
def _barrier_arrive(unit: Unit, op: Op, *values: np.ndarray) -> None:
    index, threads = (values[0], values[1]) if len(values) == 2 else (None, values[0])
    _arrive(unit, index, threads)


@op("nvvm.bar.warp.sync")
def _warp_sync(unit: Unit, op: Op, mask: np.ndarray) -> None:
    """The lanes of a unit run in step anyway."""


@op("nvvm.cluster.arrive", "nvvm.cluster.arrive.relaxed")
def _cluster_arrive(unit: Unit, op: Op) -> None:
    barrier, cluster = unit.cluster.barrier, unit.cluster
    threads = sum(block.threads for block in cluster.blocks)
    barrier.waiting[unit.index] = barrier.arrive(int(unit.mask.sum()), threads, unit.clock.release())
    cluster.progress += 1


@op("nvvm.cluster.wait")
def _cluster_wait(unit: Unit, op: Op) -> Steps:
    barrier = unit.cluster.barrier
    if unit.index not in barrier.waiting:
        unit.fail("waits for the cluster without having arrived")
    yield from _wait(unit, barrier, barrier.waiting.pop(unit.index))


@op("nvvm.fence.proxy", "nvvm.fence.proxy.sync_restrict")
def fence_proxy(unit: Unit, op: Op) -> None:
    """Makes stores visible to the asynchronous proxy."""
    unit.clock.fence()
    fence_mbarriers(unit, op)


@op("nvvm.fence.mbarrier.init")
def fence_mbarriers(unit: Unit, op: Op) -> None:
    """The mbarriers that the unit initialised are visible to copies and to other blocks."""
    for value in unit.block.mbarriers.values():
        value.fenced |= value.maker == unit.index


@op("nvvm.setmaxregister", "nvvm.prefetch", "nvvm.nanosleep", "nvvm.pmevent")
def _no_effect(unit: Unit, op: Op, *values: np.ndarray) -> None:
    """Runs an op that changes no value here."""


@op("nvvm.griddepcontrol")
def _grid_dependencies(unit: Unit, op: Op) -> None:
    """Others may begin at any time: nothing here depends on it."""
    if op.variant == "wait":
        unit.prerequisites.wait(unit.mask)
