"""Operators that move elements: reshapes, transposes, concatenation, tiling, gathers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import Size, broadcast, differ, floordiv, product
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.checked_data import expect_in_range, look_up
from mlc.frontends.onnx.operators.common.dynamic_values import (
    declared_length,
    declared_rank,
    i64_scalar,
    iota,
    of_declared_rank,
    require,
    vector_of,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value, dims_text


@onnx_operator("Tile", since=6)
def tile(node: Node) -> Value:
    """Imports Tile. Dynamic repeats are gathers of index i modulo the dim."""
    x, repeats = node.input(0), node.input(1)
    if repeats.is_constant:
        return node.emit("tile", x, repeats=node.ints(1))
    for axis, count in enumerate(node.read_dims(vector_of(node, repeats, x.rank))):
        x = _tile_axis(node, x, axis, count)
    return x


@onnx_operator("Tile", until=5)
def tile_along_axis(node: Node) -> Value:
    """Imports Tile up to opset 5: a number of tiles along one axis, both of the element type of x."""
    x, tiles = node.input(0), node.input(1)
    [axis_value] = node.elements(node.input(2)).reshape(-1)
    axis = node.axis(int(axis_value), x.rank)
    if tiles.is_constant:
        [count] = node.elements(tiles).reshape(-1)
        return node.emit("tile", x, repeats=[int(count) if index == axis else 1 for index in range(x.rank)])
    [repeats] = node.read_dims(node.reshape(node.cast(tiles, TensorProto.INT64), [1]))
    return _tile_axis(node, x, axis, repeats)


def _tile_axis(node: Node, x: Value, axis: int, count: Dim) -> Value:
    dim = x.shape[axis]
    indices = node.emit("mod", iota(node, dim * count), i64_scalar(node, dim), fmod=False)
    return node.emit("gather", x, indices, axis=axis)


@onnx_operator("Reshape")
def reshape(node: Node) -> Value:
    """Imports Reshape. Raises NodeError for shapes that do not fit."""
    x = node.input(0)
    if node.optional(1) is not None and node.input(1).known is None:
        result = node.reshape(x, node.read_dims(_read_shape(node, x, node.input(1))))
        return of_declared_rank(node, result, node.input(1))
    wanted: list[Dim] = node.dims(1) if node.optional(1) is not None else list(node.attr("shape"))
    copied = [] if node.attr("allowzero", 0) else [i for i, d in enumerate(wanted) if d == 0]
    if any(i >= x.rank for i in copied):
        raise NodeError(
            f"the new shape {dims_text(wanted)} copies a dim that the input, of rank {x.rank}, does not have"
        )
    wanted = [x.shape[i] if i in copied else d for i, d in enumerate(wanted)]
    return node.reshape(x, _resolve_shape(x, wanted, copied))


def _read_shape(node: Node, x: Value, wanted: Value) -> Value:
    """Returns a dynamic shape with its 0 and its -1 computed."""
    wanted = declared_length(node, wanted)
    [length] = node.shape(wanted)
    zero, one, open_dim = (node.constant(np.int64(value)) for value in (0, 1, -1))
    if not node.attr("allowzero", 0):
        own = node.sizes([*x.shape, *[0] * length][:length])
        wanted = node.emit("where", node.emit("equal", wanted, zero), own, wanted)
    is_open = node.emit("equal", wanted, open_dim)
    known = node.emit("where", is_open, one, wanted)
    others = node.emit("reduce_prod", known, axes=[0], keepdims=False)
    rest = node.emit("div", node.size(product(x.shape)), node.emit("max", others, one))
    return node.emit("where", is_open, rest, wanted)


def _resolve_shape(x: Value, wanted: list[Dim], copied: Sequence[int]) -> list[Dim]:
    """Returns `wanted`, whose dims `copied` are x's, with its -1 computed. Raises NodeError."""
    if wanted.count(-1) > 1 or any(isinstance(d, int) and d < -1 for d in wanted):
        raise NodeError(
            f"the new shape {dims_text(wanted)} is wrong: "
            "at most one dim may be -1, the others are not negative"
        )
    if -1 not in wanted:
        if differ(product(x.shape), product(wanted)):
            raise NodeError(f"{dims_text(x.shape)} cannot be reshaped to {dims_text(wanted)}")
        return wanted
    # Copied dims may be 0, and the -1 does not depend on them.
    total = product([d for i, d in enumerate(x.shape) if i not in copied])
    known = product([d for i, d in enumerate(wanted) if d != -1 and i not in copied])
    # Sizes on both sides cancel; the rest must divide.
    if known == 0 or (isinstance(total, int) and isinstance(known, int) and total % known):
        raise NodeError(f"{dims_text(x.shape)} cannot be reshaped to {dims_text(wanted)}")
    return [floordiv(total, known) if d == -1 else d for d in wanted]


