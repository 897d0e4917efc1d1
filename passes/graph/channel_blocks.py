"""Which 4-D values of a graph get blocked channels, and how large the blocks are."""

from __future__ import annotations

from math import gcd

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.rewriting import collect_ops

# Largest first: two AVX-512 registers of f32, one, half of one.
BLOCKS = (32, 16, 8, 4)
RANK = 4

WINDOW_OPS = frozenset({"graph.max_pool", "graph.average_pool"})
ELEMENTWISE = frozenset(
    f"graph.{spec.name}" for spec in graph.specs().values() if spec.family.startswith("elementwise")
)


def is_image(value: ir.Value) -> bool:
    """Whether the value is `[N, C, H, W]` of known shape and f32."""
    kind = value.type
    return (
        isinstance(kind, ir.RankedTensorType)
        and kind.rank == RANK
        and kind.has_static_shape
        and isinstance(kind.element_type, ir.F32Type)
    )


def is_depthwise(conv: ir.Operation) -> bool:
    """One filter per channel."""
    channels, outputs = graph.shape_of(conv.operands[0])[1], graph.shape_of(conv.results[0])[1]
    return graph.attribute(conv, "group") == channels == outputs


def keeps_channels_apart(op: ir.Operation) -> bool:
    """Whether the op treats every channel alike, so that it works on blocked operands as it does on
    plain ones."""
    if op.name in WINDOW_OPS:
        return True
    if op.name == "graph.pad":
        return (
            graph.attribute(op, "mode") == "constant"
            and graph.attribute(op, "low")[1] == 0 == graph.attribute(op, "high")[1]
        )
    if op.name == "graph.reduce_mean":
        return list(graph.attribute(op, "axes")) == [2, 3] and graph.attribute(op, "keepdims")
    if op.name == "graph.concat":
        return graph.attribute(op, "axis") == 1
    return op.name in ELEMENTWISE


class Groups:
    """Union-find over values whose channels must be blocked alike, with the largest block that suits
    each group."""

    def __init__(self) -> None:
        self.parent: dict[ir.Value, ir.Value] = {}
        self.channels: dict[ir.Value, int] = {}

    def add(self, value: ir.Value, divisible: int) -> None:
        """Puts `value` into a group whose block must divide `divisible`."""
        self.parent.setdefault(value, value)
        top = self.find(value)
        self.channels[top] = gcd(self.channels.get(top, 0), divisible)

    def find(self, value: ir.Value) -> ir.Value:
        while self.parent[value] != value:
            value = self.parent[value]
        return value

    def join(self, a: ir.Value, b: ir.Value) -> None:
        top, other = self.find(a), self.find(b)
        if top != other:
            self.parent[other] = top
            self.channels[top] = gcd(self.channels[top], self.channels[other])

    def block(self, value: ir.Value) -> int:
        """The block of the value's group: 1 if no useful size divides all its channel counts."""
        channels = self.channels[self.find(value)]
        return next((block for block in BLOCKS if channels % block == 0), 1)


def is_blockable_conv(op: ir.Operation) -> bool:
    return (
        op.name == "graph.conv"
        and graph.attribute(op, "layout") == "NCHW"
        and is_image(op.operands[0])
        and is_image(op.results[0])
        and isinstance(op.operands[1].type, ir.RankedTensorType)
        and op.operands[1].type.has_static_shape
    )


def find_groups(function: ir.Operation) -> Groups:
    """Groups of all values that come from convolutions through ops that keep channels apart."""
    groups = Groups()
    for op in collect_ops(function):
        if is_blockable_conv(op):
            _add_conv(groups, op)
        elif len(op.results) == 1 and is_image(op.results[0]) and keeps_channels_apart(op):
            _follow(groups, op)
    return groups


def _add_conv(groups: Groups, op: ir.Operation) -> None:
    x, result, group = op.operands[0], op.results[0], graph.attribute(op, "group")
    outputs, inputs = graph.shape_of(result)[1], graph.shape_of(x)[1]
    groups.add(result, outputs if is_depthwise(op) else outputs // group)
    if x not in groups.parent:
        return
    groups.add(x, inputs if is_depthwise(op) else inputs // group)
    if is_depthwise(op):
        groups.join(x, result)


def _follow(groups: Groups, op: ir.Operation) -> None:
    blocked = [
        value for value in op.operands if value in groups.parent and shares_channels(value, op.results[0])
    ]
    if not blocked:
        return
    groups.add(op.results[0], graph.shape_of(op.results[0])[1])
    for value in blocked:
        groups.join(op.results[0], value)
    if op.name == "graph.concat":
        for value in op.operands:
            groups.add(op.results[0], graph.shape_of(value)[1])


def shares_channels(value: ir.Value, result: ir.Value) -> bool:
    """Whether an operand's channels are (part of) the result's, not one that broadcasts."""
    return graph.shape_of(value)[1] != 1 or graph.shape_of(result)[1] == 1
