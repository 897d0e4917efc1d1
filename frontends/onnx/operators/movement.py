"""Operators that move elements: reshapes, transposes, concatenation, gathers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlc.dialects.graph.sizes import broadcast, differ, floordiv, product
from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@onnx_operator("Reshape")
def reshape(node: Node) -> Value:
    x = node.input(0)
    if node.optional(1) is not None and node.input(1).known is None:
        return node.reshape(x, node.read_dims(_read_shape(node, x, node.input(1))))
    wanted: list[Dim] = node.dims(1) if node.optional(1) is not None else list(node.attr("shape"))
    if not node.attr("allowzero", 0):
        if any(d == 0 and i >= x.rank for i, d in enumerate(wanted)):
            raise NodeFailure(
                f"the new shape {_text(wanted)} copies a dim that the input, of rank {x.rank}, does not have"
            )
        wanted = [x.shape[i] if d == 0 else d for i, d in enumerate(wanted)]
    return node.reshape(x, _resolved(x, wanted))


def _read_shape(node: Node, x: Value, wanted: Value) -> Value:
    """A shape that only running tells, with its 0 and its -1 computed then."""
    [length] = wanted.shape
    if not isinstance(length, int):
        raise Unsupported("the rank of the result is not known: its shape is of no known length")
    zero, one, open_dim = (node.constant(np.int64(number)) for number in (0, 1, -1))
    if not node.attr("allowzero", 0):
        own = node.sizes([*x.shape, *[0] * length][:length])
        wanted = node.emit("where", node.emit("equal", wanted, zero), own, wanted)
    is_open = node.emit("equal", wanted, open_dim)
    known = node.emit("where", is_open, one, wanted)
    others = node.emit("reduce_prod", known, axes=[0], keepdims=False)
    rest = node.emit("div", node.size(product(x.shape)), node.emit("max", others, one))
    return node.emit("where", is_open, rest, wanted)


def _resolved(x: Value, wanted: list[Dim]) -> list[Dim]:
    """`wanted` with its -1 computed."""
    if wanted.count(-1) > 1 or any(isinstance(d, int) and d < -1 for d in wanted):
        raise NodeFailure(
            f"the new shape {_text(wanted)} is wrong: at most one dim may be -1, the others are not negative"
        )
    total, known = product(x.shape), product([d for d in wanted if d != -1])
    if -1 not in wanted:
        if differ(total, known):
            raise NodeFailure(f"{_text(x.shape)} cannot be reshaped to {_text(wanted)}")
        return wanted
    # Sizes on both sides cancel; what is left must divide.
    if known == 0 or (isinstance(total, int) and isinstance(known, int) and total % known):
        raise NodeFailure(f"{_text(x.shape)} cannot be reshaped to {_text(wanted)}")
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
        raise NodeFailure(f"perm {order} is no permutation of the {x.rank} axes")
    return node.emit("transpose", x, permutation=order)


@onnx_operator("Squeeze")
def squeeze(node: Node) -> Value:
    x = node.input(0)
    axes = node.ints_or_attr(1, "axes")
    if axes is None:
        axes = [i for i, d in enumerate(node.shape(x)) if d == 1]
    return node.emit("squeeze", x, axes=node.axes(axes, x.rank))


@onnx_operator("Unsqueeze")
def unsqueeze(node: Node) -> Value:
    x, axes = node.input(0), node.ints_or_attr(1, "axes", ())
    return node.emit("unsqueeze", x, axes=node.axes(axes, x.rank + len(axes)))


@onnx_operator("Concat")
def concat(node: Node) -> Value:
    values = [node.input(i) for i in range(len(node.inputs))]
    if not values:
        raise NodeFailure("it has no input")
    axis = node.attr("axis", 1) if node.opset < 4 else node.attr("axis")
    return node.emit("concat", *values, axis=node.axis(axis, values[0].rank))


@onnx_operator("Expand", since=8)
def expand(node: Node) -> Value:
    x = node.input(0)
    if not isinstance(node.input(1).shape[0], int):
        raise Unsupported("the rank of the result is not known: its shape is of no known length")
    wanted = node.read_dims(node.input(1))
    rank = max(x.rank, len(wanted))
    have = [1] * (rank - x.rank) + list(x.shape)
    want = [1] * (rank - len(wanted)) + wanted
    # Broadcasting goes both ways: a dim of 1 in the wanted shape keeps x's.
    try:
        return node.expand(x, [broadcast(h, w) for h, w in zip(have, want, strict=True)])
    except ValueError:
        raise NodeFailure(f"{_text(x.shape)} does not broadcast to {_text(wanted)}") from None


@onnx_operator("Tile", since=6)
def tile(node: Node) -> Value:
    return node.emit("tile", node.input(0), repeats=node.ints(1))


@onnx_operator("Gather")
def gather(node: Node) -> Value:
    x = node.input(0)
    return node.emit("gather", x, node.input(1), axis=node.axis(node.attr("axis", 0), x.rank))


@onnx_operator("GatherElements", since=11)
def gather_elements(node: Node) -> Value:
    x = node.input(0)
    return node.emit("gather_elements", x, node.input(1), axis=node.axis(node.attr("axis", 0), x.rank))


@onnx_operator("Trilu", since=14)
def trilu(node: Node) -> Value:
    k = node.ints(1)[0] if node.optional(1) is not None else 0
    return node.emit("trilu", node.input(0), upper=bool(node.attr("upper", 1)), k=k)


@onnx_operator("DepthToSpace")
def depth_to_space(node: Node) -> Value:
    x, block = node.input(0), int(node.attr("blocksize"))
    batch, (channels, height, width) = x.shape[0], node.static(x.shape[1:], "the shape behind the batch")
    mode = node.attr("mode", "DCR")
    if mode not in ("DCR", "CRD"):
        raise NodeFailure(f"mode must be DCR or CRD, not {mode!r}")
    if block < 1 or channels % (block * block):
        raise NodeFailure(f"blocksize {block} squared does not divide the {channels} channels")
    depth = channels // (block * block)
    split = [block, block, depth] if mode == "DCR" else [depth, block, block]
    order = [0, 3, 4, 1, 5, 2] if mode == "DCR" else [0, 1, 4, 2, 5, 3]
    spread = node.emit("transpose", node.reshape(x, [batch, *split, height, width]), permutation=order)
    return node.reshape(spread, [batch, depth, height * block, width * block])


@onnx_operator("SpaceToDepth")
def space_to_depth(node: Node) -> Value:
    x, block = node.input(0), int(node.attr("blocksize"))
    batch, (channels, height, width) = x.shape[0], node.static(x.shape[1:], "the shape behind the batch")
    if block < 1 or height % block or width % block:
        raise NodeFailure(f"blocksize {block} does not divide the spatial dims {height} x {width}")
    orders = {"DCR": [0, 3, 5, 1, 2, 4], "CRD": [0, 1, 3, 5, 2, 4]}
    mode = node.attr("mode", "DCR")
    if mode not in orders:
        raise NodeFailure(f"mode must be DCR or CRD, not {mode!r}")
    split = node.reshape(x, [batch, channels, height // block, block, width // block, block])
    moved = node.emit("transpose", split, permutation=orders[mode])
    return node.reshape(moved, [batch, channels * block * block, height // block, width // block])
