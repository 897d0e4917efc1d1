"""Which 4-D values of a graph can have blocked channels, and how large the blocks are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.rewriting import defining_op

# Largest first: two AVX-512 registers of f32, one, half of one.
BLOCKS = (32, 16, 8, 4)
# Smaller blocks leave most of a vector empty.
SMALLEST_USEFUL_BLOCK = 8
# A convolution of so few channels reads them one by one anyway: blocks of one channel are a view, not a copy.
FEW_CHANNELS = 4
RANK = 4

WINDOW_OPS = frozenset({"graph.max_pool", "graph.average_pool"})
ELEMENTWISE = frozenset(
    f"graph.{spec.name}" for spec in graph.specs().values() if spec.family.startswith("elementwise")
)
REDUCTIONS = frozenset(f"graph.{name}" for name in graph.specs() if name.startswith("reduce_"))
CREATION = frozenset(f"graph.{spec.name}" for spec in graph.specs().values() if spec.family == "creation")


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


def is_blockable_conv(op: ir.Operation) -> bool:
    """Whether the op is a 2-D convolution in plain layout of known shape, in f32."""
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
    channels = graph.shape_of(op.results[0])[1]
    if op.name in ELEMENTWISE:
        return channels if all(_is_static(value) for value in op.operands) else 0
    if op.name == "graph.reshape":
        shuffled = channel_shuffle(op)
        return channels if shuffled and SMALLEST_USEFUL_BLOCK % shuffled[1] == 0 else 0
    if op.name not in _DIVISORS or not all(is_image(value) for value in op.operands):
        return 0
    return gcd(channels, _DIVISORS[op.name](op))


def _is_static(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and value.type.has_static_shape


def _channels_in(op: ir.Operation) -> int:
    return graph.shape_of(op.operands[0])[1]


def _window_divisor(op: ir.Operation) -> int:
    return _channels_in(op) if graph.attribute(op, "layout") == "NCHW" else 1


def _pad_divisor(op: ir.Operation) -> int:
    low, high = graph.attribute(op, "low")[1], graph.attribute(op, "high")[1]
    return gcd(_channels_in(op), low, high) if graph.attribute(op, "mode") == "constant" else 1


def _concat_divisor(op: ir.Operation) -> int:
    parts = [graph.shape_of(value)[1] for value in op.operands]
    return gcd(*parts) if graph.attribute(op, "axis") == 1 else 1


def _slice_divisor(op: ir.Operation) -> int:
    start, step = graph.attribute(op, "starts")[1], graph.attribute(op, "steps")[1]
    return gcd(_channels_in(op), start) if step == 1 else 1


def _reduction_divisor(op: ir.Operation) -> int:
    return _channels_in(op) if list(graph.attribute(op, "axes")) == [2, 3] else 1


_DIVISORS: dict[str, Callable[[ir.Operation], int]] = {
    **dict.fromkeys(WINDOW_OPS, _window_divisor),
    **dict.fromkeys(REDUCTIONS, _reduction_divisor),
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
    plain = (n, groups * channels, *spatial)
    same = plain == tuple(graph.shape_of(split.operands[0])) == tuple(graph.shape_of(op.results[0]))
    return (split.operands[0], groups) if same else None


def largest_block(channels: int) -> int:
    """The largest block that divides `channels`, 1 if there is none."""
    return next((block for block in BLOCKS if channels % block == 0), 1)


class Groups:
    """Union-find over values whose channels must be blocked alike, with the largest block that suits each
    group.

    Only values with a useful block are in a group. `constants` are the values that follow from weights alone.
    """

    def __init__(self) -> None:
        self.parent: dict[ir.Value, ir.Value] = {}
        self.channels: dict[ir.Value, int] = {}
        self.constants: set[ir.Value] = set()

    def suits(self, values: Sequence[ir.Value], divisible: int) -> bool:
        """Whether some useful block divides `divisible` and suits the groups of all `values`."""
        common = gcd(divisible, *(self.channels[self.find(value)] for value in values))
        return largest_block(common) >= SMALLEST_USEFUL_BLOCK

    def add(self, value: ir.Value, divisible: int) -> None:
        """Puts `value` into a group whose block must divide `divisible`."""
        self.parent.setdefault(value, value)
        top = self.find(value)
        self.channels[top] = gcd(self.channels.get(top, 0), divisible)

    def find(self, value: ir.Value) -> ir.Value:
        while (above := self.parent[value]) != value:
            self.parent[value] = self.parent[above]
            value = above
        return value

    def join(self, a: ir.Value, b: ir.Value) -> None:
        top, other = self.find(a), self.find(b)
        if top != other:
            self.parent[other] = top
            self.channels[top] = gcd(self.channels[top], self.channels[other])

    def block(self, value: ir.Value) -> int:
        """The block of the value's group; 1 for a value in none."""
        return largest_block(self.channels[self.find(value)]) if value in self.parent else 1


