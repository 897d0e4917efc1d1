"""Operators that move elements: reshapes, transposes, concatenation, gathers.

Tile.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import broadcast, differ, floordiv, product
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import (
    checked,
    counted,
    declared_length,
    declared_rank,
    number_of,
    of_declared_rank,
    vector_of,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@onnx_operator("Tile", since=6)
def tile(node: Node) -> Value:
    """Repeats that only running tells are gathers of place i modulo the dim."""
    x, repeats = node.input(0), node.input(1)
    if repeats.is_constant:
        return node.emit("tile", x, repeats=node.ints(1))
    for axis, count in enumerate(node.read_dims(vector_of(node, repeats, x.rank))):
        x = _repeated(node, x, axis, count)
    return x


@onnx_operator("Tile", until=5)
def tile_along_axis(node: Node) -> Value:
    """A number of tiles along one axis, both of the element type of x."""
    x, tiles = node.input(0), node.input(1)
    [number] = node.elements(node.input(2)).reshape(-1)
    axis = node.axis(int(number), x.rank)
    if tiles.is_constant:
        [count] = node.elements(tiles).reshape(-1)
        return node.emit("tile", x, repeats=[int(count) if each == axis else 1 for each in range(x.rank)])
    [told] = node.read_dims(node.reshape(node.cast(tiles, TensorProto.INT64), [1]))
    return _repeated(node, x, axis, told)


def _repeated(node: Node, x: Value, axis: int, count: Dim) -> Value:
    dim = x.shape[axis]
    places = node.emit("mod", counted(node, dim * count), number_of(node, dim), fmod=False)
    return node.emit("gather", x, places, axis=axis)


@onnx_operator("Reshape")
def reshape(node: Node) -> Value:
    x = node.input(0)
    if node.optional(1) is not None and node.input(1).known is None:
        made = node.reshape(x, node.read_dims(_read_shape(node, x, node.input(1))))
        return of_declared_rank(node, made, node.input(1))
    wanted: list[Dim] = node.dims(1) if node.optional(1) is not None else list(node.attr("shape"))
    copied = [] if node.attr("allowzero", 0) else [i for i, d in enumerate(wanted) if d == 0]
    if any(i >= x.rank for i in copied):
        raise NodeError(
            f"the new shape {_text(wanted)} copies a dim that the input, of rank {x.rank}, does not have"
        )
    wanted = [x.shape[i] if i in copied else d for i, d in enumerate(wanted)]
    return node.reshape(x, _resolved(x, wanted, copied))


def _read_shape(node: Node, x: Value, wanted: Value) -> Value:
    """A shape that only running tells, with its 0 and its -1 computed then."""
    wanted = declared_length(node, wanted)
    [length] = node.shape(wanted)
    zero, one, open_dim = (node.constant(np.int64(number)) for number in (0, 1, -1))
    if not node.attr("allowzero", 0):
        own = node.sizes([*x.shape, *[0] * length][:length])
        wanted = node.emit("where", node.emit("equal", wanted, zero), own, wanted)
    is_open = node.emit("equal", wanted, open_dim)
    known = node.emit("where", is_open, one, wanted)
    others = node.emit("reduce_prod", known, axes=[0], keepdims=False)
    rest = node.emit("div", node.size(product(x.shape)), node.emit("max", others, one))
    return node.emit("where", is_open, rest, wanted)


def _resolved(x: Value, wanted: list[Dim], copied: Sequence[int]) -> list[Dim]:
    """`wanted`, in which the dims `copied` are x's, with its -1 computed."""
    if wanted.count(-1) > 1 or any(isinstance(d, int) and d < -1 for d in wanted):
        raise NodeError(
            f"the new shape {_text(wanted)} is wrong: at most one dim may be -1, the others are not negative"
        )
    if -1 not in wanted:
        if differ(product(x.shape), product(wanted)):
            raise NodeError(f"{_text(x.shape)} cannot be reshaped to {_text(wanted)}")
        return wanted
    # Those that are copied may be 0, and the -1 does not depend on them.
    total = product([d for i, d in enumerate(x.shape) if i not in copied])
    known = product([d for i, d in enumerate(wanted) if d != -1 and i not in copied])
    # Sizes on both sides cancel; what is left must divide.
    if known == 0 or (isinstance(total, int) and isinstance(known, int) and total % known):
        raise NodeError(f"{_text(x.shape)} cannot be reshaped to {_text(wanted)}")
    return [floordiv(total, known) if d == -1 else d for d in wanted]


