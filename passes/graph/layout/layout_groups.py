"""Groups of images of a graph that can have blocked channels, with the size of the blocks."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.windows.blocked_channels import (
    CREATION,
    REDUCTIONS,
    SMALLEST_USEFUL_BLOCK,
    channel_divisor,
    interleaving,
    is_blockable_conv,
    is_depthwise,
    is_image,
    largest_block,
)

# A convolution of so few channels reads them one by one anyway: blocks of one channel are a view, not a copy.
FEW_CHANNELS = 4


class Groups:
    """Union-find over values whose channels must have equal blocks, with the largest block that suits each
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
        return common > 0 and largest_block(common) >= SMALLEST_USEFUL_BLOCK

    def add(self, value: ir.Value, divisible: int) -> None:
        """Puts `value` into a group whose block must divide `divisible`."""
        self.parent.setdefault(value, value)
        top = self.find(value)
        self.channels[top] = gcd(self.channels.get(top, 0), divisible)

    def find(self, value: ir.Value) -> ir.Value:
        """Returns the representative of the group of `value`. Raises KeyError for a value in no group."""
        while (above := self.parent[value]) != value:
            self.parent[value] = self.parent[above]
            value = above
        return value

    def join(self, a: ir.Value, b: ir.Value) -> None:
        """Merges the groups of `a` and `b`: the block must divide the channels of both."""
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
    for child in block:
        op = child.operation
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
    operands = list(op.operands)
    if op.name == graph.Reshape.NAME:
        # The source of a shuffle is read in its plain form.
        interleaved = interleaving(op)
        operands = [interleaved[0]] if interleaved else []
    blocked = [value for value in operands if value in groups.parent and shares_channels(value, result)]
    if not groups.suits(blocked, divisor):
        return
    groups.add(result, divisor)
    for value in blocked:
        groups.join(result, value)


def shares_channels(value: ir.Value, result: ir.Value) -> bool:
    """Whether an operand's channels are (part of) the result's, not one that broadcasts."""
    shape = graph.shape_of(value)
    return len(shape) == result.type.rank and (shape[1] != 1 or graph.shape_of(result)[1] == 1)


def wanted_block(groups: Groups, op: ir.Operation, position: int) -> int:
    """The block in which the blocked form of `op` reads operand `position`; 1 if it takes the plain value, or
    a view of it."""
    value, block = op.operands[position], groups.block(op.results[0])
    if graph.Conv.isa(op):
        return _conv_input_block(groups, op) if position == 0 else 1
    if op.name == graph.Reshape.NAME or is_indices(op, position):
        return 1
    shape = padded_shape(value, op)
    pixel = all(extent == 1 for extent in shape[2:])
    broadcast = shape[1] == 1 or (pixel and value not in groups.parent)
    return 1 if broadcast and op.name in ELEMENTWISE else block


def is_indices(op: ir.Operation, position: int) -> bool:
    """Whether the operand says where another one is read."""
    return op.name == graph.Gather.NAME and position == 1


def padded_shape(value: ir.Value, op: ir.Operation) -> list[int | Size]:
    """The dims of an operand of `op`, with as many leading ones as broadcast it to the rank of the result."""
    shape = graph.dims_of(value)
    return [*[1] * (len(graph.dims_of(op.results[0])) - len(shape)), *shape]


def _conv_input_block(groups: Groups, op: ir.Operation) -> int:
    x = op.operands[0]
    if is_depthwise(op):
        return groups.block(op.results[0])
    per_group = graph.shape_of(op.operands[1])[1]
    if x in groups.parent:
        return groups.block(x) if per_group % groups.block(x) == 0 else 1
    block = largest_block(per_group)
    return block if block >= SMALLEST_USEFUL_BLOCK and per_group > FEW_CHANNELS else 1
