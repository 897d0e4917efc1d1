"""Representations of a kernel's tensors in a program of thread blocks: slices of memory, or tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mlc.bindings import arith, ir, memref
from mlc.passes.common.constants import index_constant

Index: TypeAlias = "int | ir.Value"


def as_value(index: Index) -> ir.Value:
    """Returns an index as a value of the IR, at the current insertion point."""
    if isinstance(index, ir.Value):
        return index
    return index_constant(index)


def add(a: Index, b: Index) -> Index:
    """Returns a + b."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0 or b == 0:
        return b if a == 0 else a
    return arith.AddIOp(as_value(a), as_value(b)).result


def multiply(a: Index, b: int) -> Index:
    """Returns a * b."""
    if isinstance(a, int):
        return a * b
    return a if b == 1 else arith.MulIOp(a, as_value(b)).result


@dataclass(frozen=True)
class Extent:
    """The extent of a dim of a tile in this block, and its bound."""

    size: Index
    bound: int

    @property
    def padded(self) -> int:
        """The extent in a vector: the next power of two."""
        return 1 << (self.bound - 1).bit_length() if self.bound > 1 else 1

    @property
    def whole(self) -> bool:
        """Whether the tile is full along the dim: the vector has no padding."""
        return self.size == self.padded if isinstance(self.size, int) else False


UNIT = Extent(1, 1)


@dataclass(frozen=True)
class SliceDim:
    """A dim of a slice of a memory, along one of the memory.

    With `ends`, the memory ends with the slice if the vector is longer than it; with `inside`, all of the
    slice is inside of the memory."""

    offset: Index
    stride: int
    extent: Extent
    ends: bool
    inside: bool = True


@dataclass(frozen=True)
class Slice:
    """A slice of a memory. `dims` has a dim for each one of the memory; `kept`, for each dim of the tile, its
    index among these, None for one of extent 1 that the memory lacks. A tensor that is not written has no
    memory.

    Elements outside of the memory are `padding`.
    """

    memory: ir.Value | None
    dims: tuple[SliceDim, ...]
    kept: tuple[int | None, ...]
    padding: float = 0

    @property
    def extents(self) -> tuple[Extent, ...]:
        """The extents of the tile."""
        return tuple(UNIT if at is None else self.dims[at].extent for at in self.kept)

    @property
    def is_whole(self) -> bool:
        """Whether it is all of its memory."""
        if self.memory is None or self.kept != tuple(range(len(self.dims))):
            return False
        shape = ir.MemRefType(self.memory.type).shape
        return all(
            dim.offset == 0 and dim.stride == 1 and dim.extent.size == extent
            for dim, extent in zip(self.dims, shape, strict=True)
        )


@dataclass(frozen=True)
class Cached(Slice):
    """A slice of a memory that is copied to shared memory before each computation that reads it."""


@dataclass(frozen=True)
class SharedTile:
    """A tile in shared memory, without its padding a slice of a tensor with `extents`: a matrix whose columns
    are the tile's last dim that is longer than 1, and whose rows enumerate the others."""

    memory: ir.Value
    extents: tuple[Extent, ...]


@dataclass(frozen=True)
class VectorTile:
    """A vector with the padded extents; elements past `extents` are undefined."""

    vector: ir.Value
    extents: tuple[Extent, ...]


Representation: TypeAlias = "Slice | SharedTile | VectorTile | ir.Value"


def whole_memory(memory: ir.Value) -> Slice:
    """Returns all of a memref of static shape; one of rank 0 gets a dim of extent 1."""
    if not ir.MemRefType(memory.type).rank:
        line = ir.MemRefType.get([1], memory.type.element_type)
        line_of = memref.ExpandShapeOp(line, memory, [], [], [1]).result
        return Slice(line_of, (SliceDim(0, 1, UNIT, True),), ())
    extents = [Extent(size, size) for size in ir.MemRefType(memory.type).shape]
    return all_of(memory, extents)


def all_of(memory: ir.Value | None, extents: Sequence[Extent]) -> Slice:
    """Returns a slice with all of a memory, or of a tensor without one, whose elements are not read."""
    dims = tuple(SliceDim(0, 1, extent, True) for extent in extents)
    return Slice(memory, dims, tuple(range(len(dims))))
