"""The primitive balance: tiles of a dynamic extent whose sizes differ by at most 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from mlc.bindings import affine, arith, ir, scf
from mlc.dialects import tloop
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import constant_value, index_constant
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import apply_patterns


def balance(op: ir.Operation, state: ScheduleState) -> None:
    """Lets the loop count tiles; its body gets a clone of the old one for each size that a tile may have."""
    handle = tloop.Balance(op).loop
    state.loop_tag(handle)
    for loop in map(scf.For, state.targets(handle)):
        step = constant_value(loop.step)
        if constant_value(loop.lower_bound) != 0 or step is None or step < 2:
            raise StepError("only a loop from 0, with a constant step above 1, has tiles to balance")
        _balance(loop, step)
    state.run(apply_patterns("canonicalization", "linalg.tiling_canonicalization"))


def _balance(loop: scf.For, step: int) -> None:
    body, end, location = loop.entry_block, loop.upper_bound, loop.operation.location
    statements = [op.operation for op in body.operations]
    with ir.InsertionPoint(loop.operation), location:
        # As few tiles as can be: the first `larger` ones have a point more than the others.
        tiles = arith.ceildivui(end, index_constant(step))
        small = arith.divui(end, arith.maxui(tiles, index_constant(1)))
        larger = arith.subi(end, arith.muli(small, tiles))
        one = index_constant(1)
        large = arith.addi(small, one)
    with ir.InsertionPoint.at_block_begin(body), location:
        tile = loop.induction_variable
        is_large = arith.cmpi(arith.CmpIPredicate.ult, tile, larger)
        start = arith.addi(arith.muli(tile, small), arith.minui(tile, larger))
        size = arith.select(is_large, large, small)
        sizes = ir.DenseI64ArrayAttr.get(tile_sizes(constant_value(end), step))
        types = [result.type for result in loop.results]
        switch = ir.Operation.create(
            scf.IndexSwitch.NAME, types, [size], {"cases": sizes}, regions=len(sizes) + 1
        )
    never, *cases = switch.regions
    with ir.InsertionPoint(never.blocks.append()):
        scf.YieldOp(loop.iteration_arguments)
    for region, points in zip(cases, sizes, strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            clone_for(statements, Tile(tile, start, points), end, step)
    for position, value in enumerate(switch.results):
        statements[-1].operands[position] = value
    for statement in reversed(statements[:-1]):
        statement.erase()
    loop.upper_bound, loop.step = tiles, one


def tile_sizes(extent: int | None, most: int) -> list[int]:
    """Returns the sizes that balanced tiles of at most `most` points have, the largest first: all up to
    `most` for a dynamic extent (None), else one or two.

    13 points in tiles of at most 6 are tiles of 5, 4 and 4.
    """
    if extent is None:
        return list(range(most, 0, -1))
    small, larger = divmod(extent, max(1, -(-extent // most)))
    return [small + 1, small] if larger else [small]


@dataclass(frozen=True)
class Tile:
    """The tile of a loop's body at `index`, to become one of `points` points at `start`."""

    index: ir.Value
    start: ir.Value
    points: int


def clone_for(
    statements: Sequence[ir.Operation],
    tile: Tile,
    end: ir.Value,
    step: int,
    given: Mapping[ir.Value, ir.Value] = MappingProxyType({}),
) -> None:
    """Clones a loop's body for the tile, whose size replaces the minimum of the step and the remainder.
    `given` are values to use in place of others."""
    values = {**given, tile.index: tile.start}
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
