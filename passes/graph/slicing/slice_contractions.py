"""Which parts of their operands products, convolutions, pools and attention take for a part of the result."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.exactness import rounding
from mlc.passes.graph.simplify.slice_rules import Part
from mlc.passes.graph.slicing.slice_sources import Narrowed, Parts, is_cut
from mlc.passes.graph.slicing.slice_windows import WHOLE, attributes_for, channels_for, reaches_for


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
    """Images of the batch, output channels of whole groups, places."""
    if graph.attribute(op, "layout") != "NCHW":
        return None
    channels, reaches = channels_for(op, taken[1]), reaches_for(op, taken[2:])
    if channels is None or reaches is None:
        return None
    filters = [channels.filters, *[WHOLE] * (len(taken) - 1)]
    x = [taken[0], channels.inputs, *(each.inputs for each in reaches)]
    return Narrowed((x, filters), attributes_for(reaches) | {"group": channels.groups})


def pool(op: ir.Operation, taken: Parts) -> Narrowed | None:
    """Images, channels, places; not where a mean's padding moves, which may count."""
    reaches = reaches_for(op, taken[2:])
    if graph.attribute(op, "layout") != "NCHW" or reaches is None:
        return None
    attributes = attributes_for(reaches)
    if op.name == "graph.average_pool" and attributes["pads"] != graph.attribute(op, "pads"):
        return None
    return Narrowed(([*taken[:2], *(each.inputs for each in reaches)],), attributes)


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
