"""The choice of ops that should work on transposed values, as graph-sink-transposes applies it.

Connected ops that could all work on transposed values.

A region grows from one transpose, through ops that do not care about the order of dims, until it meets ops
that do, and other transposes. In it, every value has one order in which it could be kept instead.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from mlc.bindings import ir
from mlc.bindings.operations import address
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op, has_one_use
from mlc.passes.graph.common.values import dtype, is_constant
from mlc.passes.graph.layout.minimum_cut import SINK, SOURCE, LayoutCut
from mlc.passes.graph.layout.permuted_ops import Order, Permuted, compose, from_operand, from_result, inverse
from mlc.passes.graph.simplify.view_rules import moves_only_units


@dataclass
class Region:
    """Ops that can be permuted, by address, with how; the orders of the values between them; and transposes
    that make such values (`sources`)."""

    orders: dict[ir.Value, Order] = field(default_factory=dict)
    plans: dict[int, tuple[ir.Operation, Permuted]] = field(default_factory=dict)
    sources: dict[int, ir.Operation] = field(default_factory=dict)

    def is_followed(self, value: ir.Value, order: Order | None) -> bool:
        """Whether the value belongs to the region with this order."""
        return order is not None and self.orders.get(value) == order


@dataclass
class Growth:
    """Grows a region inside one block, whose ops `positions` has by address."""

    positions: Mapping[int, int]
    exactness: str
    region: Region = field(default_factory=Region)
    pending: deque[ir.Value] = field(default_factory=deque)

    def run(self, value: ir.Value, order: Order) -> Region:
        """The region around `value`, which would be kept in `order`."""
        self._reach(value, order)
        while self.pending:
            reached = self.pending.popleft()
            self._upwards(reached)
            for use in reached.uses:
                self._downwards(use.owner.operation, use.operand_number)
        return self.region

    def _upwards(self, value: ir.Value) -> None:
        op = defining_op(value)
        if op is None:
            return
        if op.name == graph.Transpose.NAME:
            self.region.sources[address(op)] = op
        else:
            self._take(op, from_result(op, self.region.orders[value], self.exactness))

    def _downwards(self, user: ir.Operation, position: int) -> None:
        order = self.region.orders[user.operands[position]]
        if not user.name.startswith("graph.") or address(user) in self.region.plans:
            return
        plan = from_operand(user, order, self.exactness)
        if plan is not None and plan.operands[position] == order:
            self._take(user, plan)

    def _take(self, op: ir.Operation, plan: Permuted | None) -> None:
        if plan is None or address(op) in self.region.plans or address(op) not in self.positions:
            return
        if self.region.orders.get(op.results[0], plan.result) != plan.result:
            return
        self.region.plans[address(op)] = (op, plan)
        self._reach(op.results[0], plan.result)
        for operand, order in zip(op.operands, plan.operands, strict=True):
            if order is not None and operand.type.rank == len(order) and not is_constant(operand):
                self._reach(operand, order)

    def _reach(self, value: ir.Value, order: Order) -> None:
        if value not in self.region.orders:
            self.region.orders[value] = order
            self.pending.append(value)


# Stands for an unknown dim when elements are counted.
_UNKNOWN_DIM = 32
_PRODUCTS = frozenset({graph.Matmul.NAME, graph.MatmulPacked.NAME})
_ROWS = frozenset(
    {
        graph.Softmax.NAME,
        graph.LogSoftmax.NAME,
        graph.LayerNorm.NAME,
        graph.RmsNorm.NAME,
        graph.Cumsum.NAME,
        graph.Cumprod.NAME,
    }
)


def permutation(transpose: ir.Operation) -> Order:
    """A transpose's order."""
    return tuple(graph.attribute(transpose, "permutation"))


def size(value: ir.Value) -> float:
    """The bytes of a value, as far as they are known."""
    dims = (_UNKNOWN_DIM if dim is None else dim for dim in graph.shape_of(value))
    return float(prod(dims) * dtype(value).itemsize)


def moving_cost(value: ir.Value, order: Order) -> float:
    """The bytes that a transpose of the value moves: none where it moves only dims of 1."""
    shape = [1] * (len(order) - value.type.rank) + graph.shape_of(value)
    return 0.0 if moves_only_units(shape, order) else size(value)


def is_free_operand(user: ir.Operation, value: ir.Value, order: Order) -> bool:
    """Whether a product, or one of those that attention is made of, can read its operand `value` through a
    transpose, in its own kernel."""
    if graph.Attention.isa(user):
        return order[-1] == len(order) - 1
    if user.name not in _PRODUCTS:
        return False
    first, second = user.operands[0] == value, user.operands[1] == value
    return first != second and (first or order[-1] == len(order) - 1)


