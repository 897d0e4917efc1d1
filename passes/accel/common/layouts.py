"""Layouts in registers: they map registers, lanes and warps of a block to the elements of a tile.

A layout is linear over bits, as in Triton: the coordinates of an element are the sum of one vector for each
bit that is set in the index of the register, of the lane and of the warp. Tiles have powers of two as
extents, and every bit of a coordinate comes from at most one of them. Lanes, warps or registers that differ
in a bit whose vector is zero hold copies of the same element."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Vector = tuple[int, ...]
# Bits of a lane's index in a warp of 32 threads; other processors have other warps.
LANE_BITS = 5


def bits(count: int) -> int:
    """Returns log2(count). Raises ValueError if `count` is not a power of two."""
    if count <= 0 or count & (count - 1):
        raise ValueError(f"{count} is not a power of two")
    return count.bit_length() - 1


@dataclass(frozen=True)
class Layout:
    """A layout; `registers`, `lanes` and `warps` hold a vector per bit, the lowest bit first."""

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
        """The vectors of the bits of a thread's index in the block."""
        return (*self.lanes, *self.warps)

    def offset(self, register: int) -> Vector:
        """Returns the term of an element's coordinates that its register determines."""
        return _sum(self.registers, register, len(self.shape))

    def element(self, register: int, thread: int) -> Vector:
        """Returns the coordinates of the element that a thread holds in a register."""
        parts = (self.offset(register), _sum(self.threads, thread, len(self.shape)))
        return tuple(map(sum, zip(*parts, strict=True)))

    def remove_dims(self, dims: Iterable[int]) -> Layout:
        """Returns the layout without `dims`; registers that differ in them only become one."""
        gone = set(dims)
        return self._map(lambda vector: _without(vector, gone), _without(self.shape, gone)).compact()

    def insert_dims(self, dims: Iterable[int]) -> Layout:
        """Returns the layout with dims of extent 1 inserted; `dims` are their positions in the result."""
        return self._map(lambda vector: _with(vector, dims, 0), _with(self.shape, dims, 1))

    def transpose(self, order: Sequence[int]) -> Layout:
        """Returns the layout of the tile whose dim `d` is this one's dim `order[d]`."""
        return self._map(lambda vector: tuple(vector[d] for d in order), [self.shape[d] for d in order])

    def reshape(self, shape: Sequence[int]) -> Layout:
        """Returns the layout of the tile of another shape with the same elements in row-major order."""
        return self._map(lambda vector: _unflatten(_flatten(vector, self.shape), shape), shape)

    def part(self, sizes: Sequence[int]) -> Layout | None:
        """Returns the layout of each aligned part of the tile of shape `sizes`, or None if a part is not
        spread over all threads uniformly."""
        if any(not _is_inside(thread, sizes) for thread in self.threads):
            return None
        kept = tuple(register for register in self.registers if _is_inside(register, sizes))
        return Layout(tuple(sizes), kept, self.lanes, self.warps)

    def scale(self, factors: Sequence[int]) -> Layout:
        """Returns the layout with coordinates multiplied by `factors`: of elements in memory, not of a
        tile."""
        return self._map(
            lambda vector: tuple(index * factor for index, factor in zip(vector, factors, strict=True)),
            [extent * factor for extent, factor in zip(self.shape, factors, strict=True)],
        )

    def compact(self) -> Layout:
        """Returns the layout without registers that hold copies."""
        kept = tuple(register for register in self.registers if any(register))
        return Layout(self.shape, kept, self.lanes, self.warps)

    def unit_run(self, dim: int) -> int:
        """Returns the number of consecutive elements along `dim` that are in consecutive registers."""
        unit = tuple(int(index == dim) for index in range(len(self.shape)))
        bit = 0
        while bit < len(self.registers) and self.registers[bit] == tuple(index << bit for index in unit):
            bit += 1
        return 1 << bit

    def register_at(self, offset: Vector) -> int:
        """Returns the register whose `offset` is `offset`. Raises KeyError if there is none."""
        return {self.offset(index): index for index in range(self.size)}[offset]

    def same_threads(self, other: Layout) -> bool:
        """Whether each thread holds the same elements in both layouts, in any registers."""
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


def _sum(vectors: Sequence[Vector], index: int, rank: int) -> Vector:
    chosen = [vector for bit, vector in enumerate(vectors) if index >> bit & 1]
    return tuple(map(sum, zip(*chosen, strict=True))) if chosen else (0,) * rank


def _is_inside(coordinates: Vector, sizes: Sequence[int]) -> bool:
    return all(index < size for index, size in zip(coordinates, sizes, strict=True))


def _without(values: Sequence[int], dims: Iterable[int]) -> Vector:
    return tuple(value for dim, value in enumerate(values) if dim not in dims)


def _with(values: Sequence[int], dims: Iterable[int], value: int) -> Vector:
    result = list(values)
    for dim in sorted(dims):
        result.insert(dim, value)
    return tuple(result)


def _flatten(coordinates: Vector, shape: Sequence[int]) -> int:
    result = 0
    for index, extent in zip(coordinates, shape, strict=True):
        result = result * extent + index
    return result


def _unflatten(index: int, shape: Sequence[int]) -> Vector:
    result = []
    for extent in reversed(shape):
        result.append(index % extent)
        index //= extent
    return tuple(reversed(result))


def along(dim: int, rank: int, start: int, count: int) -> list[Vector]:
    """Returns vectors for the bits of the index of `count` elements along `dim`, with stride `start`."""
    return [tuple((start << bit) * int(index == dim) for index in range(rank)) for bit in range(bits(count))]


def blocked_layout(
    shape: Sequence[int], warps: int, run: int, order: Sequence[int] = (), lane_bits: int = LANE_BITS
) -> Layout:
    """Returns the layout with adjacent threads along the last dim, `run` elements each, then along the dims
    before it. Elements that they do not cover are in further registers; surplus threads hold copies.

    `order` lists the dims, the fastest varying first; the default is last to first.
    """
    rank = len(shape)
    dims = list(order) or list(reversed(range(rank)))
    first = dims[0]
    run = min(run, shape[first])
    free = [*along(first, rank, run, shape[first] // run)]
    free += list(itertools.chain.from_iterable(along(dim, rank, 1, shape[dim]) for dim in dims[1:]))
    none = (0,) * rank
    thread_bits = lane_bits + bits(warps)
    threads = [*free[:thread_bits], *[none] * (thread_bits - len(free))]
    registers = [*along(first, rank, 1, run), *free[thread_bits:]]
    return Layout(tuple(shape), tuple(registers), tuple(threads[:lane_bits]), tuple(threads[lane_bits:]))
