"""Sums along an axis up to each position, and the positions of extremes."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import arith, ir, linalg
from mlc.passes.lowering.linalg_tools import (
    affine_map,
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
from mlc.passes.lowering.scalars import add, compare, maximum, minimum, select


@rule("cumsum")
def lower_cumsum(op: ir.Operation) -> list[ir.Value]:
    """One op with two results, the sums and the running total; its iterations along the axis run in order,
    since the axis is a reduction of the running total."""
    x, axis = op.operands[0], op.attributes["axis"].value
    exclusive, reverse = bool(op.attributes["exclusive"].value), bool(op.attributes["reverse"].value)
    shape, element = static_shape(x), tensor_type(x).element_type
    count = len(shape)
    places, outer = dims(count), [dim for dim in range(count) if dim != axis]
    if reverse:
        places[axis] = ir.AffineExpr.get_constant(shape[axis] - 1) - places[axis]
    total = filled([shape[dim] for dim in outer], element, 0)
    # Read by nobody: it tells the extent of the axis, which no other operand has as a dim of its own.
    extent = empty([shape[axis]], element)
    maps = [
        affine_map(count, places),
        affine_map(count, [dims(count)[axis]]),
        affine_map(count, places),
        affine_map(count, [dims(count)[dim] for dim in outer]),
    ]
    kinds = ["reduction" if dim == axis else "parallel" for dim in range(count)]
    outputs = [empty(shape, element), total]
    scan = linalg.GenericOp(
        [output.type for output in outputs],
        [x, extent],
        outputs,
        ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps]),
        ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in kinds]),
    )
    block = scan.regions[0].blocks.append(*[element] * 4)
    with ir.InsertionPoint(block):
        value, _extent, _old, before = block.arguments
        after = add(before, value)
        linalg.YieldOp([before if exclusive else after, after])
    return [scan.results[0]]


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