@dataclass
class Decision:
    """The cut that decides which ops of a region work on permuted values: those whose item is False."""

    region: Region
    cut: LayoutCut = field(default_factory=LayoutCut)
    items: dict[int, int] = field(default_factory=dict)

    def run(self) -> list[tuple[ir.Operation, Permuted]]:
        """The ops that should be permuted; none where that moves no fewer bytes."""
        for where, (op, plan) in self.region.plans.items():
            self.items[where] = self.cut.item(when_false=self._cost_of_op(op, plan))
        for where, transpose in self.region.sources.items():
            self.items[where] = self._item_of_source(transpose)
        for value, order in self.region.orders.items():
            self._connect(value, order)
        chosen = self.cut.solve()
        return [plan for where, plan in self.region.plans.items() if not chosen[self.items[where]]]

    def _cost_of_op(self, op: ir.Operation, plan: Permuted) -> float:
        """The additional cost of an op when it is permuted: other operands to transpose, rows no longer in
        one piece."""
        operands = {
            value: order
            for value, order in zip(op.operands, plan.operands, strict=True)
            if order is not None and not self.region.is_followed(value, order)
        }
        others = sum(moving_cost(v, o) for v, o in operands.items() if not is_constant(v))
        return others + (size(op.operands[0]) if _tears_rows(op, plan) else 0.0)

    def _item_of_source(self, transpose: ir.Operation) -> int:
        x, order = transpose.operands[0], permutation(transpose)
        if is_constant(x):
            return self.cut.item()
        kept = compose(order, self.region.orders[transpose.results[0]])
        return self.cut.item(when_true=_cost_after(x, order), when_false=_cost_after(x, kept))

    def _connect(self, value: ir.Value, order: Order) -> None:
        """Charges for one value: a transpose where producer and readers differ, transposes that read it."""
        producer = defining_op(value)
        item = SOURCE if producer is None else self.items.get(address(producer), SOURCE)
        back, readers, free, fixed = inverse(order), [], 0, False
        for user, position in _uses(value):
            plan = self.region.plans.get(address(user))
            if plan is not None and plan[1].operands[position] == order:
                readers.append(self.items[address(user)])
            elif user.name == graph.Transpose.NAME and item != SOURCE:
                self._charge_sink(item, user, back)
            elif is_free_operand(user, value, back):
                free += 1
            else:
                fixed = True
        if producer is not None and address(producer) in self.region.sources:
            self._charge_late_epilogue(producer, readers)
        cost = moving_cost(value, order)
        self.cut.pay_when_true(item, readers, cost)
        if item != SOURCE:
            # A transpose that several products read is in none of their kernels.
            self.cut.pay_when_false(item, [*readers, SOURCE] if fixed or free > 1 else readers, cost)

    def _charge_late_epilogue(self, transpose: ir.Operation, readers: list[int]) -> None:
        """Bias and activation are better in the kernel of a convolution than in that of a transpose."""
        if defining_op(transpose.operands[0], graph.Conv.NAME) is not None:
            for reader in readers:
                self.cut.pay_when_true(reader, [SINK], size(transpose.operands[0]) / 16)

    def _charge_sink(self, item: int, transpose: ir.Operation, back: Order) -> None:
        """A transpose that reads a value moves what the two orders together move."""
        value, order = transpose.operands[0], permutation(transpose)
        kept = compose(back, order)
        as_is, permuted = moving_cost(value, order), moving_cost(value, kept)
        result = transpose.results[0]
        if has_one_use(result):
            reader = next(iter(result.uses)).owner.operation
            as_is = 0.0 if is_free_operand(reader, result, order) else as_is
            permuted = 0.0 if is_free_operand(reader, result, kept) else permuted
        self.cut.pay_when_true(item, [SINK], as_is)
        self.cut.pay_when_false(item, [SOURCE], permuted)


def _uses(value: ir.Value) -> Iterator[tuple[ir.Operation, int]]:
    for use in value.uses:
        yield use.owner.operation, use.operand_number


def _cost_after(x: ir.Value, order: Order) -> float:
    """The bytes that a transpose of x moves; none where a product stores its result transposed."""
    producer = defining_op(x)
    stored = producer is not None and producer.name == graph.Matmul.NAME and has_one_use(x)
    return 0.0 if stored and order[-1] == len(order) - 1 else moving_cost(x, order)


def _tears_rows(op: ir.Operation, plan: Permuted) -> bool:
    """Whether the op's rows were consecutive elements and are no more."""
    if op.name not in _ROWS and not op.name.startswith("graph.reduce"):
        return False
    rank = op.operands[0].type.rank
    name = "axes" if "axes" in plan.attributes else "axis"
    before, after = graph.attribute(op, name), plan.attributes[name]
    return _is_trailing(before, rank) and not _is_trailing(after, rank)


def _is_trailing(axes: int | list[int], rank: int) -> bool:
    listed = sorted([axes] if isinstance(axes, int) else axes)
    return listed == list(range(rank - len(listed), rank))
