"""What the tensors of a kernel are in a program of thread blocks: parts of memory, or tiles in registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mlc.bindings import arith, ir, memref
from mlc.passes.common.constants import index_constant

Index: TypeAlias = "int | ir.Value"


def as_value(index: Index) -> ir.Value:
    """As a value of the IR, at the current insertion point."""
    if isinstance(index, ir.Value):
        return index
    return index_constant(index)


def add(a: Index, b: Index) -> Index:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0 or b == 0:
        return b if a == 0 else a
    return arith.AddIOp(as_value(a), as_value(b)).result


def multiply(a: Index, b: int) -> Index:
    if isinstance(a, int):
        return a * b
    return a if b == 1 else arith.MulIOp(a, as_value(b)).result


@dataclass(frozen=True)
class Extent:
    """How long a dim of a tile is in this block, and what it is at most."""

    size: Index
    bound: int

    @property
    def padded(self) -> int:
        """What it is in a vector: tiles of threads are powers of two."""
        return 1 << (self.bound - 1).bit_length() if self.bound > 1 else 1

    @property
    def whole(self) -> bool:
        """Whether no element of the vector lies beyond it."""
        return self.size == self.padded if isinstance(self.size, int) else False


UNIT = Extent(1, 1)


@dataclass(frozen=True)
class SliceDim:
    """A dim of a part of a memory, along one of the memory.

    `ends` says that where the vector is longer than the part, the memory ends with the part; `inside`, that
    all of the part lies in the memory.
    """

    offset: Index
    stride: int
    extent: Extent
    ends: bool
    inside: bool = True


@dataclass(frozen=True)
class Slice:
    """A part of a memory: a dim for each one of the memory, and for each dim of the tile which of those it
    is, None for one of length 1 that the memory lacks. Without a memory, nothing is known but its extents.

    Around the memory lies `padding`, if it has parts that are not inside.
    """

    memory: ir.Value | None
    dims: tuple[SliceDim, ...]
    kept: tuple[int | None, ...]
    padding: float = 0

    @property
    def extents(self) -> tuple[Extent, ...]:
        return tuple(UNIT if each is None else self.dims[each].extent for each in self.kept)

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
    """A part of a memory that is read by way of shared memory, into which it is copied before each
    computation that reads it."""


@dataclass(frozen=True)
class SharedTile:
    """A tile in shared memory, without its padding a part of a tensor with `extents`: a matrix whose columns
    are the tile's last dim that is longer than 1, and whose rows are the places along the others."""

    memory: ir.Value
    extents: tuple[Extent, ...]


@dataclass(frozen=True)
class VectorTile:
    """A vector with the padded extents, of which what lies beyond `extents` is anything."""

    vector: ir.Value
    extents: tuple[Extent, ...]


Meaning: TypeAlias = "Slice | SharedTile | VectorTile | ir.Value"


def whole_memory(memory: ir.Value) -> Slice:
    """All of a memref of static shape; one without dims gets one of length 1."""
    if not ir.MemRefType(memory.type).rank:
        line = ir.MemRefType.get([1], memory.type.element_type)
        line_of = memref.ExpandShapeOp(line, memory, [], [], [1]).result
        return Slice(line_of, (SliceDim(0, 1, UNIT, True),), ())
    extents = [Extent(each, each) for each in ir.MemRefType(memory.type).shape]
    return all_of(memory, extents)


def all_of(memory: ir.Value | None, extents: Sequence[Extent]) -> Slice:
    """A memory with these extents, or a tensor without one, because nobody reads what is in it."""
    dims = tuple(SliceDim(0, 1, extent, True) for extent in extents)
    return Slice(memory, dims, tuple(range(len(dims))))
