"""Loops over tiles of a dynamic extent, whose body is cloned for each size that a tile may have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlc.bindings import affine, ir, scf
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import constant_value, index_constant


def switch_sizes(
    loop: scf.For,
    tiles: ir.Value,
    sizes: Sequence[int],
    bounds: Callable[[ir.Value], tuple[ir.Value, ir.Value]],
) -> None:
    """Lets a loop from 0 count its tiles. `bounds` builds the first point and the size, one of `sizes`, of
    the tile of an index; the body gets a clone of the old one for each size."""
    body, end, step = loop.entry_block, loop.upper_bound, constant_value(loop.step)
    assert step is not None
    statements = [op.operation for op in body.operations]
    with ir.InsertionPoint.at_block_begin(body), loop.operation.location:
        tile = loop.induction_variable
        start, size = bounds(tile)
        types = [result.type for result in loop.results]
        cases = {"cases": ir.DenseI64ArrayAttr.get(list(sizes))}
        switch = ir.Operation.create(scf.IndexSwitch.NAME, types, [size], cases, regions=len(sizes) + 1)
    never, *regions = switch.regions
    with ir.InsertionPoint(never.blocks.append()):
        scf.YieldOp(loop.iteration_arguments)
    for region, points in zip(regions, sizes, strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            _clone_for(statements, _Tile(tile, start, points), end, step)
    for position, value in enumerate(switch.results):
        statements[-1].operands[position] = value
    for statement in reversed(statements[:-1]):
        statement.erase()
    with ir.InsertionPoint(loop.operation), loop.operation.location:
        loop.upper_bound, loop.step = tiles, index_constant(1)


@dataclass(frozen=True)
class _Tile:
    """The tile of a loop's body at `index`, to become one of `points` points at `start`."""

    index: ir.Value
    start: ir.Value
    points: int


def _clone_for(statements: Sequence[ir.Operation], tile: _Tile, end: ir.Value, step: int) -> None:
    """Clones a loop's body for the tile, whose size replaces the minimum of the step and the remainder."""
    values = {tile.index: tile.start}
    for op in statements:
        minimum = affine.AffineMin.match(op)
        if minimum is not None and _is_rest(minimum, tile.index, end, step):
            values[op.result] = index_constant(tile.points)
        elif op.name == scf.Yield.NAME:
            scf.YieldOp([values.get(operand, operand) for operand in op.operands])
        else:
            clone_ops([op], values)


def _is_rest(minimum: affine.AffineMin, index: ir.Value, end: ir.Value, step: int) -> bool:
    """Whether `minimum` is that of the step and of the rest of the loop's range at `index`. A constant end is
    part of the map, others are operands."""
    found, operands = minimum.map, list(minimum.operands)
    inputs = [ir.AffineExpr.get_dim(i) for i in range(found.n_dims)]
    inputs += [ir.AffineExpr.get_symbol(i) for i in range(found.n_symbols)]
    extent = constant_value(end)
    of_operand = dict(zip(operands, inputs, strict=True))
    last = of_operand.get(end) if extent is None else ir.AffineExpr.get_constant(extent)
    if last is None or set(operands) != {index, *([end] if extent is None else [])}:
        return False
    wanted = [last - of_operand[index], ir.AffineExpr.get_constant(step)]
    return bool(found == ir.AffineMap.get(found.n_dims, found.n_symbols, wanted))
