"""Tile sizes from the machine's registers."""

from __future__ import annotations

# A fused multiply-add takes 4 cycles and two start per cycle: fewer independent accumulators leave units
# idle.
ACCUMULATORS_IN_FLIGHT = 8
# A smaller last tile doubles the code.
UNEVEN = 1.08
# Instructions in an unrolled reduction step beyond which code no longer fits the decoded-instruction cache.
LARGEST_STEP = 160


def vectors(width: int, lanes: int) -> int:
    """Registers that `width` elements take."""
    return -(-width // lanes)


def best_rows(extent: int, width: int, lanes: int, registers: int) -> int:
    """Rows of the register tile `rows x width` for `extent` rows in all.

    Minimises the time of all tiles, the last smaller one included. A quarter of the registers stays free:
    tiles of 28 accumulators (of 32 registers) measured a quarter slower than tiles of 16.
    """
    per_row = vectors(width, lanes)
    most = max(1, registers * 3 // 4 // per_row)
    candidates = range(1, min(extent, most) + 1)
    return min(candidates, key=lambda rows: (_time(extent, rows, per_row), -rows))


def _time(extent: int, rows: int, per_row: int) -> float:
    full, rest = divmod(extent, rows)
    # Each tile also pays for loading the vector operand and for its prologue and epilogue.
    tile = max(rows * per_row, ACCUMULATORS_IN_FLIGHT) + per_row
    last = max(rest * per_row, ACCUMULATORS_IN_FLIGHT) + per_row if rest else 0
    return (full * tile + last) * (UNEVEN if rest else 1.0)


def reduction_step(extent: int, rows: int, width: int, lanes: int) -> int:
    """How many steps of the innermost reduction one iteration takes: at most 8, dividing the extent where
    possible."""
    budget = max(1, LARGEST_STEP // (rows * vectors(width, lanes)))
    most = min(8, budget, extent)
    dividing = [step for step in range(most, 0, -1) if extent % step == 0]
    return dividing[0] if dividing[0] >= most // 2 else most
