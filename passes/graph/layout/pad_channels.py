"""graph-pad-channels: convolutional classifiers with channels that fill vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, attributes_of, defining_op, users
from mlc.passes.common.target import lanes, target_of
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.common.values import is_constant, on_ranked, replacing
from mlc.passes.graph.windows.blocked_channels import (
    BLOCKS,
    RANK,
    REDUCTIONS,
    channel_divisor,
    is_blockable_conv,
    is_image,
    largest_block,
)

# Added channels are computed for nothing: at most one for this number of needed ones.
NEEDED_PER_ADDED = 8


def added_channels(channels: int, lanes: int) -> int:
    """The number of channels that make blocks fill vectors; 0 where the channels do already, or too many
    miss."""
    added = -channels % BLOCKS[0]
    return added if largest_block(channels) < lanes and added * NEEDED_PER_ADDED <= channels else 0


def padded_channels(op: ir.Operation, lanes: int) -> ir.Value | None:
    """reduce(f(conv(x, w))) -> slice(reduce(f(conv(x, pad(w))))), for a reduction over whole images and f
    elementwise, with constants."""
    x = op.operands[0]
    if not is_image(x) or not x.type.has_static_shape or channel_divisor(op) <= 1:
        return None
    added = added_channels(graph.shape_of(x)[1], lanes)
    trail = _trail(x) if added else None
    if trail is None:
        return None
    conv, *elementwise = trail
    image, filters = conv.operands
    value = graph.build("conv", [image, _pad_dim(filters, 0, added)], attributes_of(conv))
    for inner in elementwise:
        operands = [
            _widen_constant(operand, added) if is_constant(operand) else value for operand in inner.operands
        ]
        value = graph.build(inner.name, operands, attributes_of(inner))
    value = graph.build(op.name, [value], attributes_of(op))
    sizes = list(graph.shape_of(op.results[0]))
    bounds = {"starts": [0] * len(sizes), "sizes": sizes, "steps": [1] * len(sizes)}
    return graph.build("slice", [value], bounds)


def _trail(value: ir.Value) -> list[ir.Operation] | None:
    """The ops that make an image of several pixels and that nothing else needs, from a convolution in one
    group on; None where there are others."""
    op = defining_op(value)
    if op is None or not is_image(value) or len(users(value)) != 1:
        return None
    if is_blockable_conv(op):
        pixels = graph.shape_of(value)[2:]
        return [op] if graph.attribute(op, "group") == 1 and pixels != [1, 1] else None
    computed = [operand for operand in op.operands if not is_constant(operand)]
    if op.name not in ELEMENTWISE or len(computed) != 1 or not graph.same_type(computed[0], value):
        return None
    before = _trail(computed[0])
    return None if before is None else [*before, op]


def _widen_constant(value: ir.Value, added: int) -> ir.Value:
    """A constant operand with `added` more channels; one that broadcasts along them stays as it is."""
    shape = graph.shape_of(value)
    channel = len(shape) - RANK + 1
    return value if channel < 0 or shape[channel] == 1 else _pad_dim(value, channel, added)


def _pad_dim(value: ir.Value, dim: int, added: int) -> ir.Value:
    none = [0] * len(graph.shape_of(value))
    high = [*none[:dim], added, *none[dim + 1 :]]
    return graph.build("pad", [value], {"low": none, "high": high})


@dataclass(frozen=True)
class PadChannels(Pass):
    """Add channels to convolutions where they then fill vectors. A classifier's 1000 classes have no block of
    16 or 32 channels; up to an eighth more are added, with filters of zeros, where only the mean (or another
    reduction) of each whole image is needed: that of the added channels is cut off."""

    name: ClassVar[str] = "graph-pad-channels"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        width = lanes(target_of(op))
        pattern = on_ranked(replacing(partial(padded_channels, lanes=width)))
        return apply_patterns(op, dict.fromkeys(REDUCTIONS, pattern))
