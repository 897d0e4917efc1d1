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
from mlc.passes.accel.threads.nvidia.warpgroup_products import warp_index
from mlc.passes.base import PassError
from mlc.passes.common.constants import i32_attribute
from mlc.passes.common.rewriting import collect_ops

# Threads of a block up to which each may have all the registers that there are.
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
# The barrier at which consumers meet; number 0 is that of the whole block.
_CONSUMERS_BARRIER = 1


def specialize(code: ThreadCode, op: ir.Operation) -> None:
    """The consumers are the first warps, whose threads' numbers layouts speak of. Of the producers one thread
    works: it starts copies of whole tiles."""
    _check(op)
    warps = {role: op.attributes[f"{role}_warps"].value for role in ("consumer", "producer")}
    limited = sum(warps.values()) << LANE_BITS > _THREADS_WITHOUT_LIMIT
    clustered = prod(cluster_around(op)) > 1
    # Semaphores are initialised by one thread, of each block of a cluster.
    clusters.synchronise() if clustered else nvvm.barrier()
    if limited:
        # ptxas must know with how many registers a thread begins.
        kernel = ir.InsertionPoint.current.block.owner
        kernel.attributes["nvvm.minctasm"] = i32_attribute(1)
    warp = warp_index(code)
    computes = arith.cmpi(arith.CmpIPredicate.ult, warp, integers.value(warps["consumer"]))
    roles = scf.IfOp(computes, has_else=True)
    consumers, producers = (region.blocks[0] for region in roles.regions)
    with ir.InsertionPoint(consumers):
        if limited:
            _set_registers(op, "consumer", "increase")
        code.role = Role(warps["consumer"], _CONSUMERS_BARRIER, warp)
        code.emit_block(op.regions[1].blocks[0])
        code.role = None
        scf.YieldOp([])
    with ir.InsertionPoint(producers):
        if limited:
            _set_registers(op, "producer", "decrease")
        first = arith.cmpi(arith.CmpIPredicate.eq, warp, integers.value(warps["consumer"]))
        with ir.InsertionPoint(then(first)), ir.InsertionPoint(then(nvvm.elect_sync())):
            for value in code.tensor_maps.values():
                nvvm.prefetch(value, tensormap=True)
            code.emit_block(op.regions[0].blocks[0])
        scf.YieldOp([])
    if clustered:
        # A block must not end while others write to its shared memory, or arrive at its barriers.
        clusters.synchronise()


def _set_registers(op: ir.Operation, role: str, action: str) -> None:
    count = op.attributes[f"{role}_registers"].value
    nvvm.setmaxregister(count, getattr(nvvm.SetMaxRegisterAction, action))


def _check(op: ir.Operation) -> None:
    """Raises PassError for what no warps compute, or the one thread of the producers cannot."""
    for each in op.parent.operation.regions[0].blocks[0].operations:
        beside = each.operation
        if beside.name not in _BESIDE_ROLES and not _is_scalar(beside):
            raise PassError("beside roles of warps only indices are computed", beside.location)
    producers = [each for block in op.regions[0] for each in block.operations]
    for each in producers:
        for inner in [*collect_ops(each.operation), each.operation]:
            if inner.name not in _OF_PRODUCERS and not _is_scalar(inner):
                message = f"producers copy to semaphores and compute indices, and have no '{inner.name}'"
                raise PassError(message, inner.location)


def _is_scalar(op: ir.Operation) -> bool:
    return op.name.startswith("arith.") and not isinstance(op.results[0].type, ir.VectorType)


HANDLERS = {accel.Specialize.NAME: specialize}
