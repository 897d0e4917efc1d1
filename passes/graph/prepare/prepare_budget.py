"""The choice of constant values that @prepare computes, so that its results stay within a budget.

Sizes are numbers of elements, so that a conversion of the element type is no growth: a product reads its
weights in the type in which it computes, folded or not. Sizes that are not known count as nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.graph.types import element_name
from mlc.passes.base import PassError
from mlc.passes.common.rewriting import collect_ops, users

# What the results of @prepare may always exceed their sources by: padding of small weights is no blow-up.
LEAST_BUDGET = 16 * 2**20
# Transformed weights grow by a factor that is known, and save more time than their bytes cost.
LEAST_TRANSFORMED = 128 * 2**20
BUDGET_SHARE = 4
STORED = frozenset({graph.Weight.NAME, graph.Constant.NAME})


def elements(value: ir.Value) -> int:
    """The number of elements, 0 where it is not known."""
    static = value.type.has_rank and value.type.has_static_shape
    return prod(value.type.shape) if static else 0


def default_budget(constants: Iterable[ir.Operation], least: int = LEAST_BUDGET) -> int:
    """Bytes: a quarter of all weights among the ops, at least `least`."""
    weights = [op for op in constants if op.name == graph.Weight.NAME]
    sizes = {(graph.attribute(op, "source"), graph.attribute(op, "offset")): op for op in weights}
    total = sum(graph.attribute(op, "size") for op in sizes.values())
    return max(least, total // BUDGET_SHARE)


def check_budget(budget: int, location: ir.Location) -> None:
    """Raises `PassError` for what the option `budget` of a pass cannot be."""
    if budget < -1:
        raise PassError(f"option 'budget' must be -1 or a number of bytes, not {budget}", location)


@dataclass
class BudgetChoice:
    """The values that @prepare gives, and those of the needed ones that stay in @main."""

    moved: list[ir.Value] = field(default_factory=list)
    kept: list[ir.Value] = field(default_factory=list)


class Sources:
    """The values from which constant values are computed.

    `cut[v]` are the values with the fewest elements in all from which @main could compute `v` (those closest
    to `v` among equals), `v` itself included; `stored[v]` are the weights and constants that it follows from.
    """

    def __init__(
        self, bare: Mapping[ir.Value, ir.Operation], computed: Mapping[ir.Value, ir.Operation]
    ) -> None:
        self.sizes = {value: elements(value) for value in computed}
        # A fill has no storage: @main can repeat it for nothing.
        self.sizes |= {value: elements(value) if op.name in STORED else 0 for value, op in bare.items()}
        self.computed = computed
        self.cut: dict[ir.Value, dict[ir.Value, None]] = {value: {value: None} for value in bare}
        self.stored = {value: {value: None} if self.sizes[value] else {} for value in bare}
        for value, op in computed.items():
            sources_of = self.sources_of(value)
            self.cut[value] = {value: None} if self.sizes[value] <= self.total(sources_of) else sources_of
            self.stored[value] = {source: None for operand in op.operands for source in self.stored[operand]}

    def sources_of(self, value: ir.Value) -> dict[ir.Value, None]:
        """The fewest elements from which the op that makes `value` can be run."""
        operands = self.computed[value].operands
        return {source: None for operand in operands for source in self.cut[operand]}

    def total(self, values: Mapping[ir.Value, None]) -> int:
        """The number of elements of values together."""
        return sum(self.sizes[value] for value in values)


class Budget:
    """Charges values for what they take beyond their sources; each element of a source pays once."""

    def __init__(self, sources: Sources, limit: int) -> None:
        self.sources = sources
        self.left = limit
        self.unspent = {value: size for value, size in sources.sizes.items() if value not in sources.computed}

    def growth(self, value: ir.Value) -> int:
        """Elements beyond those that the value is computed from at least."""
        return max(0, self.sources.sizes[value] - self.sources.total(self.sources.sources_of(value)))

    def take(self, value: ir.Value) -> bool:
        """Charges the value, if the budget allows it."""
        paid = min(
            self.sources.sizes[value] - self.growth(value),
            sum(self.unspent[source] for source in self.sources.stored[value]),
        )
        cost = (self.sources.sizes[value] - paid) * _width(value)
        if cost > self.left:
            return False
        self.left -= cost
        for source in self.sources.stored[value]:
            share = min(paid, self.unspent[source])
            self.unspent[source] -= share
            paid -= share
        return True


def _width(value: ir.Value) -> int:
    return element_bytes(element_name(graph.element_type(value)))


def choose(
    bare: Mapping[ir.Value, ir.Operation],
    computed: Mapping[ir.Value, ir.Operation],
    needed: Sequence[ir.Value],
    limit: int,
) -> BudgetChoice:
    """Moves as many of the `needed` values as `limit` bytes allow, those that grow least first.

    Instead of a value that stays, its sources move: the fewest elements that make it. Results are in
    the order of `computed`, which is the program's.
    """
    sources = Sources(bare, computed)
    budget, choice = Budget(sources, limit), BudgetChoice()
    pending = sorted(needed, key=budget.growth)
    seen = set(pending)
    for value in pending:
        if budget.take(value):
            choice.moved.append(value)
            continue
        choice.kept.append(value)
        sources_of = [
            source for source in sources.sources_of(value) if source in computed and source not in seen
        ]
        seen.update(sources_of)
        pending += sources_of
    order = {value: position for position, value in enumerate(computed)}
    choice.moved.sort(key=order.__getitem__)
    return choice


def transformed_weights(function: ir.Operation) -> dict[ir.Value, None]:
    """The values that the products of Winograd convolutions read."""
    images = [graph.WinogradInput(op).result for op in collect_ops(function, graph.WinogradInput.NAME)]
    products = [user for image in images for user in users(image) if user.name == graph.MatmulPacked.NAME]
    return {product.operands[1]: None for product in products}
