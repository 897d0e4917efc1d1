"""graph-transpose-weights: weights of products as the tensor units of a GPU read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.graph.on_read import ON_READ, mark
from mlc.passes.graph.values import is_constant, on_ranked
from mlc.passes.rewriting import apply_patterns, defining_op
from mlc.passes.tloop.kernel_functions import PRECISION
from mlc.passes.tloop.target_attribute import target_of
from mlc.targets import GpuTarget


def transpose_weight(op: ir.Operation) -> bool:
    """f(x, w) -> f(x, transpose(transpose(w))), where the inner one is work for @prepare."""
    weight = op.operands[1]
    made, rank = defining_op(weight), weight.type.rank
    if PRECISION not in op.attributes or rank < 2 or not is_constant(weight):
        return False
    if made is not None and ON_READ in made.attributes:
        return False
    order = {"permutation": [*range(rank - 2), rank - 1, rank - 2]}
    stored = graph.build("transpose", [weight], order)
    op.operands[1] = mark(graph.build("transpose", [stored], order))
    return True


@dataclass(frozen=True)
class TransposeWeights(Pass):
    """Store weights of products and convolutions of tf32 with the reduction innermost, for GPUs whose tensor
    units read operands of 32 bits in no other order (`wgmma` of sm_90a). Kernels read them transposed back,
    which is an order of places and moves nothing.

    Operands that other kernels compute stay as they lie: such products are for `mma.sync`.
    """

    name: ClassVar[str] = "graph-transpose-weights"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        target = target_of(op)
        if not isinstance(target, GpuTarget) or not target.clusters:
            return False
        pattern = on_ranked(transpose_weight)
        return apply_patterns(op, {"graph.matmul": pattern, "graph.conv": pattern})
