"""graph-fold-padding: constant padding becomes the `pads` of the window op that reads it.

What a slice of a padded tensor reads of the tensor, and of the padding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import attributes_of, collect_ops, defining_op, has_one_use, users
from mlc.passes.exactness import exactness_option, rounding
from mlc.passes.graph.common.rules import Rules, apply_rules
from mlc.passes.graph.common.signs import is_at_least
from mlc.passes.graph.common.values import Scalar, dtype, is_float, is_ranked
from mlc.passes.remarks import listening, report_missed


@dataclass(frozen=True)
class Range:
    """The part that a slice of a padded dim reads: `size` elements of x from `start` at `step`, between `low`
    and `high` elements of padding.
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
    """The part of the padded tensor that a slice of a pad reads, per dim."""
    ranges = []
    part, padding = graph.Slice(op), graph.Pad(pad)
    arrays, amounts = (part.starts, part.sizes, part.steps), (padding.low, padding.high)
    for dim, low, high, *read in zip(graph.shape_of(padding.x), *amounts, *arrays, strict=True):
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
    slice_op = graph.Slice(op)
    pad = defining_op(slice_op.x, graph.Pad.NAME)
    ranges = _read_of_x(op, pad) if pad and is_ranked(pad) else None
    if pad is None or ranges is None:
        return None
    low, high = [part.low for part in ranges], [part.high for part in ranges]
    padded = any(low) or any(high)
    same = low == list(graph.Pad(pad).low) and high == list(graph.Pad(pad).high)
    if padded and (same or graph.Pad(pad).mode != "constant" or not has_one_use(graph.Pad(pad).result)):
        return None
    arrays = {f"{name}s": [getattr(part, name) for part in ranges] for name in ("start", "size", "step")}
    part = graph.build("slice", [graph.Pad(pad).x], arrays, None if padded else slice_op.result.type)
    if not padded:
        return part
    amounts = {"mode": "constant", "value": pad.attributes["value"], "low": low, "high": high}
    return graph.build("pad", [part], amounts, slice_op.result.type)


_WINDOWS = frozenset({graph.Conv.NAME, graph.MaxPool.NAME, graph.AveragePool.NAME})


def constant_pad(value: ir.Value) -> ir.Operation | None:
    """The `graph.pad` of mode constant that makes the value."""
    pad = defining_op(value, graph.Pad.NAME)
    return pad if pad and is_ranked(pad) and graph.Pad(pad).mode == "constant" else None


def _spatial_amounts(op: ir.Operation, pad: ir.Operation) -> list[int] | None:
    """The padding as a window op's `pads`; None where it also pads batch or channels."""
    spatial = len(graph.Window(op).strides)
    low, high = graph.Pad(pad).low, graph.Pad(pad).high
    outside = [*low[:2], *high[:2], *low[2 + spatial :], *high[2 + spatial :]]
    return None if any(outside) else [*low[2 : 2 + spatial], *high[2 : 2 + spatial]]


def _is_lowest(value: Scalar, like: ir.Value) -> bool:
    """Whether the padding value is below every element."""
    return value == (-np.inf if is_float(like) else np.iinfo(dtype(like)).min)


def windows_hold_elements(op: ir.Operation, pads: Sequence[int]) -> bool:
    """Whether no window of a pool can be in the padding alone, whatever the input's size (not 0)."""
    kernel, dilations = graph.attribute(op, "kernel"), graph.attribute(op, "dilations")
    if not any(pads):
        return True
    return all(dilation == 1 for dilation in dilations) and all(
        amount < width for amount, width in zip(pads, [*kernel, *kernel], strict=True)
    )


def _takes(op: ir.Operation, pad: ir.Operation) -> bool:
    """Whether the padding's value means to the op what its own padding does."""
    value = graph.Pad(pad).value
    if op.name == graph.MaxPool.NAME:
        return _is_lowest(value, graph.Pad(pad).x)
    counts = op.name == graph.Conv.NAME or graph.attribute(op, "count_include_pad")
    return value == 0 and (counts or not any(graph.Window(op).pads))


def _takes_small(op: ir.Operation, pad: ir.Operation) -> bool:
    """Whether no element of what is padded is below the padding, and each window of the pool has one."""
    if op.name != graph.MaxPool.NAME or not is_at_least(graph.Pad(pad).x, graph.Pad(pad).value):
        return _takes(op, pad)
    return windows_hold_elements(op, _joined_pads(op, pad))


