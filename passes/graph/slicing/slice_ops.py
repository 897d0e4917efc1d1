"""Slice propagation: the parts of operands from which an op computes a part of its result.

A part of an op's result, and the parts of the operands that it takes.

Which parts of their operands products, convolutions, pools and attention take for a part of the result.

For convolutions and pools: the channels and window positions that they read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.dim_groups import dim_groups
from mlc.passes.graph.common.op_families import ELEMENTWISE, REDUCTIONS
from mlc.passes.graph.common.rules import rule_of
from mlc.passes.graph.simplify.slice_rules import Part
from mlc.passes.graph.windows.materialize_padding import Window, windows

WHOLE = Part(0, -1, 1)


@dataclass(frozen=True)
class Channels:
    """Input channels and filters for a part of a convolution's output channels, and how many groups are
    left."""

    inputs: Part
    filters: Part
    groups: int


def channels_for(op: ir.Operation, taken: Part) -> Channels | None:
    """The operand parts for a part of a convolution's output channels; None where it splits a group."""
    groups, filters = graph.attribute(op, "group"), graph.shape_of(op.operands[1])
    if taken == WHOLE:
        return Channels(WHOLE, WHOLE, groups)
    if groups == 1:
        return Channels(WHOLE, taken, 1)
    outputs, inputs = filters[0], filters[1]
    if None in (outputs, inputs) or taken.step != 1:
        return None
    size = outputs // groups
    if taken.start % size or taken.size % size or not taken.size:
        return None
    first, count = taken.start // size, taken.size // size
    return Channels(Part(first * inputs, count * inputs, 1), taken, count)


@dataclass(frozen=True)
class Reach:
    """The input that a part of a result's spatial dim reads: a part of the dim, padded, at a stride."""

    inputs: Part
    begin: int
    end: int
    stride: int


def _reach(window: Window, taken: Part) -> Reach | None:
    """The input that windows at some indices read; None where it depends on an unknown dim, or is padding
    alone."""
    if taken == WHOLE:
        return Reach(WHOLE, window.begin, window.end, window.stride)
    if window.size is None or taken.step < 1 or taken.size < 1 or taken.start < 0 or window.ceil_mode:
        return None
    # One window needs no stride.
    stride = window.stride * taken.step if taken.size > 1 else window.stride
    first = taken.start * window.stride - window.begin
    end = first + (taken.size - 1) * stride + window.extent
    low, high = max(0, first), min(window.size, end)
    return Reach(Part(low, high - low, 1), low - first, end - high, stride) if low < high else None


def reaches_for(op: ir.Operation, taken: list[Part]) -> list[Reach] | None:
    """The input that a convolution or pool reads for parts of its spatial dims."""
    dims = windows(op)
    found = [] if dims is None else [_reach(*pair) for pair in zip(dims, taken, strict=True)]
    reaches = [reach for reach in found if reach is not None]
    return reaches if len(reaches) == len(taken) else None


def attributes_for(reaches: list[Reach]) -> dict[str, Any]:
    """The `pads` and `strides` of an op that reads so."""
    pads = [*(reach.begin for reach in reaches), *(reach.end for reach in reaches)]
    return {"pads": pads, "strides": [reach.stride for reach in reaches]}


@rounding
def matmul(op: ir.Operation, taken: Parts) -> Narrowed | None:
    """Rows of the result are rows of the first operand, columns those of the second."""
    a, b = op.operands
    if a.type.rank < 2 or b.type.rank < 2:
        return None
    rank, cut = op.results[0].type.rank, is_cut(taken, op.results[0])
    parts = []
    for operand, inner in ((a, 1), (b, 0)):
        shape = graph.shape_of(operand)
        batch = [WHOLE if dim == 1 else part for dim, part in zip(shape[-3::-1], taken[-3::-1], strict=False)]
        if any(dim is None for dim, touched in zip(shape[-3::-1], cut[-3::-1], strict=False) if touched):
            return None
        last = [WHOLE, WHOLE]
        last[1 - inner] = taken[rank - 2 + 1 - inner]
        parts.append([*batch[::-1], *last])
    return Narrowed(tuple(parts))


