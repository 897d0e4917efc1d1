"""Blocked layouts: tiles are read from the places where their elements lie."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import affine, arith, ir, linalg, tensor
from mlc.passes.common.linalg_builders import (
    affine_map,
    constant,
    dims,
    empty,
    generic,
    static_shape,
    tensor_type,
)
from mlc.passes.lowering.common.rule import integers, rule
from mlc.passes.lowering.rules.movement import gather_by_map


@rule("pack")
def lower_pack(op: ir.Operation) -> list[ir.Value]:
    x, shape = op.operands[0], static_shape(op.results[0])
    inner_dims, tiles = integers(op, "inner_dims"), integers(op, "inner_tiles")
    source = static_shape(x)
    order = integers(op, "outer_permutation") or list(range(len(source)))
    exprs = dims(len(shape))
    read = [exprs[order.index(axis)] for axis in range(len(source))]
    padded = list(source)
    for place, (axis, tile) in enumerate(zip(inner_dims, tiles, strict=True)):
        read[axis] = read[axis] * tile + exprs[len(source) + place]
        padded[axis] = -(-source[axis] // tile) * tile
    if padded == source:
        return [gather_by_map(x, shape, read)]
    return [_gather_padded(x, shape, read, op.attributes["padding"].value)]


@rule("unpack")
def lower_unpack(op: ir.Operation) -> list[ir.Value]:
    shape = static_shape(op.results[0])
    inner_dims, tiles = integers(op, "inner_dims"), integers(op, "inner_tiles")
    order = integers(op, "outer_permutation") or list(range(len(shape)))
    outer = dims(len(shape))
    inner = []
    for axis, tile in zip(inner_dims, tiles, strict=True):
        inner.append(ir.AffineExpr.get_mod(outer[axis], tile))
        outer[axis] = ir.AffineExpr.get_floor_div(outer[axis], tile)
    return [gather_by_map(op.operands[0], shape, [*(outer[axis] for axis in order), *inner])]


def _gather_padded(
    source: ir.Value, result: Sequence[int], read: Sequence[ir.AffineExpr], padding: float
) -> ir.Value:
    """Like `gather_by_map`, with `padding` where `read` lies beyond the end of `source`."""
    extents, element, count = static_shape(source), tensor_type(source).element_type, len(result)
    index_type = ir.IndexType.get()

    def body(_old: ir.Value) -> ir.Value:
        indices = [linalg.IndexOp(dim).result for dim in range(count)]
        inside, places = constant(ir.IntegerType.get_signless(1), 1), []
        for expression, extent in zip(read, extents, strict=True):
            place = affine.AffineApplyOp(affine_map(count, [expression]), indices).result
            last = constant(index_type, extent - 1)
            inside = arith.andi(inside, arith.cmpi(arith.CmpIPredicate.sle, place, last))
            places.append(arith.minsi(place, last))
        return arith.select(inside, tensor.extract(source, places), constant(element, padding))

    return generic([], [], empty(result, element), affine_map(count, dims(count)), body)
