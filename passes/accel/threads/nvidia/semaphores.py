"""Semaphores, which synchronise roles of warps: mbarriers.

Source: NVIDIA's PTX documentation, "mbarrier".
"""

from __future__ import annotations

from mlc.bindings import arith, ir, nvvm, scf
from mlc.dialects import accel
from mlc.dialects.accel import cluster_around
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.layouts import LANE_BITS
from mlc.passes.accel.common.shared_memory import BARRIER_BYTES
from mlc.passes.accel.threads.common import pointers
from mlc.passes.accel.threads.common.code import ThreadCode
from mlc.passes.accel.threads.common.control import then
from mlc.passes.accel.threads.nvidia import clusters, tensor_copies
from mlc.passes.base import PassError
from mlc.passes.common.constants import integer_constant


def create_semaphore(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.create_semaphore`: an mbarrier for each stage, initialised by one thread."""
    view = accel.CreateSemaphore(op)
    pointer = pointers.byte_pointer(code.shared_pointer(), code.shared.offsets[view.semaphore])
    arrivals = view.arrivals * _arrivals_per_notify(view, code.warps)
    first = arith.cmpi(arith.CmpIPredicate.eq, code.thread_id(), integers.value(0))
    with ir.InsertionPoint(then(first)):
        for stage in range(view.stages):
            barrier = pointers.byte_pointer(pointer, stage * BARRIER_BYTES)
            nvvm.mbarrier_init(barrier, integers.value(arrivals))
        nvvm.fence_mbarrier_init()
    code.values[view.semaphore] = pointer


def _arrivals_per_notify(create: accel.CreateSemaphore, warps: int) -> int:
    """Returns the arrivals of an `accel.notify`: the producers' one thread, or a thread of each consumer
    warp."""
    users = [use.owner.operation for use in create.semaphore.uses]
    roles = {_is_producers(user) for user in users if accel.Notify.isa(user)}
    if len(roles) > 1:
        raise PassError("a semaphore is notified by one of the roles", create.operation.location)
    return 1 if True in roles else warps


def _is_producers(op: ir.Operation) -> bool:
    """Whether the op is in the producers' region. Raises PassError if it is in no role's."""
    inside, around = op, op.parent.operation
    while around.name not in (accel.Specialize.NAME, accel.Launch.NAME):
        inside, around = around, around.parent.operation
    if around.name == accel.Launch.NAME:
        raise PassError(f"'{op.name}' is for roles of warps, in an accel.specialize", op.location)
    producers = accel.Specialize(around).producer.blocks[0]
    return any(sibling.operation == inside for sibling in producers.operations)


def notify(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.notify`: starts the copies of its tokens; or a thread of each warp arrives, after its
    warp's reads, or with multicast a thread per notified thread block of the cluster."""
    view = accel.Notify(op)
    _wait_for_mma(code, view.pending or 0)
    barrier = _barrier(code, view.semaphore, view.stage)
    if _is_producers(op):
        tensor_copies.start(code, [token.owner.operation for token in view.tokens], barrier)
        return
    if view.tokens:
        raise PassError("copies to semaphores are for producers", op.location)
    nvvm.bar_warp_sync(integers.value(-1))
    lane = integers.value(integers.mask(code.thread_id(), (1 << LANE_BITS) - 1))
    if view.multicast is not None:
        notified = clusters.ranks_along(cluster_around(op), view.multicast)
        with ir.InsertionPoint(then(clusters.is_among(lane, notified))):
            clusters.arrive(barrier, lane)
        return
    first = arith.cmpi(arith.CmpIPredicate.eq, lane, integers.value(0))
    with ir.InsertionPoint(then(first)):
        nvvm.mbarrier_arrive(barrier, results=[])


def _wait_for_mma(code: ThreadCode, pending: int) -> None:
    """Waits for all mma but the last `pending` ones, which do not read the released stage: of those recorded
    as in flight or, in a software-pipelined loop whose mma stay in flight across iterations, of all."""
    if not pending or code.in_flight:
        code.wait_all(pending)
    else:
        nvvm.wgmma_wait_group_sync_aligned(pending)


def await_phase(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.await`: a loop that polls until the phase has ended. Raises PassError outside of
    roles."""
    view = accel.Await(op)
    _is_producers(op)
    barrier = _barrier(code, view.semaphore, view.stage)
    loop = scf.WhileOp([], [])
    before, after = (region.blocks.append() for region in loop.regions)
    with ir.InsertionPoint(before):
        ended = nvvm.mbarrier_try_wait(barrier, code.scalar(view.phase))
        true = integer_constant(ended.type, 1)
        scf.ConditionOp(arith.XOrIOp(ended, true).result, [])
    with ir.InsertionPoint(after):
        scf.YieldOp([])


def _barrier(code: ThreadCode, semaphore: ir.Value, stage: ir.Value) -> ir.Value:
    offset = integers.multiply(code.scalar(stage), BARRIER_BYTES)
    return pointers.byte_pointer(code.scalar(semaphore), offset)


HANDLERS = {
    accel.Await.NAME: await_phase,
    accel.CreateSemaphore.NAME: create_semaphore,
    accel.Notify.NAME: notify,
}
