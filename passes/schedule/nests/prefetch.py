"""prefetch: what later iterations of a loop read is fetched into the cache."""

from __future__ import annotations

from mlc.bindings import affine, ir, memref
from mlc.passes.common.affine import IndexForm
from mlc.passes.common.constants import i32_attribute
from mlc.passes.schedule.common.loops import Loop, is_inside
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import access_of
from mlc.passes.schedule.nests.regions import affine_places, index_value
from mlc.passes.schedule.nests.statements import operands_of, single, store_of

# Keep in all levels of the cache.
LOCALITY = 3


def prefetch(op: ir.Operation, state: ScheduleState) -> None:
    store, loop = store_of(op.operands[0], state), Loop(single(op.operands[1], state))
    for load in operands_of(store, op.attributes["operand"].value):
        add_prefetch(load, loop, op.attributes["distance"].value)


def add_prefetch(load: ir.Operation, loop: Loop, distance: int) -> None:
    """A prefetch in front of `load`, of what it reads `distance` iterations of the loop later."""
    if not is_inside(load, loop.op):
        raise StepError("the block does not stand in the loop")
    access = access_of(load)[0]
    ahead = []
    for each in access.indices or [None]:
        factor = each[0].coefficient(loop.iv) if each is not None else None
        if each is None or factor is None:
            raise StepError(f"{access.text} is not linear in loop {loop.name}")
        ahead.append(each[0] + factor * distance * (loop.step or 1))
    if ahead == [index[0] for index in access.indices or [] if index is not None]:
        raise StepError(f"{access.text} is the same in all iterations of loop {loop.name}")
    with ir.InsertionPoint(load), load.location:
        if load.name.startswith("affine."):
            _affine(load.operands[0], ahead)
        else:
            places = [index_value(each) for each in ahead]
            memref.PrefetchOp(load.operands[0], places, False, LOCALITY, True)


def _affine(buffer: ir.Value, indices: list[IndexForm]) -> None:
    places, operands = affine_places(indices)
    attributes = {
        "map": places,
        "isWrite": ir.BoolAttr.get(False),
        "localityHint": i32_attribute(LOCALITY),
        "isDataCache": ir.BoolAttr.get(True),
    }
    ir.Operation.create(affine.AffinePrefetch.NAME, [], [buffer, *operands], attributes)
