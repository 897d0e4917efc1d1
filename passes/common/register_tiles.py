"""Tile sizes from the machine's registers."""

from __future__ import annotations

# A fused multiply-add takes 4 cycles and two start per cycle: fewer independent accumulators leave units
# idle.
ACCUMULATORS_IN_FLIGHT = 8
# A smaller last tile doubles the code.
UNEVEN = 1.08
# Multiply-adds in an unrolled reduction step: enough to hide the loop's own instructions.
LARGEST_STEP = 64
# Rows of a register tile at most, where partial tiles of every smaller number of rows follow the full ones.
OPEN_ROWS = 12
# The same where columns are dynamic, too: each of these tiles is there for three numbers of columns.
OPEN_ROWS_AND_COLUMNS = 6

# f32 elements of a cache line: panels of this width read full lines only.
LINE = 16


def panel(lanes: int, registers: int) -> int:
    """Returns the columns of a packed panel, and of a register tile whose extent does not fix them: two
    vectors, and up to four for a full cache line if there are registers enough."""
    return max(2 * lanes, min(4 * lanes, LINE) if registers >= 32 else 0)


def tile_columns(extent: int, lanes: int, registers: int, overlap: bool = False) -> int:
    """Returns the columns of the register tile for `extent` columns: all of them up to four vectors, two if
    there are 16 registers, which leaves six rows either way. Narrower, by halves, if a tile or the remainder
    after the last one would not stay in registers; with `overlap` there is no remainder."""
    width = panel(lanes, registers)
    widest = max(width, 4 * lanes if registers >= 32 else 0)
    if extent <= widest and travels_in_registers(extent, lanes):
        return extent
    while width > lanes and not (width < extent and (overlap or travels_in_registers(extent % width, lanes))):
        width //= 2
    return width


def can_be_alone(columns: int, lanes: int) -> bool:
    """Whether the columns after the last full tile are a good tile: otherwise a full one, which begins before
    them, takes less time. A single column is a vector only if vectors have one lane."""
    return (columns != 1 or lanes == 1) and travels_in_registers(columns, lanes)


def travels_in_registers(columns: int, lanes: int) -> bool:
    """Whether LLVM keeps a vector of `columns` elements in registers from one iteration to the next: others,
    such as three registers' worth, it splits into scalars, from which it rebuilds them."""
    return columns <= lanes or columns & (columns - 1) == 0


def vectors(width: int, lanes: int) -> int:
    """Returns the registers that `width` elements take."""
    return -(-width // lanes)


def best_rows(extent: int, width: int, lanes: int, accumulators: int) -> int:
    """Returns the rows of the register tile `rows x width` for `extent` rows, in at most `accumulators`.

    Minimises the time of all tiles, the last smaller one included.
    """
    per_row = vectors(width, lanes)
    most = max(1, accumulators // per_row)
    candidates = range(1, min(extent, most) + 1)
    return min(candidates, key=lambda rows: (_time(extent, rows, per_row), -rows))


def open_rows(width: int, lanes: int, accumulators: int, most: int = OPEN_ROWS) -> int:
    """Returns the rows of the register tile for a dynamic extent, in at most `accumulators`. More than
    `most` hardly save time, and each needs another partial tile."""
    return max(1, min(accumulators // vectors(width, lanes), most))


def best_lines(extent: int, most: int) -> int:
    """Returns the lines of a register tile, at most `most` of `extent`: the fewest that minimise the number
    of tiles, since each tile reads the vector operand."""
    return -(-extent // -(-extent // most)) if most > 1 else 1


def _time(extent: int, rows: int, per_row: int) -> float:
    full, rest = divmod(extent, rows)
    # Each tile also pays for loading the vector operand and for its prologue and epilogue.
    tile = max(rows * per_row, ACCUMULATORS_IN_FLIGHT) + per_row
    last = max(rest * per_row, ACCUMULATORS_IN_FLIGHT) + per_row if rest else 0
    return (full * tile + last) * (UNEVEN if rest else 1.0)


def reduction_step(extent: int, rows: int, width: int, lanes: int, longest: int = 8) -> int:
    """Returns the steps of the innermost reduction that one iteration takes: at most `longest`, a divisor of
    the extent if possible."""
    budget = max(1, LARGEST_STEP // (rows * vectors(width, lanes)))
    most = min(longest, budget, extent)
    dividing = [step for step in range(most, 0, -1) if extent % step == 0]
    return dividing[0] if dividing[0] >= most // 2 else most
