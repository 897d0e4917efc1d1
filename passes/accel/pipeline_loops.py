"""accel-pipeline-loops: loops copy what later iterations need while they compute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, memref, scf
from mlc.dialects.accel import is_shared
from mlc.passes.accel.program_slices import clone_ops, slice_of
from mlc.passes.base import Pass, PassFailure
from mlc.passes.rewriting import collect_ops, terminator_of

STAGES = "accel.stages"
# Of a branch around copies: if it is not taken, nobody reads their buffers before they are copied to anew.
AHEAD = "accel.ahead"


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
        for loop in collect_ops(op, "scf.for"):
            if STAGES in loop.attributes:
                stages = ir.IntegerAttr(loop.attributes[STAGES]).value
                del loop.attributes[STAGES]
                if stages > 1:
                    Pipeline(loop, stages).build()
                changed = True
        return changed


class Pipeline:
    """One loop, and the copies that run ahead of it."""

    def __init__(self, loop: ir.Operation, stages: int) -> None:
        self.loop, self.stages = loop, stages
        self.body = loop.regions[0].blocks[0]
        ops = [each.operation for each in self.body.operations]
        self.copies = [each for each in ops if each.name == "accel.copy" and is_shared(each.operands[1])]
        waits = [each for each in ops if each.name == "accel.wait"]
        if not self.copies or len(waits) != 1:
            raise PassFailure(
                f"a loop with {STAGES} copies into shared memory and waits once, but this one has "
                f"{len(self.copies)} copies and {len(waits)} waits",
                loop.location,
            )
        self.wait = waits[0]
        self.check()

    def check(self) -> None:
        """Raises PassFailure unless all copies are waited for at once, into buffers of their own."""
        tokens = set(self.wait.operands)
        buffers = [copy.operands[1] for copy in self.copies]
        if tokens != {copy.results[0] for copy in self.copies}:
            raise PassFailure(f"a loop with {STAGES} waits for all of its copies at once", self.wait.location)
        for copy, buffer in zip(self.copies, buffers, strict=True):
            owner = None if isinstance(buffer, ir.BlockArgument) else buffer.owner
            if owner is None or owner.name != "accel.alloc" or owner.attributes["stages"].value != 1:
                raise PassFailure("a pipelined copy writes a whole buffer of one stage", copy.location)
            if buffers.count(buffer) > 1 or not all(_is_in(use.owner, self.loop) for use in buffer.uses):
                raise PassFailure("a pipelined copy writes a buffer of its own", copy.location)

    def build(self) -> None:
        """The groups before the loop, then the loop."""
        needed = slice_of(self.copies, self.body)
        rings = [self.ring(copy.operands[1].owner) for copy in self.copies]
        with self.loop.location:
            with ir.InsertionPoint(self.loop):
                self.prologue(needed, rings)
            self.rebuild(needed, rings)

    def ring(self, alloc: ir.Operation) -> ir.Value:
        """A buffer with as many stages, in front of the old one."""
        kind = alloc.results[0].type
        whole = ir.MemRefType.get([self.stages, *kind.shape], kind.element_type, None, kind.memory_space)
        attributes = {
            "stages": ir.IntegerAttr.get(ir.IntegerType.get_signless(64, alloc.context), self.stages),
            "swizzle": alloc.attributes["swizzle"],
        }
        with ir.InsertionPoint(alloc), alloc.location:
            return ir.Operation.create("accel.alloc", [whole], [], attributes).results[0]

    def prologue(self, needed: list[ir.Operation], rings: list[ir.Value]) -> None:
        """Starts the copies of the first iterations."""
        lower, upper, step = list(self.loop.operands)[:3]
        iteration = lower
        for stage in range(self.stages - 1):
            self.group(needed, rings, iteration, upper, _index(stage))
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
            clone_ops([each for each in needed if each.name != "accel.copy"], values)
            tokens = []
            for copy, ring in zip(self.copies, rings, strict=True):
                values[copy.operands[1]] = _stage_of(ring, stage)
                tokens += clone_ops([copy], values)[0].results
            ir.Operation.create("accel.commit", [], tokens)
            scf.YieldOp([])
        with ir.InsertionPoint(branch.operation.regions[1].blocks[0]):
            ir.Operation.create("accel.commit", [], [])
            scf.YieldOp([])

    def rebuild(self, needed: list[ir.Operation], rings: list[ir.Value]) -> None:
        """The loop anew, which carries the number of the stage that it computes from."""
        old = self.loop
        with ir.InsertionPoint(old):
            lower, upper, step, *initial = old.operands
            loop = scf.ForOp(lower, upper, step, [*initial, _index(0)])
        with ir.InsertionPoint(loop.body):
            stage = list(loop.inner_iter_args)[-1]
            pending = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), self.stages - 2)
            ir.Operation.create("accel.wait_groups", [], [], {"pending": pending})
            ahead = arith.MulIOp(step, _index(self.stages - 1)).result
            iteration = arith.AddIOp(loop.induction_variable, ahead).result
            self.group(needed, rings, iteration, upper, _before(stage, self.stages))
            views = [_stage_of(ring, stage) for ring in rings]
            self.move_body(loop, stage)
        for result, new in zip(old.results, loop.operation.results, strict=False):
            result.replace_all_uses_with(new)
        allocs = [copy.operands[1].owner for copy in self.copies]
        old.erase()
        for alloc, view in zip(allocs, views, strict=True):
            alloc.results[0].replace_all_uses_with(view)
            alloc.erase()

    def move_body(self, loop: scf.ForOp, stage: ir.Value) -> None:
        """What the old loop computed, and the number of the next stage."""
        new = dict(zip(self.body.arguments, [loop.induction_variable, *loop.inner_iter_args], strict=False))
        yielded = [new.get(each, each) for each in terminator_of(self.body).operands]
        for each in list(self.body.operations)[:-1]:
            op = each.operation
            if op != self.wait and op not in self.copies:
                ir.InsertionPoint(loop.body).insert(op.detach_from_parent())
        for argument, value in new.items():
            argument.replace_all_uses_with(value)
        scf.YieldOp([*yielded, _after(stage, self.stages)])


def _is_in(op: ir.Operation | ir.OpView, loop: ir.Operation) -> bool:
    parent = op.operation
    while parent is not None and parent != loop:
        parent = parent.parent.operation if parent.parent is not None else None
    return parent is not None


def _index(value: int) -> ir.Value:
    return arith.ConstantOp(ir.IndexType.get(), value).result


def _stage_of(ring: ir.Value, stage: ir.Value) -> ir.Value:
    shape = list(ring.type.shape)[1:]
    rest = [0] * len(shape)
    strides, _ = ring.type.get_strides_and_offset()
    layout = ir.StridedLayoutAttr.get(ir.ShapedType.get_dynamic_stride_or_offset(), strides[1:])
    kind = ir.MemRefType.get(shape, ring.type.element_type, layout, ring.type.memory_space)
    ones = [1] * (len(shape) + 1)
    dynamic = ir.ShapedType.get_dynamic_size()
    return memref.SubViewOp(kind, ring, [stage], [], [], [dynamic, *rest], [1, *shape], ones).result


def _after(stage: ir.Value, stages: int) -> ir.Value:
    """The next stage of the ring."""
    following = arith.AddIOp(stage, _index(1)).result
    last = arith.cmpi(arith.CmpIPredicate.eq, following, _index(stages))
    return arith.SelectOp(last, _index(0), following).result


def _before(stage: ir.Value, stages: int) -> ir.Value:
    """The stage before, which the iteration before has done with."""
    first = arith.cmpi(arith.CmpIPredicate.eq, stage, _index(0))
    previous = arith.SubIOp(stage, _index(1)).result
    return arith.SelectOp(first, _index(stages - 1), previous).result
