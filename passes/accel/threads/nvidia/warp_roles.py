"""Roles of warps (`accel.specialize`).

Source: NVIDIA's PTX documentation, "setmaxnreg".
"""

from __future__ import annotations

from math import prod

from mlc.bindings import arith, ir, memref, nvvm, scf
from mlc.dialects import accel
from mlc.dialects.accel import cluster_around
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.layouts import LANE_BITS
from mlc.passes.accel.threads.common.code import Role, ThreadCode
from mlc.passes.accel.threads.common.control import then
from mlc.passes.accel.threads.nvidia import clusters
from mlc.passes.accel.threads.nvidia.warpgroup_mma import warp_index
from mlc.passes.base import PassError
from mlc.passes.common.constants import i32_attribute
from mlc.passes.common.rewriting import collect_ops

# Up to this number of threads per block each may have the maximum number of registers.
_THREADS_WITHOUT_LIMIT = 256
_BESIDE_ROLES = frozenset({accel.Alloc.NAME, accel.CreateSemaphore.NAME, accel.Specialize.NAME})
_OF_PRODUCERS = frozenset(
    {
        accel.Await.NAME,
        accel.Copy.NAME,
        accel.Notify.NAME,
        memref.Cast.NAME,
        memref.SubView.NAME,
        scf.For.NAME,
        scf.If.NAME,
        scf.Yield.NAME,
    }
)
# The id of the consumers' barrier; 0 is that of the whole thread block.
_CONSUMERS_BARRIER = 1


def specialize(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.specialize`. The consumers are the first warps, whose threads layouts refer to; one
    elected thread of the producers works: it starts copies by TMA."""
    _check(op)
    view = accel.Specialize(op)
    limited = view.consumer_warps + view.producer_warps << LANE_BITS > _THREADS_WITHOUT_LIMIT
    clustered = prod(cluster_around(op)) > 1
    # One thread of each thread block of a cluster has initialised the semaphores.
    clusters.synchronise() if clustered else nvvm.barrier()
    if limited:
        # ptxas needs the number of registers with which a thread starts.
        kernel = ir.InsertionPoint.current.block.owner
        kernel.attributes["nvvm.minctasm"] = i32_attribute(1)
    warp = warp_index(code)
    computes = arith.cmpi(arith.CmpIPredicate.ult, warp, integers.value(view.consumer_warps))
    roles = scf.IfOp(computes, has_else=True)
    consumers, producers = (region.blocks[0] for region in roles.regions)
    with ir.InsertionPoint(consumers):
        if limited:
            _set_registers(view.consumer_registers, "increase")
        code.role = Role(view.consumer_warps, _CONSUMERS_BARRIER, warp)
        code.emit_block(view.consumer.blocks[0])
        code.role = None
        scf.YieldOp([])
    with ir.InsertionPoint(producers):
        if limited:
            _set_registers(view.producer_registers, "decrease")
        first = arith.cmpi(arith.CmpIPredicate.eq, warp, integers.value(view.consumer_warps))
        with ir.InsertionPoint(then(first)), ir.InsertionPoint(then(nvvm.elect_sync())):
            for value in code.tensor_maps.values():
                nvvm.prefetch(value, tensormap=True)
            code.emit_block(view.producer.blocks[0])
        scf.YieldOp([])
    if clustered:
        # A thread block must not exit while others write to its shared memory or arrive at its barriers.
        clusters.synchronise()


def _set_registers(count: int, action: str) -> None:
    nvvm.setmaxregister(count, getattr(nvvm.SetMaxRegisterAction, action))


def _check(op: ir.Operation) -> None:
    """Raises PassError for ops outside of the roles that compute tiles, and for ops that the producers' one
    thread cannot run."""
    for sibling in op.block.operations:
        if sibling.operation.name not in _BESIDE_ROLES and not _is_scalar(sibling.operation):
            raise PassError("beside roles of warps only indices are computed", sibling.location)
    producers = [outer.operation for block in accel.Specialize(op).producer for outer in block.operations]
    for outer in producers:
        for inner in [*collect_ops(outer), outer]:
            if inner.name not in _OF_PRODUCERS and not _is_scalar(inner):
                message = f"producers copy to semaphores and compute indices, and have no '{inner.name}'"
                raise PassError(message, inner.location)


def _is_scalar(op: ir.Operation) -> bool:
    return op.name.startswith("arith.") and not isinstance(op.results[0].type, ir.VectorType)


HANDLERS = {accel.Specialize.NAME: specialize}
