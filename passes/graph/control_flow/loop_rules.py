"""Rules on `graph.loop`: loops of which the trip count is known, and values that loops carry unused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import has_uses
from mlc.passes.graph.common.values import is_float, splat
from mlc.passes.graph.control_flow.bodies import (
    body_of,
    inline,
    inputs,
    keep_results,
    operations,
    replace_results,
    replace_value,
    set_yields,
    yields,
)


@dataclass(frozen=True)
class GraphLoop:
    """The parts of a loop by name. Results are the carried values, then the stacks of scanned ones."""

    op: ir.Operation

    @property
    def body(self) -> ir.Block:
        """The block that one iteration executes."""
        return body_of(self.op)

    @property
    def initial(self) -> list[ir.Value]:
        """The initial values of the carried values."""
        return list(self.op.operands)[2:]

    @property
    def carried(self) -> list[ir.Value]:
        """The body's arguments."""
        return list(self.body.arguments)[2:]

    @property
    def next(self) -> list[ir.Value]:
        """The values that the body yields for the carried values."""
        return yields(self.body)[1 : 1 + len(self.initial)]

    @property
    def scanned(self) -> list[ir.Value]:
        """The values that the body yields for the stacks."""
        return yields(self.body)[1 + len(self.initial) :]

    def most_runs(self) -> int | None:
        """The largest trip count that constants allow."""
        trips, condition = splat(self.op.operands[0]), splat(self.op.operands[1])
        if condition is not None and not condition:
            return 0
        again = splat(yields(self.body)[0])
        stops = again is not None and not again
        bounds = [max(0, int(trips))] if trips is not None else []
        return min([*bounds, 1] if stops else bounds, default=None)

    def always_runs(self) -> bool:
        """Whether the body runs at least once."""
        trips, condition = splat(self.op.operands[0]), splat(self.op.operands[1])
        return trips is not None and trips >= 1 and bool(condition)


def _can_be_empty(stack: ir.Value) -> bool:
    """Whether a stack of nothing can be written down: its other dims are known."""
    known = stack.type.has_rank and None not in graph.shape_of(stack)[1:]
    return known and isinstance(graph.element_type(stack), ir.FloatType | ir.IntegerType)


def _empty(stack: ir.Value) -> ir.Value:
    stack_type = ir.RankedTensorType.get([0, *graph.shape_of(stack)[1:]], graph.element_type(stack))
    return graph.build("full", [], {"value": 0.0 if is_float(stack) else 0}, stack_type)


def never_runs(op: ir.Operation) -> bool:
    """loop(0 times) -> the initial values, and empty stacks."""
    loop = GraphLoop(op)
    if loop.most_runs() != 0:
        return False
    stacks = list(op.results)[len(loop.initial) :]
    if not all(_can_be_empty(stack) for stack in stacks):
        return False
    replace_results(op, [*loop.initial, *map(_empty, stacks)])
    return True


def runs_once(op: ir.Operation) -> bool:
    """loop(once) -> the body."""
    loop = GraphLoop(op)
    if loop.most_runs() != 1 or not loop.always_runs():
        return False
    count = len(loop.initial)
    iteration = graph.build("constant", [], {"value": np.asarray(0, np.int64)})
    _, *values = inline(op, loop.body, [iteration, op.operands[1], *loop.initial])
    stacks = [graph.build("unsqueeze", [value], {"axes": [0]}) for value in values[count:]]
    replace_results(op, [*values[:count], *stacks])
    return True


def true_inside(op: ir.Operation) -> bool:
    """Replaces the condition in a loop's body by true: it holds where the body runs."""
    condition = body_of(op).arguments[1]
    if not has_uses(condition):
        return False
    condition.replace_all_uses_with(graph.build("constant", [], {"value": np.asarray(True)}))
    return True


def invariant(op: ir.Operation) -> bool:
    """A carried value that the body yields as it got it, or that it always replaces by the value it starts
    with, is the value outside."""
    loop = GraphLoop(op)
    changed = False
    for index, (start, argument, after) in enumerate(zip(loop.initial, loop.carried, loop.next, strict=True)):
        result = op.results[index]
        if after in (argument, start) and (has_uses(argument) or has_uses(result)):
            replace_value(argument, start)
            replace_value(result, start)
            changed = True
    return changed


def _needed_values(loop: GraphLoop) -> set[int]:
    """The carried values on which used results, the trip count, or ops that may end the call depend."""
    used = [has_uses(result) for result in loop.op.results]
    count = len(loop.initial)
    needed = {index for index in range(count) if used[index]}
    pending = [yields(loop.body)[0], *(loop.next[index] for index in needed)]
    pending += [value for value, use in zip(loop.scanned, used[count:], strict=True) if use]
    pending += [value for op in operations(loop.body) if graph.has_effect(op) for value in inputs(op)]
    seen = set(pending)
    while pending:
        value = pending.pop()
        sources = _defining_values(loop, value)
        if isinstance(value.owner, ir.Block) and value.owner == loop.body and value.arg_number >= 2:
            needed.add(value.arg_number - 2)
        pending += [operand for operand in sources if operand not in seen]
        seen.update(sources)
    return needed


def _defining_values(loop: GraphLoop, value: ir.Value) -> list[ir.Value]:
    """The operands of the op that makes a value of the body; none for values from outside."""
    owner = value.owner
    if not isinstance(owner, ir.Block):
        return list(inputs(owner.operation)) if owner.operation.block == loop.body else []
    carried = owner == loop.body and value.arg_number >= 2
    return [loop.next[value.arg_number - 2]] if carried else []


def drop_unused(op: ir.Operation) -> bool:
    """Carried values and stacks that nobody needs are dropped."""
    loop = GraphLoop(op)
    count, total = len(loop.initial), len(op.results)
    needed = _needed_values(loop)
    stacks = [index for index in range(total - count) if has_uses(op.results[count + index])]
    if len(needed) == count and len(stacks) == total - count:
        return False
    kept = sorted(needed)
    condition, after, scanned = yields(loop.body)[0], loop.next, loop.scanned
    set_yields(
        loop.body, [condition, *(after[index] for index in kept), *(scanned[index] for index in stacks)]
    )
    operands = [*list(op.operands)[:2], *(loop.initial[index] for index in kept)]
    for index in reversed(range(count)):
        if index not in needed:
            # Only dead ops still use it.
            loop.carried[index].replace_all_uses_with(loop.initial[index])
            loop.body.erase_argument(2 + index)
    keep_results(op, operands, [*kept, *(count + index for index in stacks)])
    return True
