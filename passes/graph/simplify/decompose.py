"""graph-decompose: ops that later passes want in simpler form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.rules import Rules, apply_rules
from mlc.passes.graph.common.terms import like_type
from mlc.passes.graph.common.values import scalar_constant


def _per_channel(vector: ir.Value, x: ir.Value) -> ir.Value:
    """A vector of one entry per channel of x, as `[C, 1, ...]` that broadcasts against `[N, C, ...]`."""
    (channels,) = graph.shape_of(vector)
    shape = [-1 if channels is None else channels] + [1] * (x.type.rank - 2)
    # Scale, bias and statistics have as many elements as x has channels, even if the dims have different
    # names.
    dims = (*graph.dims_of(x)[1:2], *shape[1:])
    return graph.name_dims(graph.build("reshape", [vector], {"shape": shape}), dims)


@rounding
def batch_norm(op: ir.Operation) -> ir.Value:
    """Computes `x * f + (bias - mean * f)` with `f = scale / sqrt(variance + epsilon)`, in the statistics'
    precision."""
    x, *parameters = op.operands
    exact = graph.element_type(graph.BatchNorm(op).variance)
    scale, bias, mean, variance = (like_type(value, exact) for value in parameters)
    epsilon = scalar_constant(graph.BatchNorm(op).epsilon, variance)
    deviation = graph.build("sqrt", [graph.build("add", [variance, epsilon])])
    factor = graph.build("div", [scale, deviation])
    shift = graph.build("sub", [bias, graph.build("mul", [mean, factor])])
    factor, shift = (_per_channel(like_type(value, graph.element_type(x)), x) for value in (factor, shift))
    return graph.build(
        "add", [graph.build("mul", [x, factor]), shift], result_type=graph.BatchNorm(op).result.type
    )


RULES: Rules = {graph.BatchNorm.NAME: (batch_norm,)}


@dataclass(frozen=True)
class Decompose(Pass):
    """Write ops in the simpler form that later passes look for.

    `batch_norm` becomes `mul` and `add` with operands computed from the statistics.
    """

    name: ClassVar[str] = "graph-decompose"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> bool:
        # Whatever class is asked for: these ops have no other lowering.
        return apply_rules(op, RULES, self.exactness)