@onnx_operator("Flatten")
def flatten(node: Node) -> Value:
    """Imports Flatten."""
    x, axis = node.input(0), node.attr("axis", 1)
    axis = x.rank if axis == x.rank else node.axis(axis, x.rank)
    return node.reshape(x, [product(x.shape[:axis]), product(x.shape[axis:])])


@onnx_operator("Transpose")
def transpose(node: Node) -> Value:
    """Imports Transpose. Raises NodeError for a `perm` that is no permutation."""
    x = node.input(0)
    order = [node.axis(a, x.rank) for a in node.attr("perm", reversed(range(x.rank)))]
    if sorted(order) != list(range(x.rank)):
        raise NodeError(f"perm {order} is no permutation of the {x.rank} axes")
    return node.emit("transpose", x, permutation=order)


@onnx_operator("Concat")
def concat(node: Node) -> Value:
    """Imports Concat."""
    values = [node.input(i) for i in range(len(node.inputs))]
    if not values:
        raise NodeError("it has no input")
    axis = node.attr("axis", 1) if node.opset < 4 else node.attr("axis")
    return node.emit("concat", *values, axis=node.axis(axis, values[0].rank))


@onnx_operator("Expand", since=8)
def expand(node: Node) -> Value:
    """Imports Expand. Raises NodeError for shapes that do not broadcast."""
    x, given = node.input(0), _shape_to_expand_to(node, node.input(1))
    wanted = node.read_dims(given)
    rank = max(x.rank, len(wanted))
    have = [1] * (rank - x.rank) + list(x.shape)
    want = [1] * (rank - len(wanted)) + wanted
    unread = [_decides_nothing(*pair) for pair in zip(have, want, strict=True)]
    if any(unread):
        x = _checked_to_broadcast(node, x, given, unread[rank - len(wanted) :], have[rank - len(wanted) :])
    # Broadcasting goes both ways: a dim of 1 in the wanted shape keeps x's.
    try:
        result = node.expand(x, [broadcast(h, w) for h, w in zip(have, want, strict=True)])
    except ValueError:
        raise NodeError(f"{dims_text(x.shape)} does not broadcast to {dims_text(wanted)}") from None
    return of_declared_rank(node, result, node.input(1))


def _decides_nothing(have: Dim, want: Dim) -> bool:
    """Whether a wanted dim is dynamic where the tensor's is known, so that the result's dim is known too."""
    return isinstance(have, int) and have != 1 and isinstance(want, Size)


def _checked_to_broadcast(
    node: Node, x: Value, given: Value, unread: Sequence[bool], have: Sequence[Dim]
) -> Value:
    """Returns x in a call that fails unless the `unread` dims of a shape are 1 or those that x has: nothing
    else reads them."""
    known = np.array([dim if checked else 1 for dim, checked in zip(have, unread, strict=True)], np.int64)
    wide = node.cast(given, TensorProto.INT64)
    fits = node.emit("equal", wide, node.constant(known))
    for other in (node.emit("equal", wide, node.constant(np.int64(1))), node.constant(~np.array(unread))):
        fits = node.emit("or", fits, other)
    return require(node, x, fits, f"{dims_text(x.shape)} does not broadcast to the shape in '{given.name}'")


