"""`ldmatrix`: operands of tensor units from shared memory, up to four matrices of 8 x 8 numbers of 16 bits at
a time. Each lane gives the address of a row, and gets two numbers of each matrix."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir, llvm, nvvm
from mlc.passes.accel.layouts import Layout
from mlc.passes.accel.shared_memory import element_bytes
from mlc.passes.accel.threads import addresses, numbers
from mlc.passes.accel.threads.code import Memory, ThreadCode, Tile
from mlc.passes.accel.threads.packs import unpacked

# Which numbers a lane gets: pairs of a row, or, transposed, of a column.
_PLAIN = ((0, 1), (0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
_TRANSPOSED = tuple(each[::-1] for each in _PLAIN)
_ROW_BYTES = 16
_MOST_BITS = 2


def loads_matrices(layout: Layout, memory: Memory) -> bool:
    """Whether a tile of `layout` in `memory` can be read so."""
    pitch = memory.swizzle or _pitch(memory)
    return (
        memory.shared
        and element_bytes(memory.element) == 2
        and memory.strides[-1] == 1
        and pitch % _ROW_BYTES == 0
        and _pattern(layout) in (_PLAIN, _TRANSPOSED)
    )


def _pitch(memory: Memory) -> int:
    return memory.strides[0] * 2 if isinstance(memory.strides[0], int) else 1


def _pattern(layout: Layout) -> tuple[tuple[int, ...], ...]:
    return (*layout.registers[:1], *layout.lanes)


def load_matrices(code: ThreadCode, layout: Layout, memory: Memory, base: Sequence[int]) -> Tile:
    """The tile that begins at `base`, whose numbers are multiples of 8."""
    kind = ir.Attribute.parse(f"#nvvm.mma_layout<{'row' if _pattern(layout) == _PLAIN else 'col'}>")
    matrix_bits = layout.registers[1 : 1 + _MOST_BITS]
    unused = [(0, 0)] * (_MOST_BITS - len(matrix_bits))
    rows = Layout(
        layout.shape,
        layout.registers[1 + len(matrix_bits) :],
        ((1, 0), (2, 0), (4, 0), *matrix_bits, *unused),
        layout.warps,
    )
    values: list[ir.Value] = []
    for register in range(rows.size):
        pointer = addresses.element_pointer(memory, addresses.place_of(code, rows, base, register))
        for each in _load(pointer, 1 << len(matrix_bits), kind):
            values += unpacked(each, memory.element)
    return Tile(layout, tuple(values))


def _load(pointer: ir.Value, count: int, kind: ir.Attribute) -> list[ir.Value]:
    word = numbers.i32()
    shape = ir.Attribute.parse("#nvvm.ld_st_matrix_shape<m = 8, n = 8>")
    pair = ir.Attribute.parse("#nvvm.ld_st_matrix_elt_type<b16>")
    result = word if count == 1 else ir.Type.parse(f"!llvm.struct<({', '.join(['i32'] * count)})>")
    loaded = nvvm.ldmatrix(pointer, count, kind, shape, pair, results=[result])
    if count == 1:
        return [loaded]
    return [llvm.extractvalue(word, loaded, [each]) for each in range(count)]
