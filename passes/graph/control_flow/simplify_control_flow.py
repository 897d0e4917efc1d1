"""graph-simplify-control-flow: branches and loops whose course is known, and the unused values that they
carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.patterns import FirstOf
from mlc.passes.common.rewriting import apply_patterns, collect_ops, erase_if_unused, has_uses
from mlc.passes.graph.common.values import splat
from mlc.passes.graph.control_flow import loop_rules
from mlc.passes.graph.control_flow.bodies import (
    IF,
    LOOP,
    body_of,
    inline,
    keep_results,
    replace_results,
    replace_value,
    same_block,
    set_yields,
    yields,
)
from mlc.passes.graph.shapes.infer_shapes import InferShapes
from mlc.passes.remarks import listening, report_missed


def erase_unused(op: ir.Operation) -> bool:
    """Control flow without used results goes, unless a body of it may end the call."""
    return not graph.has_effect(op) and erase_if_unused(op)


def known_condition(op: ir.Operation) -> bool:
    """if(constant) -> the branch that it takes."""
    condition = splat(op.operands[0])
    if condition is None:
        return False
    replace_results(op, inline(op, body_of(op, 0 if condition else 1)))
    return True


def equal_branches(op: ir.Operation) -> bool:
    """if(c) {a} {a} -> a."""
    if not same_block(body_of(op, 0), body_of(op, 1)):
        return False
    replace_results(op, inline(op, body_of(op)))
    return True


def same_result(op: ir.Operation) -> bool:
    """A result is replaced by the value that both branches yield, and by an equal result before it."""
    first: dict[tuple[ir.Value, ir.Value], ir.Value] = {}
    changed = False
    for result, *pair in zip(op.results, yields(body_of(op, 0)), yields(body_of(op, 1)), strict=True):
        one, other = pair
        # Both branches see only values from outside of both.
        value = one if one == other else first.setdefault((one, other), result)
        if value != result and has_uses(result):
            replace_value(result, value)
            changed = True
    return changed


def unused_results(op: ir.Operation) -> bool:
    """Results that nobody uses are not yielded."""
    kept = [index for index, result in enumerate(op.results) if has_uses(result)]
    if len(kept) == len(op.results):
        return False
    for block in (body_of(op, 0), body_of(op, 1)):
        values = yields(block)
        set_yields(block, [values[index] for index in kept])
    keep_results(op, list(op.operands), kept)
    return True


PATTERNS = {
    IF: FirstOf(erase_unused, known_condition, equal_branches, same_result, unused_results),
    LOOP: FirstOf(
        erase_unused,
        loop_rules.never_runs,
        loop_rules.runs_once,
        loop_rules.true_inside,
        loop_rules.invariant,
        loop_rules.drop_unused,
    ),
}


@dataclass(frozen=True)
class SimplifyControlFlow(Pass):
    """Remove branches and loops whose course is known, and the unused values that they carry.

    An `if` with a constant condition or equal branches becomes a branch's ops; results that nobody uses, that
    both branches take from outside, or that equal another result go. A `loop` that runs never or once becomes
    its initial values or its body; carried values that never change become the values that they start with,
    carried values and stacks that nobody needs go. Inside its body a loop's condition is true. Shapes are
    inferred again where more became known.
    """

    name: ClassVar[str] = "graph-simplify-control-flow"

    def run(self, op: ir.Operation) -> bool:
        changed = apply_patterns(op, PATTERNS)
        if changed:
            InferShapes().run(op)
        for loop in collect_ops(op, LOOP) if listening() else []:
            if loop_rules.GraphLoop(loop).most_runs() == 0:
                report_missed(
                    loop, self.name, "it never runs, but a stack of nothing has dims that are not known"
                )
        return changed
