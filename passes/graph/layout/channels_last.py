"""graph-channels-last: images with their channels innermost, as matrix units and wide loads need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, attributes_of, defining_op, replace_op
from mlc.passes.graph.common.rematerialization import REMATERIALIZE, beneath, mark
from mlc.passes.graph.common.values import on_ranked
from mlc.passes.graph.windows.conv_to_matmul import is_product

POOLS = (graph.MaxPool.NAME, graph.AveragePool.NAME)


def _transpose(value: ir.Value, permutation: Sequence[int]) -> ir.Value:
    attributes = {"permutation": list(permutation)}
    return beneath(value, lambda source: graph.build("transpose", [source], attributes))


def _reshape(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    return beneath(value, lambda source: graph.build("reshape", [source], {"shape": list(shape)}))


def last(value: ir.Value) -> ir.Value:
    """[N, C, spatial...] -> [N, spatial..., C]."""
    rank = value.type.rank
    return _transpose(value, [0, *range(2, rank), 1])


def first(value: ir.Value) -> ir.Value:
    """[N, spatial..., C] -> [N, C, spatial...]."""
    rank = value.type.rank
    return _transpose(value, [0, rank - 1, *range(1, rank - 1)])


def conv_channels_last(op: ir.Operation) -> bool:
    """A convolution in plain layout becomes a product, or one with a block of all channels (of a group)."""
    conv = graph.Conv(op)
    if not _is_plain(op):
        return False
    if is_product(op):
        made = _product(op)
    elif conv.group == graph.shape_of(conv.x)[1] == graph.shape_of(conv.result)[1]:
        made = _whole_block(op, last(conv.x), _depthwise_filters(op))
    elif conv.group == 1:
        made = _whole_block(op, last(conv.x), _filters(op))
    else:
        made = _group_channels(op)
    replace_op(op, first(made))
    return True


def pool_channels_last(op: ir.Operation) -> bool:
    """A pool in plain layout becomes one with a block of all channels."""
    if not _is_plain(op):
        return False
    pad = defining_op(op.operands[0], graph.Pad.NAME)
    if pad is None or REMATERIALIZE not in pad.attributes:
        replace_op(op, first(_whole_block(op, last(op.operands[0]))))
    else:
        replace_op(op, first(_unblock(_to_blocked(op, _padded_block(pad)))))
    return True


def _padded_block(pad: ir.Operation) -> ir.Value:
    """A block of all channels, of what a pad reads, padded next to its reader."""
    image = _one_block(last(pad.operands[0]))
    amounts = {}
    for name in ("low", "high"):
        count, channels, *spatial = graph.attribute(pad, name)
        amounts[name] = [count, 0, *spatial, channels]
    return mark(graph.build("pad", [image], attributes_of(pad) | amounts))


def _is_plain(op: ir.Operation) -> bool:
    static = all(value.type.has_static_shape for value in (*op.operands, *op.results))
    return static and graph.attribute(op, "layout") == "NCHW"


def _whole_block(op: ir.Operation, image: ir.Value, *filters: ir.Value) -> ir.Value:
    """`op` on an image [N, spatial..., C]."""
    return _unblock(_to_blocked(op, _one_block(image), *filters))


def _one_block(image: ir.Value) -> ir.Value:
    count, *rest = graph.shape_of(image)
    return _reshape(image, [count, 1, *rest])


def _unblock(blocked: ir.Value) -> ir.Value:
    count, _, *rest = graph.shape_of(blocked)
    return _reshape(blocked, [count, *rest])


def _to_blocked(op: ir.Operation, *operands: ir.Value) -> ir.Value:
    attributes = attributes_of(op) | {"layout": "NCHWc"}
    return graph.build(op.name, list(operands), attributes)


def _filters(op: ir.Operation) -> ir.Value:
    """[O, I, kernel...] -> [1, 1, kernel..., I, O]."""
    outputs, inputs, *kernel = graph.shape_of(op.operands[1])
    rank = 2 + len(kernel)
    moved = _transpose(op.operands[1], [*range(2, rank), 1, 0])
    return _reshape(moved, [1, 1, *kernel, inputs, outputs])


def _depthwise_filters(op: ir.Operation) -> ir.Value:
    """[C, 1, kernel...] -> [1, kernel..., C]."""
    channels, _, *kernel = graph.shape_of(op.operands[1])
    flat = _reshape(op.operands[1], [channels, *kernel])
    moved = _transpose(flat, [*range(1, 1 + len(kernel)), 0])
    return _reshape(moved, [1, *kernel, channels])


def _group_channels(op: ir.Operation) -> ir.Value:
    """Blocks of a group's channels, [N, G, spatial..., C/G]."""
    group, spatial = graph.attribute(op, "group"), len(graph.attribute(op, "strides"))
    image = last(op.operands[0])
    count, *spatial_dims, channels = graph.shape_of(image)
    split = _reshape(image, [count, *spatial_dims, group, channels // group])
    between = range(1, 1 + spatial)
    blocks = _transpose(split, [0, 1 + spatial, *between, 2 + spatial])
    outputs, inputs, *kernel = graph.shape_of(op.operands[1])
    filters = _reshape(op.operands[1], [group, outputs // group, inputs, *kernel])
    filters = _transpose(filters, [0, *range(3, 3 + spatial), 2, 1])
    filters = _reshape(filters, [group, 1, *kernel, inputs, outputs // group])
    made = _to_blocked(op, blocks, filters)
    count, _, *spatial_dims, _ = graph.shape_of(made)
    joined = _transpose(made, [0, *range(2, 2 + spatial), 1, 2 + spatial])
    return _reshape(joined, [count, *spatial_dims, outputs])


def _product(op: ir.Operation) -> ir.Value:
    """A pointwise convolution: all pixels times the filters, [pixels, I] x [I, O], group by group."""
    group, image = graph.attribute(op, "group"), last(op.operands[0])
    count, *spatial_dims, channels = graph.shape_of(image)
    outputs, inputs = graph.shape_of(op.operands[1])[:2]
    pixels = count * prod(spatial_dims)
    if group == 1:
        filters = _transpose(_reshape(op.operands[1], [outputs, inputs]), [1, 0])
        made = graph.build("matmul", [_reshape(image, [pixels, channels]), filters])
    else:
        filters = _transpose(_reshape(op.operands[1], [group, outputs // group, inputs]), [0, 2, 1])
        parts = _transpose(_reshape(image, [pixels, group, inputs]), [1, 0, 2])
        made = _transpose(graph.build("matmul", [parts, filters]), [1, 0, 2])
    return _reshape(made, [count, *spatial_dims, outputs])


@dataclass(frozen=True)
class ChannelsLast(Pass):
    """Rewrite convolutions and pools for images with their channels innermost, between transposes, which
    `graph-sink-transposes` then moves to where they meet others. Pointwise convolutions become products of
    all pixels with the filters; the others have layout NCHWc with one block of all channels, or of those of a
    group. Padding stays theirs."""

    name: ClassVar[str] = "graph-channels-last"
    anchor: ClassVar[str] = "func.func"
    # Sums run in another order.
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> bool:
        rules = {graph.Conv.NAME: on_ranked(conv_channels_last)}
        return apply_patterns(op, rules | dict.fromkeys(POOLS, on_ranked(pool_channels_last)))
