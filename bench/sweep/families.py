"""The families of the sweep, and the cells that a seed draws from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from bench.sweep import elements, rows, windows
from bench.sweep.cell import Cell

# With the share of the cells that each has.
FAMILIES: dict[str, tuple[Callable[[Random], Cell], int]] = {
    "convolution": (windows.convolution, 8),
    "transposed": (windows.transposed_convolution, 2),
    "pool": (windows.pool, 3),
    "resize": (windows.resize, 2),
    "product": (rows.product, 6),
    "reduction": (rows.reduction, 3),
    "softmax": (rows.softmax, 2),
    "norm": (rows.norm, 3),
    "unary": (elements.unary, 2),
    "binary": (elements.binary, 2),
    "transpose": (elements.transpose, 2),
    "gather": (elements.gather, 2),
    "concat": (elements.concat, 1),
    "pad": (elements.pad, 1),
    "slice": (elements.slices, 1),
}
SHARES = [name for name, (_, share) in FAMILIES.items() for _ in range(share)]


def cells(seed: int, first: int, count: int) -> Iterator[tuple[int, Cell]]:
    """Yields cells with their indices. A cell depends on the seed and its index alone; any row of as many
    cells as there are shares has every family."""
    for index in range(first, first + count):
        family = SHARES[index % len(SHARES)]
        yield index, FAMILIES[family][0](Random(f"{seed} {index}"))
