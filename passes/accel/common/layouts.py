"""Layouts: which thread of a block holds which element of a tile, and in which of its registers.

A layout is linear over bits, as in Triton: the coordinates of an element are the sum of one vector for each
bit that is set in the number of the register, of the lane and of the warp. Tiles have powers of two as
extents, and every bit of a coordinate comes from at most one of them. A bit whose vector is zero tells copies
of the same element apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Vector = tuple[int, ...]
# Of a warp of 32 threads, of which some processors have others.
LANE_BITS = 5


def bits(count: int) -> int:
    """How many bits number `count` things. `count` must be a power of two."""
    if count <= 0 or count & (count - 1):
        raise ValueError(f"{count} is not a power of two")
    return count.bit_length() - 1


@dataclass(frozen=True)
class Layout:
    """`registers`, `lanes` and `warps` hold a vector per bit, the lowest bit first."""

    shape: tuple[int, ...]
    registers: tuple[Vector, ...]
    lanes: tuple[Vector, ...]
    warps: tuple[Vector, ...]

    @property
    def size(self) -> int:
        """Registers of each thread."""
        return 1 << len(self.registers)

    @property
    def threads(self) -> tuple[Vector, ...]:
        """The vectors of the bits of a thread's number in the block."""
        return (*self.lanes, *self.warps)

    def offset(self, register: int) -> Vector:
        """The part of an element's coordinates that its register gives."""
        return _sum(self.registers, register, len(self.shape))

    def element(self, register: int, thread: int) -> Vector:
        """The coordinates of what a thread holds in a register."""
        parts = (self.offset(register), _sum(self.threads, thread, len(self.shape)))
        return tuple(map(sum, zip(*parts, strict=True)))

    def remove_dims(self, dims: Iterable[int]) -> Layout:
        """The layout of what is left without `dims`, one register for all that differed in them only."""
        gone = set(dims)
        return self._map(lambda vector: _without(vector, gone), _without(self.shape, gone)).compact()

    def insert_dims(self, dims: Iterable[int]) -> Layout:
        """The same with `dims` of extent 1 put in, in the numbering of the result."""
        return self._map(lambda vector: _with(vector, dims, 0), _with(self.shape, dims, 1))

    def transpose(self, order: Sequence[int]) -> Layout:
        """Of the tile whose dim `d` is this one's dim `order[d]`."""
        return self._map(lambda vector: tuple(vector[d] for d in order), [self.shape[d] for d in order])

    def reshape(self, shape: Sequence[int]) -> Layout:
        """Of the tile with the same elements in the same order, of another shape."""
        return self._map(lambda vector: _unflatten(_flatten(vector, self.shape), shape), shape)

    def part(self, sizes: Sequence[int]) -> Layout | None:
        """Of a part of the tile, of so many elements along each dim, of which each thread has as many as of
        any other such part; None if threads have different parts of it."""
        if any(not _is_inside(thread, sizes) for thread in self.threads):
            return None
        kept = tuple(register for register in self.registers if _is_inside(register, sizes))
        return Layout(tuple(sizes), kept, self.lanes, self.warps)

    def scale(self, factors: Sequence[int]) -> Layout:
        """Of places that are so many times as far apart along each dim; in memory, not of a tile."""
        return self._map(
            lambda vector: tuple(at * factor for at, factor in zip(vector, factors, strict=True)),
            [extent * factor for extent, factor in zip(self.shape, factors, strict=True)],
        )

    def compact(self) -> Layout:
        """Without registers that hold what others do."""
        kept = tuple(register for register in self.registers if any(register))
        return Layout(self.shape, kept, self.lanes, self.warps)

    def unit_run(self, dim: int) -> int:
        """How many elements that follow each other along `dim` lie in registers that follow each other."""
        unit = tuple(int(index == dim) for index in range(len(self.shape)))
        bit = 0
        while bit < len(self.registers) and self.registers[bit] == tuple(each << bit for each in unit):
            bit += 1
        return 1 << bit

    def register_at(self, offset: Vector) -> int:
        """The register that gives this part of the coordinates. Raises KeyError if none does."""
        return {self.offset(index): index for index in range(self.size)}[offset]

    def same_threads(self, other: Layout) -> bool:
        """Whether each thread holds the same elements in both, in whatever registers."""
        return (
            self.shape == other.shape
            and self.threads == other.threads
            and sorted(self.registers) == sorted(other.registers)
        )

    def _map(self, change: Callable[[Vector], Vector], shape: Sequence[int]) -> Layout:
        registers, lanes, warps = (
            tuple(map(change, group)) for group in (self.registers, self.lanes, self.warps)
        )
        return Layout(tuple(shape), registers, lanes, warps)


def _sum(vectors: Sequence[Vector], number: int, rank: int) -> Vector:
    chosen = [vector for bit, vector in enumerate(vectors) if number >> bit & 1]
    return tuple(map(sum, zip(*chosen, strict=True))) if chosen else (0,) * rank


def _is_inside(place: Vector, sizes: Sequence[int]) -> bool:
    return all(at < size for at, size in zip(place, sizes, strict=True))


def _without(values: Sequence[int], dims: Iterable[int]) -> Vector:
    return tuple(value for dim, value in enumerate(values) if dim not in dims)


def _with(values: Sequence[int], dims: Iterable[int], value: int) -> Vector:
    result = list(values)
    for dim in sorted(dims):
        result.insert(dim, value)
    return tuple(result)


def _flatten(place: Vector, shape: Sequence[int]) -> int:
    result = 0
    for at, extent in zip(place, shape, strict=True):
        result = result * extent + at
    return result


def _unflatten(place: int, shape: Sequence[int]) -> Vector:
    result = []
    for extent in reversed(shape):
        result.append(place % extent)
        place //= extent
    return tuple(reversed(result))


def along(dim: int, rank: int, start: int, count: int) -> list[Vector]:
    """Vectors for the bits of `count` elements along `dim`, `start` apart."""
    return [tuple((start << bit) * int(index == dim) for index in range(rank)) for bit in range(bits(count))]


def blocked_layout(
    shape: Sequence[int], warps: int, run: int, order: Sequence[int] = (), lane_bits: int = LANE_BITS
) -> Layout:
    """Threads side by side along the last dim, `run` elements each, then along the dims before it; what they
    do not cover is more registers, and threads that are left over hold copies.

    `order` lists the dims, the one along which threads lie first in front; the last dim comes first unless
    it is given.
    """
    rank = len(shape)
    dims = list(order) or list(reversed(range(rank)))
    first = dims[0]
    run = min(run, shape[first])
    free = [*along(first, rank, run, shape[first] // run)]
    free += list(itertools.chain.from_iterable(along(dim, rank, 1, shape[dim]) for dim in dims[1:]))
    none = (0,) * rank
    wanted = lane_bits + bits(warps)
    taken = [*free[:wanted], *[none] * (wanted - len(free))]
    registers = [*along(first, rank, 1, run), *free[wanted:]]
    return Layout(tuple(shape), tuple(registers), tuple(taken[:lane_bits]), tuple(taken[lane_bits:]))
