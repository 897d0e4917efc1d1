"""accel-split-k: thread blocks share the reduction of each tile (split-K), or the steps of all tiles
(stream-K)."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import arith, ir, scf
from mlc.passes.accel.common.shared_reductions import (
    MOST_WARPS,
    SharedReduction,
    add_partial,
    move,
    read_partial,
    workspace,
    write_partial,
)
from mlc.passes.base import Pass, PassError
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import collect_ops


@dataclass(frozen=True)
class Shares:
    """The distribution of tiles of `count` steps each to `blocks` blocks: a block computes all of `waves`
    tiles, and shares the steps of the `rest`, the last tiles. It has `steps_per_block` of these, the
    first `remainder` blocks one more."""

    blocks: int
    count: int
    waves: int
    rest: int

    @staticmethod
    def of(tiles: int, count: int, blocks: int) -> Shares:
        """Returns the shares in which a block shares steps of one to two tiles, or of less if there are fewer
        tiles."""
        waves = max(0, tiles // blocks - 1)
        return Shares(blocks, count, waves, tiles - waves * blocks)

    @property
    def steps_per_block(self) -> int:
        """The least number of shared steps of a block."""
        return self.rest * self.count // self.blocks

    @property
    def remainder(self) -> int:
        """The number of blocks that have one more shared step."""
        return self.rest * self.count % self.blocks

    def first_step(self, block: ir.Value) -> ir.Value:
        """Builds the first shared step of a block, counted through all shared tiles."""
        steps = arith.MulIOp(block, index(self.steps_per_block)).result
        return arith.AddIOp(steps, arith.MinUIOp(block, index(self.remainder)).result).result

    def block_of(self, step: ir.Value) -> ir.Value:
        """Builds the index of the block that has a shared step."""
        longer = self.remainder * (self.steps_per_block + 1)
        if not self.remainder:
            return arith.DivUIOp(step, index(self.steps_per_block)).result
        among_first = arith.DivUIOp(step, index(self.steps_per_block + 1)).result
        among_others = arith.DivUIOp(
            arith.SubIOp(step, index(longer)).result, index(self.steps_per_block)
        ).result
        among_others = arith.AddIOp(among_others, index(self.remainder)).result
        is_first = arith.cmpi(arith.CmpIPredicate.ult, step, index(longer))
        return arith.SelectOp(is_first, among_first, among_others).result


@dataclass(frozen=True)
class _Part:
    """A block's part of a tile: the steps from `first` to `end`."""

    tile: ir.Value
    first: ir.Value
    end: ir.Value


def stream(sums: SharedReduction, blocks: int) -> None:
    """Distributes the steps of all tiles to `blocks` blocks. Block b has two tiles in the workspace: tile 2 b
    if another block has begun the tile, tile 2 b + 1 if it begins the tile itself."""
    shares = Shares.of(sums.tiles, sums.count, blocks)
    if blocks < 1 or not shares.steps_per_block:
        raise PassError(
            f"{sums.tiles} tiles of {sums.count} steps are not enough for {blocks} blocks", sums.loop.location
        )
    finish = sums.copy()
    memory = workspace(sums, 2 * blocks, finish.launch)
    _compute(sums, shares, memory)
    _finish_shares(finish, shares, memory)


