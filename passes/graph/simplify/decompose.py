"""graph-decompose: ops that later passes want in simpler form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import attributes_of
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.rules import Rules, apply_rules
from mlc.passes.graph.common.terms import like_type
from mlc.passes.graph.common.values import scalar_constant
from mlc.passes.graph.simplify.slice_rules import Part, slice_of

# Narrower types are added up in wider ones by a product.
WEIGHTED = (ir.F32Type, ir.F64Type)


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


def _every(dim: int | None, step: int) -> Part:
    """The elements of a dim from the first on, `step` apart."""
    return Part(0, -1 if dim is None else -(-dim // step), step)


@rounding
def pointwise_by_channel(op: ir.Operation) -> ir.Value | None:
    """Multiplies each channel by its factors where a convolution has a window of one element and a group per
    channel: `reshape(x [N, C, 1, ...] * w [C, O/C, 1...])` of the elements on which its steps end; where C
    is 1 or O, without the reshape."""
    conv = graph.Conv(op)
    (_, channels, *_), (outputs, *window) = graph.shape_of(conv.x), graph.shape_of(conv.w)
    if conv.layout != "NCHW" or channels is None or conv.group != channels or outputs is None:
        return None
    if any(extent != 1 for extent in window) or any(conv.pads):
        return None
    x = conv.x
    if set(conv.strides) != {1}:
        strides = (1, 1, *conv.strides)
        x = slice_of(x, list(map(_every, graph.shape_of(x), strides)))
    ones = [1] * len(window[1:])
    if channels in (1, outputs):
        return graph.build("mul", [x, graph.reshape_to(conv.w, [outputs, *ones])])
    batch, _, *rest = graph.dims_of(x)
    apart = graph.reshape_to(x, [batch, channels, 1, *rest])
    factors = graph.reshape_to(conv.w, [channels, outputs // channels, *ones])
    return graph.reshape_to(graph.build("mul", [apart, factors]), graph.dims_of(conv.result))


def repeat_channels(op: ir.Operation) -> ir.Value | None:
    """Convolves the channels x0, x0, x1, x1, ... one by one where each channel of x has several filters:
    blocks of channels, and rows, have one."""
    conv = graph.Conv(op)
    channels, outputs = graph.shape_of(conv.x)[1], graph.shape_of(conv.w)[0]
    if (
        conv.layout != "NCHW"
        or channels in (None, 1)
        or conv.group != channels
        or outputs in (None, channels)
    ):
        return None
    batch, _, *image = graph.dims_of(conv.x)
    apart = graph.reshape_to(conv.x, [batch, channels, 1, *image])
    repeated = graph.expand_to(apart, [batch, channels, outputs // channels, *image])
    if repeated is None:
        return None
    x = graph.reshape_to(repeated, [batch, outputs, *image])
    return graph.build("conv", [x, conv.w], attributes_of(op) | {"group": outputs})


@rounding
def product_with_a_column(op: ir.Operation) -> ir.Value | None:
    """Sums the rows of a, weighted with b [..., K, 1]: a register tile would have one column."""
    a, b = op.operands
    shape = graph.shape_of(b)
    if len(shape) < 2 or a.type.rank < 2 or shape[-1] != 1 or not isinstance(graph.element_type(a), WEIGHTED):
        return None
    *batch, steps, _ = graph.dims_of(b)
    weighted = graph.build("mul", [a, graph.reshape_to(b, [*batch, 1, steps])])
    return graph.build("reduce_sum", [weighted], {"axes": [weighted.type.rank - 1], "keepdims": True})


RULES: Rules = {
    graph.BatchNorm.NAME: (batch_norm,),
    graph.Conv.NAME: (pointwise_by_channel, repeat_channels),
    graph.Matmul.NAME: (product_with_a_column,),
}


@dataclass(frozen=True)
class Decompose(Pass):
    """Write ops in the simpler form that later passes look for.

    `batch_norm` becomes `mul` and `add` with operands computed from the statistics. `pad` by elements of its
    operand becomes `concat` of the operand and parts of it, which images in blocks have, too. A convolution
    whose window is one element of one channel becomes `mul`, one with several filters per channel a depthwise
    one of repeated channels, a product with a matrix of one column the sum of weighted rows.
    """

    name: ClassVar[str] = "graph-decompose"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> bool:
        # Whatever class is asked for: these ops have no other lowering.
        return apply_rules(op, RULES, self.exactness)
