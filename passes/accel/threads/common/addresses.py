"""Loads and stores of tiles: as many elements at a time as lie side by side in memory and in registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, scf
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common.accesses import load_run, store_run
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadMemref, ThreadTile
from mlc.passes.accel.threads.common.pointers import element_pointer

# A thread's widest access.
LONGEST_BYTES = 16


@dataclass(frozen=True)
class Mask:
    """Which registers' elements are read or written: those with truth in `values`, of which `run` elements
    that follow each other along the last dim are alike."""

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
    """The tile that begins at `base`, whose last number is a multiple of `multiple`; the last dims of the
    memory are those of the tile. With `padding`, elements outside of the memory are that, if `clipped`;
    without, there must be none. Elements that the mask leaves out, if there is one, are the padding too."""
    clipped = clipped and padding is not None
    run = access_run(layout, memory, multiple, mask, clipped=clipped)
    values: list[ir.Value] = []
    for first in range(0, layout.size, run):
        place = element_coordinates(code, layout, base, first)
        conditions = [*_shown(mask, first), *(inside(memory, place) if clipped else [])]
        values += load_elements(memory, place, conditions, [padding] * run)
    return ThreadTile(layout, tuple(values))


def _shown(mask: Mask | None, register: int) -> list[ir.Value]:
    """The condition of a mask, if there is one."""
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
    """Writes the tile; if `clipped`, only what lies inside of the memory. `multiple` and `mask` are as for
    `load_tile`.

    One thread of those that hold copies writes; threads whose numbers differ in the bits `own_places` write
    to places of their own.
    """
    run = access_run(tile.layout, memory, multiple, mask, clipped=clipped)
    once = one_of_copies(code, tile.layout, separate_bits)
    for first in range(0, tile.layout.size, run):
        place = element_coordinates(code, tile.layout, base, first)
        conditions = inside(memory, place) if clipped else []
        condition = integers.all_of([*_shown(mask, first), *once, *conditions])
        _store(memory, place, tile.values[first : first + run], condition)


def _store(
    memory: ThreadMemref, place: Sequence[Integer], values: Sequence[ir.Value], condition: ir.Value | None
) -> None:
    """Where the condition holds, if there is one."""
    if condition is None:
        store_run(memory.element, element_pointer(memory, place), values)
        return
    with ir.InsertionPoint(scf.IfOp(condition).operation.regions[0].blocks[0]):
        _store(memory, place, values, None)
        scf.YieldOp([])


def access_run(
    layout: Layout, memory: ThreadMemref, multiple: int, mask: Mask | None = None, *, clipped: bool = True
) -> int:
    """How many elements one access takes. Where what lies outside of the memory is left out, the memory must
    end with an access; a mask may not split one."""
    ends = (memory.sizes[-1],) if clipped and memory.sizes else ()
    constancy = () if mask is None else (mask.run, most_elements(memory))
    return common_run(layout, memory, (*ends, *constancy, multiple))


def most_elements(memory: ThreadMemref) -> int:
    """A power of two that the elements of a row of the memory are not less than: what is thrown away must be
    there, too."""
    size = memory.sizes[-1] if memory.sizes else 1
    return 1 << size.bit_length() - 1 if isinstance(size, int) and size > 0 else 1


def common_run(layout: Layout, memory: ThreadMemref, multiples: Sequence[Integer]) -> int:
    """How many elements one access takes that begins at a multiple of all of these in a row of the memory."""
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
    """Where the element of a register lies, in a memory in which its tile begins at `base`."""
    offset, outer = layout.offset(register), len(base) - len(layout.shape)
    inner = [
        integers.total([base[outer + dim], code.thread_offset(layout, dim), offset[dim]])
        for dim in range(len(layout.shape))
    ]
    return [*base[:outer], *inner]


def inside(memory: ThreadMemref, place: Sequence[Integer]) -> list[ir.Value]:
    """Conditions for the place to be in the memory; runs end where the memory does."""
    pairs = zip(place, memory.sizes, strict=True)
    return [integers.within(at, size) for at, size in pairs if not _surely_within(at, size)]


def _surely_within(at: Integer, size: Integer) -> bool:
    return isinstance(at, int) and isinstance(size, int) and 0 <= at < size


def load_elements(
    memory: ThreadMemref,
    place: Sequence[Integer],
    conditions: list[ir.Value],
    padding: Sequence[ir.Value | None],
) -> list[ir.Value]:
    """Elements from `place` on, as many as there are of `padding`, which they are where a condition does not
    hold."""
    pointer = element_pointer(memory, place)
    condition = integers.all_of(conditions)
    if condition is None:
        return load_run(memory.element, pointer, len(padding))
    # Branches cost more than a load of the first elements that is thrown away.
    pointer = integers.either(condition, pointer, memory.pointer)
    loaded = load_run(memory.element, pointer, len(padding))
    return [integers.either(condition, each, other) for each, other in zip(loaded, padding, strict=True)]


def one_of_copies(code: ThreadCode, layout: Layout, separate_bits: int) -> list[ir.Value]:
    """Conditions for the thread to be the first of those that hold the same elements."""
    copies = sum(1 << bit for bit, vector in enumerate(layout.threads) if not any(vector)) & ~separate_bits
    if not copies:
        return []
    number = integers.mask(code.thread_id(), copies)
    return [arith.cmpi(arith.CmpIPredicate.eq, integers.value(number), integers.value(0))]
