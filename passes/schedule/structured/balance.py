"""The primitive balance: tiles of a dynamic extent whose sizes differ by at most 1, or are full or of a
point."""

from __future__ import annotations

from mlc.bindings import arith, ir, scf
from mlc.dialects import tloop
from mlc.passes.common.constants import constant_value, index_constant
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import apply_patterns
from mlc.passes.schedule.structured.switched_sizes import switch_sizes


def balance(op: ir.Operation, state: ScheduleState) -> None:
    """Lets the loop count tiles; its body gets a clone of the old one for each size that a tile may have."""
    handle = tloop.Balance(op).loop
    state.loop_tag(handle)
    for loop in map(scf.For, state.targets(handle)):
        step = constant_value(loop.step)
        if constant_value(loop.lower_bound) != 0 or step is None or step < 2:
            raise StepError("only a loop from 0, with a constant step above 1, has tiles to balance")
        (_fill if tloop.Balance(op).full else _balance)(loop, step)
    state.run(apply_patterns("canonicalization", "linalg.tiling_canonicalization"))


def _balance(loop: scf.For, step: int) -> None:
    end = loop.upper_bound
    with ir.InsertionPoint(loop.operation), loop.operation.location:
        # As few tiles as can be: the first `larger` ones have a point more than the others.
        tiles = arith.ceildivui(end, index_constant(step))
        small = arith.divui(end, arith.maxui(tiles, index_constant(1)))
        larger = arith.subi(end, arith.muli(small, tiles))
        large = arith.addi(small, index_constant(1))

    def bounds(tile: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Builds the first point and the size of a tile."""
        is_large = arith.cmpi(arith.CmpIPredicate.ult, tile, larger)
        start = arith.addi(arith.muli(tile, small), arith.minui(tile, larger))
        return start, arith.select(is_large, large, small)

    switch_sizes(loop, tiles, tile_sizes(constant_value(end), step), bounds)


def _fill(loop: scf.For, step: int) -> None:
    end = loop.upper_bound
    with ir.InsertionPoint(loop.operation), loop.operation.location:
        full, rest = arith.divui(end, index_constant(step)), arith.remui(end, index_constant(step))
        tiles, points = arith.addi(full, rest), arith.subi(end, rest)

    def bounds(tile: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Builds the first point and the size of a tile."""
        is_full = arith.cmpi(arith.CmpIPredicate.ult, tile, full)
        size = arith.select(is_full, index_constant(step), index_constant(1))
        start = arith.muli(tile, index_constant(step))
        single = arith.addi(points, arith.subi(tile, full))
        return arith.select(is_full, start, single), size

    switch_sizes(loop, tiles, [step, 1], bounds)


def tile_sizes(extent: int | None, most: int) -> list[int]:
    """Returns the sizes that balanced tiles of at most `most` points have, the largest first: all up to
    `most` for a dynamic extent (None), else one or two.

    13 points in tiles of at most 6 are tiles of 5, 4 and 4.
    """
    if extent is None:
        return list(range(most, 0, -1))
    small, larger = divmod(extent, max(1, -(-extent // most)))
    return [small + 1, small] if larger else [small]
