"""Operators that move elements: reshapes, transposes, concatenation, gathers."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.dialects.graph.sizes import Size, differ, exact_quotient, product
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import UNKNOWN, Dim, Value


@onnx_operator("Reshape")
def reshape(node: Node) -> Value:
    x = node.input(0)
    wanted: list[Dim] = node.dims(1) if node.optional(1) is not None else list(node.attr("shape"))
    if not node.attr("allowzero", 0):
        if any(d == 0 and i >= x.rank for i, d in enumerate(wanted)):
            raise NodeFailure(
                f"the new shape {_text(wanted)} copies a dim that the input, of rank {x.rank}, does not have"
            )
        wanted = [x.shape[i] if d == 0 else d for i, d in enumerate(wanted)]
    shape = _resolved(node, x, wanted)
    dims = node.optional(1)
    if dims is not None and sum(isinstance(d, Size) for d in shape) > 1 and not {0, -1} & set(node.dims(1)):
        # Several dims are only known when the model runs: the op takes them as an operand.
        return node.named(node.emit("reshape", x, dims, shape=_open(shape)), shape)
    return node.reshape(x, shape)


def _open(shape: Sequence[Dim]) -> list[int]:
    """The shape as an attribute: -1 for what is not known."""
    return [-1 if isinstance(d, Size) else d for d in shape]


def _resolved(node: Node, x: Value, wanted: list[Dim]) -> list[Dim]:
    """`wanted` with its -1 computed where the sizes are known."""
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
    rest = None if known == 0 else exact_quotient(total, known)
    if rest is not None:
        return [rest if d == -1 else d for d in wanted]
    if isinstance(total, int) and isinstance(known, int):
        raise NodeFailure(f"{_text(x.shape)} cannot be reshaped to {_text(wanted)}")
    node.static([d for d in wanted if d != -1], "the new shape")
    return [UNKNOWN if d == -1 else d for d in wanted]


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
    x, wanted = node.input(0), node.dims(1)
    rank = max(x.rank, len(wanted))
    have = [1] * (rank - x.rank) + list(x.shape)
    want = [1] * (rank - len(wanted)) + wanted
    # Broadcasting goes both ways: a dim of 1 in the wanted shape keeps x's.
    shape = [h if w in (1, h) else w for h, w in zip(have, want, strict=True)]
    if tuple(shape) == x.shape:
        return x
    if all(isinstance(d, int) for d in shape):
        return node.emit("expand", x, shape=_open(shape))
    if 1 in wanted or len(wanted) < rank:
        node.static(shape, "the expanded shape")
    return node.named(node.emit("expand", x, node.input(1), shape=_open(shape)), shape)


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
