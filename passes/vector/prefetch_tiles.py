"""tloop-prefetch-tiles: register tiles fetch in time their next numbers, and the next block of weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir
from mlc.passes.base import Pass
from mlc.passes.common.constants import index_constant
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import target_of
from mlc.passes.vector.access_offsets import Sum
from mlc.passes.vector.index_offsets import offset_by
from mlc.passes.vector.prefetch_panels import FEWEST_ROWS, FIRST_CACHE, SECOND_CACHE
from mlc.passes.vector.tile_loops import Counter, TileLoops, tile_loops
from mlc.passes.vector.tile_reads import Request, block_ahead, numbers_ahead


def emit(loops: TileLoops, request: Request, locality: int) -> None:
    """Adds the prefetches to the innermost loop, or in front of it."""
    with ir.InsertionPoint(loops.loop), loops.loop.location:
        start = _plus(_value(request.base), _next(request.carries))
        start = _plus(start, _quotient(*request.part))
        if request.step is None:
            _prefetch(request, start, locality)
            return
    with ir.InsertionPoint.at_block_begin(loops.loop.regions[0].blocks[0]), loops.loop.location:
        advance = arith.muli(loops.inner.variable, index_constant(request.step))
        _prefetch(request, arith.addi(start, advance), locality)


def _value(total: Sum) -> ir.Value:
    value = index_constant(total.constant)
    for variable, factor in total.factors.items():
        value = arith.addi(value, arith.muli(variable, index_constant(factor)))
    return value


def _quotient(total: Sum, divisor: int) -> ir.Value | None:
    return arith.divui(_value(total), index_constant(divisor)) if total.factors else None


def _next(carries: Sequence[tuple[Counter, int]]) -> ir.Value | None:
    """How much further the next iteration of the loops reads. The last one is taken to have no end: behind it
    lies, as a rule, what comes next in the loop around it."""
    value = None
    for counter, factor in reversed(carries):
        forth = index_constant(factor * counter.step)
        if value is None:
            value = forth
            continue
        back = arith.addi(value, index_constant(factor * (counter.begin - counter.last)))
        inside = arith.cmpi(arith.CmpIPredicate.ult, counter.variable, index_constant(counter.last))
        value = arith.select(inside, forth, back)
    return value


def _plus(left: ir.Value, right: ir.Value | None) -> ir.Value:
    return left if right is None else arith.addi(left, right)


def _prefetch(request: Request, start: ir.Value, locality: int) -> None:
    """Prefetches the lines. Beyond the end of the buffer a prefetch does nothing."""
    zeros = [index_constant(0)] * (ir.MemRefType(request.buffer.type).rank - 1)
    attributes = {
        "isWrite": ir.BoolAttr.get(False),
        "isDataCache": ir.BoolAttr.get(True),
        "localityHint": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), locality),
    }
    for offset in request.offsets:
        place = offset_by(start, offset) if offset else start
        ir.Operation.create("memref.prefetch", [], [request.buffer, *zeros, place], attributes)


@dataclass(frozen=True)
class PrefetchTiles(Pass):
    """Prefetch what a register tile in a nest of reductions reads next.

    Its rows read single numbers of an image: those of the next block of channels, of the next row of a
    window, or of the next tile, come to the first cache. The weights of the next block of columns come to the
    second cache, where both blocks fit it: a part of them while each tile of this block is computed.
    """

    name: ClassVar[str] = "tloop-prefetch-tiles"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        for loop in collect_ops(op, "scf.for"):
            inside = any(each.operation.regions for each in loop.regions[0].blocks[0])
            if len(loop.results) < FEWEST_ROWS or inside:
                continue
            loops = tile_loops(loop)
            if loops is not None and loops.reductions:
                self.serve(loops, target_of(op).l2)

    def serve(self, loops: TileLoops, second_cache: int) -> None:
        """Adds the prefetches for one tile."""
        block = block_ahead(loops, second_cache)
        for request in list(numbers_ahead(loops)):
            emit(loops, request, FIRST_CACHE)
        if block is not None:
            emit(loops, block, SECOND_CACHE)
