"""Blocks that share the steps of all tiles equally (stream-K)."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import arith, ir, scf
from mlc.passes.accel.transforms.tile_sums import TileSums, add_sums, move, read_sums, workspace, write_sums
from mlc.passes.base import PassFailure
from mlc.passes.common.constants import index_constant as index


@dataclass(frozen=True)
class Shares:
    """How `blocks` share tiles of `count` steps each: `waves` tiles are all a block's, and the steps of the
    `rest`, the last ones, are shared. A block has `least` of these, and the first `more` blocks one more."""

    blocks: int
    count: int
    waves: int
    rest: int

    @staticmethod
    def of(tiles: int, count: int, blocks: int) -> Shares:
        """Each block has its part of one to two tiles, or of less where there are fewer."""
        waves = max(0, tiles // blocks - 1)
        return Shares(blocks, count, waves, tiles - waves * blocks)

    @property
    def least(self) -> int:
        return self.rest * self.count // self.blocks

    @property
    def more(self) -> int:
        return self.rest * self.count % self.blocks

    def first_step(self, block: ir.Value) -> ir.Value:
        """Of a block, counted through all tiles that are shared."""
        steps = arith.MulIOp(block, index(self.least)).result
        return arith.AddIOp(steps, arith.MinUIOp(block, index(self.more)).result).result

    def block_of(self, step: ir.Value) -> ir.Value:
        """The block that has a step."""
        longer = self.more * (self.least + 1)
        if not self.more:
            return arith.DivUIOp(step, index(self.least)).result
        among_first = arith.DivUIOp(step, index(self.least + 1)).result
        behind = arith.DivUIOp(arith.SubIOp(step, index(longer)).result, index(self.least)).result
        behind = arith.AddIOp(behind, index(self.more)).result
        is_first = arith.cmpi(arith.CmpIPredicate.ult, step, index(longer))
        return arith.SelectOp(is_first, among_first, behind).result


@dataclass(frozen=True)
class _Part:
    """A block's part of a tile: from one of its steps to another."""

    tile: ir.Value
    first: ir.Value
    end: ir.Value


def stream(sums: TileSums, blocks: int) -> None:
    """`blocks` blocks; in the workspace each has two tiles: number 2 b is that of block b which another one
    has begun, number 2 b + 1 the one that it begins itself."""
    shares = Shares.of(sums.tiles, sums.count, blocks)
    if blocks < 1 or not shares.least:
        raise PassFailure(
            f"{sums.tiles} tiles of {sums.count} steps are not enough for {blocks} blocks", sums.loop.location
        )
    finish = sums.copy()
    memory = workspace(sums, 2 * blocks, finish.launch)
    _compute(sums, shares, memory)
    _finish(finish, shares, memory)


def _compute(sums: TileSums, shares: Shares, memory: ir.Value) -> None:
    """One tile after the other; sums of whole ones are used at once."""
    ops = sums.ops
    behind = ops.index(sums.loop) + 1
    number, initial = sums.renumber(shares.blocks), sums.loop.operands[3]
    with ir.InsertionPoint.at_block_begin(sums.body):
        begin, end = (shares.first_step(each) for each in (number, arith.AddIOp(number, index(1)).result))
        first = arith.DivUIOp(begin, index(shares.count)).result
        last = arith.DivUIOp(arith.AddIOp(end, index(shares.count - 1)).result, index(shares.count)).result
        tiles = arith.SubIOp(last, first).result
        turns = arith.AddIOp(tiles, index(shares.waves)).result
    with ir.InsertionPoint(sums.body):
        outer = scf.ForOp(index(0), turns, index(1))
    with ir.InsertionPoint(outer.body):
        part = _part(shares, number, outer.induction_variable, first, (begin, end))
        sums.give_tile(part.tile)
        sums.run_from(part.first, part.end)
        move(ops[:behind], outer.body)
        steps = arith.SubIOp(part.end, part.first).result
        whole = arith.cmpi(arith.CmpIPredicate.eq, steps, index(shares.count))
        branch = scf.IfOp(whole, has_else=True).operation
        then, otherwise = (region.blocks[0] for region in branch.regions)
        scf.YieldOp([])
    result = sums.loop.results[0]
    with ir.InsertionPoint(then):
        total = sums.with_initial(result, initial)
        if total != result:
            result.replace_all_uses_except(total, [total.owner.operation])
        move(ops[behind:], then)
        scf.YieldOp([])
    with ir.InsertionPoint(otherwise):
        starts = arith.cmpi(arith.CmpIPredicate.eq, part.first, index(0))
        own = arith.SelectOp(starts, index(1), index(0)).result
        write_sums(memory, arith.AddIOp(arith.MulIOp(number, index(2)).result, own).result, result)
        scf.YieldOp([])


def _part(
    shares: Shares, number: ir.Value, turn: ir.Value, first: ir.Value, steps: tuple[ir.Value, ir.Value]
) -> _Part:
    """What a block does at one of its turns: tiles of its own, then the shared ones from `first` on, of which
    it has the `steps` from one to another."""
    shared = arith.AddIOp(first, turn).result
    if shares.waves:
        shared = arith.SubIOp(shared, index(shares.waves)).result
    start = arith.MulIOp(shared, index(shares.count)).result
    begin, end = (arith.SubIOp(each, start).result for each in steps)
    part = _Part(
        arith.AddIOp(shared, index(shares.waves * shares.blocks)).result,
        arith.MaxSIOp(begin, index(0)).result,
        arith.MinSIOp(end, index(shares.count)).result,
    )
    if not shares.waves:
        return part
    alone = arith.cmpi(arith.CmpIPredicate.ult, turn, index(shares.waves))
    own = arith.AddIOp(arith.MulIOp(turn, index(shares.blocks)).result, number).result
    pairs = ((own, part.tile), (index(0), part.first), (index(shares.count), part.end))
    return _Part(*(arith.SelectOp(alone, a, b).result for a, b in pairs))


def _finish(sums: TileSums, shares: Shares, memory: ir.Value) -> None:
    """A block for each tile whose steps were shared; those of which one block had all are done."""
    ops = sums.ops
    number = sums.renumber(shares.rest)
    with ir.InsertionPoint.at_block_begin(sums.body):
        tile = arith.AddIOp(number, index(shares.waves * shares.blocks)).result
        start = arith.MulIOp(number, index(shares.count)).result
        first = shares.block_of(start)
        last = shares.block_of(arith.AddIOp(start, index(shares.count - 1)).result)
        several = arith.cmpi(arith.CmpIPredicate.ne, first, last)
    sums.give_tile(tile)
    with ir.InsertionPoint(sums.body):
        branch = scf.IfOp(several)
    then = branch.operation.regions[0].blocks[0]
    move(ops, then)
    with ir.InsertionPoint(then):
        scf.YieldOp([])
    with ir.InsertionPoint(sums.loop):
        one, two = index(1), index(2)
        begun = arith.AddIOp(arith.MulIOp(first, two).result, one).result
        following, end = (arith.AddIOp(each, one).result for each in (first, last))
        loop = scf.ForOp(following, end, one, [read_sums(memory, begun)])
        with ir.InsertionPoint(loop.body):
            other = arith.MulIOp(loop.induction_variable, two).result
            scf.YieldOp([add_sums(loop.inner_iter_args[0], memory, other)])
        sums.finish_with(loop.operation.results[0])
