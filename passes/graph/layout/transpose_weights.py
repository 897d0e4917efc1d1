"""graph-transpose-weights: weights of products as the matrix units of a GPU read them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import EXACT, precision_of
from mlc.passes.common.patterns import FirstOf
from mlc.passes.common.rewriting import apply_patterns, defining_op, erase_if_unused
from mlc.passes.common.target import target_of
from mlc.passes.graph.common.rematerialization import REMATERIALIZE, mark
from mlc.passes.graph.common.values import is_constant, on_ranked
from mlc.targets import GpuTarget

PRODUCTS = (graph.Matmul.NAME, graph.Conv.NAME)
# Rows of a product from which on a transpose of its right operand by a separate kernel pays: an estimate,
# of 8 bytes moved for each element at 3 TB/s, and products at 400 instead of 250 Tflop/s.
ROWS = 1024


def transpose_weight(op: ir.Operation) -> bool:
    """f(x, w) -> f(x, transpose(transpose(w))) in tf32, where the inner one is work for @prepare, or for a
    separate kernel before a large product."""
    weight = op.operands[1]
    made = defining_op(weight)
    if precision_of(op) == EXACT or weight.type.rank < 2 or not _pays(op, weight):
        return False
    if made is not None and REMATERIALIZE in made.attributes:
        return False
    op.operands[1] = mark(_transpose_matrix(_transpose_matrix(weight)))
    return True


def transpose_integers(op: ir.Operation) -> bool:
    """f(x, cast(w)) -> f(x, transpose(cast(transpose(w)))), where a product or convolution reads w of 8 bits,
    and the inner transpose is work for @prepare, or for a separate kernel before a large product."""
    made = defining_op(op.operands[1], graph.Cast.NAME)
    if made is None or REMATERIALIZE not in made.attributes or not _pays(op, graph.Cast(made).x):
        return False
    if op.name == graph.Conv.NAME and graph.Conv(op).w.type.rank < graph.Conv(op).x.type.rank:
        # Without a reduction over channels, depthwise.
        return False
    stored = _transpose_matrix(graph.Cast(made).x)
    result_type = ir.RankedTensorType.get(stored.type.shape, graph.Cast(made).result.type.element_type)
    op.operands[1] = mark(_transpose_matrix(mark(graph.build("cast", [stored], {}, result_type))))
    # Before @prepare computes for it.
    erase_if_unused(made)
    return True


def _pays(op: ir.Operation, stored: ir.Value) -> bool:
    """Whether the right operand, `stored` so in memory, is to be transposed: by @prepare always; when the
    model runs only for a product of many rows, and not if it is a transpose itself, through which the product
    can read."""
    if is_constant(stored):
        return True
    if op.name != graph.Matmul.NAME or defining_op(stored, graph.Transpose.NAME) is not None:
        return False
    left, right = (graph.shape_of(operand) for operand in op.operands)
    rows = left[-2:-1] if len(right) > 2 else left[:-1]
    return None not in rows and len(left) > 1 and prod(rows) >= ROWS


def _transpose_matrix(value: ir.Value) -> ir.Value:
    rank = value.type.rank
    return graph.build("transpose", [value], {"permutation": [*range(rank - 2), rank - 1, rank - 2]})


@dataclass(frozen=True)
class TransposeWeights(Pass):
    """Store weights of products and convolutions with the reduction innermost, where matrix units of GPUs
    want it so: of integers of 8 bits, of which they read four at a time; for `wgmma` of sm_90a, which reads
    operands of 32 bits in no other order, of tf32. Kernels read them transposed back, which is an order of
    elements and moves nothing.

    Operands that other kernels compute, or a caller gives, are transposed by a separate kernel where the
    product has 1024 rows or more; others stay as they are: such products are for `mma.sync`.
    """

    name: ClassVar[str] = "graph-transpose-weights"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        target = target_of(op)
        if not isinstance(target, GpuTarget):
            return False
        integers, single = on_ranked(transpose_integers), on_ranked(transpose_weight)
        if not target.clusters:
            return apply_patterns(op, dict.fromkeys(PRODUCTS, integers))
        return apply_patterns(op, dict.fromkeys(PRODUCTS, FirstOf(integers, single)))
