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
    several channels, in plain layout."""
    return is_strided_product(op) and all(stride == 1 for stride in graph.attribute(op, "strides"))


def is_strided_product(op: ir.Operation) -> bool:
    """Whether a convolution is a matrix product per group of the pixels on which its steps end."""
    x, w = op.operands
    if graph.attribute(op, "layout") != "NCHW" or not w.type.has_static_shape or graph.shape_of(x)[1] is None:
        return False
    inputs, *window = graph.shape_of(w)[1:]
    return inputs > 1 and all(extent == 1 for extent in window) and not any(graph.attribute(op, "pads"))


def to_matmul(op: ir.Operation) -> bool:
    """Rewrites `conv(x [N, G*I, ...], w [G*O, I, 1...])` to `reshape(matmul(w [G, O, I], x [N, G, I,
    pixels]))`."""
    if not is_strided_product(op):
        return False
    conv, w = graph.Conv(op), op.operands[1]
    group, x = conv.group, _pixels(conv)
    batch, channels, *pixels = graph.dims_of(x)
    outputs, inputs = graph.shape_of(w)[:2]
    flat = graph.reshape_to(x, [batch, group, channels // group, prod(pixels)])
    filters = graph.build("reshape", [w], {"shape": [group, outputs // group, inputs]})
    product = graph.build("matmul", [filters, flat])
    replace_op(op, graph.reshape_to(product, graph.dims_of(conv.result)))
    return True


def _pixels(conv: graph.Conv) -> ir.Value:
    """Returns the pixels that a 1x1 convolution reads."""
    if all(stride == 1 for stride in conv.strides):
        return conv.x
    sizes = [-1 if size is None else size for size in graph.shape_of(conv.x)]
    read = [
        size if size == -1 else -(-size // step) for size, step in zip(sizes[2:], conv.strides, strict=True)
    ]
    attributes = {
        "starts": [0] * len(sizes),
        "sizes": [*sizes[:2], *read],
        "steps": [1, 1, *conv.strides],
    }
    return graph.build("slice", [conv.x], attributes)


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
