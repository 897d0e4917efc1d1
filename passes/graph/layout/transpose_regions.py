"""Connected ops that could all work on transposed values.

A region grows from one transpose, through ops that do not care about the order of dims, until it meets ops
that do, and other transposes. In it, every value has one order in which it could be kept instead.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.bindings.operations import address
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.values import is_constant
from mlc.passes.graph.layout.permuted_ops import Order, Permuted, from_operand, from_result


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
    """Grows a region inside one block, whose ops `places` has by address."""

    places: Mapping[int, int]
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
        if op.name == "graph.transpose":
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
        if plan is None or address(op) in self.region.plans or address(op) not in self.places:
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
