"""Counts the operations of one graph op: a small function per op, or per family of ops.

A multiply-accumulate (MAC) is two floating-point operations; elementwise ops are one per result element,
whatever the function; operations on integers and booleans count too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from mlc.analysis.value_sizes import elements, shape
from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.sizes import minimum


def _matmul(op: ir.Operation) -> int:
    """Counts, for `[..., M, K]` by `[..., K, N]`, or by panels `[N/t, K, t]`: K per result element."""
    matrix_product = graph.MatrixProduct(op)
    return elements(matrix_product.result) * shape(matrix_product.a)[-1]


def _conv(op: ir.Operation) -> int:
    """Counts one per result element and weight of its output channel; see `graph.conv` for the layouts."""
    conv = graph.Conv(op)
    weights = shape(conv.w)
    blocked = conv.layout != "NCHW"
    # The output channel is the first dim, blocked also the last: [O, C/group, kernel...],
    # [O/o, (C/group)/c, kernel..., c, o], depthwise [C/c, kernel..., c].
    return elements(conv.result) * prod(weights[1:-1] if blocked else weights[1:])


def _scores(attention: graph.Attention) -> int:
    """Returns the number of scores of attention: one per query and key, also those that a mask leaves out."""
    return prod(shape(attention.result)[:-1]) * shape(attention.k)[-2]


def _attention(op: ir.Operation) -> int:
    """Counts, for q `[..., S, D]` and v `[..., T, E]`, D + E products per score."""
    attention = graph.Attention(op)
    return _scores(attention) * (shape(attention.q)[-1] + shape(attention.v)[-1])


def _attention_flops(op: ir.Operation) -> int:
    """Counts the products, and scale, mask and softmax (5) of each score."""
    attention = graph.Attention(op)
    return 2 * _attention(op) + _scores(attention) * (6 + (attention.mask is not None))


# Ops made of multiply-accumulates: these are the totals of the literature.
MACS: Mapping[str, Callable[[ir.Operation], int]] = {
    graph.Matmul.NAME: _matmul,
    graph.MatmulPacked.NAME: _matmul,
    graph.Conv.NAME: _conv,
    graph.Attention.NAME: _attention,
}


def _per_result(count: int) -> Callable[[ir.Operation], int]:
    return lambda op: count * elements(op.results[0])


def _per_operand(op: ir.Operation) -> int:
    return elements(op.operands[0])


def window_elements(op: ir.Operation) -> int:
    """Returns the number of elements of all windows of a pooling."""
    pool = graph.Pool(op)
    return elements(pool.result) * prod(pool.kernel)


def _lrn(op: ir.Operation) -> int:
    """Counts squares and sum of `size` channels; scale, offset, power, quotient."""
    lrn = graph.Lrn(op)
    return elements(lrn.result) * (2 * lrn.size + 4)


def _scatter(op: ir.Operation) -> int:
    """Counts one per update that is reduced into an element."""
    scatter = graph.Scattering(op)
    return 0 if scatter.reduction == "none" else elements(scatter.updates)


def _suppression(op: ir.Operation) -> int:
    """Counts one comparison per score, and 16 per overlap with a box that may have been chosen."""
    suppression = graph.NonMaxSuppression(op)
    images, classes, boxes = shape(suppression.scores)
    return images * classes * boxes * (1 + 16 * minimum(suppression.most, boxes))


def _det(op: ir.Operation) -> int:
    """Counts elimination: a product and a difference for each element right below each of N - 1 pivots."""
    det = graph.Det(op)
    rows = shape(det.x)[-1]
    return elements(det.result) * 2 * ((rows - 1) * rows * (2 * rows - 1) // 6)


def _decisions(op: ir.Operation) -> int:
    """Counts at most one comparison per decision, and one addition per tree and weight."""
    ensemble = graph.TreeEnsemble(op)
    rows, (groups, trees), weights = (
        shape(ensemble.result)[0],
        shape(ensemble.roots),
        shape(ensemble.weights)[1],
    )
    return rows * groups * trees * (ensemble.depth + weights)


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
    # Functions of the runtime on strings and sequences.
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
    """Returns the function that counts the floating-point operations of `graph.<name>`. Raises KeyError."""
    if name in _FLOPS:
        return _FLOPS[name]
    if f"graph.{name}" in MACS:
        return lambda op: 2 * MACS[op.name](op)
    return _FAMILY_FLOPS[graph.specs()[name].family]
