"""graph-stack-contractions: products and convolutions on one input become one, with stacked weights."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.bindings.identity import address
from mlc.dialects import graph
from mlc.passes.base import Pass, option
from mlc.passes.common.rewriting import attributes_of, collect_ops, has_one_use
from mlc.passes.graph.common.values import is_constant, is_static
from mlc.passes.graph.slicing.stacked_ops import Stack
from mlc.passes.graph.slicing.stacking_cost import gain, product_of
from mlc.passes.remarks import applied, listening, missed

NAME = "graph-stack-contractions"
# Along which axis of the weights the outputs lie.
OUTPUTS = {"graph.matmul": 1, "graph.conv": 0}


def result_axis(op: ir.Operation) -> int:
    """Along which axis of the result the outputs lie."""
    return 1 if op.name == "graph.conv" else int(op.results[0].type.rank) - 1


def columns_of(op: ir.Operation) -> int:
    """How many outputs a product or convolution has."""
    return int(graph.shape_of(op.operands[1])[OUTPUTS[op.name]])


def can_stack(op: ir.Operation) -> bool:
    """Whether the op has an input and weights that may be stacked."""
    x, weights = op.operands
    if not (x.type.has_rank and weights.type.has_rank and is_static(weights)):
        return False
    if op.name == "graph.matmul" and (weights.type.rank != 2 or x.type.rank < 2):
        return False
    if op.name == "graph.conv" and (
        graph.attribute(op, "group") != 1 or graph.attribute(op, "layout") != "NCHW"
    ):
        return False
    # Weights with other users would be held twice.
    return has_one_use(weights) and is_constant(weights)


def stacking_key(op: ir.Operation) -> Hashable:
    """What ops that stack with each other have in common."""
    depth = graph.shape_of(op.operands[1])
    del depth[OUTPUTS[op.name]]
    attributes = tuple((name, op.attributes[name]) for name in op.attributes)
    return (address(op.block.operations[0]), op.name, op.operands[0], tuple(depth), attributes)


def candidates(root: ir.Operation) -> list[list[ir.Operation]]:
    """Groups of ops in one block that stack, in program order."""
    groups: dict[Hashable, list[ir.Operation]] = {}
    for op in collect_ops(root, OUTPUTS.keys()):
        if can_stack(op):
            groups.setdefault(stacking_key(op), []).append(op)
    return [group for group in groups.values() if len(group) > 1]


def estimated_gain(group: Sequence[ir.Operation]) -> float | None:
    """The share of time that one op saves; None where shapes are not known."""
    first = group[0]
    if not is_static(first.results[0]):
        return None
    contiguous = prod(graph.shape_of(first.results[0])[: result_axis(first)]) == 1
    return gain([product_of(op, columns_of(op)) for op in group], contiguous)


def replace_by_one(group: Sequence[ir.Operation]) -> None:
    """Replaces the ops by one before the first of them, and slices of its result."""
    first = group[0]
    with ir.InsertionPoint(first), ir.Location.fused([op.location for op in group]):
        parts = Stack(first, result_axis(first), [columns_of(op) for op in group])
        weights = parts.constant([op.operands[1] for op in group], OUTPUTS[first.name])
        attributes = attributes_of(first)
        parts.take(graph.build(first.name, [first.operands[0], weights], attributes), group)
        parts.absorb_users()
        parts.cut()


@dataclass(frozen=True)
class StackContractions(Pass):
    """Make one product, or one convolution, of those on the same input: their weights, which are constant,
    are stacked along the outputs, and so are biases and other constants of the elementwise ops that all of
    them have behind them; the results are slices.

    No pipeline runs it: at the default threshold it fires on no model of the benchmarks (the estimate says
    that slices cost what a launch saves).

    Only where an estimate (arithmetic on padded vectors, reading of weights, launches, copies of slices that
    are not contiguous) says that at least `min-gain` of the time is saved, and only on static shapes. The
    stacked weights are computed by `@prepare`.
    """

    name: ClassVar[str] = NAME
    exactness: ClassVar[str] = "rounding"

    min_gain: float = option(
        0.05, help="share of the ops' time that stacking must save by estimate; -1e9 stacks everything"
    )

    def run(self, op: ir.Operation) -> None:
        for group in candidates(op):
            saved = estimated_gain(group)
            if saved is None:
                missed(group[0], NAME, f"{len(group)} ops on one input, but its dims are not known")
            elif saved < self.min_gain:
                reason = (
                    f"{len(group)} ops on one input would save {saved:.1%}, less than {self.min_gain:.1%}"
                )
                missed(group[0], NAME, reason)
            else:
                self._stack(group, saved)

    def _stack(self, group: Sequence[ir.Operation], saved: float) -> None:
        if listening():
            applied(group[0], NAME, f"{len(group)} ops on one input stacked, which saves {saved:.1%}")
        self.count("stacked", len(group), "ops that became part of another one")
        replace_by_one(group)
