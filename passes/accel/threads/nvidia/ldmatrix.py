"""`ldmatrix` loads operands of mma from shared memory, `stmatrix` stores results: up to four matrices of 8 x
8 elements of 16 bits at a time. Each lane supplies the address of a row, and has two elements of each matrix.

Results that TMA copies to global memory are staged in shared memory with `stmatrix`, or with stores of 8
bytes, both without bank conflicts.
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

# A lane's elements are pairs in a row or, transposed, in a column.
PLAIN = ((0, 1), (0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
TRANSPOSED = tuple(vector[::-1] for vector in PLAIN)
_ROW_BYTES = 16
_MOST_BITS = 2


def is_matrix(layout: Layout, memory: ThreadMemref) -> bool:
    """Whether `ldmatrix` and `stmatrix` can access a tile of `layout` in `memory`."""
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
    """Returns the vectors of a register of 32 bits, for elements of 16 bits, and of the lanes."""
    return (*layout.registers[:1], *layout.lanes)


def load_matrices(code: ThreadCode, layout: Layout, memory: ThreadMemref, base: Sequence[int]) -> ThreadTile:
    """Loads the tile at `base`, whose indices are multiples of 8."""
    rows, count = _rows_of(layout)
    values: list[ir.Value] = []
    for register in range(rows.size):
        pointer = pointers.element_pointer(memory, addresses.element_coordinates(code, rows, base, register))
        for word in _load(pointer, count, _matrix_layout(layout)):
            values += unpack_word(word, memory.element)
    return ThreadTile(layout, tuple(values))


def store_matrices(code: ThreadCode, tile: ThreadTile, memory: ThreadMemref, base: Sequence[Integer]) -> None:
    """Stores a tile at `base`, whose indices are multiples of 8. In a swizzled buffer the rows of a matrix
    are in different banks."""
    rows, count = _rows_of(tile.layout)
    words = [pack_word(tile.values[first : first + 2]) for first in range(0, tile.layout.size, 2)]
    for register in range(rows.size):
        pointer = pointers.element_pointer(memory, addresses.element_coordinates(code, rows, base, register))
        stored = words[register * count : (register + 1) * count]
        nvvm.stmatrix(pointer, stored, _matrix_layout(tile.layout), *_shape_and_type())


def _rows_of(layout: Layout) -> tuple[Layout, int]:
    """Returns a layout with the row whose address each lane supplies, a register per instruction, and the
    number of matrices per instruction."""
    matrix_bits = layout.registers[1 : 1 + _MOST_BITS]
    unused = [(0, 0)] * (_MOST_BITS - len(matrix_bits))
    lanes = ((1, 0), (2, 0), (4, 0), *matrix_bits, *unused)
    rest = layout.registers[1 + len(matrix_bits) :]
    return Layout(layout.shape, rest, lanes, layout.warps), 1 << len(matrix_bits)


def _matrix_layout(layout: Layout) -> ir.Attribute:
    return ir.Attribute.parse(f"#nvvm.mma_layout<{'row' if pattern(layout) == PLAIN else 'col'}>")


def _shape_and_type() -> tuple[ir.Attribute, ir.Attribute]:
    """Returns a matrix's shape and element type."""
    shape = ir.Attribute.parse("#nvvm.ld_st_matrix_shape<m = 8, n = 8>")
    return shape, ir.Attribute.parse("#nvvm.ld_st_matrix_elt_type<b16>")


def _load(pointer: ir.Value, count: int, layout: ir.Attribute) -> list[ir.Value]:
    word = i32()
    result = word if count == 1 else ir.Type.parse(f"!llvm.struct<({', '.join(['i32'] * count)})>")
    loaded = nvvm.ldmatrix(pointer, count, layout, *_shape_and_type(), results=[result])
    if count == 1:
        return [loaded]
    return [llvm.extractvalue(word, loaded, [index]) for index in range(count)]


# A row of a swizzled panel, half of one, and an element.
_PANEL_ROW_BYTES, _HALF_BYTES, _WORD_BYTES = 128, 64, 4

_HALF = (0, _HALF_BYTES // _WORD_BYTES)

# The bit of a thread's index that is set in threads with odd rows.
_ODD_ROW = 1 << PLAIN.index((1, 0)) - 1


def stages_well(layout: Layout, memory: ThreadMemref, multiple: int) -> bool:
    """Whether `store` can store a tile of `layout`: one thread has each element, and the tile begins at a
    panel of columns."""
    panel = (memory.swizzle or _PANEL_ROW_BYTES) // element_bytes(memory.element)
    begins = multiple % panel == 0 and memory.multiple % panel == 0
    written_once = all(map(any, layout.warps))
    return begins and written_once and (is_matrix(layout, memory) or _has_halves(layout, memory))


def store(code: ThreadCode, tile: ThreadTile, memory: ThreadMemref, base: Sequence[Integer]) -> None:
    """Stores a tile at `base`, without bank conflicts."""
    if is_matrix(tile.layout, memory):
        store_matrices(code, tile, memory, base)
    else:
        _store_pairs(code, tile, memory, base)


def _has_halves(layout: Layout, memory: ThreadMemref) -> bool:
    wide = element_bytes(memory.element) == _WORD_BYTES and memory.swizzle == _PANEL_ROW_BYTES
    return wide and pattern(layout) == PLAIN and _HALF in layout.registers


def _store_pairs(code: ThreadCode, tile: ThreadTile, memory: ThreadMemref, base: Sequence[Integer]) -> None:
    """Stores two pairs of adjacent elements at a time, half a panel's row apart. The 16 threads whose stores
    are one transaction have four rows of 32 bytes, which the swizzle shifts by 16 bytes per row, so that rows
    2 i and 2 i + 1 would conflict in the same banks: threads with odd rows store the other half first."""
    layout = tile.layout
    bit = layout.registers.index(_HALF)
    odd = integers.mask(code.thread_id(), _ODD_ROW)
    shift = integers.multiply(odd, _HALF_BYTES // _ODD_ROW)
    swaps = integers.is_set(odd)
    for first in range(0, layout.size, 2):
        if first >> bit & 1:
            continue
        second = first | 1 << bit
        coordinates = addresses.element_coordinates(code, layout, base, first)
        near = integers.exclusive_or(pointers.swizzled_offset(memory, coordinates), shift)
        far = integers.exclusive_or(near, _HALF_BYTES)
        pairs = [tile.values[start : start + 2] for start in (first, second)]
        for offset, (one, other) in ((near, pairs), (far, pairs[::-1])):
            chosen = [integers.either(swaps, b, a) for a, b in zip(one, other, strict=True)]
            accesses.store_run(memory.element, pointers.byte_pointer(memory.pointer, offset), chosen)
