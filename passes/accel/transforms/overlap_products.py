"""accel-overlap-products: a loop's last product runs beside what the next iteration computes.

Loops anew, whose last product belongs to the iteration before.

Branches that are taken in the last iterations of a loop only.
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
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import collect_ops, defining_op, has_one_use, terminator_of
from mlc.passes.common.target import gpu_target_of

_GREATER = 4  # arith.cmpi's number of sgt


@dataclass(frozen=True)
class Edge:
    """An `scf.if` of a loop's body, whose first region is taken where the counter plus `reach` is greater
    than `limit`."""

    branch: ir.Operation
    reach: int
    limit: ir.Value

    def first(self, lower: ir.Value, step: ir.Value) -> ir.Value:
        """Of the counters `lower`, `lower + step` and so on, the first one at which it is taken."""
        before = arith.subi(arith.subi(self.limit, index(self.reach)), lower)
        # One more than the number of steps that fit, none if not even the first one does.
        count = arith.divui(arith.maxsi(arith.addi(before, step), index(0)), step)
        return arith.addi(lower, arith.muli(count, step))


def edge_of(loop: ir.Operation) -> Edge | None:
    """The only branch of a loop's body; None if there is none, or several, or it depends on other things."""
    body = loop.regions[0].blocks[0]
    branches = [op.operation for op in body.operations if op.operation.name == scf.If.NAME]
    if len(branches) != 1:
        return None
    compare = defining_op(branches[0].operands[0], arith.CmpI.NAME)
    if compare is None or ir.IntegerAttr(arith.CmpI(compare).predicate).value != _GREATER:
        return None
    reaches, limit = compare.operands
    total = arith.AddI.defining(reaches)
    if total is None or total.lhs != body.arguments[0]:
        return None
    reach = arith.Constant.defining(total.rhs)
    if reach is None or _is_in(limit, body):
        return None
    return Edge(branches[0], ir.IntegerAttr(reach.value).value, limit)


def _is_in(value: ir.Value, body: ir.Block) -> bool:
    """Whether a loop's body computes a value, or is given it."""
    inside = [*body.arguments, *(result for op in body.operations for result in op.operation.results)]
    return value in inside


Values = dict[ir.Value, ir.Value]


@dataclass(frozen=True)
class Delay:
    """Of a loop's body `now` computes what it does without the `last` product, `first` is the product in it.
    `begins` are views that the last product reads, and waits for these, `ends` what gives buffers back behind
    it. These three take values `needed` from `now`; the last product makes the sums that the loop carries as
    number `place`."""

    first: ir.Operation
    now: list[ir.Operation]
    begins: list[ir.Operation]
    last: ir.Operation
    ends: list[ir.Operation]
    needed: list[ir.Value]
    place: int

    @property
    def sums(self) -> ir.Value:
        """Of the last product."""
        return self.last.results[0]


def delayed_product(loop: ir.Operation) -> Delay | None:
    """None for loops whose last product cannot be delayed, or has nothing to run beside."""
    body = loop.regions[0].blocks[0]
    ops = [op.operation for op in body.operations][:-1]
    products = [op for op in ops if op.name == accel.Mma.NAME]
    if len(products) != 2 or not all(group_grid(product) is not None for product in products):
        return None
    first, last = products
    place = _carried_as(last, body)
    if place is None or not isinstance(last.operands[0].type, ir.VectorType):
        return None
    behind = ops[ops.index(first) :]
    begins = [op for op in ops if _is_view_of(op, last) or (op.name == accel.Await.NAME and op in behind)]
    ends = [op for op in ops[ops.index(last) :] if op.name == accel.Notify.NAME]
    later = [*begins, last, *ends]
    now = [op for op in ops if op not in later]
    if _is_used(body.arguments[place + 1], [*now[: now.index(first) + 1], last]):
        return None
    made = {*body.arguments, *(result for each in now for result in each.results)}
    needed = dict.fromkeys(value for each in later for value in each.operands if value in made)
    return Delay(first, now, begins, last, ends, list(needed), place)


def _carried_as(product: ir.Operation, body: ir.Block) -> int | None:
    """As which of the values that a loop carries a product goes round, and nowhere else."""
    if not has_one_use(product.results[0]):
        return None
    yielded = list(terminator_of(body).operands)
    return yielded.index(product.results[0]) if product.results[0] in yielded else None


def _is_view_of(op: ir.Operation, product: ir.Operation) -> bool:
    """Whether an op is a view of a buffer that only the product reads."""
    return op.name in VIEWS and has_one_use(op.results[0]) and op.results[0] in list(product.operands)


def _is_used(value: ir.Value, ops: Sequence[ir.Operation]) -> bool:
    return any(value in list(op.operands) for op in ops)


