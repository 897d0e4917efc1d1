"""accel-persist-blocks: persistent thread blocks, which compute several tiles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, scf
from mlc.dialects import accel
from mlc.dialects.accel import cluster_of
from mlc.passes.accel.common.warpgroups import GROUP
from mlc.passes.accel.transforms.copy_nests import copy_nest
from mlc.passes.base import Pass
from mlc.passes.common.constants import constant_value
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import gpu_target_of

# Larger clusters may leave multiprocessors idle: the clusters of a GPU's processors (GPCs) have different
# sizes.
MOST_OF_CLUSTER = 2


@dataclass(frozen=True)
class PersistBlocks(Pass):
    """Makes the thread blocks of launches for sm_90a persistent: as many as run at the same time compute all
    tiles; block b of n computes tiles b, b + n, b + 2 n and so on.

    It is for launches that `accel-specialize-warps` will give roles, of more than 4 warps, so that a
    multiprocessor has registers for one block, and of more blocks than the target has multiprocessors. Their
    producers copy operands of the next tile while consumers still compute or store the one before, and the
    setup of a block is done once. Tiles are enumerated along the grid's last dim, so clusters stay together.

    Launches stay as they are if they copy before or after their loop, if other loops are around it, if their
    clusters have more than 2 blocks, or if their grid is dynamic.
    """

    name: ClassVar[str] = "accel-persist-blocks"

    def run(self, op: ir.Operation) -> bool:
        launches = collect_ops(op, accel.Launch.NAME)
        if not launches or not gpu_target_of(op).clusters:
            return False
        changed, blocks = False, gpu_target_of(op).cores
        for launch in launches:
            if _is_long(launch, blocks) and _only_loops(launch):
                with launch.location:
                    _persist(launch, blocks // math.prod(cluster_of(launch)))
                self.count("launches", help="launches with persistent blocks")
                changed = True
        return changed


def _is_long(launch: ir.Operation, cores: int) -> bool:
    """Whether a launch has more blocks than run at the same time, in clusters along the last dim of its
    grid."""
    grid = [constant_value(operand) for operand in accel.Launch(launch).grid]
    known = [extent for extent in grid if extent is not None]
    cluster = list(cluster_of(launch))
    in_order = len(known) == len(grid) and known[:-1] == cluster[: len(grid) - 1] and cluster[-1:] == [1]
    return in_order and math.prod(cluster) <= MOST_OF_CLUSTER and math.prod(known) > cores


def _only_loops(launch: ir.Operation) -> bool:
    """Whether all copies of a launch are in one loop for which warps can have roles."""
    if accel.Launch(launch).warps <= GROUP:
        return False
    nest = copy_nest(launch)
    if nest is None or len(nest.loops) > 1:
        return False
    return set(collect_ops(launch, accel.Copy.NAME)) == set(nest.copying.copies)


def _persist(launch: ir.Operation, blocks: int) -> None:
    body = accel.Launch(launch).entry_block
    block = body.arguments[len(body.arguments) - 1]
    last = len(launch.operands) - 1
    ops = [op.operation for op in body.operations if not accel.Alloc.isa(op)]
    tiles = constant_value(launch.operands[last])
    assert tiles is not None, "_is_long checks that the grid is static"
    with ir.InsertionPoint(launch):
        launch.operands[last] = index(blocks)
    with ir.InsertionPoint(body):
        loop = scf.ForOp(block, index(tiles), index(blocks))
    block.replace_all_uses_except(loop.induction_variable, [loop.operation])
    for op in ops:
        ir.InsertionPoint(loop.body).insert(op.detach_from_parent())
    with ir.InsertionPoint(loop.body):
        scf.YieldOp([])
