"""What products computed, to buffers in shared memory from which the copy engine stores it: by `stmatrix`, or
by stores of 8 bytes, each so that threads that write together write to different banks."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.passes.accel.common import integers
from mlc.passes.accel.common.integers import Number
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common import accesses, addresses, pointers
from mlc.passes.accel.threads.common.code import Memory, ThreadCode, Tile
from mlc.passes.accel.threads.nvidia.ldmatrix import PLAIN, is_matrix, pattern, store_matrices

# A row of a swizzled buffer, and half of one, which 16 numbers of 4 bytes fill.
_ROW_BYTES, _HALF_BYTES, _WORD_BYTES = 128, 64, 4
_HALF = (0, _HALF_BYTES // _WORD_BYTES)
# The bit of a thread's number that says whether its row is odd.
_ODD_ROW = 1 << PLAIN.index((1, 0)) - 1


def stages_well(layout: Layout, memory: Memory, multiple: int) -> bool:
    """Whether a tile of `layout` is written as `store` does it: each element by one thread, and from the
    start of a panel of columns on."""
    panel = (memory.swizzle or _ROW_BYTES) // element_bytes(memory.element)
    begins = multiple % panel == 0 and memory.multiple % panel == 0
    written_once = all(map(any, layout.warps))
    return begins and written_once and (is_matrix(layout, memory) or _has_halves(layout, memory))


def store(code: ThreadCode, tile: Tile, memory: Memory, base: Sequence[Number]) -> None:
    """Writes a tile that begins at `base`."""
    if is_matrix(tile.layout, memory):
        store_matrices(code, tile, memory, base)
    else:
        _store_pairs(code, tile, memory, base)


def _has_halves(layout: Layout, memory: Memory) -> bool:
    wide = element_bytes(memory.element) == _WORD_BYTES and memory.swizzle == _ROW_BYTES
    return wide and pattern(layout) == PLAIN and _HALF in layout.registers


def _store_pairs(code: ThreadCode, tile: Tile, memory: Memory, base: Sequence[Number]) -> None:
    """Two pairs of neighbours at a time, half a row of a panel apart. The 16 threads whose stores are done
    together have four rows of 32 bytes, which the swizzle moves by 16 bytes for each row, so that rows 2 i
    and 2 i + 1 meet in the same banks: those of odd rows begin with the other half."""
    layout = tile.layout
    bit = layout.registers.index(_HALF)
    odd = integers.mask(code.thread(), _ODD_ROW)
    turn = integers.multiply(odd, _HALF_BYTES // _ODD_ROW)
    swaps = integers.is_set(odd)
    for first in range(0, layout.size, 2):
        if first >> bit & 1:
            continue
        second = first | 1 << bit
        place = addresses.place_of(code, layout, base, first)
        near = integers.exclusive_or(pointers.swizzled_offset(memory, place), turn)
        far = integers.exclusive_or(near, _HALF_BYTES)
        pairs = [tile.values[each : each + 2] for each in (first, second)]
        for offset, (one, other) in ((near, pairs), (far, pairs[::-1])):
            chosen = [integers.either(swaps, b, a) for a, b in zip(one, other, strict=True)]
            accesses.store_run(memory.element, pointers.byte_pointer(memory.pointer, offset), chosen)
