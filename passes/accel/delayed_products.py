"""Loops anew, whose last product belongs to the iteration before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, scf
from mlc.passes.accel.buffers import VIEWS
from mlc.passes.accel.loop_edges import Edge
from mlc.passes.accel.warpgroups import group_grid
from mlc.passes.cloning import clone_ops
from mlc.passes.rewriting import has_one_use, terminator_of

Values = dict[ir.Value, ir.Value]


@dataclass(frozen=True)
class Delay:
    """Of a loop's body `now` computes what it does without the last product, `first` is the product in it;
    `later` is the last product, with the views that it reads, and what gives buffers back. It takes values
    `needed` from `now`, and makes the sums that the loop carries as number `place`."""

    first: ir.Operation
    now: list[ir.Operation]
    later: list[ir.Operation]
    needed: list[ir.Value]
    place: int


def delayed_product(loop: ir.Operation) -> Delay | None:
    """None for loops whose last product cannot be delayed, or has nothing to run beside."""
    body = loop.regions[0].blocks[0]
    ops = [each.operation for each in body.operations][:-1]
    products = [each for each in ops if each.name == "accel.mma"]
    if len(products) != 2 or not all(group_grid(each) is not None for each in products):
        return None
    first, last = products
    place = _carried_as(last, body)
    if place is None or not isinstance(last.operands[0].type, ir.VectorType):
        return None
    later = [each for each in ops if each == last or each.name == "accel.notify" or _is_view_of(each, last)]
    now = [each for each in ops if each not in later]
    if _is_used(body.arguments[place + 1], [*now[: now.index(first) + 1], last]):
        return None
    made = {*body.arguments, *(result for each in now for result in each.results)}
    needed = dict.fromkeys(value for each in later for value in each.operands if value in made)
    return Delay(first, now, later, list(needed), place)


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
    return any(value in list(each.operands) for each in ops)


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
            is_product = op == self.delay.first
            self._turn("await_turn", "first", when=is_product)
            clone_ops([op], values)
            self._turn("pass_turn", when=is_product)
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
        kept = [each for number, each in enumerate(self.arguments) if number != delay.place]
        with ir.InsertionPoint(loop.body):
            carried = list(loop.inner_iter_args)
            values: Values = {self._counter(): loop.induction_variable}
            values.update(zip(kept, carried, strict=False))
            before: Values = dict(zip(delay.needed, carried[len(kept) :], strict=True))
            ends = [each for each in delay.later if each.name == "accel.notify"]
            for op in delay.now:
                is_product = op == delay.first
                self._turn("await_turn", when=is_product)
                self._replay(op, values, side)
                if is_product:
                    clone_ops([each for each in delay.later if each not in ends], before)
                    values[self.arguments[delay.place]] = self._sums(before)
                self._turn("pass_turn", when=is_product)
            clone_ops(ends, before)
            scf.YieldOp([values.get(each, each) for each in self.yielded])
        return list(loop.operation.results)

    def _replay(self, op: ir.Operation, values: Values, side: int | None) -> None:
        """Computes `op` anew; of the branch only the side that is taken."""
        if self.edge is None or side is None or op != self.edge.branch:
            clone_ops([op], values)
            return
        block = op.regions[side].blocks[0]
        clone_ops([each.operation for each in block.operations][:-1], values)
        taken = [values.get(each, each) for each in terminator_of(block).operands]
        values.update(zip(op.results, taken, strict=True))

    def _turn(self, name: str, *flags: str, when: bool = True) -> None:
        """Begins or ends a turn, if there are any."""
        if self.turns and when:
            ir.Operation.create(f"accel.{name}", [], [], {each: ir.UnitAttr.get() for each in flags})

    def _sums(self, values: Values) -> ir.Value:
        """Of the last product."""
        (product,) = (each for each in self.delay.later if each.name == "accel.mma")
        return values[product.results[0]]

    def _replace(self, state: list[ir.Value]) -> None:
        """The last product, then all that reads the loop's results."""
        results, needed = list(self.loop.results), self.delay.needed
        values: Values = dict(zip(needed, state[len(results) - 1 :], strict=True))
        self._turn("await_turn")
        for op in self.delay.later:
            clone_ops([op], values)
            self._turn("pass_turn", "last", when=op.name == "accel.mma")
        state = state[: len(results) - 1]
        state.insert(self.delay.place, self._sums(values))
        for old, new in zip(results, state, strict=True):
            old.replace_all_uses_with(new)
