"""The ops that can work on images with blocked channels, and the largest blocks of each."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd, prod

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import has_one_use, users
from mlc.passes.graph.common.op_families import ELEMENTWISE

# Largest first: two AVX-512 registers of f32, one, half of one.
BLOCKS = (32, 16, 8, 4)
# Smaller blocks leave most of a vector empty.
SMALLEST_USEFUL_BLOCK = 8
# Images with two or three spatial dims.
RANKS = (4, 5)
# Rows or columns of an image of unknown size.
LIKELY_EXTENT = 56

WINDOW_OPS = frozenset({graph.MaxPool.NAME, graph.AveragePool.NAME})
# Ops with an attribute that names the layout, but convolutions.
LAYOUT_OPS = WINDOW_OPS | {graph.Lrn.NAME}
REDUCTIONS = frozenset(f"graph.{name}" for name in graph.specs() if name.startswith("reduce_"))
CREATION = frozenset(f"graph.{spec.name}" for spec in graph.specs().values() if spec.family == "creation")


def is_image(value: ir.Value) -> bool:
    """Whether the value is `[N, C, H, W]` or `[N, C, D, H, W]` of f32 with a known number of channels."""
    tensor_type = value.type
    return (
        isinstance(tensor_type, ir.RankedTensorType)
        and tensor_type.rank in RANKS
        and not tensor_type.is_dynamic_dim(1)
        and isinstance(tensor_type.element_type, ir.F32Type)
    )


def likely_shape(value: ir.Value) -> list[int]:
    """The dims of a tensor, of which dynamic ones count as some that are likely: a batch of 1, and rows and
    columns of an image."""
    likely = [1, 1, *[LIKELY_EXTENT] * max(RANKS)]
    return [guess if dim is None else dim for dim, guess in zip(graph.shape_of(value), likely, strict=False)]


def is_depthwise(conv: ir.Operation) -> bool:
    """One filter per channel."""
    channels, outputs = graph.shape_of(conv.operands[0])[1], graph.shape_of(conv.results[0])[1]
    return graph.attribute(conv, "group") == channels == outputs


def is_blockable_conv(op: ir.Operation) -> bool:
    """Whether the op is a 2-D or 3-D convolution in plain layout, in f32, with known filters."""
    return (
        op.name == graph.Conv.NAME
        and graph.Conv(op).layout == "NCHW"
        and is_image(graph.Conv(op).x)
        and is_image(graph.Conv(op).result)
        and isinstance(graph.Conv(op).w.type, ir.RankedTensorType)
        and graph.Conv(op).w.type.has_static_shape
    )


def channel_divisor(op: ir.Operation) -> int:
    """Returns the size that a block must divide for the op to work on blocked images as it does on plain
    ones; 0 if it cannot. Not for convolutions. The result is an image, or for a reduction what is left of
    one."""
    shape = graph.shape_of(op.results[0])
    if len(shape) < 2:
        return 0
    channels = shape[1]
    if op.name in ELEMENTWISE:
        return channels if all(_is_static(value) or is_image(value) for value in op.operands) else 0
    if op.name == graph.Reshape.NAME:
        shuffled = channel_shuffle(op)
        fits = interleaving(op) or (shuffled and SMALLEST_USEFUL_BLOCK % shuffled[1] == 0)
        return channels if fits else 0
    if op.name == graph.Gather.NAME:
        return channels if is_pixel_lookup(op) else 0
    if op.name not in _DIVISORS or not all(is_image(value) for value in op.operands):
        return 0
    return gcd(channels, _DIVISORS[op.name](op))


def is_pixel_lookup(op: ir.Operation) -> bool:
    """Whether the op takes rows or columns of an image: a gather by a vector along a spatial dim."""
    return (
        op.name == graph.Gather.NAME
        and is_image(graph.Gather(op).data)
        and isinstance(graph.Gather(op).indices.type, ir.RankedTensorType)
        and graph.Gather(op).indices.type.rank == 1
        and graph.Gather(op).axis >= 2
    )


def _is_static(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and value.type.has_static_shape


def _channels_in(op: ir.Operation) -> int:
    return graph.shape_of(op.operands[0])[1]


def _window_divisor(op: ir.Operation) -> int:
    return _channels_in(op) if graph.attribute(op, "layout") == "NCHW" else 1


def _lrn_divisor(op: ir.Operation) -> int:
    """The window must end in the next block; blocks are computed by vectors of known indices."""
    lrn = graph.Lrn(op)
    if not _is_static(lrn.x) or lrn.x.type.rank != min(RANKS):
        return 1
    near = lrn.size // 2 <= SMALLEST_USEFUL_BLOCK
    return _window_divisor(op) if near else 1


def _pad_divisor(op: ir.Operation) -> int:
    pad = graph.Pad(op)
    low, high = pad.low[1], pad.high[1]
    return gcd(_channels_in(op), low, high) if pad.mode == "constant" else 1


def _concat_divisor(op: ir.Operation) -> int:
    """Along rows, columns or images all parts have the same channels."""
    return gcd(*(graph.shape_of(value)[1] for value in op.operands))


def _slice_divisor(op: ir.Operation) -> int:
    slice_op = graph.Slice(op)
    shapes = graph.shape_of(slice_op.result), graph.shape_of(slice_op.x)
    if all(extent == 1 for shape in shapes for extent in shape[2:]):
        # One pixel converts for nothing: what makes the image need not share blocks with a part of it.
        return 1
    start, step = slice_op.starts[1], slice_op.steps[1]
    return gcd(_channels_in(op), start) if step == 1 else 1


def _reduction_divisor(op: ir.Operation) -> int:
    spatial = list(range(2, len(graph.shape_of(op.operands[0]))))
    return _channels_in(op) if list(graph.attribute(op, "axes")) == spatial else 1


_DIVISORS: dict[str, Callable[[ir.Operation], int]] = {
    **dict.fromkeys(WINDOW_OPS, _window_divisor),
    **dict.fromkeys(REDUCTIONS, _reduction_divisor),
    graph.Lrn.NAME: _lrn_divisor,
    graph.Pad.NAME: _pad_divisor,
    graph.Concat.NAME: _concat_divisor,
    graph.Slice.NAME: _slice_divisor,
}


def channel_shuffle(op: ir.Operation) -> tuple[ir.Value, int] | None:
    """Returns the image and its g groups if the reshape `op` ends a channel shuffle of it, which makes
    channel i * g + j of channel j * (C / g) + i: reshape(transpose(reshape(x))) with `[N, g, C/g, H, W]` in
    between."""
    transpose = graph.Transpose.defining(op.operands[0])
    if transpose is None or list(transpose.permutation) != [0, 2, 1, 3, 4]:
        return None
    split = graph.Reshape.defining(transpose.x)
    if split is None or not is_image(split.x):
        return None
    n, _, _, *spatial = graph.dims_of(split.result)
    _, groups, channels, *_ = graph.shape_of(split.result)
    if None in (groups, channels):
        return None
    plain = (n, groups * channels, *spatial)
    same = plain == tuple(graph.dims_of(split.x)) == tuple(graph.dims_of(op.results[0]))
    return (split.x, groups) if same else None


def interleaving(op: ir.Operation) -> tuple[ir.Value, list[int]] | None:
    """Returns the image and the strides if the reshape `op` ends an interleaving of its channels, as of
    DepthToSpace and transposed convolutions, which makes row q * s + r of channel c of row q of channel
    r * C + c, and columns likewise: reshape(transpose(reshape(x))) with `[N, s, s, C, H, W]` in between."""
    transpose = graph.Transpose.defining(op.operands[0])
    split = graph.Reshape.defining(transpose.x) if transpose is not None else None
    if transpose is None or split is None or not is_image(split.x):
        return None
    if not (has_one_use(transpose.result) and has_one_use(split.result)):
        return None
    rank = split.x.type.rank - 2
    if list(transpose.permutation) != interleaved_order(rank):
        return None
    n, *dims = graph.dims_of(split.result)
    *strides, channels = graph.shape_of(split.result)[1 : rank + 2]
    if None in (*strides, channels):
        return None
    positions = dims[rank + 1 :]
    spatial = [stride * count for stride, count in zip(strides, positions, strict=True)]
    whole = [n, channels, *spatial] == list(graph.dims_of(op.results[0]))
    same = [n, prod(strides) * channels, *positions] == list(graph.dims_of(split.x))
    return (split.x, strides) if whole and same else None


def interleaved_order(rank: int) -> list[int]:
    """The permutation of `[N, strides..., C, positions...]` to `[N, C, position, stride, ...]`."""
    return [0, rank + 1, *(dim for axis in range(rank) for dim in (rank + 2 + axis, 1 + axis))]


def is_inside_interleaving(op: ir.Operation) -> bool:
    """Whether the op is the first reshape or the transpose of an interleaving."""
    if op.name not in (graph.Reshape.NAME, graph.Transpose.NAME):
        return False
    readers = users(op.results[0])
    if len(readers) != 1 or readers[0].name == op.name:
        return False
    reader = readers[0]
    if op.name == graph.Reshape.NAME:
        return reader.name == graph.Transpose.NAME and is_inside_interleaving(reader)
    return reader.name == graph.Reshape.NAME and interleaving(reader) is not None


def largest_block(channels: int) -> int:
    """The largest block that divides `channels`, 1 if there is none."""
    return next((block for block in BLOCKS if channels % block == 0), 1)
