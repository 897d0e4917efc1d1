"""Padding: a constant around a tensor, or elements of it repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import affine, arith, ir, linalg, tensor
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size, maximum
from mlc.passes.common.dynamic_dims import kernel_begin
from mlc.passes.common.linalg_builders import (
    affine_map,
    constant,
    dims,
    empty,
    index_value,
    insert,
    note_shape,
    static_shape,
    tensor_type,
)
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.rules.movement import gather_at


def background(op: ir.Operation, shape: Sequence[int], value: float) -> ir.Value:
    """Fills a tensor at the start of the kernel: what is inserted into it later can be computed in place."""
    element = tensor_type(graph.Pad(op).x).element_type
    with kernel_begin(op.block):
        return note_shape(linalg.fill(constant(element, value), outs=[empty(shape, element)]), shape)


@rule("pad")
def lower_pad(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.pad` to insertion into a filled tensor, or to reads of x at computed indices."""
    pad = graph.Pad(op)
    low = pad.low
    if not any((*low, *pad.high)):
        return [pad.x]
    if pad.mode != "constant":
        return [_pad_by_reading(op)]
    x, shape = pad.x, static_shape(pad.result)
    whole = _find_whole(x, shape, low)
    result = insert(whole, background(op, shape, pad.value), low)
    for dim, (kept, extent) in enumerate(zip(static_shape(x), static_shape(whole), strict=True)):
        if kept != extent:
            result = _fill_slice(result, dim, low[dim] + kept, extent - kept, pad.value)
    return [result]


def _find_whole(x: ir.Value, shape: Sequence[int], low: Sequence[int]) -> ir.Value:
    """Returns the tensor of which `x` is the first slice, if the kernel computes it and it fits into the
    padding; else `x`."""
    part = tensor.ExtractSlice.defining(x)
    if part is None:
        return x
    whole = part.source
    begins = not any(part.static_offsets) and set(part.static_strides) == {1}
    extents = zip(low, static_shape(whole), shape, strict=True)
    fits = all(first + extent <= total for first, extent, total in extents)
    return whole if begins and fits and not isinstance(whole.owner, ir.Block) else x


def _fill_slice(x: ir.Value, dim: int, first: int, count: int, value: float) -> ir.Value:
    """Writes `value` at `count` indices of a dim of `x` from `first` on."""
    offsets, sizes = [0] * len(static_shape(x)), static_shape(x)
    offsets[dim], sizes[dim] = first, count
    element = tensor_type(x).element_type
    part = note_shape(linalg.fill(constant(element, value), outs=[empty(sizes, element)]), sizes)
    return insert(part, x, offsets)


def _pad_by_reading(op: ir.Operation) -> ir.Value:
    """Pads by edge, reflect or wrap: every element of the result is one of `x`. Rows that are padded have
    parts, of which the one in the middle is read as it is."""
    pad = graph.Pad(op)
    x, shape = pad.x, static_shape(pad.result)
    low, high, extent = pad.low[-1], pad.high[-1], static_shape(x)[-1]
    if min(low, high) < 0 or not (low or high):
        return _read_columns(op, shape, 0, inside=not (low or high))
    result = empty(shape, tensor_type(x).element_type)
    for first, count, inside in ((0, low, False), (low, extent, True), (low + extent, high, False)):
        if count != 0:
            part = _read_columns(op, [*shape[:-1], count], first, inside)
            result = insert(part, result, [0] * (len(shape) - 1) + [first])
    return result


def _read_columns(op: ir.Operation, shape: Sequence[int], first: int, inside: bool) -> ir.Value:
    """Builds the columns of a padded tensor from `first` on, `shape` in all; those `inside` are columns of
    `x` in their order."""
    pad, source_index = graph.Pad(op), _SOURCE_INDEX[graph.Pad(op).mode]
    extents = static_shape(pad.x)

    def coordinates(indices: list[ir.Value]) -> list[ir.Value]:
        *rows, column = indices
        read = [
            index if extent == total else source_index(index, begin, extent)
            for index, begin, extent, total in zip(rows, pad.low, extents, shape, strict=False)
        ]
        if not inside:
            start = constant(column.type, first)
            column = source_index(arith.addi(column, start), pad.low[-1], extents[-1])
        return [*read, column]

    return gather_at(pad.x, shape, coordinates)


def _apply(expression: ir.AffineExpr, index: ir.Value) -> ir.Value:
    """Evaluates the affine `expression` in d0 at `index`."""
    return affine.AffineApplyOp(affine_map(1, [expression]), [index]).result


def _edge_index(index: ir.Value, begin: int, extent: int) -> ir.Value:
    index_type = ir.IndexType.get()
    source = _apply(dims(1)[0] - begin, index)
    return arith.minsi(arith.maxsi(source, constant(index_type, 0)), constant(index_type, extent - 1))


def _modulo(index: ir.Value, begin: int, period: int | Size) -> ir.Value:
    """`index - begin` modulo `period`, never negative; a period is at least 1."""
    if isinstance(period, int):
        return _apply(ir.AffineExpr.get_mod(dims(1)[0] - begin, period), index)
    index_type = ir.IndexType.get()
    divisor, zero = constant(index_type, period), constant(index_type, 0)
    rest = arith.remsi(arith.subi(index, constant(index_type, begin)), divisor)
    negative = arith.cmpi(arith.CmpIPredicate.slt, rest, zero)
    return arith.select(negative, arith.addi(rest, divisor), rest)


def _reflect_index(index: ir.Value, begin: int, extent: int) -> ir.Value:
    """Runs forth and back with period 2 (extent - 1)."""
    period = maximum(1, 2 * (extent - 1))
    source = _modulo(index, begin, period)
    # One element, with index 0 and period 1, has no reflection.
    if extent == 1:
        return source
    return arith.minsi(source, arith.subi(index_value(period), source))


def _wrap_index(index: ir.Value, begin: int, extent: int) -> ir.Value:
    return _modulo(index, begin, extent)


# The index along a dim of the source for an index of the result, the padding before, and the source's extent.
_SOURCE_INDEX: dict[str, Callable[[ir.Value, int, int], ir.Value]] = {
    "edge": _edge_index,
    "reflect": _reflect_index,
    "wrap": _wrap_index,
}
