"""graph-conv-to-matmul: pointwise convolutions in plain layout as matrix products."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, replace_op
from mlc.passes.graph.common.values import on_ranked


def is_product(op: ir.Operation) -> bool:
    """Whether a convolution is a matrix product per group: a 1x1x... window without stride or padding over
    several channels, on shapes known but for the batch, and plain layout."""
    x, w = op.operands
    if graph.attribute(op, "layout") != "NCHW" or not w.type.has_static_shape:
        return False
    if None in (*graph.shape_of(x)[1:], *graph.shape_of(op.results[0])[1:]):
        return False
    inputs, *window = graph.shape_of(w)[1:]
    return (
        inputs > 1
        and all(extent == 1 for extent in window)
        and all(stride == 1 for stride in graph.attribute(op, "strides"))
        and not any(graph.attribute(op, "pads"))
    )


def to_matmul(op: ir.Operation) -> bool:
    """Rewrites `conv(x [N, G*I, ...], w [G*O, I, 1...])` to `reshape(matmul(w [G, O, I], x [N, G, I,
    pixels]))`."""
    conv = graph.Conv(op)
    group = conv.group
    if not is_product(op):
        return False
    x, w = op.operands
    batch, channels, *pixels = graph.dims_of(x)
    outputs, inputs = graph.shape_of(w)[:2]
    flat = graph.reshape_to(x, [batch, group, channels // group, prod(pixels)])
    filters = graph.build("reshape", [w], {"shape": [group, outputs // group, inputs]})
    product = graph.build("matmul", [filters, flat])
    replace_op(op, graph.reshape_to(product, graph.dims_of(conv.result)))
    return True


@dataclass(frozen=True)
class ConvToMatmul(Pass):
    """Rewrite the 1x1 convolutions that stay in plain layout: as a product of the filters with the image,
    vectors run along the image. Layouts come first: `graph-assign-layouts` weighs this form against
    blocks."""

    name: ClassVar[str] = "graph-conv-to-matmul"
    anchor: ClassVar[str] = "func.func"
    # Sums run in another order.
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {graph.Conv.NAME: on_ranked(to_matmul)})
