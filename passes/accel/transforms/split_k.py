"""accel-split-k: blocks share the reductions of tiles.

Blocks that share the steps of all tiles equally (stream-K).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import arith, ir, scf
from mlc.passes.accel.transforms.tile_sums import (
    MOST_WARPS,
    TileSums,
    add_sums,
    move,
    read_sums,
    workspace,
    write_sums,
)
from mlc.passes.base import Pass, PassError
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import collect_ops


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
        raise PassError(
            f"{sums.tiles} tiles of {sums.count} steps are not enough for {blocks} blocks", sums.loop.location
        )
    finish = sums.copy()
    memory = workspace(sums, 2 * blocks, finish.launch)
    _compute(sums, shares, memory)
    _finish_shares(finish, shares, memory)


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
    begin, end = (arith.SubIOp(step, start).result for step in steps)
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


def _finish_shares(sums: TileSums, shares: Shares, memory: ir.Value) -> None:
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


# On a loop over the steps of a tile: the parts that are a block each, or the blocks that share all steps.
SPLIT_K, STREAM_K = "accel.split_k", "accel.stream_k"
# Sums of all parts of a tile that registers of 8 warps hold beside what follows the product: 192 a thread.
MOST_ON_THEIR_WAY = 192 * 256


@dataclass(frozen=True)
class SplitK(Pass):
    """Has several blocks share the reduction of a tile, where a loop that adds to its sums asks for it.

    `accel.split_k = n` makes n parts of the loop's steps, with a block for each part of each tile. With
    `accel.stream_k = n` there are n blocks, which share the steps of all tiles. Each has as many as any
    other, up to one, and it shares its first and its last tile with others. While every block can have two
    tiles or more to itself, it has these first (stream-K: Osama et al., "Stream-K: Work-centric Parallel
    Decomposition for Dense Matrix-Matrix Multiplication on the GPU", PPoPP 2023).

    Sums that are not a tile's whole ones go to a workspace, memory of the kernel (`memref.alloc` with
    `tloop.workspace`). A second launch adds them, in the order of the steps, so that each run gives the same
    numbers, and does what comes behind the loop.
    """

    name: ClassVar[str] = "accel-split-k"

    def run(self, op: ir.Operation) -> bool:
        changed = False
        for loop in collect_ops(op, scf.For.NAME):
            for name, share in ((SPLIT_K, split), (STREAM_K, stream)):
                if name in loop.attributes:
                    count = ir.IntegerAttr(loop.attributes[name]).value
                    del loop.attributes[name]
                    with loop.location:
                        share(TileSums.of(loop), count)
                    self.count(name.removeprefix("accel."), help="launches whose blocks share tiles")
                    changed = True
        return changed


def split(sums: TileSums, parts: int) -> None:
    """A block for each of `parts` of each tile; number p T + t is for part p of tile t of T."""
    if not 2 <= parts <= sums.count:
        raise PassError(f"{sums.count} steps cannot be split into {parts} parts", sums.loop.location)
    finish = sums.copy()
    memory = workspace(sums, parts * sums.tiles, finish.launch)
    number = sums.renumber(parts * sums.tiles)
    with ir.InsertionPoint.at_block_begin(sums.body):
        sums.give_tile(arith.RemUIOp(number, index(sums.tiles)).result)
        part = arith.DivUIOp(number, index(sums.tiles)).result
        following = arith.AddIOp(part, index(1)).result
        sums.run_from(*(_first_step(sums, each, parts) for each in (part, following)))
    ops = sums.ops
    for op in reversed(ops[ops.index(sums.loop) + 1 :]):
        op.erase()
    with ir.InsertionPoint(sums.body):
        write_sums(memory, number, sums.loop.results[0])
    _finish(finish, parts, memory)


def _first_step(sums: TileSums, part: ir.Value, parts: int) -> ir.Value:
    """Of a part: all have as many steps as any other, up to one."""
    if sums.count % parts == 0:
        return arith.MulIOp(part, index(sums.count // parts)).result
    return arith.DivUIOp(arith.MulIOp(part, index(sums.count)).result, index(parts)).result


def _finish(sums: TileSums, parts: int, memory: ir.Value) -> None:
    """A block for each tile, which adds its parts: all on their way at the same time where the registers of
    the threads have room for them, else one after the other."""
    tile = sums.body.arguments[0]
    with ir.InsertionPoint(sums.loop):
        total = read_sums(memory, tile)
        if parts * prod(sums.kind.shape) > MOST_ON_THEIR_WAY:
            sums.finish_with(_add_in_turn(sums, parts, memory, total), 2 * MOST_WARPS)
            return
        for part in range(1, parts):
            number = arith.AddIOp(tile, index(part * sums.tiles)).result
            total = add_sums(total, memory, number)
        sums.finish_with(total)


def _add_in_turn(sums: TileSums, parts: int, memory: ir.Value, first: ir.Value) -> ir.Value:
    loop = scf.ForOp(index(1), index(parts), index(1), [first])
    with ir.InsertionPoint(loop.body):
        distance = arith.MulIOp(loop.induction_variable, index(sums.tiles)).result
        number = arith.AddIOp(sums.body.arguments[0], distance).result
        scf.YieldOp([add_sums(loop.inner_iter_args[0], memory, number)])
    return loop.operation.results[0]
