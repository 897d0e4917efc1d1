"""Which ops can work on images with blocked channels, and how large the blocks may be."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.op_families import ELEMENTWISE

# Largest first: two AVX-512 registers of f32, one, half of one.
BLOCKS = (32, 16, 8, 4)
# Smaller blocks leave most of a vector empty.
SMALLEST_USEFUL_BLOCK = 8
RANK = 4

WINDOW_OPS = frozenset({"graph.max_pool", "graph.average_pool"})
# Ops with an attribute that names the layout, but convolutions.
LAYOUT_OPS = WINDOW_OPS | {"graph.lrn"}
REDUCTIONS = frozenset(f"graph.{name}" for name in graph.specs() if name.startswith("reduce_"))
CREATION = frozenset(f"graph.{spec.name}" for spec in graph.specs().values() if spec.family == "creation")


def is_image(value: ir.Value) -> bool:
    """Whether the value is `[N, C, H, W]` of known shape, but for N perhaps, and f32."""
    kind = value.type
    return (
        isinstance(kind, ir.RankedTensorType)
        and kind.rank == RANK
        and not any(kind.is_dynamic_dim(axis) for axis in range(1, RANK))
        and isinstance(kind.element_type, ir.F32Type)
    )


def likely_shape(value: ir.Value) -> list[int]:
    """The dims of a tensor, of which one that only a call tells is taken to be 1."""
    return [1 if dim is None else dim for dim in graph.shape_of(value)]


def is_depthwise(conv: ir.Operation) -> bool:
    """One filter per channel."""
    channels, outputs = graph.shape_of(conv.operands[0])[1], graph.shape_of(conv.results[0])[1]
    return graph.attribute(conv, "group") == channels == outputs


def is_blockable_conv(op: ir.Operation) -> bool:
    """Whether the op is a 2-D convolution in plain layout of known shape, but for the batch, in f32."""
    return (
        op.name == "graph.conv"
        and graph.attribute(op, "layout") == "NCHW"
        and is_image(op.operands[0])
        and is_image(op.results[0])
        and isinstance(op.operands[1].type, ir.RankedTensorType)
        and op.operands[1].type.has_static_shape
    )


def channel_divisor(op: ir.Operation) -> int:
    """What a block must divide for the op to work on blocked images as it does on plain ones; 0 if it cannot.
    Not for convolutions. The result is an image, or for a reduction what is left of one."""
    shape = graph.shape_of(op.results[0])
    if len(shape) < 2:
        return 0
    channels = shape[1]
    if op.name in ELEMENTWISE:
        return channels if all(_is_static(value) or is_image(value) for value in op.operands) else 0
    if op.name == "graph.reshape":
        shuffled = channel_shuffle(op)
        return channels if shuffled and SMALLEST_USEFUL_BLOCK % shuffled[1] == 0 else 0
    if op.name == "graph.gather":
        return channels if is_pixel_lookup(op) else 0
    if op.name not in _DIVISORS or not all(is_image(value) for value in op.operands):
        return 0
    return gcd(channels, _DIVISORS[op.name](op))


def is_pixel_lookup(op: ir.Operation) -> bool:
    """Whether the op takes rows or columns of an image: a gather by a vector along a spatial dim."""
    return (
        op.name == "graph.gather"
        and is_image(op.operands[0])
        and _is_static(op.operands[1])
        and op.operands[1].type.rank == 1
        and graph.attribute(op, "axis") in (2, 3)
    )


def _is_static(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and value.type.has_static_shape


def _channels_in(op: ir.Operation) -> int:
    return graph.shape_of(op.operands[0])[1]


def _window_divisor(op: ir.Operation) -> int:
    return _channels_in(op) if graph.attribute(op, "layout") == "NCHW" else 1


def _lrn_divisor(op: ir.Operation) -> int:
    """The window must end in the next block; blocks are computed by vectors of known places."""
    if not _is_static(op.operands[0]):
        return 1
    near = graph.attribute(op, "size") // 2 <= SMALLEST_USEFUL_BLOCK
    return _window_divisor(op) if near else 1


def _pad_divisor(op: ir.Operation) -> int:
    low, high = graph.attribute(op, "low")[1], graph.attribute(op, "high")[1]
    return gcd(_channels_in(op), low, high) if graph.attribute(op, "mode") == "constant" else 1


def _concat_divisor(op: ir.Operation) -> int:
    parts = [graph.shape_of(value)[1] for value in op.operands]
    return gcd(*parts) if graph.attribute(op, "axis") == 1 else 1


def _slice_divisor(op: ir.Operation) -> int:
    if graph.shape_of(op.results[0])[2:] == graph.shape_of(op.operands[0])[2:] == [1, 1]:
        # One pixel converts for nothing: what makes the image need not share blocks with a part of it.
        return 1
    start, step = graph.attribute(op, "starts")[1], graph.attribute(op, "steps")[1]
    return gcd(_channels_in(op), start) if step == 1 else 1


def _reduction_divisor(op: ir.Operation) -> int:
    return _channels_in(op) if list(graph.attribute(op, "axes")) == [2, 3] else 1


_DIVISORS: dict[str, Callable[[ir.Operation], int]] = {
    **dict.fromkeys(WINDOW_OPS, _window_divisor),
    **dict.fromkeys(REDUCTIONS, _reduction_divisor),
    "graph.lrn": _lrn_divisor,
    "graph.pad": _pad_divisor,
    "graph.concat": _concat_divisor,
    "graph.slice": _slice_divisor,
}


def channel_shuffle(op: ir.Operation) -> tuple[ir.Value, int] | None:
    """The image and the number g of groups if the reshape `op` ends a channel shuffle of it, which makes
    channel i * g + j of channel j * (C / g) + i: reshape(transpose(reshape(x))) with `[N, g, C/g, H, W]` in
    between."""
    transpose = defining_op(op.operands[0], "graph.transpose")
    if transpose is None or list(graph.attribute(transpose, "permutation")) != [0, 2, 1, 3, 4]:
        return None
    split = defining_op(transpose.operands[0], "graph.reshape")
    if split is None or not is_image(split.operands[0]):
        return None
    n, groups, channels, *spatial = graph.shape_of(split.results[0])
    if n is None:
        return None
    plain = (n, groups * channels, *spatial)
    same = plain == tuple(graph.shape_of(split.operands[0])) == tuple(graph.shape_of(op.results[0]))
    return (split.operands[0], groups) if same else None


def largest_block(channels: int) -> int:
    """The largest block that divides `channels`, 1 if there is none."""
    return next((block for block in BLOCKS if channels % block == 0), 1)