def _text(dims: Sequence[Dim]) -> str:
    return "[" + ", ".join(str(d) for d in dims) + "]"


@onnx_operator("Flatten")
def flatten(node: Node) -> Value:
    x, axis = node.input(0), node.attr("axis", 1)
    axis = x.rank if axis == x.rank else node.axis(axis, x.rank)
    return node.reshape(x, [product(x.shape[:axis]), product(x.shape[axis:])])


@onnx_operator("Transpose")
def transpose(node: Node) -> Value:
    x = node.input(0)
    order = [node.axis(a, x.rank) for a in node.attr("perm", reversed(range(x.rank)))]
    if sorted(order) != list(range(x.rank)):
        raise NodeError(f"perm {order} is no permutation of the {x.rank} axes")
    return node.emit("transpose", x, permutation=order)


@onnx_operator("Concat")
def concat(node: Node) -> Value:
    values = [node.input(i) for i in range(len(node.inputs))]
    if not values:
        raise NodeError("it has no input")
    axis = node.attr("axis", 1) if node.opset < 4 else node.attr("axis")
    return node.emit("concat", *values, axis=node.axis(axis, values[0].rank))


@onnx_operator("Expand", since=8)
def expand(node: Node) -> Value:
    x = node.input(0)
    wanted = node.read_dims(_shape_to_expand_to(node, node.input(1)))
    rank = max(x.rank, len(wanted))
    have = [1] * (rank - x.rank) + list(x.shape)
    want = [1] * (rank - len(wanted)) + wanted
    # Broadcasting goes both ways: a dim of 1 in the wanted shape keeps x's.
    try:
        made = node.expand(x, [broadcast(h, w) for h, w in zip(have, want, strict=True)])
    except ValueError:
        raise NodeError(f"{_text(x.shape)} does not broadcast to {_text(wanted)}") from None
    return of_declared_rank(node, made, node.input(1))


def _shape_to_expand_to(node: Node, wanted: Value) -> Value:
    """The shape, with a 1 for each dim that it lacks where only running tells how many it has."""
    if wanted.rank != 1:
        raise NodeError(f"input 1 ('{wanted.name}') must have rank 1, but has rank {wanted.rank}")
    if isinstance(wanted.shape[0], int):
        return wanted
    rank = declared_rank(node)
    fits = node.emit("less_equal", number_of(node, wanted.shape[0]), number_of(node, rank))
    wrong = f"'{wanted.name}' holds more than {rank} numbers, and a result of rank {rank} is declared"
    wanted = checked(node, wanted, fits, wrong)
    filled = node.emit("concat", node.constant(np.ones(rank, np.int64)), wanted, axis=0)
    return node.emit("slice", filled, starts=[-rank], sizes=[rank], steps=[1])


@onnx_operator("Gather")
def gather(node: Node) -> Value:
    x = node.input(0)
    return node.emit("gather", x, node.input(1), axis=node.axis(node.attr("axis", 0), x.rank))


@onnx_operator("GatherElements", since=11)
def gather_elements(node: Node) -> Value:
    x = node.input(0)
    return node.emit("gather_elements", x, node.input(1), axis=node.axis(node.attr("axis", 0), x.rank))


# A diagonal beyond every matrix, to which a place can be added.
_FARTHEST = 1 << 62


@onnx_operator("Trilu", since=14)
def trilu(node: Node) -> Value:
    x, upper, k = node.input(0), bool(node.attr("upper", 1)), node.optional(1)
    if k is None or k.is_constant:
        known = 0 if k is None else node.ints(1)[0]
        return node.emit("trilu", x, upper=upper, k=max(-_FARTHEST, min(known, _FARTHEST)))
    rows, columns = x.shape[-2:]
    near = node.emit("min", number_of(node, k), number_of(node, _FARTHEST))
    near = node.emit("max", near, number_of(node, -_FARTHEST))
    down = node.emit("add", node.reshape(counted(node, rows), [rows, 1]), near)
    outside = node.emit("less" if upper else "greater", counted(node, columns), down)
    return node.emit("where", outside, node.scalar(0, x), x)


@onnx_operator("DepthToSpace")
def depth_to_space(node: Node) -> Value:
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
