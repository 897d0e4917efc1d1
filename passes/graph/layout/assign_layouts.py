"""graph-assign-layouts: convolutional parts of a graph with blocked channels, `[N, C/c, H, W, c]`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass, PassFailure, option
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import target_of
from mlc.passes.graph.layout.layout_costs import LayoutCosts, layout_costs
from mlc.passes.graph.layout.layout_groups import Groups, find_groups
from mlc.passes.graph.layout.layout_problem import LayoutProblem
from mlc.passes.graph.layout.layout_rewriter import LayoutRewriter
from mlc.passes.graph.windows.blocked_channels import is_blockable_conv
from mlc.passes.remarks import applied, listening, missed


@dataclass(frozen=True)
class AssignLayouts(Pass):
    """Block the channels of 2-D convolutions and of what lies between them, where that is cheapest for the
    whole graph. Which values could share blocks, and of which size, comes first: those that one op combines
    share the largest block that divides all their channel counts. Then a minimum cut labels each of them
    plain or blocked: the sum of all ops' costs and of the conversions (one per value, whoever reads it) is
    the least possible under the model `costs`. Weights are packed by ops that `graph-split-prepare` moves
    to compile time."""

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
        convs = collect_ops(op, "graph.conv")
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
            raise PassFailure(f"option 'costs': {error.args[0]}", op.location) from error


def _blocks(convs: list[ir.Operation]) -> list[ir.Block]:
    """The blocks that hold the convolutions."""
    blocks: list[ir.Block] = []
    for conv in convs:
        if conv.block not in blocks:
            blocks.append(conv.block)
    return blocks


def _report(block: ir.Block, groups: Groups, chosen: set[ir.Value]) -> None:
    """Remarks on the convolutions: their blocks, or why they stay in plain layout."""
    for each in block:
        op = each.operation
        if op.name != "graph.conv" or graph.attribute(op, "layout") != "NCHW":
            continue
        if op.results[0] in chosen:
            applied(op, AssignLayouts.name, f"blocks of {groups.block(op.results[0])} channels")
        else:
            missed(op, AssignLayouts.name, _reason(op, groups))


def _reason(op: ir.Operation, groups: Groups) -> str:
    if not is_blockable_conv(op):
        return "only 2-D convolutions in f32 of known shape have a blocked form"
    if op.results[0] in groups.constants:
        return "it is computed at compile time, from weights alone"
    if op.results[0] not in groups.parent:
        channels, group = graph.shape_of(op.results[0])[1], graph.attribute(op, "group")
        return f"no block of 8, 16 or 32 divides its {channels} output channels in {group} group(s)"
    return "converting what it reads and makes would take longer than blocks save"
