"""What a slice of a padded tensor reads of the tensor, and of the padding."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op, has_one_use
from mlc.passes.graph.common.values import is_ranked


@dataclass(frozen=True)
class Range:
    """What a slice of a padded dim reads: `size` elements of x from `start` at `step`, between `low` and
    `high` elements of padding.
    """

    start: int
    size: int
    step: int
    low: int = 0
    high: int = 0


def _of_known_dim(dim: int, low: int, high: int, read: Range) -> Range | None:
    """The part of x that a range of the padded dim holds; None where steps meet padding, or nothing of x."""
    padded, step = dim + low + high, read.step
    first = read.start + padded if read.start < 0 else read.start
    size = read.size
    if size == -1:
        size = max(0, -(-(padded - first) // step) if step > 0 else first // -step + 1)
    first -= low
    last = first + (size - 1) * step
    if size and min(first, last) >= 0 and max(first, last) < dim:
        return Range(first, size, step)
    before, after = max(0, -first), max(0, last - dim + 1)
    inside = size - before - after
    return Range(first + before, inside, 1, before, after) if step == 1 and inside > 0 else None


def _of_unknown_dim(low: int, high: int, read: Range) -> Range | None:
    if read.step != 1 or read.start < 0:
        return None
    if read.start >= low and not high:
        return Range(read.start - low, read.size, 1)
    return Range(0, -1, 1, low - read.start, high) if read.size == -1 and read.start <= low else None


def _read_of_x(op: ir.Operation, pad: ir.Operation) -> list[Range] | None:
    """What a slice of a pad reads of the padded tensor, per dim."""
    ranges = []
    arrays = [graph.attribute(op, name) for name in ("starts", "sizes", "steps")]
    amounts = [graph.attribute(pad, name) for name in ("low", "high")]
    for dim, low, high, *read in zip(graph.shape_of(pad.operands[0]), *amounts, *arrays, strict=True):
        if not low and not high:
            found: Range | None = Range(*read)
        else:
            found = (
                _of_unknown_dim(low, high, Range(*read))
                if dim is None
                else _of_known_dim(dim, low, high, Range(*read))
            )
        if found is None:
            return None
        ranges.append(found)
    return ranges


def slice_of_pad(op: ir.Operation) -> ir.Value | None:
    """slice(pad(x)): a slice of x, padded by what the slice reads of the padding."""
    pad = defining_op(op.operands[0], "graph.pad")
    ranges = _read_of_x(op, pad) if pad and is_ranked(pad) else None
    if pad is None or ranges is None:
        return None
    low, high = [each.low for each in ranges], [each.high for each in ranges]
    padded = any(low) or any(high)
    same = low == graph.attribute(pad, "low") and high == graph.attribute(pad, "high")
    if padded and (same or graph.attribute(pad, "mode") != "constant" or not has_one_use(pad.results[0])):
        return None
    arrays = {f"{name}s": [getattr(each, name) for each in ranges] for name in ("start", "size", "step")}
    part = graph.build("slice", [pad.operands[0]], arrays, None if padded else op.results[0].type)
    if not padded:
        return part
    amounts = {"mode": "constant", "value": pad.attributes["value"], "low": low, "high": high}
    return graph.build("pad", [part], amounts, op.results[0].type)
