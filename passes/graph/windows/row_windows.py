"""Windows on plain images that are computed row by row: vectors run along the rows of the image, shifted by
one element for each column of the window, and the padding is never in memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.target import lanes
from mlc.passes.graph.windows.blocked_channels import WINDOW_OPS, is_blockable_conv, is_depthwise, is_image
from mlc.targets import Target

# With longer steps, most of what vectors read is not needed; signals have no better schedule.
LONGEST_STRIDE, LONGEST_STRIDE_OF_SIGNALS = 2, 4
# Steps of the sums of a row, as vectors: each of them is code.
LONGEST_ROW = 256
# Vectors of a tile of columns.
TILE_VECTORS = 4
# Elements of a window on images of open size. Most of their tiles are at the ends of rows, where elements are
# shifted for each column of the window: windows of many elements are faster in blocks, or in padded images.
MOST_SHIFTED = 16
# Fewer lanes make no vector whose elements could be separated.
FEWEST_LANES = 4


def is_row_window(op: ir.Operation, target: Target) -> bool:
    """Whether the op is a convolution of few channels at a time or a pool in plain layout, in f32, that is
    computed by rows on `target`, whole ones or tile by tile. It may have padding."""
    if op.operands[0].type.rank != 4 or not (is_blockable_conv(op) or _is_plain_pool(op)):
        return False
    kernel = _kernel(op)
    longest = LONGEST_STRIDE_OF_SIGNALS if kernel[0] == 1 else LONGEST_STRIDE
    if lanes(target) < FEWEST_LANES or graph.attribute(op, "strides")[-1] > longest:
        return False
    vectors = row_vectors(op.operands[0], op.results[0], kernel, lanes(target))
    is_signal = vectors is None and kernel[0] == 1
    if not _is_apart(op) and not (is_signal and graph.attribute(op, "group") > 1):
        return False
    if vectors is None and kernel[0] > 1 and prod(kernel) > MOST_SHIFTED:
        return False
    return (vectors or TILE_VECTORS) * prod(kernel) * _channels(op) <= LONGEST_ROW


def row_vectors(image: ir.Value, result: ir.Value, kernel: Sequence[int], width: int) -> int | None:
    """Returns the number of vectors, of `width` elements, of a row of windows that is computed as a whole;
    None if rows are computed tile by tile: where their length is dynamic, or they are long."""
    read, computed = (graph.shape_of(value)[-1] for value in (image, result))
    if read is None or computed is None:
        return None
    vectors = -(-computed // width)
    return vectors if vectors <= max(TILE_VECTORS, LONGEST_ROW // prod(kernel)) else None


def _kernel(op: ir.Operation) -> list[int]:
    is_pool = op.name in WINDOW_OPS
    return list(graph.attribute(op, "kernel")) if is_pool else graph.shape_of(op.operands[1])[2:]


def _is_apart(op: ir.Operation) -> bool:
    """Whether each channel of the result reads its own channel of the image."""
    return op.name in WINDOW_OPS or is_depthwise(op)


def _channels(op: ir.Operation) -> int:
    """Returns the number of channels of the image that a channel of the result reads."""
    return 1 if op.name in WINDOW_OPS else graph.shape_of(op.operands[1])[1]


def _is_plain_pool(op: ir.Operation) -> bool:
    return (
        op.name in WINDOW_OPS
        and graph.attribute(op, "layout") == "NCHW"
        and not graph.attribute(op, "ceil_mode")
        and is_image(op.operands[0])
        and is_image(op.results[0])
    )
