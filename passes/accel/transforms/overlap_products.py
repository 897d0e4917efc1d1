"""accel-overlap-products: a loop's last product runs beside what the next iteration computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.accel.common.copying_loops import OVERLAP, TAKE_TURNS
from mlc.passes.accel.common.warpgroups import group_grid
from mlc.passes.accel.transforms.edge_branches import edge_of
from mlc.passes.accel.transforms.software_pipelining import Delay, DelayedLoop, delayed_product
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops


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

    With the attribute `accel.take_turns` too, groups of warps that have rows of their own start the products
    of an iteration in turns (`accel.await_turn`, `accel.pass_turn`): one has the tensor units while the other
    ones compute the rest. The last product behind the loop is a turn, and so is the product in front of it.
    """

    name: ClassVar[str] = "accel-overlap-products"

    def run(self, op: ir.Operation) -> bool:
        changed = False
        for loop in collect_ops(op, "scf.for"):
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
    return loop.parent is not None and loop.parent.operation.name == "accel.specialize"


def _takes_turns(loop: ir.Operation, delay: Delay) -> bool:
    """Whether a loop asks for turns, and there are several groups, which need not wait for each other."""
    grid = group_grid(delay.first)
    return TAKE_TURNS in loop.attributes and grid is not None and grid.down > 1 and grid.across == 1