def _compute(sums: SharedReduction, shares: Shares, memory: ir.Value) -> None:
    """Builds the loop over a block's tiles; accumulators with all steps of a tile are used at once."""
    ops = sums.ops
    after = ops.index(sums.loop) + 1
    block, (initial,) = sums.set_blocks(shares.blocks), scf.For(sums.loop).init_args
    with ir.InsertionPoint.at_block_begin(sums.body):
        begin, end = (shares.first_step(b) for b in (block, arith.AddIOp(block, index(1)).result))
        first = arith.DivUIOp(begin, index(shares.count)).result
        last = arith.DivUIOp(arith.AddIOp(end, index(shares.count - 1)).result, index(shares.count)).result
        tiles = arith.SubIOp(last, first).result
        tiles = arith.AddIOp(tiles, index(shares.waves)).result
    with ir.InsertionPoint(sums.body):
        outer = scf.ForOp(index(0), tiles, index(1))
    with ir.InsertionPoint(outer.body):
        part = _part(shares, block, outer.induction_variable, first, (begin, end))
        sums.set_tile(part.tile)
        sums.restrict_to(part.first, part.end)
        move(ops[:after], outer.body)
        steps = arith.SubIOp(part.end, part.first).result
        whole = arith.cmpi(arith.CmpIPredicate.eq, steps, index(shares.count))
        branch = scf.IfOp(whole, has_else=True).operation
        then, otherwise = (region.blocks[0] for region in branch.regions)
        scf.YieldOp([])
    result = sums.result
    with ir.InsertionPoint(then):
        total = sums.with_initial(result, initial)
        if total != result:
            result.replace_all_uses_except(total, [total.owner.operation])
        move(ops[after:], then)
        scf.YieldOp([])
    with ir.InsertionPoint(otherwise):
        starts = arith.cmpi(arith.CmpIPredicate.eq, part.first, index(0))
        begun = arith.SelectOp(starts, index(1), index(0)).result
        write_partial(memory, arith.AddIOp(arith.MulIOp(block, index(2)).result, begun).result, result)
        scf.YieldOp([])


def _part(
    shares: Shares, block: ir.Value, iteration: ir.Value, first: ir.Value, steps: tuple[ir.Value, ir.Value]
) -> _Part:
    """Builds the part of a block in an iteration over its tiles: first those that it computes alone, then the
    shared ones from `first` on, of which it has the `steps` from one to another."""
    shared = arith.AddIOp(first, iteration).result
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
    alone = arith.cmpi(arith.CmpIPredicate.ult, iteration, index(shares.waves))
    own = arith.AddIOp(arith.MulIOp(iteration, index(shares.blocks)).result, block).result
    pairs = ((own, part.tile), (index(0), part.first), (index(shares.count), part.end))
    return _Part(*(arith.SelectOp(alone, a, b).result for a, b in pairs))


def _finish_shares(sums: SharedReduction, shares: Shares, memory: ir.Value) -> None:
    """Builds a block for each shared tile; it does nothing if one block had all steps."""
    ops = sums.ops
    block = sums.set_blocks(shares.rest)
    with ir.InsertionPoint.at_block_begin(sums.body):
        tile = arith.AddIOp(block, index(shares.waves * shares.blocks)).result
        start = arith.MulIOp(block, index(shares.count)).result
        first = shares.block_of(start)
        last = shares.block_of(arith.AddIOp(start, index(shares.count - 1)).result)
        several = arith.cmpi(arith.CmpIPredicate.ne, first, last)
    sums.set_tile(tile)
    with ir.InsertionPoint(sums.body):
        branch = scf.IfOp(several)
    then = branch.operation.regions[0].blocks[0]
    move(ops, then)
    with ir.InsertionPoint(then):
        scf.YieldOp([])
    with ir.InsertionPoint(sums.loop):
        one, two = index(1), index(2)
        begun = arith.AddIOp(arith.MulIOp(first, two).result, one).result
        following, end = (arith.AddIOp(block, one).result for block in (first, last))
        loop = scf.ForOp(following, end, one, [read_partial(memory, begun)])
        with ir.InsertionPoint(loop.body):
            other = arith.MulIOp(loop.induction_variable, two).result
            scf.YieldOp([add_partial(loop.inner_iter_args[0], memory, other)])
        sums.finish_with(loop.operation.results[0])


# Attributes of a loop over the steps of a tile: the number of parts of each tile, or of blocks that share all
# steps.
SPLIT_K, STREAM_K = "accel.split_k", "accel.stream_k"
# Elements of all parts of a tile that the registers of 8 warps hold besides those of the epilogue: 192 per
# thread.
MOST_IN_FLIGHT = 192 * 256


