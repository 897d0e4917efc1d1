"""tloop-unswitch-loops: a loop whose body switches on the size of a tile becomes a loop for each size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import affine, arith, ir, scf
from mlc.passes.base import Pass
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import constant_value, index_constant
from mlc.passes.common.rewriting import collect_ops

PURE = ("arith.", affine.AffineApply.NAME, affine.AffineMin.NAME, affine.AffineMax.NAME)


@dataclass(frozen=True)
class TileSizeSwitch:
    """A loop of `tiles` iterations from 0, the first `larger` of which (at most all) have the case `large`,
    the others `small`, one less."""

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
    if loop is None or select is None or not _counts_tiles(loop, op) or _has_default(switch):
        return None
    large, small = select.true_value, select.false_value
    early, one_more = arith.CmpI.defining(select.condition), arith.AddI.defining(large)
    if early is None or one_more is None or one_more.lhs != small or constant_value(one_more.rhs) != 1:
        return None
    counts = early.lhs == loop.induction_variable
    below = early.predicate.value == arith.CmpIPredicate.ult
    invariant = all(_is_outside(value, loop) for value in (early.rhs, large, small))
    found = TileSizeSwitch(loop, switch, early.rhs, large, small)
    # What is before the switch is dropped for sizes without a case.
    return found if counts and below and invariant and all(map(_is_pure, found.before)) else None


def _counts_tiles(loop: scf.For, last: ir.Operation) -> bool:
    """Whether a loop without results counts from 0, and only its terminator follows `last` in the body."""
    steps = constant_value(loop.lower_bound) == 0 and constant_value(loop.step) == 1
    return steps and not loop.results and last.block.operations[len(last.block.operations) - 2] == last


def _is_outside(value: ir.Value, loop: scf.For) -> bool:
    """Whether a value that the loop's body uses is defined outside of the body."""
    block = value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block
    return block != loop.entry_block


def _is_pure(op: ir.Operation) -> bool:
    return op.name.startswith(PURE)


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

    def run(self, op: ir.Operation) -> bool:
        changed = False
        for found in collect_ops(op, scf.IndexSwitch.NAME):
            switch = match_switch(found)
            if switch is not None:
                unswitch(switch)
                changed = True
        return changed
