"""`ldmatrix` and `stmatrix`: operands of tensor units from shared memory, and what they computed to it, up to
four matrices of 8 x 8 numbers of 16 bits at a time. Each lane gives the address of a row, and has two numbers
of each matrix.

What products computed, to buffers in shared memory from which the copy engine stores it: by `stmatrix`, or
by stores of 8 bytes, each so that threads that write together write to different banks.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir, llvm, nvvm
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common import accesses, addresses, pointers
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadMemref, ThreadTile
from mlc.passes.accel.threads.common.packed_registers import pack_word, unpack_word
from mlc.passes.common.constants import i32

# Which numbers a lane has: pairs of a row, or, transposed, of a column.
PLAIN = ((0, 1), (0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
TRANSPOSED = tuple(each[::-1] for each in PLAIN)
_ROW_BYTES = 16
_MOST_BITS = 2


def is_matrix(layout: Layout, memory: ThreadMemref) -> bool:
    """Whether a tile of `layout` in `memory` can be read and written so."""
    pitch = memory.swizzle or _pitch(memory)
    return (
        memory.shared
        and element_bytes(memory.element) == 2
        and memory.strides[-1] == 1
        and pitch % _ROW_BYTES == 0
        and pattern(layout) in (PLAIN, TRANSPOSED)
    )


def _pitch(memory: ThreadMemref) -> int:
    return memory.strides[0] * 2 if isinstance(memory.strides[0], int) else 1


def pattern(layout: Layout) -> tuple[tuple[int, ...], ...]:
    """What one register of 32 bits holds for numbers of 16 bits, and where lanes lie."""
    return (*layout.registers[:1], *layout.lanes)


def load_matrices(code: ThreadCode, layout: Layout, memory: ThreadMemref, base: Sequence[int]) -> ThreadTile:
    """The tile that begins at `base`, whose numbers are multiples of 8."""
    rows, count = _rows_of(layout)
    values: list[ir.Value] = []
    for register in range(rows.size):
        pointer = pointers.element_pointer(memory, addresses.element_coordinates(code, rows, base, register))
        for each in _load(pointer, count, _kind(layout)):
            values += unpack_word(each, memory.element)
    return ThreadTile(layout, tuple(values))


def store_matrices(code: ThreadCode, tile: ThreadTile, memory: ThreadMemref, base: Sequence[Integer]) -> None:
    """Writes a tile that begins at `base`, whose numbers are multiples of 8. Of a swizzled buffer, the rows
    of a matrix lie in different banks."""
    rows, count = _rows_of(tile.layout)
    words = [pack_word(tile.values[first : first + 2]) for first in range(0, tile.layout.size, 2)]
    for register in range(rows.size):
        pointer = pointers.element_pointer(memory, addresses.element_coordinates(code, rows, base, register))
        stored = words[register * count : (register + 1) * count]
        nvvm.stmatrix(pointer, stored, _kind(tile.layout), *_elements())


def _rows_of(layout: Layout) -> tuple[Layout, int]:
    """Which lane gives the address of which row, a register for each instruction; and how many matrices one
    has."""
    matrix_bits = layout.registers[1 : 1 + _MOST_BITS]
    unused = [(0, 0)] * (_MOST_BITS - len(matrix_bits))
    lanes = ((1, 0), (2, 0), (4, 0), *matrix_bits, *unused)
    rest = layout.registers[1 + len(matrix_bits) :]
    return Layout(layout.shape, rest, lanes, layout.warps), 1 << len(matrix_bits)


def _kind(layout: Layout) -> ir.Attribute:
    return ir.Attribute.parse(f"#nvvm.mma_layout<{'row' if pattern(layout) == PLAIN else 'col'}>")


def _elements() -> tuple[ir.Attribute, ir.Attribute]:
    """The shape of a matrix, and of what."""
    shape = ir.Attribute.parse("#nvvm.ld_st_matrix_shape<m = 8, n = 8>")
    return shape, ir.Attribute.parse("#nvvm.ld_st_matrix_elt_type<b16>")


def _load(pointer: ir.Value, count: int, kind: ir.Attribute) -> list[ir.Value]:
    word = i32()
    result = word if count == 1 else ir.Type.parse(f"!llvm.struct<({', '.join(['i32'] * count)})>")
    loaded = nvvm.ldmatrix(pointer, count, kind, *_elements(), results=[result])
    if count == 1:
        return [loaded]
    return [llvm.extractvalue(word, loaded, [index]) for index in range(count)]


# A row of a swizzled buffer, and half of one, which 16 numbers of 4 bytes fill.
_PANEL_ROW_BYTES, _HALF_BYTES, _WORD_BYTES = 128, 64, 4

_HALF = (0, _HALF_BYTES // _WORD_BYTES)

# The bit of a thread's number that says whether its row is odd.
_ODD_ROW = 1 << PLAIN.index((1, 0)) - 1


def stages_well(layout: Layout, memory: ThreadMemref, multiple: int) -> bool:
    """Whether a tile of `layout` is written as `store` does it: each element by one thread, and from the
    start of a panel of columns on."""
    panel = (memory.swizzle or _PANEL_ROW_BYTES) // element_bytes(memory.element)
    begins = multiple % panel == 0 and memory.multiple % panel == 0
    written_once = all(map(any, layout.warps))
    return begins and written_once and (is_matrix(layout, memory) or _has_halves(layout, memory))


def store(code: ThreadCode, tile: ThreadTile, memory: ThreadMemref, base: Sequence[Integer]) -> None:
    """Writes a tile that begins at `base`."""
    if is_matrix(tile.layout, memory):
        store_matrices(code, tile, memory, base)
    else:
        _store_pairs(code, tile, memory, base)


def _has_halves(layout: Layout, memory: ThreadMemref) -> bool:
    wide = element_bytes(memory.element) == _WORD_BYTES and memory.swizzle == _PANEL_ROW_BYTES
    return wide and pattern(layout) == PLAIN and _HALF in layout.registers


def _store_pairs(code: ThreadCode, tile: ThreadTile, memory: ThreadMemref, base: Sequence[Integer]) -> None:
    """Two pairs of neighbours at a time, half a row of a panel apart. The 16 threads whose stores are done
    together have four rows of 32 bytes, which the swizzle moves by 16 bytes for each row, so that rows 2 i
    and 2 i + 1 meet in the same banks: those of odd rows begin with the other half."""
    layout = tile.layout
    bit = layout.registers.index(_HALF)
    odd = integers.mask(code.thread_id(), _ODD_ROW)
    turn = integers.multiply(odd, _HALF_BYTES // _ODD_ROW)
    swaps = integers.is_set(odd)
    for first in range(0, layout.size, 2):
        if first >> bit & 1:
            continue
        second = first | 1 << bit
        place = addresses.element_coordinates(code, layout, base, first)
        near = integers.exclusive_or(pointers.swizzled_offset(memory, place), turn)
        far = integers.exclusive_or(near, _HALF_BYTES)
        pairs = [tile.values[each : each + 2] for each in (first, second)]
        for offset, (one, other) in ((near, pairs), (far, pairs[::-1])):
            chosen = [integers.either(swaps, b, a) for a, b in zip(one, other, strict=True)]
            accesses.store_run(memory.element, pointers.byte_pointer(memory.pointer, offset), chosen)
