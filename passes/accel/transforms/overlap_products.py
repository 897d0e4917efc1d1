"""accel-overlap-products: software-pipelines a loop; delays its last accel.mma by one iteration.

The delayed accel.mma overlaps the computation of the next iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, scf
from mlc.dialects import accel
from mlc.passes.accel.common.buffers import VIEWS
from mlc.passes.accel.common.copying_loops import OVERLAP, PING_PONG
from mlc.passes.accel.common.warpgroups import group_grid
from mlc.passes.base import Pass
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import collect_ops, has_one_use, terminator_of
from mlc.passes.common.target import gpu_target_of

_GREATER = int(arith.CmpIPredicate.sgt)


@dataclass(frozen=True)
class Edge:
    """An `scf.if` of a loop's body whose first region is taken if the induction variable plus `reach` is
    greater than `limit`."""

    branch: ir.Operation
    reach: int
    limit: ir.Value

    def first(self, lower: ir.Value, step: ir.Value) -> ir.Value:
        """Builds the first of `lower`, `lower + step` and so on for which the first region is taken."""
        before = arith.subi(arith.subi(self.limit, index(self.reach)), lower)
        # The number of steps for which it is not taken; 0 if it is taken for `lower`.
        count = arith.divui(arith.maxsi(arith.addi(before, step), index(0)), step)
        return arith.addi(lower, arith.muli(count, step))


def edge_of(loop: ir.Operation) -> Edge | None:
    """Returns the only branch of a loop's body; None if there is none, or several, or its condition has
    another form."""
    body = scf.For(loop).entry_block
    branches = [op.operation for op in body.operations if op.operation.name == scf.If.NAME]
    if len(branches) != 1:
        return None
    compare = arith.CmpI.defining(scf.If(branches[0]).condition)
    if compare is None or ir.IntegerAttr(compare.predicate).value != _GREATER:
        return None
    limit, total = compare.rhs, arith.AddI.defining(compare.lhs)
    if total is None or total.lhs != scf.For(loop).induction_variable:
        return None
    reach = arith.Constant.defining(total.rhs)
    if reach is None or _is_in(limit, body):
        return None
    return Edge(branches[0], ir.IntegerAttr(reach.value).value, limit)


def _is_in(value: ir.Value, body: ir.Block) -> bool:
    """Whether a value is an argument of a loop's body or a result of one of its ops."""
    inside = [*body.arguments, *(result for op in body.operations for result in op.operation.results)]
    return value in inside


Values = dict[ir.Value, ir.Value]


@dataclass(frozen=True)
class Stages:
    """The two stages of a loop's body. Stage 0 is `now`; the mma in it is `first`. Stage 1, executed in the
    next iteration, is `begins` (views that the mma `last` reads, and waits for them), `last` and `ends`,
    which release buffers. Stage 1 reads the values `needed` of stage 0; `last` computes the accumulator that
    the loop carries at `position`."""

    first: ir.Operation
    now: list[ir.Operation]
    begins: list[ir.Operation]
    last: ir.Operation
    ends: list[ir.Operation]
    needed: list[ir.Value]
    position: int

    @property
    def sums(self) -> ir.Value:
        """The result of the last mma."""
        return accel.Mma(self.last).result


def stages_of_body(loop: ir.Operation) -> Stages | None:
    """Returns the stages of a loop; None if its last mma cannot be delayed, or would overlap no
    computation."""
    body = scf.For(loop).entry_block
    ops = [op.operation for op in body.operations][:-1]
    mmas = [op for op in ops if op.name == accel.Mma.NAME]
    if len(mmas) != 2 or not all(group_grid(mma) is not None for mma in mmas):
        return None
    first, last = mmas
    position = _carried_position(last, body)
    if position is None or not isinstance(accel.Mma(last).a.type, ir.VectorType):
        return None
    after = ops[ops.index(first) :]
    begins = [op for op in ops if _is_view_of(op, last) or (op.name == accel.Await.NAME and op in after)]
    ends = [op for op in ops[ops.index(last) :] if op.name == accel.Notify.NAME]
    later = [*begins, last, *ends]
    now = [op for op in ops if op not in later]
    if _is_used(scf.For(loop).iteration_arguments[position], [*now[: now.index(first) + 1], last]):
        return None
    made = {*body.arguments, *(result for op in now for result in op.results)}
    needed = dict.fromkeys(value for op in later for value in op.operands if value in made)
    return Stages(first, now, begins, last, ends, list(needed), position)


