"""The layouts in which the lanes of a warp share a matrix (PTX ISA, "Matrix fragments").

Lane l is in group g = l / 4 at position t = l % 4. A register of 32 bits holds e = 32 / bits elements that
follow one another in a row of A, or in a column of B. Index arrays are [32, registers, elements].
"""

from __future__ import annotations

import functools

import numpy as np

Index = tuple[np.ndarray, np.ndarray]


def _grids(registers: int, elements: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    lane, register, element = np.ogrid[:32, :registers, :elements]
    return lane // 4, lane % 4, register, element


@functools.cache
def left_index(registers: int, elements: int) -> Index:
    """Row and column in A [16, k] of what a lane holds: rows 8 apart first, then columns."""
    group, position, register, element = _grids(registers, elements)
    row = group + 8 * (register % 2) + 0 * element
    return row, position * elements + element + 4 * elements * (register // 2) + 0 * group


@functools.cache
def right_index(registers: int, elements: int) -> Index:
    """Row and column in B [k, 8]."""
    group, position, register, element = _grids(registers, elements)
    row = position * elements + element + 4 * elements * register + 0 * group
    return row, group + 0 * (register + element + position)


@functools.cache
def result_index(columns: int) -> Index:
    """Row and column in C [16, columns] of the elements a lane holds, [32, columns / 2], four per 8
    columns."""
    lane, position = np.ogrid[:32, : columns // 2]
    row = lane // 4 + 8 * (position // 2 % 2)
    return row, 8 * (position // 4) + lane % 4 * 2 + position % 2 + 0 * lane


def gather(values: np.ndarray, index: Index, shape: tuple[int, int]) -> np.ndarray:
    """Returns the matrices [warps, *shape] whose elements at `index` are `values` [warps, 32, ...]."""
    matrices = np.zeros((len(values), *shape), values.dtype)
    matrices[:, index[0], index[1]] = values
    return matrices


def scatter(matrices: np.ndarray, index: Index) -> np.ndarray:
    """Returns what the lanes hold of `matrices` [warps, rows, columns]: [warps, 32, ...]."""
    return matrices[:, index[0], index[1]]
