"""accel-pipeline-loops: loops copy what later iterations need while they compute.

Parts of a loop's body: what some of its ops need.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, scf
from mlc.bindings.operations import address
from mlc.dialects import accel
from mlc.passes.accel.common.copying_loops import AHEAD, STAGES, CopyingLoop, next_stage, stage_of, stages_of
from mlc.passes.base import Pass
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import collect_ops, terminator_of


def slice_of(ops: Sequence[ir.Operation], block: ir.Block) -> list[ir.Operation]:
    """`ops`, and those ops of `block` that they depend on, in order."""
    wanted = {address(each) for each in ops}
    found: list[ir.Operation] = []
    for each in reversed(list(block.operations)):
        op = each.operation
        if address(op) in wanted:
            found.append(op)
            owners = [value.owner for value in op.operands if not isinstance(value, ir.BlockArgument)]
            wanted.update(address(owner) for owner in owners)
    return found[::-1]


@dataclass(frozen=True)
class PipelineLoops(Pass):
    """Makes rings of buffers of those that a loop with the attribute `accel.stages` copies into.

    The loop must copy from global to shared memory, then wait for all of these copies, then compute. With n
    stages, n - 1 iterations' copies are on their way before the first one computes, and each iteration starts
    those of the one that comes n - 1 later, as a group (`accel.commit`), behind the wait for its own
    (`accel.wait_groups`). Iterations that do not come copy nothing, and their groups are empty.
    """

    name: ClassVar[str] = "accel-pipeline-loops"

    def run(self, op: ir.Operation) -> bool:
        changed = False
        for loop in collect_ops(op, scf.For.NAME):
            if STAGES in loop.attributes:
                if stages_of(loop) > 1:
                    Pipeline(CopyingLoop(loop)).build()
                else:
                    del loop.attributes[STAGES]
                changed = True
        return changed


class Pipeline:
    """One loop, and the copies that run ahead of it."""

    def __init__(self, found: CopyingLoop) -> None:
        self.found, self.loop, self.stages, self.body = found, found.loop, found.stages, found.body
        self.copies, self.wait = found.copies, found.wait

    def build(self) -> None:
        """The groups before the loop, then the loop."""
        needed = slice_of(self.copies, self.body)
        rings = self.found.rings()
        with self.loop.location:
            with ir.InsertionPoint(self.loop):
                self.prologue(needed, rings)
            self.rebuild(needed, rings)

    def prologue(self, needed: list[ir.Operation], rings: list[ir.Value]) -> None:
        """Starts the copies of the first iterations."""
        lower, upper, step = list(self.loop.operands)[:3]
        iteration = lower
        for stage in range(self.stages - 1):
            self.group(needed, rings, iteration, upper, index(stage))
            iteration = arith.AddIOp(iteration, step).result

    def group(
        self,
        needed: list[ir.Operation],
        rings: list[ir.Value],
        iteration: ir.Value,
        upper: ir.Value,
        stage: ir.Value,
    ) -> None:
        """The copies of an iteration as a group, which is empty if there is no such iteration."""
        comes = arith.cmpi(arith.CmpIPredicate.slt, iteration, upper)
        branch = scf.IfOp(comes, has_else=True)
        branch.operation.attributes[AHEAD] = ir.UnitAttr.get()
        with ir.InsertionPoint(branch.operation.regions[0].blocks[0]):
            values = {self.body.arguments[0]: iteration}
            clone_ops([each for each in needed if each.name != accel.Copy.NAME], values)
            tokens = []
            for copy, ring in zip(self.copies, rings, strict=True):
                values[copy.operands[1]] = stage_of(ring, stage)
                tokens += clone_ops([copy], values)[0].results
            ir.Operation.create(accel.Commit.NAME, [], tokens)
            scf.YieldOp([])
        with ir.InsertionPoint(branch.operation.regions[1].blocks[0]):
            ir.Operation.create(accel.Commit.NAME, [], [])
            scf.YieldOp([])

    def rebuild(self, needed: list[ir.Operation], rings: list[ir.Value]) -> None:
        """The loop anew, which carries the number of the stage that it computes from."""
        old = self.loop
        with ir.InsertionPoint(old):
            lower, upper, step, *initial = old.operands
            loop = scf.ForOp(lower, upper, step, [*initial, index(0)])
        with ir.InsertionPoint(loop.body):
            stage = list(loop.inner_iter_args)[-1]
            pending = i64_attribute(self.stages - 2)
            ir.Operation.create(accel.WaitGroups.NAME, [], [], {"pending": pending})
            ahead = arith.MulIOp(step, index(self.stages - 1)).result
            iteration = arith.AddIOp(loop.induction_variable, ahead).result
            self.group(needed, rings, iteration, upper, _before(stage, self.stages))
            views = [stage_of(ring, stage) for ring in rings]
            self.move_body(loop, stage)
        for result, new in zip(old.results, loop.operation.results, strict=False):
            result.replace_all_uses_with(new)
        old.erase()
        self.found.replace_buffers(views)

    def move_body(self, loop: scf.ForOp, stage: ir.Value) -> None:
        """What the old loop computed, and the number of the next stage."""
        new = dict(zip(self.body.arguments, [loop.induction_variable, *loop.inner_iter_args], strict=False))
        yielded = [new.get(operand, operand) for operand in terminator_of(self.body).operands]
        for each in list(self.body.operations)[:-1]:
            op = each.operation
            if op != self.wait and op not in self.copies:
                ir.InsertionPoint(loop.body).insert(op.detach_from_parent())
        for argument, value in new.items():
            argument.replace_all_uses_with(value)
        scf.YieldOp([*yielded, next_stage(stage, self.stages)[0]])


def _before(stage: ir.Value, stages: int) -> ir.Value:
    """The stage before, which the iteration before has done with."""
    first = arith.cmpi(arith.CmpIPredicate.eq, stage, index(0))
    previous = arith.SubIOp(stage, index(1)).result
    return arith.SelectOp(first, index(stages - 1), previous).result
