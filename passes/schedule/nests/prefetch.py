"""The primitive prefetch: elements that later iterations of a loop read are fetched into the cache."""

from __future__ import annotations

from mlc.bindings import affine, ir, memref
from mlc.dialects import tloop
from mlc.passes.common.affine import IndexForm
from mlc.passes.common.constants import i32_attribute
from mlc.passes.schedule.common.loops import Loop, is_inside
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import access_of
from mlc.passes.schedule.nests.regions import affine_indices, index_value
from mlc.passes.schedule.nests.statements import operands_of, single, store_of

# Keep in all levels of the cache.
LOCALITY = 3


def prefetch(op: ir.Operation, state: ScheduleState) -> None:
    """Prefetches one operand of the block."""
    step = tloop.Prefetch(op)
    store, loop = store_of(step.block, state), Loop(single(step.loop, state))
    for load in operands_of(store, step.operand):
        add_prefetch(load, loop, step.distance)


def add_prefetch(load: ir.Operation, loop: Loop, distance: int) -> None:
    """Adds a prefetch before `load`, of what it reads `distance` iterations of the loop later."""
    if not is_inside(load, loop.op):
        raise StepError("the block does not stand in the loop")
    access = access_of(load)[0]
    ahead = []
    for index in access.indices or [None]:
        factor = index[0].coefficient(loop.iv) if index is not None else None
        if index is None or factor is None:
            raise StepError(f"{access.text} is not linear in loop {loop.name}")
        ahead.append(index[0] + factor * distance * (loop.step or 1))
    if ahead == [index[0] for index in access.indices or [] if index is not None]:
        raise StepError(f"{access.text} is the same in all iterations of loop {loop.name}")
    with ir.InsertionPoint(load), load.location:
        if load.name.startswith("affine."):
            _affine(load.operands[0], ahead)
        else:
            memref.PrefetchOp(load.operands[0], list(map(index_value, ahead)), False, LOCALITY, True)


def _affine(buffer: ir.Value, indices: list[IndexForm]) -> None:
    map_, operands = affine_indices(indices)
    attributes = {
        "map": map_,
        "isWrite": ir.BoolAttr.get(False),
        "localityHint": i32_attribute(LOCALITY),
        "isDataCache": ir.BoolAttr.get(True),
    }
    ir.Operation.create(affine.AffinePrefetch.NAME, [], [buffer, *operands], attributes)
