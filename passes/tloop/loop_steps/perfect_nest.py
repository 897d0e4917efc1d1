"""Perfect nests: loops with nothing between them but index arithmetic."""

from __future__ import annotations

from mlc.bindings import address, ir
from mlc.passes.rewriting import has_uses
from mlc.passes.tloop.loop_steps.clone import replace_inside
from mlc.passes.tloop.loop_steps.loops import SEQUENTIAL, Loop, is_inside
from mlc.passes.tloop.schedule_state import StepError

# Ops that may move into the loop behind them: they only compute indices.
INDEX_OPS = ("affine.apply", "affine.min", "affine.max", "arith.constant", "arith.addi", "arith.muli")


def inner_loop(outer: Loop) -> Loop:
    """The loop that is all of the body of `outer`; index arithmetic in front of it moves into it.

    Raises StepError naming what else stands in the body.
    """
    statements = outer.statements
    loops = [each for each in statements if each.name in SEQUENTIAL]
    others = [each for each in statements if each.name not in (*SEQUENTIAL, *INDEX_OPS)]
    if len(loops) != 1 or others:
        found = f"'{others[0].name}' besides a loop" if others and loops else f"{len(loops)} loops"
        raise StepError(f"the nest is not perfect: loop {outer.name} holds {found}")
    inner = Loop(loops[0])
    _check_carried(outer, inner)
    _sink_index_ops(outer, inner)
    return inner


def _check_carried(outer: Loop, inner: Loop) -> None:
    """What the loops carry from iteration to iteration must go straight through both."""
    straight = list(inner.inits) == outer.carried and list(outer.terminator.operands) == list(
        inner.op.results
    )
    if not straight:
        raise StepError(
            f"the nest is not perfect: loop {outer.name} carries other values than loop {inner.name}"
        )


def _sink_index_ops(outer: Loop, inner: Loop) -> None:
    """Index arithmetic goes where it is used: into the inner loop's body, and stays for its bounds."""
    for op in reversed([each for each in outer.statements if each.name in INDEX_OPS]):
        for result in op.results:
            inside = [use.owner.operation for use in result.uses if is_inside(use.owner.operation, inner.op)]
            if not inside:
                continue
            with ir.InsertionPoint.at_block_begin(inner.body):
                copy = op.clone().operation
            for user in inside:
                replace_inside(user, result, copy.results[0])
        if not any(has_uses(result) for result in op.results):
            op.erase()


def nest_between(outermost: Loop, innermost: Loop) -> list[Loop]:
    """The perfect nest from one loop to another inside it. Raises StepError if it is not one."""
    nest = [outermost]
    while address(nest[-1].op) != address(innermost.op):
        nest.append(inner_loop(nest[-1]))
    return nest
