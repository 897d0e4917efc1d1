"""accel-multicast-copies: the blocks of a cluster share copies of the same tile."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir, scf
from mlc.dialects import accel
from mlc.dialects.accel import cluster_of
from mlc.passes.accel.common.multicasts import block_index, depends_on
from mlc.passes.accel.common.tensor_maps import tensor_map_fault
from mlc.passes.accel.transforms.copy_nests import CopyNest, copy_nest
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import gpu_target_of


@dataclass(frozen=True)
class MulticastCopies(Pass):
    """Marks the copies of launches in clusters that are the same for all blocks along a dim of the cluster
    (`multicast`): in a matrix multiplication, blocks along the rows read the same columns of the right
    operand.

    It is for sm_90a, where TMA writes to the shared memory of several blocks, and for launches that
    `accel-specialize-warps` will give roles. Loops must have the same trip count in all blocks of a cluster,
    and a tile must have equal parts for the blocks. A launch in which nothing is multicast loses its
    clusters; one that has roles already stays as it is."""

    name: ClassVar[str] = "accel-multicast-copies"

    def run(self, op: ir.Operation) -> bool:
        changed, launches = False, collect_ops(op, accel.Launch.NAME)
        if not launches or not gpu_target_of(op).clusters:
            return False
        for launch in launches:
            if accel.Launch(launch).cluster is not None and not collect_ops(launch, accel.Specialize.NAME):
                nest = copy_nest(launch) if prod(cluster_of(launch)) > 1 else None
                if nest is None or not mark(launch, nest):
                    _leave_clusters(launch)
                changed = True
        return changed


def mark(launch: ir.Operation, nest: CopyNest) -> bool:
    """Marks the copies of a nest of loops that can be multicast; returns whether there are any."""
    dims = [dim for dim, blocks in enumerate(cluster_of(launch)) if blocks > 1]
    loops = [scf.For(loop) for loop in nest.loops]
    bounds = [bound for loop in loops for bound in (loop.lower_bound, loop.upper_bound, loop.step)]
    if any(depends_on(bounds, block_index(launch, dim)) for dim in dims):
        return False
    found = [_mark(launch, copy, dims) for copy in nest.copying.copies]
    return any(found)


def _leave_clusters(launch: ir.Operation) -> None:
    for copy in collect_ops(launch, accel.Copy.NAME):
        accel.Copy(copy).multicast = None
    accel.Launch(launch).cluster = None


def _mark(launch: ir.Operation, copy: ir.Operation, dims: list[int]) -> bool:
    """Marks one copy, if it is uniform along one of `dims` and can be shared."""
    for dim in dims:
        if depends_on(copy.operands, block_index(launch, dim)):
            continue
        accel.Copy(copy).multicast = dim
        if not tensor_map_fault(copy):
            return True
        accel.Copy(copy).multicast = None
    return False