@dataclass(frozen=True)
class SplitK(Pass):
    """Distributes the reduction of a tile to several thread blocks, if an attribute of the reduction loop
    asks for it.

    `accel.split_k = n` splits the loop's steps into n parts, with a block for each part of each tile. With
    `accel.stream_k = n` there are n blocks, which share the steps of all tiles equally, up to one step; a
    block shares its first and its last tile with others. A block first computes tiles alone, while two or
    more per block remain (stream-K: Osama et al., "Stream-K: Work-centric Parallel Decomposition for Dense
    Matrix-Matrix Multiplication on the GPU", PPoPP 2023).

    Partial accumulators go to a workspace, memory of the kernel (`memref.alloc` with `tloop.workspace`). A
    second launch adds them in the order of the steps, so that results are deterministic, and executes the ops
    after the loop."""

    name: ClassVar[str] = "accel-split-k"

    def run(self, op: ir.Operation) -> bool:
        changed = False
        for loop in collect_ops(op, scf.For.NAME):
            for name, share in ((SPLIT_K, split), (STREAM_K, stream)):
                if name in loop.attributes:
                    count = ir.IntegerAttr(loop.attributes[name]).value
                    del loop.attributes[name]
                    with loop.location:
                        share(SharedReduction.of(loop), count)
                    self.count(name.removeprefix("accel."), help="launches whose blocks share tiles")
                    changed = True
        return changed


def split(sums: SharedReduction, parts: int) -> None:
    """Builds a block for each of `parts` of each tile; block p T + t computes part p of tile t of T."""
    if not 2 <= parts <= sums.count:
        raise PassError(f"{sums.count} steps cannot be split into {parts} parts", sums.loop.location)
    finish = sums.copy()
    memory = workspace(sums, parts * sums.tiles, finish.launch)
    block = sums.set_blocks(parts * sums.tiles)
    with ir.InsertionPoint.at_block_begin(sums.body):
        sums.set_tile(arith.RemUIOp(block, index(sums.tiles)).result)
        part = arith.DivUIOp(block, index(sums.tiles)).result
        following = arith.AddIOp(part, index(1)).result
        sums.restrict_to(*(_first_step(sums, p, parts) for p in (part, following)))
    ops = sums.ops
    for op in reversed(ops[ops.index(sums.loop) + 1 :]):
        op.erase()
    with ir.InsertionPoint(sums.body):
        write_partial(memory, block, sums.result)
    _finish(finish, parts, memory)


def _first_step(sums: SharedReduction, part: ir.Value, parts: int) -> ir.Value:
    """The first step of a part; the numbers of steps of parts differ by at most one."""
    if sums.count % parts == 0:
        return arith.MulIOp(part, index(sums.count // parts)).result
    return arith.DivUIOp(arith.MulIOp(part, index(sums.count)).result, index(parts)).result


def _finish(sums: SharedReduction, parts: int, memory: ir.Value) -> None:
    """Builds a block for each tile, which adds its parts: with all loads in flight at the same time if the
    registers suffice, else in a loop."""
    tile = sums.body.arguments[0]
    with ir.InsertionPoint(sums.loop):
        total = read_partial(memory, tile)
        if parts * prod(sums.result_type.shape) > MOST_IN_FLIGHT:
            sums.finish_with(_add_in_loop(sums, parts, memory, total), 2 * MOST_WARPS)
            return
        for part in range(1, parts):
            part_index = arith.AddIOp(tile, index(part * sums.tiles)).result
            total = add_partial(total, memory, part_index)
        sums.finish_with(total)


def _add_in_loop(sums: SharedReduction, parts: int, memory: ir.Value, first: ir.Value) -> ir.Value:
    loop = scf.ForOp(index(1), index(parts), index(1), [first])
    with ir.InsertionPoint(loop.body):
        distance = arith.MulIOp(loop.induction_variable, index(sums.tiles)).result
        part_index = arith.AddIOp(sums.body.arguments[0], distance).result
        scf.YieldOp([add_partial(loop.inner_iter_args[0], memory, part_index)])
    return loop.operation.results[0]
