"""accel-split-k: blocks share the reductions of tiles."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import arith, ir, scf
from mlc.passes.accel.transforms.stream_k import stream
from mlc.passes.accel.transforms.tile_sums import (
    MOST_WARPS,
    TileSums,
    add_sums,
    read_sums,
    workspace,
    write_sums,
)
from mlc.passes.base import Pass, PassFailure
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import collect_ops

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
        for loop in collect_ops(op, "scf.for"):
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
        raise PassFailure(f"{sums.count} steps cannot be split into {parts} parts", sums.loop.location)
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
