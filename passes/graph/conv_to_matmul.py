"""graph-conv-to-matmul: grouped pointwise convolutions as batched matrix products."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.graph.channel_blocks import BLOCKS
from mlc.passes.rewriting import apply_patterns, replace_op


def is_pointwise(op: ir.Operation) -> bool:
    """A 1x1x... window without stride or padding, on static shapes and plain layout."""
    shapes = [graph.shape_of(value) for value in (*op.operands, *op.results)]
    return (
        graph.attribute(op, "layout") == "NCHW"
        and all(None not in shape for shape in shapes)
        and all(extent == 1 for extent in shapes[1][2:])
        and all(stride == 1 for stride in graph.attribute(op, "strides"))
        and not any(graph.attribute(op, "pads"))
    )


def suits_blocks(op: ir.Operation) -> bool:
    """Whether the channels of each group can be blocked, which is faster still."""
    outputs, inputs = graph.shape_of(op.operands[1])[:2]
    return any(outputs // graph.attribute(op, "group") % block == 0 == inputs % block for block in BLOCKS[:2])


def to_matmul(op: ir.Operation) -> bool:
    """conv(x [N, G*I, ...], w [G*O, I, 1...]) -> reshape(matmul(w [G, O, I], x [N, G, I, places]))."""
    group = graph.attribute(op, "group")
    if group == 1 or not is_pointwise(op) or suits_blocks(op):
        return False
    x, w = op.operands
    batch, channels, *places = graph.shape_of(x)
    outputs, inputs = graph.shape_of(w)[:2]
    if inputs == 1:
        return False
    flat = graph.build("reshape", [x], {"shape": [batch, group, channels // group, prod(places)]})
    filters = graph.build("reshape", [w], {"shape": [group, outputs // group, inputs]})
    product = graph.build("matmul", [filters, flat])
    replace_op(op, graph.build("reshape", [product], {"shape": list(graph.shape_of(op.results[0]))}))
    return True


@dataclass(frozen=True)
class ConvToMatmul(Pass):
    """Rewrites grouped 1x1 convolutions whose channels per group do not fill vectors: as a product of the filters with the
    image, vectors run along the image instead."""

    name: ClassVar[str] = "graph-conv-to-matmul"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        apply_patterns(op, {"graph.conv": to_matmul})
