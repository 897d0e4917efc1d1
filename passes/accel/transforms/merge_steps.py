"""accel-merge-steps: loops whose steps are short do several of them in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, scf
from mlc.dialects import accel
from mlc.passes.accel.common.copying_loops import CopyingLoop
from mlc.passes.base import Pass, PassError
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import constant_value
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import attributes_of, collect_ops, terminator_of

# On a loop that copies: how many of its steps are one.
MERGED = "accel.merged"


@dataclass(frozen=True)
class MergeSteps(Pass):
    """Has a loop with `accel.merged = n` do n of its steps in each iteration: it copies for all of them, into
    buffers of their own, waits once, and computes one after the other. n must divide the steps.

    The first layer of a convolutional network has as steps the few channels at one place of its window, which
    take less time than a barrier and the wait for a copy.
    """

    name: ClassVar[str] = "accel-merge-steps"

    def run(self, op: ir.Operation) -> bool:
        loops = [each for each in collect_ops(op, scf.For.NAME) if MERGED in each.attributes]
        for loop in loops:
            with loop.location:
                merge(CopyingLoop(loop), _number(loop))
            self.count("loops", help="loops that do several steps at a time")
        return bool(loops)


def _number(loop: ir.Operation) -> int:
    """How many steps are one. Raises PassError unless it divides them."""
    given = loop.attributes[MERGED]
    number = given.value if isinstance(given, ir.IntegerAttr) else 0
    lower, upper, step = (constant_value(operand) for operand in list(loop.operands)[:3])
    if lower is None or upper is None or step is None:
        raise PassError("steps are merged in loops whose bounds are constants", loop.location)
    count = max(0, -(-(upper - lower) // step))
    if number < 1 or count % number:
        raise PassError(f"{count} steps cannot be merged by {MERGED} = {given}", loop.location)
    return number


def merge(copying: CopyingLoop, number: int) -> None:
    """Puts a loop with `number` steps in each iteration in place of one."""
    old, body = copying.loop, copying.body
    ops = [op.operation for op in body.operations]
    wait = ops.index(copying.wait)
    lower, upper, step, *initial = old.operands
    size = constant_value(step)
    assert size is not None, "the bounds are constants"
    with ir.InsertionPoint(old):
        # Not a product: blocks share loops whose bounds are constants.
        loop = scf.ForOp(lower, upper, index(number * size), initial)
    with ir.InsertionPoint(loop.body):
        places = [_place(loop.induction_variable, step, i) for i in range(number)]
        steps = [{body.arguments[0]: place, **_own_buffers(copying, at)} for at, place in enumerate(places)]
        for values in steps:
            clone_ops(ops[:wait], values)
        tokens = [values[copy.results[0]] for values in steps for copy in copying.copies]
        ir.Operation.create(accel.Wait.NAME, [], tokens)
        carried = list(loop.inner_iter_args)
        for values in steps:
            values.update(zip(list(body.arguments)[1:], carried, strict=True))
            clone_ops(ops[wait + 1 : -1], values)
            carried = [values.get(operand, operand) for operand in terminator_of(body).operands]
        scf.YieldOp(carried)
    for name, attribute in attributes_of(old).items():
        if name != MERGED:
            loop.operation.attributes[name] = attribute
    for result, new in zip(old.results, loop.operation.results, strict=True):
        result.replace_all_uses_with(new)
    old.erase()


def _place(first: ir.Value, step: ir.Value, number: int) -> ir.Value:
    """The counter of a step, of those that begin with `first`."""
    return arith.AddIOp(first, arith.MulIOp(step, index(number)).result).result if number else first


def _own_buffers(copying: CopyingLoop, number: int) -> dict[ir.Value, ir.Value]:
    """Buffers of a step; the first one has those of the loop."""
    if not number:
        return {}
    made = {}
    for each in copying.allocs:
        alloc = each.operation
        with ir.InsertionPoint.after(alloc):
            made[alloc.results[0]] = alloc.clone().operation.results[0]
    return made
