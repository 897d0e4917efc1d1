"""graph-conv-to-matmul: pointwise convolutions whose channels do not fill vectors as matrix products."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.graph.channel_blocks import BLOCKS
from mlc.passes.rewriting import apply_patterns, replace_op

# Blocks that fill vectors.
FULL_BLOCKS = BLOCKS[:2]
MANY_OUTPUTS = 256


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
    """Whether blocked channels fill vectors, which is faster still. An ungrouped convolution of few outputs
    stays one: its neighbours are blocked, and changing the layout around it would cost more than it gains."""
    outputs, inputs = graph.shape_of(op.operands[1])[:2]
    group = graph.attribute(op, "group")
    if group == 1:
        return outputs < MANY_OUTPUTS or any(outputs % block == 0 for block in FULL_BLOCKS)
    return any(outputs // group % block == 0 == inputs % block for block in FULL_BLOCKS)


def to_matmul(op: ir.Operation) -> bool:
    """conv(x [N, G*I, ...], w [G*O, I, 1...]) -> reshape(matmul(w [G, O, I], x [N, G, I, places]))."""
    group = graph.attribute(op, "group")
    if not is_pointwise(op) or suits_blocks(op):
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
    """Rewrites 1x1 convolutions whose channels (per group) do not fill vectors: as a product of the filters
    with the image, vectors run along the image instead."""

    name: ClassVar[str] = "graph-conv-to-matmul"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        apply_patterns(op, {"graph.conv": to_matmul})
