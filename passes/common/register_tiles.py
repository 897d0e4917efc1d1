"""Tile sizes from the machine's registers."""

from __future__ import annotations

# A fused multiply-add takes 4 cycles and two start per cycle: fewer independent accumulators leave units
# idle.
ACCUMULATORS_IN_FLIGHT = 8
# A smaller last tile doubles the code.
UNEVEN = 1.08
# Multiply-adds in an unrolled reduction step: enough to hide the loop's own instructions.
LARGEST_STEP = 64
# Rows of a register tile at most, where tiles of all smaller numbers of rows take what whole ones leave.
OPEN_ROWS = 12

# f32 elements of a cache line: of panels as wide, every line that is read is read whole.
LINE = 16


def panel(lanes: int, registers: int) -> int:
    """Columns of a packed panel, and of a register tile where the extent does not fix them: two vectors, and
    up to four for a whole cache line where there are registers enough."""
    return max(2 * lanes, min(4 * lanes, LINE) if registers >= 32 else 0)


def tile_columns(extent: int, lanes: int, registers: int, overlap: bool = False) -> int:
    """Columns of the register tile of `extent` columns in all: all of them up to four vectors, two where
    there are 16 registers, which leaves six rows either way. Narrower, by halves, where a tile or the rest
    behind the last one would not travel in registers; with `overlap` there is no such rest."""
    width = panel(lanes, registers)
    widest = max(width, 4 * lanes if registers >= 32 else 0)
    if extent <= widest and travels_in_registers(extent, lanes):
        return extent
    while width > lanes and not (width < extent and (overlap or travels_in_registers(extent % width, lanes))):
        width //= 2
    return width


def can_be_alone(columns: int, lanes: int) -> bool:
    """Whether the columns behind the last tile are a good tile: otherwise a whole one, which begins before
    them, takes less time. A single column is a vector only where these have one lane."""
    return (columns != 1 or lanes == 1) and travels_in_registers(columns, lanes)


def travels_in_registers(columns: int, lanes: int) -> bool:
    """Whether LLVM keeps a vector of so many elements in registers from one iteration to the next: others,
    such as three registers' worth, it passes on as single numbers, and builds anew from them."""
    return columns <= lanes or columns & (columns - 1) == 0


def vectors(width: int, lanes: int) -> int:
    """Registers that `width` elements take."""
    return -(-width // lanes)


def best_rows(extent: int, width: int, lanes: int, accumulators: int) -> int:
    """Rows of the register tile `rows x width` for `extent` rows in all, in at most so many accumulators.

    Minimises the time of all tiles, the last smaller one included.
    """
    per_row = vectors(width, lanes)
    most = max(1, accumulators // per_row)
    candidates = range(1, min(extent, most) + 1)
    return min(candidates, key=lambda rows: (_time(extent, rows, per_row), -rows))


def open_rows(width: int, lanes: int, accumulators: int) -> int:
    """Rows of the register tile where only running tells how many there are, in at most so many
    accumulators. More than OPEN_ROWS hardly save time, but each takes a tile that takes what is left."""
    return max(1, min(accumulators // vectors(width, lanes), OPEN_ROWS))


def best_lines(extent: int, most: int) -> int:
    """How many of `extent` lines a register tile takes, at most `most`: the fewest that make the number of
    tiles least. Fewer tiles read the vector operand fewer times."""
    return -(-extent // -(-extent // most)) if most > 1 else 1


def _time(extent: int, rows: int, per_row: int) -> float:
    full, rest = divmod(extent, rows)
    # Each tile also pays for loading the vector operand and for its prologue and epilogue.
    tile = max(rows * per_row, ACCUMULATORS_IN_FLIGHT) + per_row
    last = max(rest * per_row, ACCUMULATORS_IN_FLIGHT) + per_row if rest else 0
    return (full * tile + last) * (UNEVEN if rest else 1.0)


def reduction_step(extent: int, rows: int, width: int, lanes: int, longest: int = 8) -> int:
    """How many steps of the innermost reduction one iteration takes: at most `longest`, dividing the extent
    where possible."""
    budget = max(1, LARGEST_STEP // (rows * vectors(width, lanes)))
    most = min(longest, budget, extent)
    dividing = [step for step in range(most, 0, -1) if extent % step == 0]
    return dividing[0] if dividing[0] >= most // 2 else most
