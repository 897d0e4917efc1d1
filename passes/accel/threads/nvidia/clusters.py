"""Clusters of thread blocks, which access each other's shared memory.

Source: NVIDIA's PTX documentation, "Cluster of Cooperative Thread Arrays", "mapa", "barrier.cluster".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod

from mlc.bindings import arith, ir, nvvm
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.integers import Integer
from mlc.passes.common.constants import i32, integer_constant

_CLUSTER_BLOCK_IDS = (
    "read_ptx_sreg_cluster_ctaid_x",
    "read_ptx_sreg_cluster_ctaid_y",
    "read_ptx_sreg_cluster_ctaid_z",
)


def cluster_block_id(dim: int) -> ir.Value:
    """Returns the thread block's index in its cluster along a dim of the grid."""
    return getattr(nvvm, _CLUSTER_BLOCK_IDS[dim])(results=[i32()])


def synchronise() -> None:
    """Emits a barrier for all threads of the cluster, with release and acquire semantics."""
    nvvm.cluster_arrive(aligned=True)
    nvvm.cluster_wait(aligned=True)


def ranks_along(cluster: Sequence[int], dims: Sequence[int]) -> Integer:
    """Returns a mask of the ranks of this thread block, and of those in the cluster that differ from it along
    exactly one of `dims`."""
    return reduce(_either, (_ranks_along(cluster, dim) for dim in dims))


def _ranks_along(cluster: Sequence[int], dim: int) -> Integer:
    # Ranks are consecutive along the first dim.
    distance = prod(cluster[:dim])
    first = sum(1 << distance * index for index in range(cluster[dim]))
    if prod(cluster) == cluster[dim]:
        return first
    rank = nvvm.read_ptx_sreg_cluster_ctarank(results=[i32()])
    before = integers.value(integers.multiply(cluster_block_id(dim), distance))
    return arith.ShLIOp(integers.value(first), arith.SubIOp(rank, before)).result


def _either(a: Integer, b: Integer) -> Integer:
    return arith.OrIOp(integers.value(a), integers.value(b)).result


def multicast_mask(mask: Integer) -> ir.Value:
    """Converts a mask of ranks to an i16, the type that multicast copies take."""
    i16 = ir.IntegerType.get_signless(16)
    if isinstance(mask, int):
        return integer_constant(i16, mask)
    return arith.TruncIOp(i16, mask).result


def is_among(lane: ir.Value, mask: Integer) -> ir.Value:
    """Emits the test of whether the bit at index `lane` is set in a mask."""
    bit = integers.mask(arith.ShRUIOp(integers.value(mask), lane).result, 1)
    return arith.cmpi(arith.CmpIPredicate.ne, integers.value(bit), integers.value(0))


def arrive(barrier: ir.Value, rank: ir.Value) -> None:
    """Arrives at the same mbarrier of the thread block with this rank. It reports reads of completed mma: no
    writes must become visible, and a release at cluster scope would wait for all writes of the warp."""
    remote = nvvm.mapa(ir.Type.parse("!llvm.ptr<7>"), barrier, rank)
    nvvm.mbarrier_arrive(remote, scope=ir.Attribute.parse("#nvvm.mem_scope<cta>"), results=[])
