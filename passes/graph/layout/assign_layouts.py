"""graph-assign-layouts: convolutional parts of a graph with blocked channels, `[N, C/c, H, W, c]` or
`[N, C/c, D, H, W, c]`.

Which ops work on blocked values: the labelling problem of one block of ops, and its cheapest solution.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass, PassError, option
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import target_of
from mlc.passes.graph.layout.layout_costs import LayoutCosts, layout_costs
from mlc.passes.graph.layout.layout_groups import Groups, find_groups, wanted_block
from mlc.passes.graph.layout.layout_rewriter import LayoutRewriter
from mlc.passes.graph.layout.minimum_cut import SINK, LayoutCut
from mlc.passes.graph.windows.blocked_channels import (
    WINDOW_OPS,
    interleaving,
    is_blockable_conv,
    is_inside_interleaving,
    likely_shape,
)
from mlc.passes.remarks import listening, report_applied, report_missed


@dataclass
class Readers:
    """The readers of a value, by the block in which they want it; items of the cut. `plain`: some reader
    always takes the plain form."""

    plain: bool = False
    blocked: dict[int, list[int]] = field(default_factory=dict)


class LayoutProblem:
    """One item per op whose result is in a group: True where it works on blocked values.

    A value that is read in another form than it is made in is converted, once for each such form.
    """

    def __init__(self, block: ir.Block, groups: Groups, costs: LayoutCosts) -> None:
        self.groups = groups
        self.costs = costs
        self.cut = LayoutCut()
        self.items: dict[ir.Value, int] = {}
        self.readers: dict[ir.Value, Readers] = {}
        for op in block:
            self._add(op.operation)
        for value, readers in self.readers.items():
            self._convert(value, readers)

    def blocked_values(self) -> set[ir.Value]:
        """The results that are made in blocks, in a cheapest solution."""
        labels = self.cut.solve()
        return {value for value, item in self.items.items() if labels[item]}

    def _add(self, op: ir.Operation) -> None:
        item = None
        if len(op.results) == 1 and op.results[0] in self.groups.parent:
            block = self.groups.block(op.results[0])
            item = self.items[op.results[0]] = self.cut.item(self._time(op, 1), self._time(op, block))
        if is_inside_interleaving(op):
            return
        interleaved = interleaving(op) if item is not None and op.name == graph.Reshape.NAME else None
        if interleaved:
            self._read(interleaved[0], item, self.groups.block(op.results[0]))
            return
        for position, value in enumerate(op.operands):
            self._read(value, item, 1 if item is None else wanted_block(self.groups, op, position))
        # What ops inside `op` read of this block's values, they read in plain form.
        for inside in collect_ops(op) if len(op.regions) else []:
            for value in inside.operands:
                self._read(value, None, 1)

    def _read(self, value: ir.Value, item: int | None, wanted: int) -> None:
        """Notes that `item` reads `value` in blocks of `wanted`, or something in plain form (1)."""
        if item is not None and wanted > 1:
            self.readers.setdefault(value, Readers()).blocked.setdefault(wanted, []).append(item)
        elif value in self.items:
            self.readers.setdefault(value, Readers()).plain = True

    def _time(self, op: ir.Operation, block: int) -> float:
        if op.name == graph.Conv.NAME:
            return self.costs.conv(op, block)
        return self.costs.window(op, block) if op.name in WINDOW_OPS else self.costs.elementwise(op, block)

    def _convert(self, value: ir.Value, readers: Readers) -> None:
        cost = self._conversion(value)
        if value not in self.items:
            for items in readers.blocked.values():
                self.cut.pay_when_false(SINK, items, cost)
            return
        item = self.items[value]
        # Everybody who wants blocks of a value in a group wants the group's.
        items = [item for group in readers.blocked.values() for item in group]
        self.cut.pay_when_false(item, items, cost)
        self.cut.pay_when_true(item, [SINK] if readers.plain else items, cost)

    def _conversion(self, value: ir.Value) -> float:
        """The cost of packing or unpacking; nothing for views, and for constants, which are packed once."""
        shape = likely_shape(value)
        if all(extent == 1 for extent in shape[2:]) or value in self.groups.constants:
            return 0.0
        return self.costs.conversion(2 * 4 * prod(shape))


@dataclass(frozen=True)
class AssignLayouts(Pass):
    """Block the channels of 2-D and 3-D convolutions and of what lies between them, where that is cheapest
    for the whole graph. Which values could share blocks, and of which size, comes first: those that one op
    combines share the largest block that divides all their channel counts. Then a minimum cut labels each of
    them plain or blocked: the sum of all ops' costs and of the conversions (one per value, for all its
    readers) is the least possible under the model `costs`. Weights are packed by ops that
    `graph-split-prepare` moves to compile time."""

    name: ClassVar[str] = "graph-assign-layouts"
    anchor: ClassVar[str] = "func.func"
    # Sums run in another order.
    exactness: ClassVar[str] = "rounding"

    costs: str = option(
        "analytic", help="the model of times: analytic, always-blocked, always-plain, or a plugin's"
    )
    # Costs given by a program go before the named ones.
    model: LayoutCosts | None = None

    def run(self, op: ir.Operation) -> None:
        # First: a name that is wrong is so for graphs without convolutions, too.
        costs = self.model or self._named_costs(op)
        convs = collect_ops(op, graph.Conv.NAME)
        if not convs:
            return
        for block in _blocks(convs):
            groups = find_groups(block)
            chosen = LayoutProblem(block, groups, costs).blocked_values()
            if listening():
                _report(block, groups, chosen)
            LayoutRewriter(groups, chosen).run(block)

    def _named_costs(self, op: ir.Operation) -> LayoutCosts:
        try:
            return layout_costs(self.costs, target_of(op))
        except KeyError as error:
            raise PassError(f"option 'costs': {error.args[0]}", op.location) from error


def _blocks(convs: list[ir.Operation]) -> list[ir.Block]:
    """The blocks that hold the convolutions."""
    blocks: list[ir.Block] = []
    for conv in convs:
        if conv.block not in blocks:
            blocks.append(conv.block)
    return blocks


def _report(block: ir.Block, groups: Groups, chosen: set[ir.Value]) -> None:
    """Remarks on the convolutions: their blocks, or why they stay in plain layout."""
    for child in block:
        op = child.operation
        if op.name != graph.Conv.NAME or graph.Conv(op).layout != "NCHW":
            continue
        if graph.Conv(op).result in chosen:
            report_applied(
                op, AssignLayouts.name, f"blocks of {groups.block(graph.Conv(op).result)} channels"
            )
        else:
            report_missed(op, AssignLayouts.name, _reason(op, groups))


def _reason(op: ir.Operation, groups: Groups) -> str:
    if not is_blockable_conv(op):
        return "only 2-D and 3-D convolutions in f32 with known channels have a blocked form"
    if op.results[0] in groups.constants:
        return "it is computed at compile time, from weights alone"
    if op.results[0] not in groups.parent:
        channels, group = graph.shape_of(op.results[0])[1], graph.attribute(op, "group")
        return f"no block of 8, 16 or 32 divides its {channels} output channels in {group} group(s)"
    return "converting what it reads and makes would take longer than blocks save"
