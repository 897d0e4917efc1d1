"""tloop-unswitch-loops: a loop whose body switches on the size of a tile becomes a loop for each size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, scf
from mlc.passes.base import Pass
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import index_constant
from mlc.passes.common.rewriting import collect_ops


@dataclass(frozen=True)
class TileSizeSwitch:
    """A loop of `tiles` iterations from 0, the first `larger` of which have the case `large`, the others
    `small`, one less."""

    loop: scf.For
    switch: scf.IndexSwitch
    larger: ir.Value
    large: ir.Value
    small: ir.Value

    @property
    def tiles(self) -> ir.Value:
        """The number of tiles."""
        return self.loop.upper_bound

    @property
    def before(self) -> Sequence[ir.Operation]:
        """The ops of the body before the switch."""
        return [op.operation for op in self.loop.entry_block][:-2]


def match_switch(op: ir.Operation) -> TileSizeSwitch | None:
    """Returns the switch that ends a loop's body; None for any other switch."""
    switch, loop = scf.IndexSwitch(op), scf.For.match(op.parent)
    select = arith.Select.defining(switch.arg)
    if loop is None or loop.results or not _is_last(op) or _has_default(switch):
        return None
    if select is None:
        return None
    large, small = select.true_value, select.false_value
    early, one_more = arith.CmpI.defining(select.condition), arith.AddI.defining(large)
    if early is None or one_more is None or one_more.lhs != small:
        return None
    counts = early.lhs == loop.induction_variable
    below = early.predicate.value == arith.CmpIPredicate.ult
    return TileSizeSwitch(loop, switch, early.rhs, large, small) if counts and below else None


def _is_last(op: ir.Operation) -> bool:
    return bool(op.block.operations[len(op.block.operations) - 2] == op)


def _has_default(switch: scf.IndexSwitch) -> bool:
    """Whether the default region does anything."""
    return len(switch.default_region.blocks[0].operations) > 1


def unswitch(switch: TileSizeSwitch) -> None:
    """Builds the cases' loops, in the order of the tiles: the larger ones come first."""
    loop = switch.loop.operation
    cases = zip(switch.switch.cases, switch.switch.case_regions, strict=True)
    for size, region in sorted(cases, key=lambda case: -case[0]):
        with ir.InsertionPoint(loop), loop.location:
            begin, end = _range(switch, size)
            copy = scf.ForOp(begin, end, switch.loop.step)
        with ir.InsertionPoint(copy.body), loop.location:
            values = {switch.loop.induction_variable: copy.induction_variable}
            clone_ops(switch.before, values)
            clone_ops([op.operation for op in region.blocks[0]][:-1], values)
            scf.YieldOp([])
    loop.erase()


def _range(switch: TileSizeSwitch, size: int) -> tuple[ir.Value, ir.Value]:
    """Returns the bounds of the iterations whose tiles have `size` points."""
    points, zero = index_constant(size), index_constant(0)
    is_large, is_small = (
        arith.cmpi(arith.CmpIPredicate.eq, case, points) for case in (switch.large, switch.small)
    )
    begin = arith.select(is_small, switch.larger, zero)
    return begin, arith.select(is_large, switch.larger, arith.select(is_small, switch.tiles, zero))


@dataclass(frozen=True)
class UnswitchLoops(Pass):
    """Replace loops over balanced tiles, whose bodies switch on the size of the tile, by one loop for each
    size.

    LLVM would merge the ends of the cases, and spill their registers for it.
    """

    name: ClassVar[str] = "tloop-unswitch-loops"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        for found in collect_ops(op, scf.IndexSwitch.NAME):
            switch = match_switch(found)
            if switch is not None:
                unswitch(switch)
