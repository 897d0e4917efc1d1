"""tloop-unswitch-loops: a loop whose body chooses by the size of a tile becomes a loop for each size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, scf
from mlc.passes.base import Pass
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import index_constant
from mlc.passes.common.rewriting import collect_ops, defining_op

SWITCH = scf.IndexSwitch.NAME


@dataclass(frozen=True)
class TileSizeSwitch:
    """A loop of `tiles` iterations from 0, the first `larger` of which have the case `large`, the others
    `small`, one less."""

    loop: ir.Operation
    switch: ir.Operation
    larger: ir.Value
    large: ir.Value
    small: ir.Value

    @property
    def tiles(self) -> ir.Value:
        return self.loop.operands[1]

    @property
    def before(self) -> Sequence[ir.Operation]:
        """What the body does before it chooses."""
        return [each.operation for each in self.loop.regions[0].blocks[0]][:-2]


def choice_of(switch: ir.Operation) -> TileSizeSwitch | None:
    """The choice that ends a loop's body; None for any other switch."""
    loop, select = switch.parent.operation, defining_op(switch.operands[0], arith.Select.NAME)
    if loop.name != scf.For.NAME or loop.results or not _is_last(switch) or _has_default(switch):
        return None
    if select is None:
        return None
    large, small = list(select.operands)[1:]
    early, one_more = defining_op(select.operands[0], arith.CmpI.NAME), defining_op(large, arith.AddI.NAME)
    if early is None or one_more is None or one_more.operands[0] != small:
        return None
    counts = early.operands[0] == loop.regions[0].blocks[0].arguments[0]
    below = early.attributes["predicate"].value == arith.CmpIPredicate.ult
    return TileSizeSwitch(loop, switch, early.operands[1], large, small) if counts and below else None


def _is_last(op: ir.Operation) -> bool:
    return bool(op.block.operations[len(op.block.operations) - 2] == op)


def _has_default(switch: ir.Operation) -> bool:
    """Whether anything is done in none of the cases."""
    return len(switch.regions[0].blocks[0].operations) > 1


def unswitch(choice: TileSizeSwitch) -> None:
    """The cases' loops, in the order of the tiles: the larger ones come first."""
    loop = choice.loop
    cases = zip(choice.switch.attributes["cases"], list(choice.switch.regions)[1:], strict=True)
    for size, region in sorted(cases, key=lambda each: -each[0]):
        with ir.InsertionPoint(loop), loop.location:
            begin, end = _range(choice, size)
            copy = scf.ForOp(begin, end, loop.operands[2])
        with ir.InsertionPoint(copy.body), loop.location:
            values = {loop.regions[0].blocks[0].arguments[0]: copy.induction_variable}
            clone_ops(choice.before, values)
            clone_ops([each.operation for each in region.blocks[0]][:-1], values)
            scf.YieldOp([])
    loop.erase()


def _range(choice: TileSizeSwitch, size: int) -> tuple[ir.Value, ir.Value]:
    """The iterations whose tiles have `size` points."""
    number, zero = (index_constant(each) for each in (size, 0))
    is_large, is_small = (
        arith.cmpi(arith.CmpIPredicate.eq, each, number) for each in (choice.large, choice.small)
    )
    begin = arith.select(is_small, choice.larger, zero)
    return begin, arith.select(is_large, choice.larger, arith.select(is_small, choice.tiles, zero))


@dataclass(frozen=True)
class UnswitchLoops(Pass):
    """Replace loops over balanced tiles, whose bodies choose among the sizes of a tile, by one loop for each
    size.

    LLVM would let the cases share what they end with, and keep their registers in memory for it.
    """

    name: ClassVar[str] = "tloop-unswitch-loops"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        for switch in collect_ops(op, SWITCH):
            choice = choice_of(switch)
            if choice is not None:
                unswitch(choice)