def _carried_position(mma: ir.Operation, body: ir.Block) -> int | None:
    """The position of an mma's result among the yielded values of a loop; None if it has other uses."""
    result = accel.Mma(mma).result
    if not has_one_use(result):
        return None
    yielded = list(terminator_of(body).operands)
    return yielded.index(result) if result in yielded else None


def _is_view_of(op: ir.Operation, mma: ir.Operation) -> bool:
    """Whether an op is a view of a buffer that only the mma reads."""
    return op.name in VIEWS and has_one_use(op.results[0]) and op.results[0] in list(mma.operands)


def _is_used(value: ir.Value, ops: Sequence[ir.Operation]) -> bool:
    return any(value in list(op.operands) for op in ops)


@dataclass(frozen=True)
class PipelinedLoop:
    """The software-pipelined form of a loop: prologue, loop and epilogue, in which stage 1 belongs to the
    iteration before. With `ping_pong` warp groups alternate in the mmas of each of the three."""

    loop: ir.Operation
    parts: Stages
    edge: Edge | None
    ping_pong: bool = False

    @property
    def arguments(self) -> list[ir.Value]:
        """The iteration arguments of the loop."""
        return scf.For(self.loop).iteration_arguments

    @property
    def yielded(self) -> list[ir.Value]:
        """The values that an iteration passes on: all but the accumulator of the last mma, and its
        operands."""
        values = list(scf.For(self.loop).terminator.operands)
        del values[self.parts.position]
        return [*values, *self.parts.needed]

    def build(self) -> None:
        """Builds the new form before the loop, and replaces the loop's results."""
        loop = scf.For(self.loop)
        lower, upper, step = loop.lower_bound, loop.upper_bound, loop.step
        values = {loop.induction_variable: lower, **dict(zip(self.arguments, loop.init_args, strict=True))}
        for op in self.parts.now:
            with self._ping_pong("first") if op == self.parts.first else nullcontext():
                clone_ops([op], values)
        state = [values.get(value, value) for value in self.yielded]
        second = arith.addi(lower, step)
        if self.edge is None:
            state = self._loop(second, upper, step, state, None)
        else:
            edge = self.edge.first(lower, step)
            state = self._loop(second, arith.minsi(edge, upper), step, state, 1)
            state = self._loop(arith.maxsi(edge, second), upper, step, state, 0)
        self._replace(state)

    def _loop(
        self, lower: ir.Value, upper: ir.Value, step: ir.Value, state: list[ir.Value], region: int | None
    ) -> list[ir.Value]:
        """Builds iterations in which the branch takes one region, if there is one; returns the state after
        them."""
        loop, parts = scf.ForOp(lower, upper, step, state), self.parts
        kept = [argument for i, argument in enumerate(self.arguments) if i != parts.position]
        with ir.InsertionPoint(loop.body):
            carried = list(loop.inner_iter_args)
            values: Values = {scf.For(self.loop).induction_variable: loop.induction_variable}
            values.update(zip(kept, carried, strict=False))
            before: Values = dict(zip(parts.needed, carried[len(kept) :], strict=True))
            for op in parts.now:
                if op == parts.first:
                    clone_ops(parts.begins, before)
                    with self._ping_pong():
                        clone_ops([op], values)
                        clone_ops([parts.last], before)
                    values[self.arguments[parts.position]] = before[parts.sums]
                else:
                    self._clone(op, values, region)
            clone_ops(parts.ends, before)
            scf.YieldOp([values.get(value, value) for value in self.yielded])
        return list(loop.operation.results)

    def _clone(self, op: ir.Operation, values: Values, region: int | None) -> None:
        """Clones `op`; of the branch only the region that is taken."""
        if self.edge is None or region is None or op != self.edge.branch:
            for copy in clone_ops([op], values):
                if copy.name == accel.Notify.NAME:
                    # The mma of the iteration before does not read the released buffer.
                    accel.Notify(copy).pending = 1
            return
        block = op.regions[region].blocks[0]
        clone_ops([inner.operation for inner in block.operations][:-1], values)
        taken = [values.get(operand, operand) for operand in terminator_of(block).operands]
        values.update(zip(op.results, taken, strict=True))

    @contextmanager
    def _ping_pong(self, which: str = "") -> Iterator[None]:
        """Synchronises warp groups around mmas: the "first" ones, the "last" ones or others."""
        if self.ping_pong:
            first = {"first": ir.UnitAttr.get()} if which == "first" else {}
            ir.Operation.create(accel.AwaitPingPong.NAME, [], [], first)
        yield
        if self.ping_pong:
            last = {"last": ir.UnitAttr.get()} if which == "last" else {}
            ir.Operation.create(accel.PassPingPong.NAME, [], [], last)

    def _replace(self, state: list[ir.Value]) -> None:
        """Builds the epilogue, and replaces the loop's results."""
        results, parts = list(self.loop.results), self.parts
        values: Values = dict(zip(parts.needed, state[len(results) - 1 :], strict=True))
        clone_ops(parts.begins, values)
        with self._ping_pong("last"):
            clone_ops([parts.last], values)
        clone_ops(parts.ends, values)
        state = state[: len(results) - 1]
        state.insert(parts.position, values[parts.sums])
        for old, new in zip(results, state, strict=True):
            old.replace_all_uses_with(new)


