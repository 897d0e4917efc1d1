"""accel-persist-blocks: blocks that stay on their multiprocessors compute one tile after the other."""

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

# Blocks of larger clusters may not have a place on all multiprocessors: parts of a GPU have some of them.
MOST_OF_CLUSTER = 2


@dataclass(frozen=True)
class PersistBlocks(Pass):
    """Has as many blocks as run at the same time compute all tiles of a launch for sm_90a, each one after the
    other: block b of n those of the numbers b, b + n, b + 2 n.

    It is for launches that `accel-specialize-warps` will give roles, of more than 4 warps, so that a
    multiprocessor has registers for one block, and of more blocks than the target has multiprocessors. Their
    producers copy what the next tile needs while consumers still compute or store the one before, and what a
    block begins with is done once. Blocks number along the grid's last dim; a cluster's stay together.

    Launches stay as they are that copy anything in front of their loop or behind it, or that have other loops
    around it, that are in clusters of more than 2 blocks, or whose grid is not known.
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
                self.count("launches", help="launches whose blocks compute several tiles")
                changed = True
        return changed


def _is_long(launch: ir.Operation, cores: int) -> bool:
    """Whether it has more blocks than run at the same time, in numbers along its last dim."""
    grid = [constant_value(operand) for operand in launch.operands]
    known = [each for each in grid if each is not None]
    cluster = list(cluster_of(launch))
    in_order = len(known) == len(grid) and known[:-1] == cluster[: len(grid) - 1] and cluster[-1:] == [1]
    return in_order and math.prod(cluster) <= MOST_OF_CLUSTER and math.prod(known) > cores


def _only_loops(launch: ir.Operation) -> bool:
    """Whether all that it copies into shared memory it copies in one loop, for roles of warps."""
    if launch.attributes["warps"].value <= GROUP:
        return False
    nest = copy_nest(launch)
    if nest is None or len(nest.loops) > 1:
        return False
    return set(collect_ops(launch, accel.Copy.NAME)) == set(nest.copying.copies)


def _persist(launch: ir.Operation, blocks: int) -> None:
    body = launch.regions[0].blocks[0]
    number = body.arguments[len(body.arguments) - 1]
    last = len(launch.operands) - 1
    ops = [each.operation for each in body.operations if not accel.Alloc.isa(each)]
    tiles = constant_value(launch.operands[last])
    assert tiles is not None, "checked before"
    with ir.InsertionPoint(launch):
        launch.operands[last] = index(blocks)
    with ir.InsertionPoint(body):
        loop = scf.ForOp(number, index(tiles), index(blocks))
    number.replace_all_uses_except(loop.induction_variable, [loop.operation])
    for op in ops:
        ir.InsertionPoint(loop.body).insert(op.detach_from_parent())
    with ir.InsertionPoint(loop.body):
        scf.YieldOp([])
