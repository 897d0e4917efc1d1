"""Perfect nests: loops with nothing between them but index arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import address, affine, arith, ir
from mlc.passes.common.cloning import replace_operands
from mlc.passes.common.rewriting import has_uses
from mlc.passes.schedule.common.loops import SEQUENTIAL, Loop, is_inside, sequential
from mlc.passes.schedule.common.state import StepError

# Ops that may move into the loop after them: they only compute indices.
INDEX_OPS = (
    affine.AffineApply.NAME,
    affine.AffineMin.NAME,
    affine.AffineMax.NAME,
    arith.Constant.NAME,
    arith.AddI.NAME,
    arith.MulI.NAME,
)


def inner_loop(outer: Loop) -> Loop:
    """Returns the loop that is all of the body of `outer`; index arithmetic before it moves into it.

    Raises StepError that names what else is in the body.
    """
    statements = outer.statements
    loops = [statement for statement in statements if statement.name in SEQUENTIAL]
    others = [statement for statement in statements if statement.name not in (*SEQUENTIAL, *INDEX_OPS)]
    if len(loops) != 1 or others:
        found = f"'{others[0].name}' besides a loop" if others and loops else f"{len(loops)} loops"
        raise StepError(f"the nest is not perfect: loop {outer.name} holds {found}")
    inner = Loop(loops[0])
    _check_carried(outer, inner)
    _sink_index_ops(outer, inner)
    return inner


def _check_carried(outer: Loop, inner: Loop) -> None:
    """Checks that both loops carry the same values from iteration to iteration."""
    straight = list(inner.inits) == outer.carried and list(outer.terminator.operands) == list(
        inner.op.results
    )
    if not straight:
        raise StepError(
            f"the nest is not perfect: loop {outer.name} carries other values than loop {inner.name}"
        )


def _sink_index_ops(outer: Loop, inner: Loop) -> None:
    """Sinks index arithmetic into the inner loop's body; what its bounds use stays."""
    for op in reversed([statement for statement in outer.statements if statement.name in INDEX_OPS]):
        for result in op.results:
            inside = [use.owner.operation for use in result.uses if is_inside(use.owner.operation, inner.op)]
            if not inside:
                continue
            with ir.InsertionPoint.at_block_begin(inner.body):
                copy = op.clone().operation
            for user in inside:
                replace_operands(user, {result: copy.result})
        if not any(has_uses(result) for result in op.results):
            op.erase()


def nest_between(outermost: Loop, innermost: Loop) -> list[Loop]:
    """Returns the perfect nest from one loop to another inside it. Raises StepError if it is not one."""
    nest = [outermost]
    while address(nest[-1].op) != address(innermost.op):
        nest.append(inner_loop(nest[-1]))
    return nest


def nests_of(handles: Sequence[Sequence[ir.Operation]]) -> list[list[Loop]]:
    """Returns the loops of handles, nest by nest: a loop of each handle. The handle with the fewest copies
    determines the nests; copies of the others outside of these are left out.

    Raises StepError if a handle has no loop, or several, in a nest.
    """
    fewest = min(handles, key=len)
    nests = []
    for base in fewest:
        nest = []
        for copies in handles:
            found = [copy for copy in copies if _one_nest(copy, base)]
            if len(found) != 1:
                other, mine = Loop(copies[0]).name, Loop(base).name
                how = f"{len(found)} copies of loop {other} are" if found else f"loop {other} is not"
                raise StepError(f"{how} in one nest with loop {mine}")
            nest.append(sequential(found[0]))
        nests.append(nest)
    return nests


def _one_nest(first: ir.Operation, second: ir.Operation) -> bool:
    return address(first) == address(second) or is_inside(first, second) or is_inside(second, first)