@dataclass(frozen=True)
class OverlapProducts(Pass):
    """Software-pipelines loops with the attribute `accel.overlap`: delays their last accel.mma by one
    iteration. The loops are those of consumers (accel-specialize-warps) with two mmas by warp groups; the
    second one reads values computed from the first one, and adds to an accumulator that the loop carries.

    Each iteration starts its first mma, then the second one of the iteration before, which runs while the
    rest is computed; the buffers of the iteration before are released at the end. The first iteration becomes
    a prologue, the last mma an epilogue: the attribute states that the trip count is at least 1.

    If the rest has a branch that is taken in the last iterations only, as it compares the induction variable
    with a loop-invariant limit, the loop is split where the branch begins to be taken: neither part branches
    while mmas are in flight. All other loops stay as they are.

    With the attribute `accel.ping_pong` too, warp groups with separate rows alternate
    (`accel.await_ping_pong`, `accel.pass_ping_pong`): one uses the tensor cores while the others compute the
    rest. The mmas of prologue and epilogue take part in it.
    """

    name: ClassVar[str] = "accel-overlap-products"

    def run(self, op: ir.Operation) -> bool:
        changed, loops = False, collect_ops(op, scf.For.NAME)
        if not loops or not gpu_target_of(op).clusters:
            return False
        for loop in loops:
            if OVERLAP not in loop.attributes or not _is_consumed(loop):
                continue
            stages = stages_of_body(loop)
            if stages is not None:
                with ir.InsertionPoint(loop), loop.location:
                    PipelinedLoop(loop, stages, edge_of(loop), _alternates(loop, stages)).build()
                loop.erase()
                self.count("loops", help="loops software-pipelined")
                changed = True
        return changed


def _is_consumed(loop: ir.Operation) -> bool:
    """Whether a loop is the consumers' outermost one."""
    return loop.parent is not None and loop.parent.operation.name == accel.Specialize.NAME


def _alternates(loop: ir.Operation, stages: Stages) -> bool:
    """Whether a loop asks for ping-pong, and has several warp groups that need not wait for each other."""
    grid = group_grid(stages.first)
    return PING_PONG in loop.attributes and grid is not None and grid.down > 1 and grid.across == 1
