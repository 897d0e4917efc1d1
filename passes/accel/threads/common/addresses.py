"""Loads and stores of tiles, vectorised where elements are contiguous in memory and in registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from mlc.bindings import arith, ir
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common.accesses import emit_if, load_run, store_run
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadMemref, ThreadTile
from mlc.passes.accel.threads.common.pointers import element_pointer

# A thread's widest access.
LONGEST_BYTES = 16


@dataclass(frozen=True)
class Mask:
    """A mask of a tile: a boolean per register in `values`, and its constancy along the last dim: groups of
    `run` consecutive elements are equal."""

    values: Sequence[ir.Value]
    run: int


def load_tile(
    code: ThreadCode,
    layout: Layout,
    memory: ThreadMemref,
    base: Sequence[Integer],
    padding: ir.Value | None,
    multiple: int,
    mask: Mask | None = None,
    clipped: bool = True,
) -> ThreadTile:
    """Loads the tile at `base`, whose last index `multiple` divides; the last dims of the memory are those of
    the tile. If `clipped`, elements out of bounds are `padding`; without `padding` there must be none.
    Elements whose mask is false are `padding` too."""
    clipped = clipped and padding is not None
    run = access_run(layout, memory, multiple, mask, clipped=clipped)
    values: list[ir.Value] = []
    for first in range(0, layout.size, run):
        coordinates = element_coordinates(code, layout, base, first)
        conditions = [
            *_mask_conditions(mask, first),
            *(bounds_conditions(memory, coordinates) if clipped else []),
        ]
        values += load_elements(memory, coordinates, conditions, [padding] * run)
    return ThreadTile(layout, tuple(values))


def _mask_conditions(mask: Mask | None, register: int) -> list[ir.Value]:
    """Returns the condition that a mask sets for a register, or none without a mask."""
    return [] if mask is None else [mask.values[register]]


def store_tile(
    code: ThreadCode,
    tile: ThreadTile,
    memory: ThreadMemref,
    base: Sequence[Integer],
    clipped: bool,
    multiple: int,
    separate_bits: int = 0,
    mask: Mask | None = None,
) -> None:
    """Stores the tile; if `clipped`, only elements within bounds. `multiple` and `mask` are as for
    `load_tile`.

    Of the threads that hold copies of an element one stores it; threads whose indices differ in
    `separate_bits` store to separate offsets.
    """
    run = access_run(tile.layout, memory, multiple, mask, clipped=clipped)
    once = one_of_copies(code, tile.layout, separate_bits)
    for first in range(0, tile.layout.size, run):
        coordinates = element_coordinates(code, tile.layout, base, first)
        bounds = bounds_conditions(memory, coordinates) if clipped else []
        values = tile.values[first : first + run]
        conditions = [*_mask_conditions(mask, first), *once, *bounds]
        emit_if(conditions, partial(_store, memory, coordinates, values))


def _store(memory: ThreadMemref, coordinates: Sequence[Integer], values: Sequence[ir.Value]) -> None:
    store_run(memory.element, element_pointer(memory, coordinates), values)


def access_run(
    layout: Layout, memory: ThreadMemref, multiple: int, mask: Mask | None = None, *, clipped: bool = True
) -> int:
    """Returns the number of elements per access. If `clipped`, it divides the last extent of the memory, so
    that no access crosses a bound; a mask is constant within an access."""
    ends = (memory.sizes[-1],) if clipped and memory.sizes else ()
    masked = () if mask is None else (mask.run, most_elements(memory))
    return common_run(layout, memory, (*ends, *masked, multiple))


def most_elements(memory: ThreadMemref) -> int:
    """Returns the largest power of two that is at most the length of a row of the memory: a load whose result
    is discarded must be within bounds, too."""
    size = memory.sizes[-1] if memory.sizes else 1
    return 1 << size.bit_length() - 1 if isinstance(size, int) and size > 0 else 1


def common_run(layout: Layout, memory: ThreadMemref, multiples: Sequence[Integer]) -> int:
    """Returns the number of elements per access, given divisors of the accesses' offsets in a row."""
    if not layout.shape or memory.strides[-1] != 1:
        return 1
    size = element_bytes(memory.element)
    run = min(layout.unit_run(len(layout.shape) - 1), LONGEST_BYTES // size)
    others = (*memory.strides[:-1], memory.multiple, *multiples)
    while run > 1 and not all(isinstance(other, int) and other % run == 0 for other in others):
        run //= 2
    return run


def element_coordinates(
    code: ThreadCode, layout: Layout, base: Sequence[Integer], register: int
) -> list[Integer]:
    """Returns the coordinates in memory of a register's element, of a tile at `base`."""
    offset, outer = layout.offset(register), len(base) - len(layout.shape)
    inner = [
        integers.total([base[outer + dim], code.thread_offset(layout, dim), offset[dim]])
        for dim in range(len(layout.shape))
    ]
    return [*base[:outer], *inner]


def bounds_conditions(memory: ThreadMemref, coordinates: Sequence[Integer]) -> list[ir.Value]:
    """Returns the conditions, but for those known to hold, under which an access is within bounds; accesses
    do not cross bounds."""
    pairs = zip(coordinates, memory.sizes, strict=True)
    return [integers.within(index, size) for index, size in pairs if not _is_within(index, size)]


def _is_within(index: Integer, size: Integer) -> bool:
    """Whether an index is known to be within bounds."""
    return isinstance(index, int) and isinstance(size, int) and 0 <= index < size


def load_elements(
    memory: ThreadMemref,
    coordinates: Sequence[Integer],
    conditions: list[ir.Value],
    padding: Sequence[ir.Value | None],
) -> list[ir.Value]:
    """Loads the elements from `coordinates` on, or returns `padding`, of equal length, unless all conditions
    hold."""
    pointer = element_pointer(memory, coordinates)
    condition = integers.all_of(conditions)
    if condition is None:
        return load_run(memory.element, pointer, len(padding))
    # A branch costs more than a load of the first elements whose result is discarded.
    pointer = integers.either(condition, pointer, memory.pointer)
    loaded = load_run(memory.element, pointer, len(padding))
    return [integers.either(condition, value, other) for value, other in zip(loaded, padding, strict=True)]


def one_of_copies(code: ThreadCode, layout: Layout, separate_bits: int) -> list[ir.Value]:
    """Returns the conditions for the thread to be the first of those that hold the same elements."""
    copies = sum(1 << bit for bit, vector in enumerate(layout.threads) if not any(vector)) & ~separate_bits
    if not copies:
        return []
    index = integers.mask(code.thread_id(), copies)
    return [arith.cmpi(arith.CmpIPredicate.eq, integers.value(index), integers.value(0))]