def _joined_pads(op: ir.Operation, pad: ir.Operation) -> list[int]:
    """The op's padding and that of the pad."""
    own, added = graph.Window(op).pads, _spatial_amounts(op, pad)
    return [a + b for a, b in zip(own, added or [0] * len(own), strict=True)]


Taker = Callable[[ir.Operation, ir.Operation], bool]


def _folds(op: ir.Operation, pad: ir.Operation, takes: Taker) -> bool:
    """Whether `op` computes the same from what is padded, with larger `pads`."""
    if op.name not in _WINDOWS or op.operands[0] != pad.results[0] or pad.results[0] in list(op.operands)[1:]:
        return False
    added = _spatial_amounts(op, pad)
    return added is not None and _same_positions(op, added) and takes(op, pad)


def _fold_into(op: ir.Operation, takes: Taker) -> ir.Value | None:
    """The op on what is padded, if all that read the padded tensor can do so."""
    pad = constant_pad(graph.Window(op).x)
    if pad is None or not all(_folds(user, pad, takes) for user in users(graph.Pad(pad).result)):
        return None
    attributes = attributes_of(op) | {"pads": _joined_pads(op, pad)}
    if op.name == graph.AveragePool.NAME:
        attributes["count_include_pad"] = True
    operands = [graph.Pad(pad).x, *list(op.operands)[1:]]
    return graph.build(op.name, operands, attributes, graph.Window(op).result.type)


def into_window(op: ir.Operation) -> ir.Value | None:
    """conv(pad(x)), average_pool(pad(x)), max_pool(pad(x)): the op with larger `pads`."""
    return _fold_into(op, _takes)


# The sign of a zero alone can change: a maximum with the padding's 0 makes -0.0 of relu positive.
@rounding
def into_window_of_small(op: ir.Operation) -> ir.Value | None:
    """Folds padding of a max_pool by a value that no element is below."""
    return _fold_into(op, _takes_small)


def _same_positions(op: ir.Operation, added: Sequence[int]) -> bool:
    """In ceil_mode a last window may start in elements that a pad adds, not in the op's own padding."""
    return (
        op.name == graph.Conv.NAME
        or not graph.attribute(op, "ceil_mode")
        or not any(added[len(added) // 2 :])
    )


def pad_of_pad(op: ir.Operation) -> ir.Value | None:
    """pad(pad(x)) of one constant, or of edges: one pad."""
    inner, mode = defining_op(graph.Pad(op).x, graph.Pad.NAME), graph.Pad(op).mode
    if (
        inner is None
        or not is_ranked(inner)
        or mode not in ("constant", "edge")
        or graph.Pad(inner).mode != mode
    ):
        return None
    if mode == "constant" and not _same_bits(graph.Pad(inner).value, graph.Pad(op).value):
        return None
    amounts = {
        name: [a + b for a, b in zip(graph.attribute(inner, name), graph.attribute(op, name), strict=True)]
        for name in ("low", "high")
    }
    kept = attributes_of(op)
    return graph.build("pad", [graph.Pad(inner).x], kept | amounts, graph.Pad(op).result.type)


def _same_bits(one: Scalar, other: Scalar) -> bool:
    """Equal bits: -0.0 is not 0.0."""
    return one == other and np.signbit(one) == np.signbit(other)


RULES: Rules = {
    **dict.fromkeys(sorted(_WINDOWS), (into_window, into_window_of_small)),
    graph.Pad.NAME: (pad_of_pad,),
    graph.Slice.NAME: (slice_of_pad,),
}


def _report(function: ir.Operation) -> None:
    """Remarks on the windows that still read padding."""
    for op in collect_ops(function, _WINDOWS):
        pad = constant_pad(graph.Window(op).x)
        if pad is None or not is_ranked(op):
            continue
        reason = "padding of another value, or of batch or channels"
        if _folds(op, pad, _takes_small):
            reason = "another op reads the padded tensor, which is made anyway"
        report_missed(op, "graph.fold_padding.into_window", reason)


@dataclass(frozen=True)
class FoldPadding(Pass):
    """Turn constant padding before convolutions and pools into their `pads`.

    Zeros fold into `conv` and into `average_pool` (which then counts padding), minus infinity into
    `max_pool`, and so do values that are not above the pool's input (0 after relu). Pads of pads become one;
    a slice of a pad reads what was padded. Padding that something else reads too stays.
    """

    name: ClassVar[str] = "graph-fold-padding"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        changed = apply_rules(op, RULES, self.limit)
        if listening():
            _report(op)
        return changed
