"""Padding: numbers around a tensor, or places of it once more."""

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
from mlc.passes.lowering.common.rule import integers, rule
from mlc.passes.lowering.rules.movement import gather_at


def background(op: ir.Operation, shape: Sequence[int], value: float) -> ir.Value:
    """A filled tensor at the kernel's start: what is written into it later can be computed in place there."""
    element = tensor_type(op.operands[0]).element_type
    with kernel_begin(op.block):
        return note_shape(linalg.fill(constant(element, value), outs=[empty(shape, element)]), shape)


@rule("pad")
def lower_pad(op: ir.Operation) -> list[ir.Value]:
    pad = graph.Pad(op)
    mode, low = pad.mode, integers(op, "low")
    if mode != "constant":
        return [_pad_by_reading(op, mode, low)]
    x, shape = pad.x, static_shape(pad.result)
    whole = _whole_behind(x, shape, low)
    result = insert(whole, background(op, shape, pad.value), low)
    for dim, (kept, extent) in enumerate(zip(static_shape(x), static_shape(whole), strict=True)):
        if kept != extent:
            result = _cleared(result, dim, low[dim] + kept, extent - kept, pad.value)
    return [result]


def _whole_behind(x: ir.Value, shape: Sequence[int], low: Sequence[int]) -> ir.Value:
    """What x is a beginning of, if it is computed here and there is room for it in the padding; else x."""
    owner = x.owner
    if isinstance(owner, ir.Block) or owner.name != tensor.ExtractSlice.NAME:
        return x
    whole = tensor.ExtractSlice(owner).source
    begins = not any(owner.attributes["static_offsets"]) and set(owner.attributes["static_strides"]) == {1}
    places = zip(low, static_shape(whole), shape, strict=True)
    fits = all(first + extent <= total for first, extent, total in places)
    return whole if begins and fits and not isinstance(whole.owner, ir.Block) else x


def _cleared(x: ir.Value, dim: int, first: int, count: int, value: float) -> ir.Value:
    """x with the padding's value in `count` places of a dim from `first` on."""
    offsets, sizes = [0] * len(static_shape(x)), static_shape(x)
    offsets[dim], sizes[dim] = first, count
    element = tensor_type(x).element_type
    part = note_shape(linalg.fill(constant(element, value), outs=[empty(sizes, element)]), sizes)
    return insert(part, x, offsets)


def _pad_by_reading(op: ir.Operation, mode: str, low: Sequence[int]) -> ir.Value:
    """Edge, reflect and wrap: every place of the result reads some place of x."""
    x, shape = op.operands[0], static_shape(op.results[0])
    extents = static_shape(x)

    def places(indices: list[ir.Value]) -> list[ir.Value]:
        return [
            index if extent == total else PADDING_PLACES[mode](index, begin, extent)
            for index, begin, extent, total in zip(indices, low, extents, shape, strict=True)
        ]

    return gather_at(x, shape, places)


def _place(index: ir.Value, expression: ir.AffineExpr) -> ir.Value:
    """The affine `expression` in d0 at `index`."""
    return affine.AffineApplyOp(affine_map(1, [expression]), [index]).result


def _edge_place(index: ir.Value, begin: int, extent: int) -> ir.Value:
    kind = ir.IndexType.get()
    place = _place(index, dims(1)[0] - begin)
    return arith.minsi(arith.maxsi(place, constant(kind, 0)), constant(kind, extent - 1))


def _modulo(index: ir.Value, begin: int, period: int | Size) -> ir.Value:
    """`index - begin` modulo a number of at least 1, never negative."""
    if isinstance(period, int):
        return _place(index, ir.AffineExpr.get_mod(dims(1)[0] - begin, period))
    kind = ir.IndexType.get()
    divisor, zero = constant(kind, period), constant(kind, 0)
    rest = arith.remsi(arith.subi(index, constant(kind, begin)), divisor)
    negative = arith.cmpi(arith.CmpIPredicate.slt, rest, zero)
    return arith.select(negative, arith.addi(rest, divisor), rest)


def _reflected_place(index: ir.Value, begin: int, extent: int) -> ir.Value:
    """Forth and back with period 2 (extent - 1)."""
    period = maximum(1, 2 * (extent - 1))
    place = _modulo(index, begin, period)
    # Of one element, where the place is 0 and the period 1, there is no other side.
    if extent == 1:
        return place
    return arith.minsi(place, arith.subi(index_value(period), place))


def _wrapped_place(index: ir.Value, begin: int, extent: int) -> ir.Value:
    return _modulo(index, begin, extent)


PADDING_PLACES: dict[str, Callable[[ir.Value, int, int], ir.Value]] = {
    "edge": _edge_place,
    "reflect": _reflected_place,
    "wrap": _wrapped_place,
}