def _shape_to_expand_to(node: Node, wanted: Value) -> Value:
    """Returns the shape, padded with leading 1s to the declared rank where its length is dynamic."""
    if wanted.rank != 1:
        raise NodeError(f"input 1 ('{wanted.name}') must have rank 1, but has rank {wanted.rank}")
    if isinstance(wanted.shape[0], int):
        return wanted
    rank = declared_rank(node)
    fits = node.emit("less_equal", i64_scalar(node, wanted.shape[0]), i64_scalar(node, rank))
    wrong = f"'{wanted.name}' holds more than {rank} integers, and a result of rank {rank} is declared"
    wanted = require(node, wanted, fits, wrong)
    filled = node.emit("concat", node.constant(np.ones(rank, np.int64)), wanted, axis=0)
    return node.emit("slice", filled, starts=[-rank], sizes=[rank], steps=[1])


@onnx_operator("Gather")
def gather(node: Node) -> Value:
    """Imports Gather."""
    x = node.input(0)
    return look_up(node, x, node.input(1), node.axis(node.attr("axis", 0), x.rank))


@onnx_operator("GatherElements", since=11)
def gather_elements(node: Node) -> Value:
    """Imports GatherElements."""
    x, indices = node.input(0), node.input(1)
    axis = node.axis(node.attr("axis", 0), x.rank)
    expect_in_range(node, indices, [x.shape[axis]], axis=axis)
    return node.emit("gather_elements", x, indices, axis=axis)


# A diagonal beyond every matrix, to which an index can be added without overflow.
_FARTHEST = 1 << 62


@onnx_operator("Trilu", since=14)
def trilu(node: Node) -> Value:
    """Imports Trilu."""
    x, upper, k = node.input(0), bool(node.attr("upper", 1)), node.optional(1)
    if k is None or k.is_constant:
        known = 0 if k is None else node.ints(1)[0]
        return node.emit("trilu", x, upper=upper, k=max(-_FARTHEST, min(known, _FARTHEST)))
    rows, columns = x.shape[-2:]
    near = node.emit("min", i64_scalar(node, k), i64_scalar(node, _FARTHEST))
    near = node.emit("max", near, i64_scalar(node, -_FARTHEST))
    down = node.emit("add", node.reshape(iota(node, rows), [rows, 1]), near)
    outside = node.emit("less" if upper else "greater", iota(node, columns), down)
    return node.emit("where", outside, node.scalar(0, x), x)


@onnx_operator("DepthToSpace")
def depth_to_space(node: Node) -> Value:
    """Imports DepthToSpace. Raises NodeError for sizes that do not fit."""
    x, block = node.input(0), int(node.attr("blocksize"))
    batch, channels, height, width = x.shape
    mode = node.attr("mode", "DCR")
    if mode not in ("DCR", "CRD"):
        raise NodeError(f"mode must be DCR or CRD, not {mode!r}")
    if block < 1 or differ(channels, floordiv(channels, block * block) * block * block):
        raise NodeError(f"blocksize {block} squared does not divide the {channels} channels")
    depth = channels // (block * block)
    split = [block, block, depth] if mode == "DCR" else [depth, block, block]
    order = [0, 3, 4, 1, 5, 2] if mode == "DCR" else [0, 1, 4, 2, 5, 3]
    spread = node.emit("transpose", node.reshape(x, [batch, *split, height, width]), permutation=order)
    return node.reshape(spread, [batch, depth, height * block, width * block])


@onnx_operator("SpaceToDepth")
def space_to_depth(node: Node) -> Value:
    """Imports SpaceToDepth. Raises NodeError for sizes that do not fit."""
    x, block = node.input(0), int(node.attr("blocksize"))
    batch, channels, height, width = x.shape
    if block < 1 or any(differ(dim, floordiv(dim, block) * block) for dim in (height, width)):
        raise NodeError(f"blocksize {block} does not divide the spatial dims {height} x {width}")
    orders = {"DCR": [0, 3, 5, 1, 2, 4], "CRD": [0, 1, 3, 5, 2, 4]}
    mode = node.attr("mode", "DCR")
    if mode not in orders:
        raise NodeError(f"mode must be DCR or CRD, not {mode!r}")
    split = node.reshape(x, [batch, channels, height // block, block, width // block, block])
    moved = node.emit("transpose", split, permutation=orders[mode])
    return node.reshape(moved, [batch, channels * block * block, height // block, width // block])