@rounding
def convolution(op: ir.Operation, taken: Parts) -> Narrowed | None:
    """Images of the batch, output channels of whole groups, spatial indices."""
    if graph.Conv(op).layout != "NCHW":
        return None
    channels, reaches = channels_for(op, taken[1]), reaches_for(op, taken[2:])
    if channels is None or reaches is None:
        return None
    filters = [channels.filters, *[WHOLE] * (len(taken) - 1)]
    x = [taken[0], channels.inputs, *(reach.inputs for reach in reaches)]
    return Narrowed((x, filters), attributes_for(reaches) | {"group": channels.groups})


def pool(op: ir.Operation, taken: Parts) -> Narrowed | None:
    """Images, channels, spatial indices; not where a mean's padding moves, which may count."""
    reaches = reaches_for(op, taken[2:])
    if graph.attribute(op, "layout") != "NCHW" or reaches is None:
        return None
    attributes = attributes_for(reaches)
    if op.name == graph.AveragePool.NAME and attributes["pads"] != list(graph.AveragePool(op).pads):
        return None
    return Narrowed(([*taken[:2], *(reach.inputs for reach in reaches)],), attributes)


@rounding
def attention(op: ir.Operation, taken: Parts) -> Narrowed | None:
    """Queries: all keys and values are read."""
    rows, cut = taken[-2], is_cut(taken, op.results[0])
    if any(cut[:-2]) or cut[-1] or (graph.attribute(op, "causal") and not _reaches_end(op, rows)):
        return None
    whole: list[Parts | None] = [None] * (len(op.operands) - 1)
    if len(op.operands) > 3:
        mask = graph.shape_of(op.operands[3])
        if len(mask) > 1 and mask[-2] is None:
            return None
        if len(mask) > 1 and mask[-2] != 1:
            whole[2] = [*[WHOLE] * (len(mask) - 2), rows, WHOLE]
    return Narrowed(([*[WHOLE] * (len(taken) - 2), rows, WHOLE], *whole))


def _reaches_end(op: ir.Operation, rows: Part) -> bool:
    """Whether the rows are the last ones: keys after a query are counted from there."""
    dim = graph.shape_of(op.results[0])[-2]
    return dim is not None and rows.step == 1 and rows.start + rows.size == dim


Parts = list[Part]


@dataclass(frozen=True)
class Narrowed:
    """The parts of the operands, `None` for an operand that is read whole, and attributes that differ."""

    operands: tuple[Parts | None, ...]
    attributes: dict[str, Any] = field(default_factory=dict)


Rule = Callable[[ir.Operation, Parts], Narrowed | None]


def is_cut(taken: Sequence[Part], value: ir.Value) -> list[bool]:
    """Per dim, whether parts of the value leave something out or change the order."""
    return [not part.is_whole(dim) for part, dim in zip(taken, graph.shape_of(value), strict=True)]


def _broadcast_part(op: ir.Operation, operand: ir.Value, taken: Parts) -> Parts | None:
    """The part that a part of the result needs of an operand that broadcasts to it; None if it is not
    known."""
    result, own = graph.shape_of(op.results[0]), graph.shape_of(operand)
    cut, offset = is_cut(taken, op.results[0]), len(result) - len(own)
    needed = []
    for axis, dim in enumerate(own):
        part, is_one = taken[offset + axis], dim == 1 and result[offset + axis] != 1
        if not cut[offset + axis] or is_one:
            needed.append(WHOLE)
        elif dim is None and len(op.operands) > 1 and not _is_walked(op, operand, axis):
            return None
        else:
            needed.append(part)
    return needed


def _is_walked(op: ir.Operation, operand: ir.Value, axis: int) -> bool:
    """Whether a dynamic dim of an operand is the result's, not one that may broadcast to it."""
    offset = op.results[0].type.rank - operand.type.rank
    return bool(graph.dims_of(operand)[axis] == graph.dims_of(op.results[0])[offset + axis])


def _elementwise(op: ir.Operation, taken: Parts) -> Narrowed | None:
    parts = [_broadcast_part(op, operand, taken) for operand in op.operands]
    found = [part for part in parts if part is not None]
    return Narrowed(tuple(found)) if len(found) == len(parts) else None


@rounding
def _along_rows(op: ir.Operation, taken: Parts) -> Narrowed | None:
    """Softmax, normalisations, scans: whole rows."""
    name = "axes" if op.name in (graph.LayerNorm.NAME, graph.RmsNorm.NAME) else "axis"
    axes = graph.attribute(op, name)
    cut = is_cut(taken, op.results[0])
    return (
        None if any(cut[axis] for axis in ([axes] if isinstance(axes, int) else axes)) else Narrowed((taken,))
    )


