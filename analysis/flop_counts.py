"""How much one graph op computes: a small function per op, or per family of ops.

A multiply-accumulate (MAC) is two floating-point operations; elementwise ops are one per result element,
whatever the function; ops that compute on integers and truth values count alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from mlc.analysis.value_sizes import elements, shape
from mlc.bindings import ir
from mlc.dialects import graph


def _matmul(op: ir.Operation) -> int:
    """`[..., M, K]` by `[..., K, N]`, or by panels `[N/t, K, t]`: K per result element."""
    return elements(op.results[0]) * shape(op.operands[0])[-1]


def _conv(op: ir.Operation) -> int:
    """One per result element and weight of its output channel; see `graph.conv` for the layouts."""
    weights = shape(op.operands[1])
    blocked = graph.attribute(op, "layout") != "NCHW"
    # The output channel is the first dim, blocked also the last: [O, C/group, kernel...],
    # [O/o, (C/group)/c, kernel..., c, o], depthwise [C/c, kernel..., c].
    return elements(op.results[0]) * prod(weights[1:-1] if blocked else weights[1:])


def _scores(op: ir.Operation) -> int:
    """How many scores attention computes: one per query and key, also those that a mask leaves out."""
    return prod(shape(op.results[0])[:-1]) * shape(op.operands[1])[-2]


def _attention(op: ir.Operation) -> int:
    """q `[..., S, D]`, v `[..., T, E]`: D products per score, and each score is multiplied with E values."""
    return _scores(op) * (shape(op.operands[0])[-1] + shape(op.operands[2])[-1])


def _attention_flops(op: ir.Operation) -> int:
    """The products; scale, mask and softmax (5) of each score."""
    return 2 * _attention(op) + _scores(op) * (6 + (len(op.operands) > 3))


# Ops made of multiply-accumulates: these are the totals of the literature.
MACS: Mapping[str, Callable[[ir.Operation], int]] = {
    "graph.matmul": _matmul,
    "graph.matmul_packed": _matmul,
    "graph.conv": _conv,
    "graph.attention": _attention,
}


def _per_result(count: int) -> Callable[[ir.Operation], int]:
    return lambda op: count * elements(op.results[0])


def _per_operand(op: ir.Operation) -> int:
    return elements(op.operands[0])


def window_elements(op: ir.Operation) -> int:
    """The elements of all windows of a pooling."""
    return elements(op.results[0]) * prod(graph.attribute(op, "kernel"))


def _lrn(op: ir.Operation) -> int:
    """Squares and sum of `size` channels; scale, offset, power, quotient."""
    return elements(op.results[0]) * (2 * graph.attribute(op, "size") + 4)


def _scatter(op: ir.Operation) -> int:
    """One per update that joins an element."""
    return 0 if graph.attribute(op, "reduction") == "none" else elements(op.operands[2])


def _suppression(op: ir.Operation) -> int:
    """Each score is compared once, and no box with more than all that may be chosen: 16 for an overlap."""
    images, classes, boxes = shape(op.operands[1])
    return images * classes * boxes * (1 + 16 * min(graph.attribute(op, "most"), boxes))


def _det(op: ir.Operation) -> int:
    """Elimination: a product and a difference for each element right below each of N - 1 pivots."""
    rows = shape(op.operands[0])[-1]
    return elements(op.results[0]) * 2 * sum(below * below for below in range(rows))


def _decisions(op: ir.Operation) -> int:
    """One comparison per decision, at most, and one addition per tree and weight."""
    rows, (groups, trees), weights = shape(op.results[0])[0], shape(op.operands[1]), shape(op.operands[5])[1]
    return rows * groups * trees * (graph.attribute(op, "depth") + weights)


def _nothing(_op: ir.Operation) -> int:
    return 0


_FAMILY_FLOPS: Mapping[str, Callable[[ir.Operation], int]] = {
    "elementwise": _per_result(1),
    "reduction": _per_operand,
    "quantisation": _per_result(2),
    "ordering": _per_operand,
    "compaction": _per_operand,
    "movement": _nothing,
    "creation": _nothing,
    "checks": _nothing,
    "control flow": _nothing,
    # What the runtime computes with strings is no arithmetic.
    "objects": _nothing,
}
_FLOPS: Mapping[str, Callable[[ir.Operation], int]] = {
    "attention": _attention_flops,
    "bitcast": _nothing,
    "real": _nothing,
    "imag": _nothing,
    "complex": _nothing,
    "identity": _nothing,
    "det": _det,
    "non_max_suppression": _suppression,
    "scatter_elements": _scatter,
    "scatter_nd": _scatter,
    "max_pool": window_elements,
    "average_pool": window_elements,
    "lrn": _lrn,
    "tree_ensemble": _decisions,
    "softmax": _per_result(5),  # maximum, difference, exponential, sum, quotient
    "log_softmax": _per_result(5),  # maximum, difference, exponential, sum, difference
    "layer_norm": _per_result(5),  # sum, difference, square, sum, product
    "rms_norm": _per_result(3),  # square, sum, product
    "rotary_embedding": _per_result(3),  # two products, sum
    "batch_norm": _per_result(4),  # difference, two products, sum
    # Both dims, with the sums that rows of the matrices share; counted for F(4, 3).
    "winograd_input": _per_result(4),
    "winograd_output": _per_result(6),
}


def flops_function(name: str) -> Callable[[ir.Operation], int]:
    """What counts the floating-point operations of `graph.<name>`. KeyError if nothing does."""
    if name in _FLOPS:
        return _FLOPS[name]
    if f"graph.{name}" in MACS:
        return lambda op: 2 * MACS[op.name](op)
    return _FAMILY_FLOPS[graph.specs()[name].family]
