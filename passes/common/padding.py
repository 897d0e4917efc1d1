"""The zeros around images that convolutions read: the attribute by which a computation knows them."""

from __future__ import annotations

from collections.abc import Mapping

from mlc.bindings import ir
from mlc.passes.common.affine import AffineForm, expression_form
from mlc.passes.common.computation import Computation

# On a computation: the zeros before its first operand along each dim, then those after it.
PADDING = "tloop.padding"
# Windows that read less padding than this share of their elements are computed as a whole.
LEAST_SHARE = 1 / 50


def padding_of(computation: ir.Operation) -> list[tuple[int, int]] | None:
    """Returns the zeros before and after the first operand along each dim, None where nothing is known."""
    if PADDING not in computation.attributes:
        return None
    amounts, rank = list(computation.attributes[PADDING]), computation.operands[0].type.rank
    return [*zip(amounts[:rank], amounts[rank:], strict=True)] if len(amounts) == 2 * rank else None


def padded_dims(anchor: Computation, points: Mapping[int, int]) -> list[int]:
    """Returns the reductions of a convolution, over the offsets of a window, of which enough iterations read
    padding alone, if a tile has `points[d]` points of each dim `d`."""
    padding = padding_of(anchor.op)
    if padding is None or not isinstance(anchor.inputs[0].owner, ir.Block):
        return []
    dims = [AffineForm.of(dim) for dim in range(len(anchor.extents))]
    found = []
    for (low, high), result in zip(padding, anchor.maps[0].results, strict=True):
        form = expression_form(result, dims) if low + high else None
        if form is None or not all(term.is_variable for term in form.terms):
            continue
        offsets = [term.variable for term in form.terms if term.variable in anchor.reductions]
        positions = [term.variable for term in form.terms if term.variable in anchor.parallel]
        if len(offsets) == len(positions) == 1:
            [offset], [position] = offsets, positions
            window = (form.coefficient(position) or 1, form.coefficient(offset) or 1)
            share = _share_in_padding(anchor, position, offset, window, points[position], (low, high))
            found += [offset] if share >= LEAST_SHARE else []
    return found


def _share_in_padding(
    anchor: Computation,
    position: int,
    offset: int,
    window: tuple[int, int],
    points: int,
    padding: tuple[int, int],
) -> float:
    """Returns the share of the iterations, over tiles of `points` positions and offsets, which reads padding
    alone. Where extents are dynamic, any is worth a test."""
    stride, dilation = window
    count, extent = anchor.extents[position], anchor.extents[offset]
    if position in anchor.dynamic:
        return float(extent > 1)
    size = (count - 1) * stride + (extent - 1) * dilation + 1
    low, end = padding[0], size - padding[1]
    skipped = [
        first * stride + index * dilation + (points - 1) * stride < low
        or first * stride + index * dilation >= end
        for first in range(0, count, points)
        for index in range(extent)
    ]
    return sum(skipped) / len(skipped)