def find_groups(block: ir.Block) -> Groups:
    """Groups of all images computed in `block`, from more than constants, by ops that can work on blocks.

    An op that would leave its operands' group no useful block stays out: it works on plain values.
    """
    groups = Groups()
    for each in block:
        op = each.operation
        if op.name in CREATION or (
            len(op.operands) and all(value in groups.constants for value in op.operands)
        ):
            groups.constants.update(op.results)
        elif is_blockable_conv(op):
            _add_conv(groups, op)
        elif len(op.results) == 1 and _makes_image(op):
            _follow(groups, op)
    return groups


def _makes_image(op: ir.Operation) -> bool:
    """Reductions may drop the spatial dims: what they make is an image all the same."""
    return is_image(op.results[0]) or (op.name in REDUCTIONS and is_image(op.operands[0]))


def _add_conv(groups: Groups, op: ir.Operation) -> None:
    x, result, group = op.operands[0], op.results[0], graph.attribute(op, "group")
    depthwise = is_depthwise(op)
    outputs = graph.shape_of(result)[1] // (1 if depthwise else group)
    if groups.suits([], outputs):
        groups.add(result, outputs)
    if x not in groups.parent:
        return
    if depthwise:
        groups.join(x, result)
    elif groups.suits([x], per_group := graph.shape_of(x)[1] // group):
        groups.add(x, per_group)


def _follow(groups: Groups, op: ir.Operation) -> None:
    divisor, result = channel_divisor(op), op.results[0]
    if divisor == 0:
        return
    # The source of a shuffle is read in its plain form.
    operands = [] if op.name == "graph.reshape" else op.operands
    blocked = [value for value in operands if value in groups.parent and shares_channels(value, result)]
    if not groups.suits(blocked, divisor):
        return
    groups.add(result, divisor)
    for value in blocked:
        groups.join(result, value)


def shares_channels(value: ir.Value, result: ir.Value) -> bool:
    """Whether an operand's channels are (part of) the result's, not one that broadcasts."""
    shape = graph.shape_of(value)
    return len(shape) == RANK and (shape[1] != 1 or graph.shape_of(result)[1] == 1)


def wanted_block(groups: Groups, op: ir.Operation, position: int) -> int:
    """In which block the blocked form of `op` reads operand `position`; 1 if it takes the plain value, or a
    view of it."""
    value, block = op.operands[position], groups.block(op.results[0])
    if op.name == "graph.conv":
        return _conv_input_block(groups, op) if position == 0 else 1
    if op.name == "graph.reshape":
        return 1
    shape = padded_shape(value)
    broadcast = shape[1] == 1 or (shape[2] == shape[3] == 1 and value not in groups.parent)
    return 1 if broadcast and op.name in ELEMENTWISE else block


def padded_shape(value: ir.Value) -> list[int]:
    """The dims of an elementwise op's operand, with leading ones."""
    shape = list(graph.shape_of(value))
    return [1] * (RANK - len(shape)) + shape


def _conv_input_block(groups: Groups, op: ir.Operation) -> int:
    x = op.operands[0]
    if is_depthwise(op):
        return groups.block(op.results[0])
    per_group = graph.shape_of(op.operands[1])[1]
    if x in groups.parent:
        return groups.block(x) if per_group % groups.block(x) == 0 else 1
    block = largest_block(per_group)
    return block if block >= SMALLEST_USEFUL_BLOCK and per_group > FEW_CHANNELS else 1
