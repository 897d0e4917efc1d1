"""Views: ops that name memory and compute nothing (reshapes, contiguous slices and concatenations).

All buffers are dense and row-major. A slice is contiguous where only dims of one element come before the
sliced one, and only whole dims after it; likewise a concatenation.
"""

from __future__ import annotations

from itertools import accumulate
from math import prod

from mlc.bindings import ir
from mlc.dialects import graph, tloop
from mlc.passes.common.rewriting import defining_op

RESHAPES = frozenset({graph.Reshape.NAME, graph.Squeeze.NAME, graph.Unsqueeze.NAME})
CONSTANTS = frozenset({graph.Constant.NAME, graph.Weight.NAME, graph.Prepared.NAME})


def _is_static(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and bool(value.type.has_static_shape)


def is_small_constant(value: ir.Value) -> bool:
    """Whether the value is a small constant, which has no buffer."""
    return defining_op(view_source(value), graph.Constant.NAME) is not None


def slice_offset(op: ir.Operation) -> int | None:
    """The element of its operand at which a contiguous `graph.slice` begins; None if it is not contiguous."""
    operand = op.operands[0]
    if not (_is_static(operand) and _is_static(op.results[0])):
        return None
    shape, sizes = graph.shape_of(operand), graph.shape_of(op.results[0])
    starts, steps = graph.attribute(op, "starts"), graph.attribute(op, "steps")
    cut = [axis for axis, (whole, size) in enumerate(zip(shape, sizes, strict=True)) if whole != size]
    last = cut[-1] if cut else 0
    if any(sizes[axis] != 1 for axis in range(last)) or any(
        step != 1 and sizes[axis] > 1 for axis, step in enumerate(steps)
    ):
        return None
    strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    firsts = (start + dim if start < 0 else start for start, dim in zip(starts, shape, strict=True))
    return sum(first * stride for first, stride in zip(firsts, strides, strict=True))


def concat_offsets(op: ir.Operation) -> list[int] | None:
    """The element of the result at which each operand of a contiguous `graph.concat` begins; None if it is
    not contiguous."""
    values = [*op.operands, op.results[0]]
    axis = graph.attribute(op, "axis")
    if not all(map(_is_static, values)) or prod(graph.shape_of(op.results[0])[:axis]) != 1:
        return None
    sizes = [prod(graph.shape_of(operand)) for operand in op.operands]
    return list(accumulate(sizes[:-1], initial=0))


def view_offset(op: ir.Operation) -> int | None:
    """The element of its first operand's buffer at which the result of a view begins; None for an op that is
    no view."""
    if op.name in RESHAPES:
        return 0
    if op.name != graph.Slice.NAME or is_small_constant(graph.Slice(op).x):
        return None
    return slice_offset(op)


def joined_offsets(op: ir.Operation) -> list[int] | None:
    """The offsets of a concatenation's operands in its result, if they can be written there; else None."""
    if op.name != graph.Concat.NAME or any(map(is_small_constant, op.operands)):
        return None
    return concat_offsets(op)


def needs_no_kernel(op: ir.Operation) -> bool:
    """Whether the op costs no kernel: its result is a part, or a union, of other buffers."""
    return view_offset(op) is not None or joined_offsets(op) is not None


def view_source(value: ir.Value) -> ir.Value:
    """Returns the value that this one is a reshape of: the same elements in the same order."""
    op = defining_op(value)
    while op is not None and op.name in RESHAPES:
        value = op.operands[0]
        op = defining_op(value)
    return value


def is_view(op: ir.Operation) -> bool:
    """Whether the op's result is a part of its first operand's memory, so that the op reads nothing."""
    return op.name.startswith("graph.") and view_offset(op) is not None


def is_view_or_row(op: ir.Operation) -> bool:
    """Whether the op only names a part of its first operand: a view, or a row of it that moves in a loop."""
    return op.name == tloop.Row.NAME or is_view(op)


def viewed_buffer(value: ir.Value) -> ir.Value:
    """Returns the value whose buffer holds this one: the operand before all views."""
    op = defining_op(value)
    while op is not None and is_view_or_row(op):
        value = op.operands[0]
        op = defining_op(value)
    return value
