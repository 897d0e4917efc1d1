"""accel-pipeline-loops: software-pipelines loops; copies for later iterations overlap computation."""

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
    """Returns the backward slice of `ops` in `block`: these, and the ops that they depend on, in order."""
    wanted = {address(op) for op in ops}
    found: list[ir.Operation] = []
    for op in reversed([op.operation for op in block.operations]):
        if address(op) in wanted:
            found.append(op)
            owners = [value.owner for value in op.operands if not isinstance(value, ir.BlockArgument)]
            wanted.update(address(owner) for owner in owners)
    return found[::-1]


@dataclass(frozen=True)
class PipelineLoops(Pass):
    """Replaces the buffers that a loop with the attribute `accel.stages` copies into by rings of buffers.

    The loop must copy from global to shared memory, then wait for all of these copies, then compute. With n
    stages, the copies of n - 1 iterations are in flight before the first one computes, and each iteration
    waits for its copies (`accel.wait_groups`), then starts those of the iteration n - 1 later as a group
    (`accel.commit`). Groups of iterations past the end of the loop are empty."""

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
    """The software-pipelined form of one loop."""

    def __init__(self, found: CopyingLoop) -> None:
        self.found, self.loop, self.stages, self.body = found, found.loop, found.stages, found.body
        self.copies, self.wait = found.copies, found.wait

    def build(self) -> None:
        """Builds the prologue, then the loop."""
        needed = slice_of(self.copies, self.body)
        rings = self.found.rings()
        with self.loop.location:
            with ir.InsertionPoint(self.loop):
                self.prologue(needed, rings)
            self.rebuild(needed, rings)

    def prologue(self, needed: list[ir.Operation], rings: list[ir.Value]) -> None:
        """Starts the copies of the first iterations."""
        loop = scf.For(self.loop)
        iteration = loop.lower_bound
        for stage in range(self.stages - 1):
            self.group(needed, rings, iteration, loop.upper_bound, index(stage))
            iteration = arith.AddIOp(iteration, loop.step).result

    def group(
        self,
        needed: list[ir.Operation],
        rings: list[ir.Value],
        iteration: ir.Value,
        upper: ir.Value,
        stage: ir.Value,
    ) -> None:
        """Starts the copies of an iteration as a group, which is empty if there is no such iteration."""
        exists = arith.cmpi(arith.CmpIPredicate.slt, iteration, upper)
        branch = scf.IfOp(exists, has_else=True)
        branch.operation.attributes[AHEAD] = ir.UnitAttr.get()
        with ir.InsertionPoint(branch.operation.regions[0].blocks[0]):
            values = {self.body.arguments[0]: iteration}
            clone_ops([op for op in needed if op.name != accel.Copy.NAME], values)
            tokens = []
            for copy, ring in zip(self.copies, rings, strict=True):
                values[accel.Copy(copy).destination] = stage_of(ring, stage)
                tokens += clone_ops([copy], values)[0].results
            ir.Operation.create(accel.Commit.NAME, [], tokens)
            scf.YieldOp([])
        with ir.InsertionPoint(branch.operation.regions[1].blocks[0]):
            ir.Operation.create(accel.Commit.NAME, [], [])
            scf.YieldOp([])

    def rebuild(self, needed: list[ir.Operation], rings: list[ir.Value]) -> None:
        """Builds the loop, which carries the index of the stage that it computes from."""
        old = self.loop
        with ir.InsertionPoint(old):
            view = scf.For(old)
            upper, step = view.upper_bound, view.step
            loop = scf.ForOp(view.lower_bound, upper, step, [*view.init_args, index(0)])
        with ir.InsertionPoint(loop.body):
            stage = list(loop.inner_iter_args)[-1]
            pending = i64_attribute(self.stages - 2)
            ir.Operation.create(accel.WaitGroups.NAME, [], [], {"pending": pending})
            ahead = arith.MulIOp(step, index(self.stages - 1)).result
            iteration = arith.AddIOp(loop.induction_variable, ahead).result
            self.group(needed, rings, iteration, upper, _previous_stage(stage, self.stages))
            views = [stage_of(ring, stage) for ring in rings]
            self.move_body(loop, stage)
        for result, new in zip(old.results, loop.operation.results, strict=False):
            result.replace_all_uses_with(new)
        old.erase()
        self.found.replace_buffers(views)

    def move_body(self, loop: scf.ForOp, stage: ir.Value) -> None:
        """Moves the computation of the old loop into the new one, and yields the next stage."""
        new = dict(zip(self.body.arguments, [loop.induction_variable, *loop.inner_iter_args], strict=False))
        yielded = [new.get(operand, operand) for operand in terminator_of(self.body).operands]
        for op in [op.operation for op in self.body.operations][:-1]:
            if op != self.wait and op not in self.copies:
                ir.InsertionPoint(loop.body).insert(op.detach_from_parent())
        for argument, value in new.items():
            argument.replace_all_uses_with(value)
        scf.YieldOp([*yielded, next_stage(stage, self.stages)[0]])


def _previous_stage(stage: ir.Value, stages: int) -> ir.Value:
    """The ring's previous stage, which the previous iteration has read."""
    first = arith.cmpi(arith.CmpIPredicate.eq, stage, index(0))
    previous = arith.SubIOp(stage, index(1)).result
    return arith.SelectOp(first, index(stages - 1), previous).result