@dataclass(frozen=True)
class DelayedLoop:
    """A loop, and what comes in its place: the first iteration, the others, the last product. With `turns`
    groups of warps start the products of each of these one behind the other."""

    loop: ir.Operation
    delay: Delay
    edge: Edge | None
    turns: bool = False

    @property
    def arguments(self) -> list[ir.Value]:
        """What the loop carries."""
        return list(self.loop.regions[0].blocks[0].arguments)[1:]

    @property
    def yielded(self) -> list[ir.Value]:
        """What it carries on, without the sums of the last product, and what these take."""
        values = list(terminator_of(self.loop.regions[0].blocks[0]).operands)
        del values[self.delay.place]
        return [*values, *self.delay.needed]

    def build(self) -> None:
        """In front of the loop, which nobody needs then."""
        lower, upper, step, *initial = self.loop.operands
        values = {self._counter(): lower, **dict(zip(self.arguments, initial, strict=True))}
        for op in self.delay.now:
            with self._turn("first") if op == self.delay.first else nullcontext():
                clone_ops([op], values)
        state = [values.get(each, each) for each in self.yielded]
        second = arith.addi(lower, step)
        if self.edge is None:
            state = self._loop(second, upper, step, state, None)
        else:
            edge = self.edge.first(lower, step)
            state = self._loop(second, arith.minsi(edge, upper), step, state, 1)
            state = self._loop(arith.maxsi(edge, second), upper, step, state, 0)
        self._replace(state)

    def _counter(self) -> ir.Value:
        return self.loop.regions[0].blocks[0].arguments[0]

    def _loop(
        self, lower: ir.Value, upper: ir.Value, step: ir.Value, state: list[ir.Value], side: int | None
    ) -> list[ir.Value]:
        """Iterations in which the branch takes one side, if there is one; returns the state behind them."""
        loop, delay = scf.ForOp(lower, upper, step, state), self.delay
        kept = [argument for number, argument in enumerate(self.arguments) if number != delay.place]
        with ir.InsertionPoint(loop.body):
            carried = list(loop.inner_iter_args)
            values: Values = {self._counter(): loop.induction_variable}
            values.update(zip(kept, carried, strict=False))
            before: Values = dict(zip(delay.needed, carried[len(kept) :], strict=True))
            for op in delay.now:
                if op == delay.first:
                    clone_ops(delay.begins, before)
                    with self._turn():
                        clone_ops([op], values)
                        clone_ops([delay.last], before)
                    values[self.arguments[delay.place]] = before[delay.sums]
                else:
                    self._replay(op, values, side)
            clone_ops(delay.ends, before)
            scf.YieldOp([values.get(each, each) for each in self.yielded])
        return list(loop.operation.results)

    def _replay(self, op: ir.Operation, values: Values, side: int | None) -> None:
        """Computes `op` anew; of the branch only the side that is taken."""
        if self.edge is None or side is None or op != self.edge.branch:
            for copy in clone_ops([op], values):
                if copy.name == accel.Notify.NAME:
                    # The product of the iteration before does not read what this gives back.
                    copy.attributes["pending"] = i64_attribute(1)
            return
        block = op.regions[side].blocks[0]
        clone_ops([each.operation for each in block.operations][:-1], values)
        taken = [values.get(operand, operand) for operand in terminator_of(block).operands]
        values.update(zip(op.results, taken, strict=True))

    @contextmanager
    def _turn(self, place: str = "") -> Iterator[None]:
        """Around products: a turn, the "first" one, the "last" one or another, if there are any."""
        if self.turns:
            first = {"first": ir.UnitAttr.get()} if place == "first" else {}
            ir.Operation.create(accel.AwaitPingPong.NAME, [], [], first)
        yield
        if self.turns:
            last = {"last": ir.UnitAttr.get()} if place == "last" else {}
            ir.Operation.create(accel.PassPingPong.NAME, [], [], last)

    def _replace(self, state: list[ir.Value]) -> None:
        """The last product, then all that reads the loop's results."""
        results, delay = list(self.loop.results), self.delay
        values: Values = dict(zip(delay.needed, state[len(results) - 1 :], strict=True))
        clone_ops(delay.begins, values)
        with self._turn("last"):
            clone_ops([delay.last], values)
        clone_ops(delay.ends, values)
        state = state[: len(results) - 1]
        state.insert(delay.place, values[delay.sums])
        for old, new in zip(results, state, strict=True):
            old.replace_all_uses_with(new)


@dataclass(frozen=True)
class OverlapProducts(Pass):
    """Delays the last product of loops with the attribute `accel.overlap` by an iteration: those of the
    consumers (accel-specialize-warps) with two products by groups of warps, of which the second one takes
    what is computed of the first one, and adds to sums that the loop carries.

    Each iteration starts its first product, then the second one of the iteration before, which runs while the
    rest is computed; the buffers of the iteration before are given back at the end. The first iteration comes
    in front of the loop, the last product behind it: the loop must run at least once, as the attribute says.

    Where the rest has a branch that is taken in the last iterations only, as it compares the loop's counter
    with a number, there is a loop for those before, and one for these: neither branches while products are
    under way. All other loops stay as they are.

    With the attribute `accel.ping_pong` too, groups of warps with separate rows alternate
    (`accel.await_ping_pong`, `accel.pass_ping_pong`): one has the tensor cores while the other ones compute
    the rest. The last product behind the loop is a turn, and so is the product in front of it.
    """

    name: ClassVar[str] = "accel-overlap-products"

    def run(self, op: ir.Operation) -> bool:
        changed, loops = False, collect_ops(op, scf.For.NAME)
        if not loops or not gpu_target_of(op).clusters:
            return False
        for loop in loops:
            if OVERLAP not in loop.attributes or not _is_consumed(loop):
                continue
            delayed = delayed_product(loop)
            if delayed is not None:
                with ir.InsertionPoint(loop), loop.location:
                    DelayedLoop(loop, delayed, edge_of(loop), _takes_turns(loop, delayed)).build()
                loop.erase()
                self.count("loops", help="loops whose last product is delayed")
                changed = True
        return changed


def _is_consumed(loop: ir.Operation) -> bool:
    """Whether a loop is the consumers' outermost one."""
    return loop.parent is not None and loop.parent.operation.name == accel.Specialize.NAME


def _takes_turns(loop: ir.Operation, delay: Delay) -> bool:
    """Whether a loop asks for turns, and there are several groups, which need not wait for each other."""
    grid = group_grid(delay.first)
    return PING_PONG in loop.attributes and grid is not None and grid.down > 1 and grid.across == 1
