"""graph-pad-channels: convolutional classifiers with channels that fill vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, attributes_of, defining_op, replace_op, users
from mlc.passes.common.target import lanes, target_of
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.common.values import is_constant, on_ranked, replacing
from mlc.passes.graph.windows.blocked_channels import (
    BLOCKS,
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
# Time per vector of a row of the image, relative to one of channels in a block: there are fewer vectors in a
# register tile, and its last one overlaps the one before where the row does not fill it. Time of a block of
# half a vector. Measured on AVX-512 with 3 to 13 channels and rows of 7 to 320 pixels.
ROW_VECTOR, PARTIAL_ROW, HALF_VECTOR = 1.5, 1.25, 0.57
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
    if not is_blockable_conv(op) or not is_constant(graph.Conv(op).w):
        return False
    conv = graph.Conv(op)
    channels = graph.shape_of(conv.w)[0] // conv.group
    few, grouped = channels < FEWEST, conv.group > 1
    if (few and grouped) or (conv.strides[-1] == 1 and (few or grouped)):
        return False
    added = fewest_added(channels, lanes(target))
    if not added or is_fast_plain(op, channels, target):
        return False
    trail = _forward_trail(op)
    with ir.InsertionPoint.after(trail[-1]), op.location:
        part = _cut_groups(_widen_all(trail, added), conv.group, graph.dims_of(trail[-1].results[0]))
    replace_op(trail[-1], part)
    return True


def _cut_groups(value: ir.Value, groups: int, dims: Sequence[int | Size]) -> ir.Value:
    """Returns the first channels of each group, as many as an image of `dims` has."""
    batch, channels, *spatial = dims
    wide = graph.shape_of(value)[1] // groups
    if groups > 1:
        value = graph.reshape_to(value, [batch, groups, wide, *spatial])
    sizes = [-1 if size is None else size for size in graph.shape_of(value)]
    sizes[-1 - len(spatial)] = channels // groups
    rank = len(sizes)
    part = graph.build("slice", [value], {"starts": [0] * rank, "sizes": sizes, "steps": [1] * rank})
    return part if groups == 1 else graph.reshape_to(part, dims)


def is_fast_plain(op: ir.Operation, channels: int, target: Target) -> bool:
    """Whether a convolution to `channels` channels per group is as fast in plain layout."""
    conv = graph.Conv(op)
    if _is_pointwise(op) or not all(value.type.has_static_shape for value in (conv.x, conv.result)):
        return _is_pointwise(op)
    image, width = prod(graph.shape_of(conv.x)[1:]) * FLOAT_BYTES, graph.shape_of(conv.result)[-1]
    in_rows = (
        ROW_VECTOR * channels * -(-width // lanes(target)) * (PARTIAL_ROW if width % lanes(target) else 1)
    )
    padded = channels + fewest_added(channels, lanes(target))
    in_blocks = width * (_time(padded, lanes(target)) if padded >= lanes(target) else HALF_VECTOR)
    # Rows of the channels of a large image are in as many pages.
    return conv.strides[-1] == 1 and image <= 4 * target.l2 and in_rows <= in_blocks


def fewest_added(channels: int, lanes: int) -> int:
    """The number of channels with which blocks fill vectors and least is computed; 0 where they do
    already."""
    if largest_block(channels) >= min(lanes, SMALLEST_USEFUL_BLOCK):
        return 0
    blocks = [block for block in BLOCKS if block >= SMALLEST_USEFUL_BLOCK]
    # A block of half a vector takes as long as a whole one.
    added = sorted(-channels % block for block in blocks)
    return min(added, key=lambda count: _time(channels + count, lanes))


def _time(channels: int, lanes: int) -> int:
    """The vectors that hold the channels in their largest blocks."""
    block = largest_block(channels)
    return channels // block * -(-block // lanes)


def _is_pointwise(op: ir.Operation) -> bool:
    """Whether the convolution becomes a product of matrices, for which any number of rows is as good."""
    conv = graph.Conv(op)
    return all(extent == 1 for extent in (*graph.shape_of(conv.w)[2:], *conv.strides))


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
    """Builds a convolution with `added` channels more per group, whose filters are zeros, and the elementwise
    ops after it."""
    conv, *elementwise = trail
    image, filters = conv.operands
    groups = graph.Conv(conv).group
    value = graph.build("conv", [image, _pad_groups(filters, 0, groups, added)], attributes_of(conv))
    for inner in elementwise:
        operands = [
            _widen_constant(operand, value, groups, added) if is_constant(operand) else value
            for operand in inner.operands
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
        several = any(extent != 1 for extent in graph.shape_of(value)[2:])
        return [op] if graph.attribute(op, "group") == 1 and several else None
    computed = [operand for operand in op.operands if not is_constant(operand)]
    if op.name not in ELEMENTWISE or len(computed) != 1 or not graph.same_type(computed[0], value):
        return None
    before = _trail(computed[0])
    return None if before is None else [*before, op]


def _widen_constant(value: ir.Value, image: ir.Value, groups: int, added: int) -> ir.Value:
    """A constant operand beside an image, with `added` more channels per group; one that broadcasts along
    them stays as it is."""
    shape = graph.shape_of(value)
    channel = len(shape) - len(graph.shape_of(image)) + 1
    return value if channel < 0 or shape[channel] == 1 else _pad_groups(value, channel, groups, added)


def _pad_groups(value: ir.Value, dim: int, groups: int, added: int) -> ir.Value:
    """Adds `added` zeros to each group of channels, which are along `dim`."""
    if groups == 1:
        return _pad_dim(value, dim, added)
    shape = graph.shape_of(value)
    before, count, after = shape[:dim], shape[dim], shape[dim + 1 :]
    split = graph.reshape_to(value, [*before, groups, count // groups, *after])
    return graph.reshape_to(_pad_dim(split, dim + 1, added), [*before, count + groups * added, *after])


def _pad_dim(value: ir.Value, dim: int, added: int) -> ir.Value:
    none = [0] * len(graph.shape_of(value))
    high = [*none[:dim], added, *none[dim + 1 :]]
    return graph.build("pad", [value], {"low": none, "high": high})


@dataclass(frozen=True)
class PadChannels(Pass):
    """Add channels to convolutions where they then fill vectors. A classifier's 1000 classes have no block of
    16 or 32 channels; up to an eighth more are added, with filters of zeros, where only the mean (or another
    reduction) of each whole image is needed: that of the added channels is cut off. Elsewhere convolutions
    whose channels have no block of 8, such as the 2 * 161 of a Fourier transform of 320 samples, or the
    channels of each group, where columns are apart, get as many as fill one, which are cut off after the
    elementwise ops that follow; but pointwise ones, which are products, and those of few channels, known size
    and stride 1."""

    name: ClassVar[str] = "graph-pad-channels"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        target = target_of(op)
        pattern = on_ranked(replacing(partial(padded_channels, lanes=lanes(target))))
        changed = apply_patterns(op, dict.fromkeys(REDUCTIONS, pattern))
        convolutions = {graph.Conv.NAME: on_ranked(partial(padded_convolution, target=target))}
        return apply_patterns(op, convolutions) or changed
