"""graph-pad-channels: convolutional classifiers with channels that fill vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, attributes_of, defining_op, replace_op, users
from mlc.passes.common.target import lanes, target_of
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.common.values import is_constant, on_ranked, replacing
from mlc.passes.graph.windows.blocked_channels import (
    BLOCKS,
    RANK,
    REDUCTIONS,
    SMALLEST_USEFUL_BLOCK,
    channel_divisor,
    is_blockable_conv,
    is_image,
    largest_block,
)
from mlc.targets import Target

# With fewer channels plain layout is as fast, unless columns are apart.
FEWEST = 3
# With fewer channels, so are images of known size in plain layout, while they stay in the caches: each
# channel of the result reads all of the image.
FEWEST_OF_KNOWN = 16
FLOAT_BYTES = 4
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
    value = graph.build(op.name, [_widen_all(trail, added)], attributes_of(op))
    sizes = list(graph.shape_of(op.results[0]))
    bounds = {"starts": [0] * len(sizes), "sizes": sizes, "steps": [1] * len(sizes)}
    return graph.build("slice", [value], bounds)


def padded_convolution(op: ir.Operation, target: Target) -> bool:
    """f(conv(x, w)) -> slice(f(conv(x, pad(w)))), with f elementwise, with constants: only blocks of whole
    vectors are fast."""
    if not is_blockable_conv(op) or not is_constant(graph.Conv(op).w) or graph.Conv(op).group != 1:
        return False
    channels = graph.shape_of(graph.Conv(op).w)[0]
    if channels < FEWEST and graph.Conv(op).strides[-1] == 1:
        return False
    added = fewest_added(channels, lanes(target))
    if not added or (op.results[0].type.has_static_shape and is_fast_plain(op, channels, target)):
        return False
    trail = _forward_trail(op)
    with ir.InsertionPoint.after(trail[-1]), op.location:
        value = _widen_all(trail, added)
        shape = graph.shape_of(trail[-1].results[0])
        sizes = [-1 if size is None else size for size in shape]
        part = graph.build("slice", [value], {"starts": [0] * RANK, "sizes": sizes, "steps": [1] * RANK})
    replace_op(trail[-1], part)
    return True


def is_fast_plain(op: ir.Operation, channels: int, target: Target) -> bool:
    """Whether a convolution of known size to `channels` channels is as fast in plain layout."""
    conv = graph.Conv(op)
    image = prod(graph.shape_of(conv.x)[1:]) * FLOAT_BYTES
    few = channels < FEWEST_OF_KNOWN and image <= 2 * target.l2
    return _is_pointwise(op) or (few and conv.strides[-1] == 1)


def fewest_added(channels: int, lanes: int) -> int:
    """The number of channels with which blocks fill vectors and least is computed; 0 where they do
    already."""
    if largest_block(channels) >= min(lanes, SMALLEST_USEFUL_BLOCK):
        return 0
    blocks = [block for block in BLOCKS if block >= SMALLEST_USEFUL_BLOCK]
    # A block of half a vector takes as long as a whole one.
    return min((-channels % block for block in blocks), key=lambda added: _time(channels + added, lanes))


def _time(channels: int, lanes: int) -> int:
    """The vectors that hold the channels in their largest blocks."""
    block = largest_block(channels)
    return channels // block * -(-block // lanes)


def _is_pointwise(op: ir.Operation) -> bool:
    """Whether the convolution becomes a product of matrices, for which any number of rows is as good."""
    conv = graph.Conv(op)
    return list(graph.shape_of(conv.w)[2:]) == [1, 1] and list(conv.strides) == [1, 1]


def _forward_trail(op: ir.Operation) -> list[ir.Operation]:
    """The op, and the elementwise ops after it that combine it with constants and alone read it."""
    trail = [op]
    while True:
        value = trail[-1].results[0]
        readers = users(value)
        if len(readers) != 1 or readers[0].name not in ELEMENTWISE:
            return trail
        computed = [operand for operand in readers[0].operands if not is_constant(operand)]
        if len(computed) != 1 or not graph.same_type(readers[0].results[0], value):
            return trail
        trail.append(readers[0])


def _widen_all(trail: Sequence[ir.Operation], added: int) -> ir.Value:
    """Builds a convolution with `added` channels more, whose filters are zeros, and the elementwise ops after
    it."""
    conv, *elementwise = trail
    image, filters = conv.operands
    value = graph.build("conv", [image, _pad_dim(filters, 0, added)], attributes_of(conv))
    for inner in elementwise:
        operands = [
            _widen_constant(operand, added) if is_constant(operand) else value for operand in inner.operands
        ]
        value = graph.build(inner.name, operands, attributes_of(inner))
    return value


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
    reduction) of each whole image is needed: that of the added channels is cut off. Elsewhere convolutions
    whose channels have no block of 8, such as the 2 * 161 of a Fourier transform of 320 samples, get as many
    as fill one, which are cut off after the elementwise ops that follow; but pointwise ones of known size,
    which are products, and those of few channels, known size and stride 1."""

    name: ClassVar[str] = "graph-pad-channels"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        target = target_of(op)
        pattern = on_ranked(replacing(partial(padded_channels, lanes=lanes(target))))
        changed = apply_patterns(op, dict.fromkeys(REDUCTIONS, pattern))
        convolutions = {graph.Conv.NAME: on_ranked(partial(padded_convolution, target=target))}
        return apply_patterns(op, convolutions) or changed
