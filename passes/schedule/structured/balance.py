"""`balance` of loops over tiles of as many points as only running tells: tiles as equal as can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import affine, arith, ir, scf
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import constant_value, index_constant
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import apply_patterns


def balance(op: ir.Operation, state: ScheduleState) -> None:
    """The loop counts tiles; in its body stands a copy of the old one for each size that a tile may have."""
    state.loop_tag(op.operands[0])
    for loop in state.targets(op.operands[0]):
        step = constant_value(loop.operands[2])
        if constant_value(loop.operands[0]) != 0 or step is None or step < 2:
            raise StepError("only a loop from 0, with a constant step above 1, has tiles to balance")
        _balance(loop, step)
    state.run(apply_patterns("canonicalization", "linalg.tiling_canonicalization"))


def _balance(loop: ir.Operation, step: int) -> None:
    body, end = loop.regions[0].blocks[0], loop.operands[1]
    statements = [op.operation for op in body.operations]
    with ir.InsertionPoint(loop), loop.location:
        # As few tiles as can be: the first `larger` ones have a point more than the others.
        tiles = arith.ceildivui(end, index_constant(step))
        small = arith.divui(end, arith.maxui(tiles, index_constant(1)))
        larger = arith.subi(end, arith.muli(small, tiles))
        one = index_constant(1)
        large = arith.addi(small, one)
    with ir.InsertionPoint.at_block_begin(body), loop.location:
        tile = body.arguments[0]
        is_large = arith.cmpi(arith.CmpIPredicate.ult, tile, larger)
        start = arith.addi(arith.muli(tile, small), arith.minui(tile, larger))
        size = arith.select(is_large, large, small)
        sizes = ir.DenseI64ArrayAttr.get(list(range(step, 0, -1)))
        kinds = [result.type for result in loop.results]
        switch = ir.Operation.create(scf.IndexSwitch.NAME, kinds, [size], {"cases": sizes}, regions=step + 1)
    never, *cases = switch.regions
    with ir.InsertionPoint(never.blocks.append()):
        scf.YieldOp(list(body.arguments)[1:])
    for region, points in zip(cases, sizes, strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            _clone_for(statements, _Tile(tile, start, points), end, step)
    for place, value in enumerate(switch.results):
        statements[-1].operands[place] = value
    for statement in reversed(statements[:-1]):
        statement.erase()
    loop.operands[1], loop.operands[2] = tiles, one


@dataclass(frozen=True)
class _Tile:
    """The tile that a loop's body has at `index`, to be one of `points` points at `start`."""

    index: ir.Value
    start: ir.Value
    points: int


def _clone_for(statements: Sequence[ir.Operation], tile: _Tile, end: ir.Value, step: int) -> None:
    """Clones a loop's body for the tile: its size is not the minimum of the step and what is left."""
    values = {tile.index: tile.start}
    for op in statements:
        if op.name == affine.AffineMin.NAME and _is_rest(op, tile.index, end, step):
            values[op.results[0]] = index_constant(tile.points)
        elif op.name == scf.Yield.NAME:
            scf.YieldOp([values.get(operand, operand) for operand in op.operands])
        else:
            clone_ops([op], values)


def _is_rest(op: ir.Operation, index: ir.Value, end: ir.Value, step: int) -> bool:
    """Whether `op` is the minimum of the step and of what is left of the loop's range at `index`."""
    found, operands = op.attributes["map"].value, list(op.operands)
    if len(operands) != 2 or index not in operands or end not in operands:
        return False
    places = [ir.AffineExpr.get_dim(i) for i in range(found.n_dims)]
    places += [ir.AffineExpr.get_symbol(i) for i in range(found.n_symbols)]
    rest = places[operands.index(end)] - places[operands.index(index)]
    wanted = [rest, ir.AffineExpr.get_constant(step)]
    return bool(found == ir.AffineMap.get(found.n_dims, found.n_symbols, wanted))
