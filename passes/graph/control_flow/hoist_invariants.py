"""graph-hoist-invariants: what bodies of control flow compute from values around them moves out."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, collect_ops, replace_op
from mlc.passes.graph.common.op_families import VIEWS
from mlc.passes.graph.common.values import is_constant, is_float, is_static, splat
from mlc.passes.graph.control_flow.bodies import IF, LOOP, body_of, inputs, operations, same_op
from mlc.passes.graph.control_flow.loop_rules import GraphLoop
from mlc.passes.graph.prepare.prepare_budget import BUDGET_SHARE, elements
from mlc.passes.remarks import listening, report_missed

_COPIES = VIEWS | {graph.Identity.NAME}
# They read where their operands say, or run for as long.
INDEXED = frozenset(
    f"graph.{name}"
    for name in ("gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd", "range")
)
DIVISIONS = frozenset({graph.Div.NAME, graph.Mod.NAME})


def _family(op: ir.Operation) -> str:
    return graph.specs()[op.name.removeprefix("graph.")].family


def is_pure(op: ir.Operation) -> bool:
    """Whether the op and what it holds are graph ops, which have no side effects but ending the call."""
    return all(inner.name.startswith("graph.") for inner in (op, *collect_ops(op)))


def may_fail(op: ir.Operation) -> bool:
    """Whether running a graph op where the program does not could fail, run on, or read out of bounds."""
    if op.name in (LOOP, graph.CallRuntime.NAME) or op.name in INDEXED or graph.has_effect(op):
        return True
    if op.name == IF:
        return any(may_fail(inner) for block in (0, 1) for inner in operations(body_of(op, block)))
    if op.name in DIVISIONS and not is_float(op.results[0]) and splat(op.operands[1]) in (None, 0, -1):
        return True
    if _family(op) == "elementwise" and len(op.operands) == 1:
        return False
    # Sizes that are known at run time only may contradict each other.
    return not all(value.type.has_rank and is_static(value) for value in (*op.operands, *op.results))


def is_free(op: ir.Operation) -> bool:
    """Whether the op takes no time at run time: a constant, a view, or constant work for `@prepare`, whose
    result exceeds its operands at most by the share that the budget of `@prepare` allows."""
    if _family(op) == "creation" or op.name in _COPIES:
        return len(op.operands) <= 1
    before = sum(elements(value) for value in op.operands)
    grown = elements(op.results[0]) - before > before // BUDGET_SHARE
    return not grown and is_constant(op.results[0])


def invariants(loop: GraphLoop) -> tuple[list[ir.Operation], list[ir.Operation]]:
    """The ops of a body whose operands come from outside: those that may move out, and those that may fail
    while the loop may not run."""
    runs, made = loop.always_runs(), set(loop.body.arguments)
    movable: list[ir.Operation] = []
    stuck: list[ir.Operation] = []
    for op in operations(loop.body):
        varies = not is_pure(op) or any(value in made for value in inputs(op))
        if not varies and (runs or not may_fail(op)):
            movable.append(op)
            continue
        made.update(op.results)
        stuck += [] if varies else [op]
    return movable, stuck


def hoist_from_loop(op: ir.Operation) -> bool:
    """Ops of a loop's body whose operands come from outside move out, unless they may fail and the loop may
    not run."""
    movable, _ = invariants(GraphLoop(op))
    for inner in movable:
        inner.move_before(op)
    return bool(movable)


def hoist_free(op: ir.Operation) -> bool:
    """Ops of branches that cost nothing move out."""
    changed = False
    for block in (body_of(op, 0), body_of(op, 1)):
        made: set[ir.Value] = set()
        for inner in operations(block):
            inside = not is_pure(inner) or any(value in made for value in inputs(inner))
            if inside or not inner.results or may_fail(inner) or not is_free(inner):
                made.update(inner.results)
                continue
            inner.move_before(op)
            changed = True
    return changed


def hoist_common(op: ir.Operation) -> bool:
    """Ops that both branches run on the same values run once, before the branches."""
    others: dict[str, list[ir.Operation]] = defaultdict(list)
    for inner in operations(body_of(op, 1)):
        others[inner.name].append(inner)
    made: set[ir.Value] = set()
    changed = False
    for inner in operations(body_of(op, 0)):
        outside = not any(value in made for value in inputs(inner))
        candidates = others[inner.name] if outside else []
        equal = next((other for other in candidates if same_op(inner, other)), None)
        if equal is None:
            made.update(inner.results)
            continue
        candidates.remove(equal)
        inner.move_before(op)
        replace_op(equal, list(inner.results))
        changed = True
    return changed


def hoist_from_branches(op: ir.Operation) -> bool:
    """Moves ops that both branches compute, and ops that cost nothing, out of them."""
    free = hoist_free(op)
    return hoist_common(op) or free


@dataclass(frozen=True)
class HoistInvariants(Pass):
    """Move computations out of loops and branches that follow from values around them.

    Out of a `loop` goes every op without operands from its body. Ops that may fail (indexing, integer
    division by what may be zero, dynamic sizes, checks, calls of the runtime, nested loops) go only
    if the loop always runs: constants give it a trip count of at least one and a true condition. Out of an
    `if` goes what both branches compute, which runs in any case, and what costs nothing: constants, views,
    and work on constants that `graph-split-prepare` then moves to compile time.
    """

    name: ClassVar[str] = "graph-hoist-invariants"

    def run(self, op: ir.Operation) -> bool:
        changed = apply_patterns(op, {LOOP: hoist_from_loop, IF: hoist_from_branches})
        for loop in collect_ops(op, LOOP) if listening() else []:
            for invariant in invariants(GraphLoop(loop))[1]:
                report_missed(invariant, self.name, "it may fail, and the loop around it may never run")
        return changed
