"""Sums and products along an axis up to each position, and the positions of extremes."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import arith, ir, linalg, tensor
from mlc.dialects import graph
from mlc.passes.common.constants import i64
from mlc.passes.common.linalg_builders import (
    affine_map,
    constant,
    dims,
    empty,
    full_tensor,
    generic,
    index_value,
    is_float,
    static_shape,
    tensor_type,
)
from mlc.passes.common.loop_builders import Carried, Indices, loop, nest
from mlc.passes.lowering.common.conversions import convert
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import add, compare, maximum, minimum, mul, select
from mlc.passes.lowering.rules.reduction import Combine, highest, lowest, reduce


@rule("cumsum")
def lower_cumsum(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.cumsum` to loops with a running sum along the axis."""
    return [_scan(op, 0, add)]


@rule("cumprod")
def lower_cumprod(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.cumprod` to loops with a running product along the axis."""
    return [_scan(op, 1, mul)]


def _scan(op: ir.Operation, neutral: int, combine: Combine) -> ir.Value:
    """Loops over the other dims, with an inner loop along the axis that carries the running total.

    The total of 16-bit floats is an f32.
    """
    cumulation = graph.Cumulation(op)
    x, axis, exclusive, reverse = cumulation.x, cumulation.axis, cumulation.exclusive, cumulation.reverse
    shape, element = static_shape(x), tensor_type(x).element_type
    total = ir.F32Type.get() if is_float(element) and element.width == 16 else element

    def line(indices: Indices, carried: Carried) -> Carried:
        def step(index: ir.Value, values: Carried) -> Carried:
            result, before = values
            position = arith.subi(index_value(shape[axis] - 1), index) if reverse else index
            at = [position if dim == axis else indices[dim] for dim in range(len(shape))]
            after = combine(before, convert(tensor.extract(x, at), total))
            return [tensor.insert(convert(before if exclusive else after, element), result, at), after]

        return loop(shape[axis], [*carried, constant(total, neutral)], step)[:1]

    others = {dim: extent for dim, extent in enumerate(shape) if dim != axis}
    return nest(others, [empty(shape, element)], line)[0]


@rule("arg_max")
def lower_arg_max(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.arg_max` to `linalg.generic`s: a maximum, then a search for its position."""
    return [_position(op, lowest, maximum)]


@rule("arg_min")
def lower_arg_min(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.arg_min` to `linalg.generic`s: a minimum, then a search for its position."""
    return [_position(op, highest, minimum)]


def _position(
    op: ir.Operation,
    neutral: Callable[[ir.Type], float],
    combine: Combine,
) -> ir.Value:
    """Computes the extreme element, then its first or last position. NaN counts as the extreme, as in
    NumPy."""
    reduction = graph.ArgReduction(op)
    x, axis, keepdims, last = reduction.x, reduction.axis, reduction.keepdims, reduction.select_last_index
    shape, element = static_shape(x), tensor_type(x).element_type
    extreme = reduce(x, [axis], neutral(element), combine)
    kept = [dim for dim in range(len(shape)) if keepdims or dim != axis]
    count, searched = len(kept) + 1, len(kept)
    exprs = dims(count)
    read = [exprs[kept.index(dim)] if dim != axis else exprs[searched] for dim in range(len(shape))]
    peak = [
        exprs[kept.index(dim)] if dim != axis else ir.AffineExpr.get_constant(0) for dim in range(len(shape))
    ]
    position = i64()

    def body(value: ir.Value, top: ir.Value, found: ir.Value) -> ir.Value:
        index = arith.index_cast(position, linalg.IndexOp(searched).result)
        here = _equals_or_nan(value, top)
        better = arith.maxsi(found, index) if last else arith.minsi(found, index)
        return select(here, better, found)

    return generic(
        [x, extreme],
        [affine_map(count, read), affine_map(count, peak)],
        full_tensor(
            [1 if dim == axis else shape[dim] for dim in kept], position, -1 if last else shape[axis]
        ),
        affine_map(count, exprs[:searched]),
        body,
        reductions=[searched],
    )


def _equals_or_nan(value: ir.Value, top: ir.Value) -> ir.Value:
    equal = compare("equal", value, top)
    if not is_float(value.type):
        return equal
    return arith.ori(equal, arith.cmpf(arith.CmpFPredicate.UNO, value, value))
