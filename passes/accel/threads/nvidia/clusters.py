"""Clusters of blocks, which reach each other's shared memory.

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

_PLACES = ("read_ptx_sreg_cluster_ctaid_x", "read_ptx_sreg_cluster_ctaid_y", "read_ptx_sreg_cluster_ctaid_z")


def place(dim: int) -> ir.Value:
    """The block's place in its cluster, along a dim of the grid."""
    return getattr(nvvm, _PLACES[dim])(results=[i32()])


def synchronise() -> None:
    """All threads of the cluster's blocks meet, and see what others did before."""
    nvvm.cluster_arrive(aligned=True)
    nvvm.cluster_wait(aligned=True)


def blocks_along(cluster: Sequence[int], dims: Sequence[int]) -> Integer:
    """A mask with the ranks of the blocks that differ from this one along one of `dims` alone, and its
    own."""
    return reduce(_either, (_blocks_along(cluster, dim) for dim in dims))


def _blocks_along(cluster: Sequence[int], dim: int) -> Integer:
    # The first dim's neighbours have neighbouring ranks.
    distance = prod(cluster[:dim])
    first = sum(1 << distance * at for at in range(cluster[dim]))
    if prod(cluster) == cluster[dim]:
        return first
    rank = nvvm.read_ptx_sreg_cluster_ctarank(results=[i32()])
    before = integers.value(integers.multiply(place(dim), distance))
    return arith.ShLIOp(integers.value(first), arith.SubIOp(rank, before)).result


def _either(a: Integer, b: Integer) -> Integer:
    return arith.OrIOp(integers.value(a), integers.value(b)).result


def half(mask: Integer) -> ir.Value:
    """A mask as an i16, as copies take it."""
    kind = ir.IntegerType.get_signless(16)
    if isinstance(mask, int):
        return integer_constant(kind, mask)
    return arith.TruncIOp(kind, mask).result


def is_among(lane: ir.Value, mask: Integer) -> ir.Value:
    """Whether the bit of a lane's number is set in a mask."""
    bit = integers.mask(arith.ShRUIOp(integers.value(mask), lane).result, 1)
    return arith.cmpi(arith.CmpIPredicate.ne, integers.value(bit), integers.value(0))


def arrive(barrier: ir.Value, rank: ir.Value) -> None:
    """At the same mbarrier of another block. It says what was read, by products that have ended: there is
    nothing written for the other block to see, and a release for the cluster would wait for all that the
    thread's warp has written anywhere."""
    remote = nvvm.mapa(ir.Type.parse("!llvm.ptr<7>"), barrier, rank)
    nvvm.mbarrier_arrive(remote, scope=ir.Attribute.parse("#nvvm.mem_scope<cta>"), results=[])
