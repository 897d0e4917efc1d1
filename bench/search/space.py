"""The space of schedules of a contraction, and samples of it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from typing import Any

# Registers without an accumulator: an operand's vector, and one to load into.
RESERVED = 2
LARGEST_ROWS = 28
STEPS = (1, 2, 4, 8, 16)
# Blocks of register tiles that are finished before the next block starts.
BLOCKS = (1, 2, 4, 8, 16)
PARALLEL = ("outer", "columns", "rows")


@dataclass(frozen=True)
class Shape:
    """Extents of the contraction's dims by role; `outer` and `reductions` in the order of the iteration
    space, `rows` is 1 if no dim reuses the vector operand. `unrolls`: the innermost reduction may have
    steps."""

    columns: int
    rows: int
    outer: tuple[int, ...]
    reductions: tuple[int, ...]
    unrolls: bool


@dataclass(frozen=True)
class SchedulePoint:
    """One schedule: `rows` x `width` accumulators, the last reduction in steps of `step`.

    `reduction_order` are the positions of the other reductions, and of the last if it is not unrolled,
    outermost first. The tiles' loops run in blocks of `row_block` x `column_block` tiles, columns or rows
    outermost. Loops over dims that are neither are outside of them, or inside (`outer_last`). `parallel`
    names the dims that threads share.
    """

    rows: int
    width: int
    step: int
    reduction_order: tuple[int, ...]
    columns_first: bool
    row_block: int
    column_block: int
    outer_last: bool
    parallel: str

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> SchedulePoint:
        """Returns the point with these fields, from JSON."""
        return cls(**{**fields, "reduction_order": tuple(fields["reduction_order"])})


def is_valid(choice: SchedulePoint, shape: Shape, lanes: int, registers: int) -> bool:
    """Whether the tile fits the registers, blocks divide the extent, threads share full tiles, and no loop
    has two positions."""
    vectors = -(-choice.width // lanes)
    if choice.rows * vectors > registers - RESERVED:
        return False
    if not _divides(choice.rows, choice.row_block, shape.rows):
        return False
    if not _divides(choice.width, choice.column_block, shape.columns):
        return False
    shared = {"columns": (shape.columns, choice.width), "rows": (shape.rows, choice.rows)}
    if choice.parallel == "outer":
        return not choice.outer_last
    extent, size = shared[choice.parallel]
    return extent > size and extent % size == 0


def _divides(size: int, block: int, extent: int) -> bool:
    """Whether there is no block, or it is one of several equal ones."""
    return block == 1 or (size * block < extent and extent % (size * block) == 0)


def candidates(shape: Shape, lanes: int) -> dict[str, Sequence[Any]]:
    """Returns the values of each field of a choice."""
    widths = [w for w in range(lanes, 4 * lanes + 1, lanes) if w < shape.columns]
    widths += [shape.columns] if shape.columns <= 4 * lanes else []
    return {
        "rows": range(1, min(shape.rows, LARGEST_ROWS) + 1),
        "width": widths,
        "step": [s for s in STEPS if s <= shape.reductions[-1]] if shape.unrolls else [1],
        # The unrolled one stays innermost.
        "reduction_order": list(permutations(range(len(shape.reductions) - shape.unrolls))),
        "columns_first": (True, False),
        "row_block": BLOCKS,
        "column_block": BLOCKS,
        "outer_last": (False, True),
        "parallel": PARALLEL,
    }


def sample(shape: Shape, lanes: int, registers: int, count: int, seed: int) -> list[SchedulePoint]:
    """Draws up to `count` different valid choices, the same for the same seed; fewer if there are no more."""
    found: dict[SchedulePoint, None] = {}
    # A space that is nearly exhausted repeats itself; a thousand misses in a row end the search for more.
    misses = 0
    for choice in _draws(candidates(shape, lanes), random.Random(seed)):
        misses = 0 if choice not in found and is_valid(choice, shape, lanes, registers) else misses + 1
        if not misses:
            found[choice] = None
        if len(found) == count or misses > 1000:
            return list(found)
    raise AssertionError("draws never end")


def _draws(fields: dict[str, Sequence[Any]], generator: random.Random) -> Iterator[SchedulePoint]:
    while True:
        yield SchedulePoint(**{name: generator.choice(values) for name, values in fields.items()})
