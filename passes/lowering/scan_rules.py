"""Sums along an axis up to each position, and the positions of extremes."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import arith, ir, linalg, scf, tensor
from mlc.passes.lowering.linalg_tools import (
    affine_map,
    constant,
    dims,
    empty,
    filled,
    generic,
    is_float,
    static_shape,
    tensor_type,
)
from mlc.passes.lowering.reduction_rules import highest, lowest, reduce
from mlc.passes.lowering.rule import rule
from mlc.passes.lowering.scalars import add, compare, convert, maximum, minimum, select


@rule("cumsum")
def lower_cumsum(op: ir.Operation) -> list[ir.Value]:
    """Loops over the other dims, and inside them one along the axis that carries the running total."""
    x, axis = op.operands[0], op.attributes["axis"].value
    shape, element = static_shape(x), tensor_type(x).element_type
    order = [*(dim for dim in range(len(shape)) if dim != axis), axis]

    def nest(depth: int, places: dict[int, ir.Value], result: ir.Value) -> ir.Value:
        if depth == len(shape) - 1:
            return _scan_line(op, places, result)
        extent = shape[order[depth]]
        return _loop(
            extent,
            [result],
            lambda place, carried: [nest(depth + 1, places | {order[depth]: place}, *carried)],
        )[0]

    return [nest(0, {}, empty(shape, element))]


def _total_type(element: ir.Type) -> ir.Type:
    return ir.F32Type.get() if is_float(element) and element.width == 16 else element


def _scan_line(op: ir.Operation, places: dict[int, ir.Value], result: ir.Value) -> ir.Value:
    """`result` with the sums of one line along the axis; `places` are the line's positions in the other dims.

    The running total of 16-bit floats is an f32.
    """
    x, axis = op.operands[0], op.attributes["axis"].value
    exclusive, reverse = bool(op.attributes["exclusive"].value), bool(op.attributes["reverse"].value)
    extent, element = static_shape(x)[axis], tensor_type(x).element_type
    total = _total_type(element)

    def step(index: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
        line, before = carried
        place = arith.subi(constant(ir.IndexType.get(), extent - 1), index) if reverse else index
        at = [place if dim == axis else places[dim] for dim in range(len(static_shape(x)))]
        after = add(before, convert(tensor.extract(x, at), total))
        return [tensor.insert(convert(before if exclusive else after, element), line, at), after]

    return _loop(extent, [result, constant(total, 0)], step)[0]


def _loop(
    extent: int, carried: list[ir.Value], body: Callable[[ir.Value, list[ir.Value]], list[ir.Value]]
) -> list[ir.Value]:
    """What `body(index, carried)` makes of `carried` in `extent` iterations."""
    low, high, step = (constant(ir.IndexType.get(), each) for each in (0, extent, 1))
    loop = scf.ForOp(low, high, step, carried)
    with ir.InsertionPoint(loop.body):
        scf.YieldOp(body(loop.induction_variable, list(loop.inner_iter_args)))
    return list(loop.results)


@rule("arg_max")
def lower_arg_max(op: ir.Operation) -> list[ir.Value]:
    return [_position(op, lowest, maximum)]


@rule("arg_min")
def lower_arg_min(op: ir.Operation) -> list[ir.Value]:
    return [_position(op, highest, minimum)]


def _position(
    op: ir.Operation,
    neutral: Callable[[ir.Type], float],
    combine: Callable[[ir.Value, ir.Value], ir.Value],
) -> ir.Value:
    """The extreme first, then the first or last position where it stands. NaN counts as the extreme, as
    in NumPy."""
    x, axis = op.operands[0], op.attributes["axis"].value
    keepdims, last = bool(op.attributes["keepdims"].value), bool(op.attributes["select_last_index"].value)
    shape, element = static_shape(x), tensor_type(x).element_type
    extreme = reduce(x, [axis], neutral(element), combine)
    kept = [dim for dim in range(len(shape)) if keepdims or dim != axis]
    count, searched = len(kept) + 1, len(kept)
    exprs = dims(count)
    read = [exprs[kept.index(dim)] if dim != axis else exprs[searched] for dim in range(len(shape))]
    peak = [
        exprs[kept.index(dim)] if dim != axis else ir.AffineExpr.get_constant(0) for dim in range(len(shape))
    ]
    position = ir.IntegerType.get_signless(64)

    def body(value: ir.Value, top: ir.Value, found: ir.Value) -> ir.Value:
        place = arith.index_cast(position, linalg.IndexOp(searched).result)
        here = _found(value, top)
        better = arith.maxsi(found, place) if last else arith.minsi(found, place)
        return select(here, better, found)

    return generic(
        [x, extreme],
        [affine_map(count, read), affine_map(count, peak)],
        filled([1 if dim == axis else shape[dim] for dim in kept], position, -1 if last else shape[axis]),
        affine_map(count, exprs[:searched]),
        body,
        reductions=[searched],
    )


def _found(value: ir.Value, top: ir.Value) -> ir.Value:
    same = compare("equal", value, top)
    return (
        arith.ori(same, arith.cmpf(arith.CmpFPredicate.UNO, value, value)) if is_float(value.type) else same
    )
