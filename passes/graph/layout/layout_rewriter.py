"""Ops on blocked values in place of ops on plain ones, and conversions where the two meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size
from mlc.passes.common.rewriting import attributes_of, erase_op, has_uses
from mlc.passes.graph.layout.layout_groups import Groups, is_indices, padded_shape, wanted_block
from mlc.passes.graph.windows.blocked_channels import (
    LAYOUT_OPS,
    REDUCTIONS,
    channel_shuffle,
    interleaved_order,
    interleaving,
    is_depthwise,
)


class LayoutRewriter:
    """Rewrites the ops of one block, from top to bottom, that make the values of `chosen`.

    `packed` maps a plain value and a block to the blocked form: readers in different groups may want
    different ones.
    """

    def __init__(self, groups: Groups, chosen: set[ir.Value]) -> None:
        self.groups = groups
        self.chosen = chosen
        self.packed: dict[tuple[ir.Value, int], ir.Value] = {}
        # Plain ops and the blocks of their results. Erased at the end: a new value at the address of an
        # erased one would be taken for it.
        self.replaced: list[tuple[ir.Operation, int]] = []

    def run(self, block: ir.Block) -> None:
        """Rewrites all ops of the block."""
        for operation in [op.operation for op in block]:
            if len(operation.results) == 1 and operation.results[0] in self.chosen:
                self.rewrite(operation)
        for op, size in reversed(self.replaced):
            self.drop(op, size)

    def rewrite(self, op: ir.Operation) -> None:
        """Makes the blocked form of `op` before it."""
        result = op.results[0]
        size = self.groups.block(result)
        with ir.InsertionPoint(op), op.location:
            if graph.Reshape.isa(op) and (shuffled := channel_shuffle(op)):
                # The plain result, where somebody needs it, is what `op` makes.
                self.packed[result, size] = shuffle(op, *shuffled, size)
                return
            if graph.Reshape.isa(op) and (interleaved := interleaving(op)):
                source, strides = interleaved
                positions = graph.dims_of(source)[2:]
                blocked = interleave(self.to_blocked(source, size), strides, positions, result)
            else:
                blocked = self.conv(op) if op.name == graph.Conv.NAME else self.blockwise(op, size)
        self.packed[result, size] = blocked
        self.replaced.append((op, size))

    def drop(self, op: ir.Operation, size: int) -> None:
        """Erases a plain op. Uses that are left by then are plain ones."""
        result = op.results[0]
        if has_uses(result):
            with ir.InsertionPoint(op), op.location:
                result.replace_all_uses_with(unpack(self.packed[result, size], graph.dims_of(result), size))
        interleaved = graph.Transpose.defining(op.operands[0]) if graph.Reshape.isa(op) else None
        erase_op(op)
        if interleaved is not None:
            split = interleaved.x.owner
            erase_op(interleaved.result.owner)
            erase_op(split)

    def conv(self, op: ir.Operation) -> ir.Value:
        """Builds the blocked form of a `graph.conv`, with its weight packed."""
        x, w = op.operands
        input_block, output_block = wanted_block(self.groups, op, 0), self.groups.block(op.results[0])
        attributes = {name: graph.attribute(op, name) for name in ("strides", "dilations", "pads", "group")}
        if is_depthwise(op):
            count, *kernel = graph.shape_of(w)[0], *graph.shape_of(w)[2:]
            flat = graph.build("reshape", [w], {"shape": [count, *kernel]})
            blocked_w = pack(flat, [0], [output_block])
        else:
            blocked_w = pack(w, [1, 0], [input_block, output_block])
        return graph.build(
            "conv", [self.to_blocked(x, input_block), blocked_w], {**attributes, "layout": "NCHWc"}
        )

    def to_blocked(self, value: ir.Value, block: int) -> ir.Value:
        """Returns the blocked form of a plain image. Blocks of one channel, and images of one pixel, are
        views."""
        n, c, *spatial = graph.dims_of(value)
        if (value, block) not in self.packed:
            if block == 1 or all(extent == 1 for extent in spatial):
                form = graph.reshape_to(value, [n, c // block, *spatial, block])
            else:
                form = pack(value, [1], [block])
            self.packed[value, block] = form
        return self.packed[value, block]

    def blockwise(self, op: ir.Operation, block: int) -> ir.Value:
        """An op that treats all channels, or all blocks of channels, the same way."""
        if op.name in REDUCTIONS:
            x = self.to_blocked(op.operands[0], block)
            spatial = list(range(2, x.type.rank - 1))
            return graph.build(op.name, [x], {"axes": spatial, "keepdims": True})
        operands = [self.operand(op, position, block) for position in range(len(op.operands))]
        result_type = blocked_type(op.results[0], block)
        return graph.build(op.name, operands, blocked_attributes(op, block), result_type)

    def operand(self, op: ir.Operation, position: int, block: int) -> ir.Value:
        """An operand for the blocked form of `op`: what broadcasts along channels only changes its shape."""
        value = op.operands[position]
        if is_indices(op, position):
            return value
        shape = padded_shape(value, op)
        if wanted_block(self.groups, op, position) == 1:
            return value if len(graph.shape_of(value)) == 0 else view(value, shape, block)
        if len(graph.shape_of(value)) < len(shape):
            value = graph.reshape_to(value, shape)
        return self.to_blocked(value, block)


def blocked_type(value: ir.Value, block: int) -> ir.RankedTensorType:
    """The type of the blocked form of a plain image."""
    n, c, *spatial = value.type.shape
    return ir.RankedTensorType.get([n, c // block, *spatial, block], graph.element_type(value))


def blocked_attributes(op: ir.Operation, block: int) -> dict[str, Any]:
    """The attributes of `op` for blocked operands."""
    attributes: dict[str, Any] = attributes_of(op)
    attributes.pop("operandSegmentSizes", None)
    if op.name in LAYOUT_OPS:
        attributes["layout"] = "NCHWc"
    for name, rest in _PER_DIM.get(op.name, {}).items():
        n, c, *spatial = graph.attribute(op, name)
        channels = c if name == "steps" else c // block
        attributes[name] = [n, channels, *spatial, block if rest is None else rest]
    return attributes


# Attributes with an entry per dim, and the entry of the dim inside a block (None: all of it).
_PER_DIM: dict[str, dict[str, int | None]] = {
    graph.Pad.NAME: {"low": 0, "high": 0},
    graph.Slice.NAME: {"starts": 0, "sizes": None, "steps": 1},
}


def view(value: ir.Value, shape: Sequence[int | Size], block: int) -> ir.Value:
    """A value that broadcasts along the channels or the pixels, next to blocked ones."""
    n, c, *spatial = shape
    last = block if c > 1 else 1
    return graph.reshape_to(value, [n, c // last, *spatial, last])


def pack(value: ir.Value, inner_dims: Sequence[int], tiles: Sequence[int]) -> ir.Value:
    """Builds a `graph.pack` of `value`: `inner_dims[i]` is split into tiles of `tiles[i]` elements."""
    return graph.build("pack", [value], {"inner_dims": list(inner_dims), "inner_tiles": list(tiles)})


def unpack(value: ir.Value, shape: Sequence[int | Size], block: int) -> ir.Value:
    """The plain form; without spatial extent that is only another shape."""
    if all(extent == 1 for extent in shape[2:]):
        return graph.reshape_to(value, shape)
    return graph.build("unpack", [value], {"inner_dims": [1], "inner_tiles": [block]})


def shuffle(op: ir.Operation, source: ir.Value, groups: int, block: int) -> ir.Value:
    """A channel shuffle (see `channel_shuffle`) from the plain image to the blocked one: one transpose as
    well."""
    n, c, h, w = graph.dims_of(op.results[0])
    split = graph.reshape_to(source, [n, groups, c // block, block // groups, h, w])
    moved = graph.build("transpose", [split], {"permutation": [0, 2, 4, 5, 3, 1]})
    return graph.reshape_to(moved, [n, c // block, h, w, block])


def interleave(
    x: ir.Value, strides: Sequence[int], positions: Sequence[int | Size], result: ir.Value
) -> ir.Value:
    """The blocked form of an interleaving (see `interleaving`) of a blocked image of rows and columns
    `positions`, which makes the plain `result`."""
    (n, c, *spatial), block = graph.dims_of(result), graph.shape_of(x)[-1]
    split = graph.reshape_to(x, [n, *strides, c // block, *positions, block])
    order = interleaved_order(len(strides))
    moved = graph.build("transpose", [split], {"permutation": [*order, len(order)]})
    return graph.reshape_to(moved, [n, c // block, *spatial, block])