@rounding
def _reduction(op: ir.Operation, taken: Parts) -> Narrowed | None:
    name = "axis" if op.name in (graph.ArgMax.NAME, graph.ArgMin.NAME) else "axes"
    found = graph.attribute(op, name)
    axes = [found] if isinstance(found, int) else found
    rest, kept = iter(taken), graph.attribute(op, "keepdims")
    parts = []
    for axis in range(op.operands[0].type.rank):
        part = next(rest) if kept or axis not in axes else WHOLE
        if axis in axes and kept and not part.is_whole(1):
            return None
        parts.append(WHOLE if axis in axes else part)
    return Narrowed((parts,))


def _transpose(op: ir.Operation, taken: Parts) -> Narrowed | None:
    parts = [WHOLE] * len(taken)
    for axis, part in zip(graph.Transpose(op).permutation, taken, strict=True):
        parts[axis] = part
    return Narrowed((parts,))


def _reshape(op: ir.Operation, taken: Parts) -> Narrowed | None:
    """Dims that the reshape leaves as they are."""
    reshape = graph.Reshape(op)
    old, new = graph.shape_of(reshape.x), graph.shape_of(reshape.result)
    groups = None if None in old or None in new or 0 in old else dim_groups(old, new)
    if groups is None or len(op.operands) > 1:
        return None
    cut, parts = is_cut(taken, reshape.result), [WHOLE] * len(old)
    for olds, news in groups:
        if len(olds) == len(news) == 1:
            parts[olds[0]] = taken[news[0]]
        elif any(cut[axis] for axis in news):
            return None
    sizes = [part.size if touched else dim for part, touched, dim in zip(taken, cut, new, strict=True)]
    return Narrowed((parts,), {"shape": sizes})


def _expand(op: ir.Operation, taken: Parts) -> Narrowed | None:
    expand = graph.Expand(op)
    if len(op.operands) > 1 or not expand.result.type.has_static_shape:
        return None
    parts = _broadcast_part(op, expand.x, taken)
    sizes = zip(taken, is_cut(taken, expand.result), graph.shape_of(expand.result), strict=True)
    shape = [part.size if touched else dim for part, touched, dim in sizes]
    return None if parts is None else Narrowed((parts,), {"shape": shape})


def _pad(op: ir.Operation, taken: Parts) -> Narrowed | None:
    pad = graph.Pad(op)
    amounts = zip(pad.low, pad.high, strict=True)
    padded = [low or high for low, high in amounts]
    cut = is_cut(taken, pad.result)
    return None if any(a and b for a, b in zip(padded, cut, strict=True)) else Narrowed((taken,))


def _gather(op: ir.Operation, taken: Parts) -> Narrowed | None:
    gather = graph.Gather(op)
    axis, rank = gather.axis, gather.indices.type.rank
    return Narrowed(([*taken[:axis], WHOLE, *taken[axis + rank :]], list(taken[axis : axis + rank])))


_RULES: dict[str, Rule] = {
    **dict.fromkeys(ELEMENTWISE, _elementwise),
    **dict.fromkeys(REDUCTIONS, _reduction),
    **dict.fromkeys(("softmax", "log_softmax", "layer_norm", "rms_norm", "cumsum", "cumprod"), _along_rows),
    **dict.fromkeys((graph.MaxPool.NAME, graph.AveragePool.NAME), pool),
    graph.Matmul.NAME: matmul,
    graph.Conv.NAME: convolution,
    graph.Attention.NAME: attention,
    graph.Transpose.NAME: _transpose,
    graph.Reshape.NAME: _reshape,
    graph.Expand.NAME: _expand,
    graph.Pad.NAME: _pad,
    graph.Gather.NAME: _gather,
}
_RULES |= {f"graph.{name}": rule for name, rule in _RULES.items() if not name.startswith("graph.")}


def narrow_op(op: ir.Operation, taken: Parts, exactness: str) -> Narrowed | None:
    """Returns `op` narrowed to a part of its result; None where it cannot be, or not within a class of
    exactness."""
    rule = rule_of(_RULES, op, exactness)
    if rule is None:
        return None
    cut = is_cut(taken, op.results[0])
    return rule(op, [part if touched else WHOLE for part, touched in zip(taken, cut, strict=True)])
