"""graph-assign-layouts: convolutional parts of a graph with blocked channels, `[N, C/c, H, W, c]`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.graph.channel_blocks import (
    RANK,
    WINDOW_OPS,
    Groups,
    find_groups,
    is_depthwise,
)
from mlc.passes.rewriting import collect_ops, erase_op

# A convolution of so few channels reads them one by one anyway: blocks of one channel are a view, not a copy.
FEW_CHANNELS = 4
SMALLEST_USEFUL_BLOCK = 8


class LayoutRewriter:
    """Rewrites one function from top to bottom.

    `packed` maps a plain value and a block to the blocked form: readers in different groups may want
    different ones.
    """

    def __init__(self, groups: Groups) -> None:
        self.groups = groups
        self.packed: dict[tuple[ir.Value, int], ir.Value] = {}
        # Erased at the end: a new value at the address of an erased one would be taken for it.
        self.dead: list[ir.Operation] = []

    def is_blocked(self, value: ir.Value) -> bool:
        return value in self.groups.parent and self.groups.block(value) >= SMALLEST_USEFUL_BLOCK

    def rewrite(self, op: ir.Operation) -> None:
        """Replaces `op` by its blocked form if its result is blocked. The plain result is unpacked for
        other users; where nobody needs it, that is dead code."""
        result = op.results[0]
        if not self.is_blocked(result):
            return
        with ir.InsertionPoint(op), op.location:
            blocked = self.conv(op) if op.name == "graph.conv" else self.elementwise(op)
            plain = unpack(blocked, graph.shape_of(result), self.groups.block(result))
        result.replace_all_uses_with(plain)
        self.packed[plain, self.groups.block(result)] = blocked
        self.groups.parent[plain] = self.groups.find(result)
        self.dead.append(op)

    def conv(self, op: ir.Operation) -> ir.Value:
        x, w = op.operands
        output_block = self.groups.block(op.results[0])
        attributes = {name: graph.attribute(op, name) for name in ("strides", "dilations", "pads", "group")}
        if is_depthwise(op):
            blocked_x = self.blocked(x, output_block)
            count, *kernel = graph.shape_of(w)[0], *graph.shape_of(w)[2:]
            flat = graph.build("reshape", [w], {"shape": [count, *kernel]})
            blocked_w = pack(flat, [0], [output_block])
        else:
            blocked_x, input_block = self.conv_input(op)
            blocked_w = pack(w, [1, 0], [input_block, output_block])
        return graph.build("conv", [blocked_x, blocked_w], {**attributes, "layout": "NCHWc"})

    def conv_input(self, op: ir.Operation) -> tuple[ir.Value, int]:
        x = op.operands[0]
        if self.is_blocked(x):
            block = self.groups.block(x)
            return self.blocked(x, block), block
        per_group = graph.shape_of(op.operands[1])[1]
        block = next((size for size in (32, 16, 8) if per_group % size == 0), 1)
        if per_group <= FEW_CHANNELS or block == 1:
            return graph.build("reshape", [x], {"shape": [*graph.shape_of(x), 1]}), 1
        return self.blocked(x, block), block

    def blocked(self, value: ir.Value, block: int) -> ir.Value:
        """The blocked form of a plain value."""
        if (value, block) not in self.packed:
            self.packed[value, block] = pack(value, [1], [block])
        return self.packed[value, block]

    def elementwise(self, op: ir.Operation) -> ir.Value:
        block = self.groups.block(op.results[0])
        operands = [self.operand(value, graph.shape_of(op.results[0]), block) for value in op.operands]
        attributes = {name: op.attributes[name] for name in op.attributes if name != "operandSegmentSizes"}
        if op.name in WINDOW_OPS:
            attributes["layout"] = ir.StringAttr.get("NCHWc")
        if op.name == "graph.pad":
            attributes |= {name: [*graph.attribute(op, name), 0] for name in ("low", "high")}
        shape = graph.shape_of(op.results[0])
        kind = ir.RankedTensorType.get(
            [shape[0], shape[1] // block, *shape[2:], block], graph.element_type(op.results[0])
        )
        return graph.build(op.name, operands, attributes, kind)

    def operand(self, value: ir.Value, result: Sequence[int | None], block: int) -> ir.Value:
        """An operand for an op on blocked values: broadcast ones only change their shape."""
        shape = [1] * (RANK - len(graph.shape_of(value))) + list(graph.shape_of(value))
        if all(extent == 1 for extent in shape) and len(graph.shape_of(value)) < RANK:
            return value
        n, c, h, w = shape
        if c == 1:
            return graph.build("reshape", [value], {"shape": [n, 1, h, w, 1]})
        if h == 1 and w == 1 and not self.is_blocked(value):
            return graph.build("reshape", [value], {"shape": [n, c // block, 1, 1, block]})
        if len(graph.shape_of(value)) < RANK:
            value = graph.build("reshape", [value], {"shape": shape})
        return self.blocked(value, block)


def pack(value: ir.Value, inner_dims: Sequence[int], tiles: Sequence[int]) -> ir.Value:
    return graph.build("pack", [value], {"inner_dims": list(inner_dims), "inner_tiles": list(tiles)})


def unpack(value: ir.Value, shape: Sequence[int | None], block: int) -> ir.Value:
    """The plain form; without spatial extent that is only another shape."""
    if shape[2] == shape[3] == 1:
        return graph.build("reshape", [value], {"shape": list(shape)})
    return graph.build("unpack", [value], {"inner_dims": [1], "inner_tiles": [block]})


@dataclass(frozen=True)
class AssignLayouts(Pass):
    """Blocks the channels of 2-D convolutions and of everything between them that treats channels alike;
    plain values are packed on the way in and unpacked on the way out. Weights are packed by ops that
    `graph-split-prepare` moves to compile time. Values that one op combines share the largest block that
    divides all their channel counts, so nothing is repacked between convolutions."""

    name: ClassVar[str] = "graph-assign-layouts"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        groups = find_groups(op)
        rewriter = LayoutRewriter(groups)
        for each in collect_ops(op):
            if len(each.results) == 1 and each.results[0] in groups.parent:
                rewriter.rewrite(each)
        for each in reversed(rewriter.dead):
            erase_op(each)
