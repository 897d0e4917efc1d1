"""Windows on plain images that are computed row by row: vectors run along the rows of the image, shifted by
one element for each column of the window, and the padding is never in memory."""

from __future__ import annotations

from math import prod

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.target import lanes
from mlc.passes.graph.windows.blocked_channels import WINDOW_OPS, is_blockable_conv, is_depthwise, is_image
from mlc.targets import Target

# With longer steps, most of what vectors read is not needed.
LONGEST_STRIDE = 2
# Steps of the sums of a row, as vectors: each of them is code.
LONGEST_ROW = 256
# Fewer lanes make no vector whose elements could be separated.
FEWEST_LANES = 4


def is_row_window(op: ir.Operation, target: Target) -> bool:
    """Whether the op is a depthwise convolution or a pool in plain layout, of known shape and in f32, that is
    computed by rows on `target`. It may have padding."""
    if not op.operands[0].type.has_static_shape or op.operands[0].type.rank != 4:
        return False
    if not (is_blockable_conv(op) and is_depthwise(op)) and not _is_plain_pool(op):
        return False
    width = lanes(target)
    if width < FEWEST_LANES or graph.attribute(op, "strides")[-1] > LONGEST_STRIDE:
        return False
    vectors = -(-graph.shape_of(op.results[0])[-1] // width)
    return vectors * prod(_kernel(op)) <= LONGEST_ROW


def _kernel(op: ir.Operation) -> list[int]:
    is_pool = op.name in WINDOW_OPS
    return list(graph.attribute(op, "kernel")) if is_pool else graph.shape_of(op.operands[1])[2:]


def _is_plain_pool(op: ir.Operation) -> bool:
    return (
        op.name in WINDOW_OPS
        and graph.attribute(op, "layout") == "NCHW"
        and not graph.attribute(op, "ceil_mode")
        and is_image(op.operands[0])
        and is_image(op.results[0])
    )
