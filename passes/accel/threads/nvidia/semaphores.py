"""Semaphores, at which roles of warps meet: mbarriers.

Source: NVIDIA's PTX documentation, "mbarrier".
"""

from __future__ import annotations

from mlc.bindings import arith, ir, nvvm, scf
from mlc.dialects import accel
from mlc.dialects.accel import cluster_around
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.layouts import LANE_BITS
from mlc.passes.accel.common.multicasts import MULTICAST
from mlc.passes.accel.common.shared_memory import BARRIER_BYTES
from mlc.passes.accel.threads.common import pointers
from mlc.passes.accel.threads.common.code import ThreadCode
from mlc.passes.accel.threads.common.control import then
from mlc.passes.accel.threads.nvidia import clusters, tensor_copies
from mlc.passes.base import PassError
from mlc.passes.common.constants import integer_constant


def create_semaphore(code: ThreadCode, op: ir.Operation) -> None:
    """An mbarrier for each stage, which one thread initialises."""
    (semaphore,) = op.results
    pointer = pointers.byte_pointer(code.shared_pointer(), code.shared.offsets[semaphore])
    arrivals = op.attributes["arrivals"].value * _arrivals_of_notify(op, code.warps)
    first = arith.cmpi(arith.CmpIPredicate.eq, code.thread_id(), integers.value(0))
    with ir.InsertionPoint(then(first)):
        for stage in range(op.attributes["stages"].value):
            at = pointers.byte_pointer(pointer, stage * BARRIER_BYTES)
            nvvm.mbarrier_init(at, integers.value(arrivals))
        nvvm.fence_mbarrier_init()
    code.values[op.results[0]] = pointer


def _arrivals_of_notify(semaphore: ir.Operation, warps: int) -> int:
    """Of one `accel.notify`: the producers' thread arrives, or one of each of the consumers' warps."""
    roles = {_is_produced(use.owner.operation) for use in _notifications(semaphore)}
    if len(roles) > 1:
        raise PassError("a semaphore is notified by one of the roles", semaphore.location)
    return 1 if True in roles else warps


def _notifications(semaphore: ir.Operation) -> list[ir.OpOperand]:
    uses = semaphore.results[0].uses
    return [use for use in uses if accel.Notify.isa(use.owner)]


def _is_produced(op: ir.Operation) -> bool:
    """Whether the op is the producers'. Raises PassError if no role has it."""
    inside, around = op, op.parent.operation
    while around.name not in (accel.Specialize.NAME, accel.Launch.NAME):
        inside, around = around, around.parent.operation
    if around.name == accel.Launch.NAME:
        raise PassError(f"'{op.name}' is for roles of warps, in an accel.specialize", op.location)
    return any(each.operation == inside for each in around.regions[0].blocks[0].operations)


def notify(code: ThreadCode, op: ir.Operation) -> None:
    """With tokens, the copies start here; otherwise one thread of each warp arrives, when all of them have
    read what they wanted, or one for each block of the cluster that is told."""
    semaphore, stage, *tokens = op.operands
    pending = op.attributes["pending"].value if "pending" in op.attributes else 0
    _end_products(code, pending)
    barrier = _barrier(code, semaphore, stage)
    if _is_produced(op):
        tensor_copies.start(code, [token.owner.operation for token in tokens], barrier)
        return
    if tokens:
        raise PassError("copies to semaphores are for producers", op.location)
    nvvm.bar_warp_sync(integers.value(-1))
    lane = integers.value(integers.mask(code.thread_id(), (1 << LANE_BITS) - 1))
    if MULTICAST in op.attributes:
        told = clusters.blocks_along(cluster_around(op), list(op.attributes[MULTICAST]))
        with ir.InsertionPoint(then(clusters.is_among(lane, told))):
            clusters.arrive(barrier, lane)
        return
    first = arith.cmpi(arith.CmpIPredicate.eq, lane, integers.value(0))
    with ir.InsertionPoint(then(first)):
        nvvm.mbarrier_arrive(barrier, results=[])


def _end_products(code: ThreadCode, pending: int) -> None:
    """All but the last ones, which do not read what is given back: of those that the code knows to be under
    way, or, behind a loop's body whose product goes on in the next iteration, of all."""
    if not pending or code.in_flight:
        code.settle(pending)
    else:
        nvvm.wgmma_wait_group_sync_aligned(pending)


def await_phase(code: ThreadCode, op: ir.Operation) -> None:
    """`accel.await`: asks until the phase has ended."""
    semaphore, stage, phase = op.operands
    _is_produced(op)
    barrier = _barrier(code, semaphore, stage)
    loop = scf.WhileOp([], [])
    before, after = (region.blocks.append() for region in loop.regions)
    with ir.InsertionPoint(before):
        ended = nvvm.mbarrier_try_wait(barrier, code.scalar(phase))
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
