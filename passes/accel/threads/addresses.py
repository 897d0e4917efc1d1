"""Loads and stores of tiles: as many elements at a time as lie side by side in memory and in registers."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, llvm, scf
from mlc.passes.accel.layouts import Layout
from mlc.passes.accel.shared_memory import element_bytes
from mlc.passes.accel.threads import numbers
from mlc.passes.accel.threads.code import Memory, ThreadCode, Tile
from mlc.passes.accel.threads.numbers import Number

# A thread's widest access.
LONGEST_BYTES = 16
BYTE = 8
_DYNAMIC = -(1 << 31)


def stored_type(kind: ir.Type) -> ir.Type:
    """As LLVM knows it: truth values lie in bytes, integers have no sign, and floats of 8 bits are such."""
    if isinstance(kind, ir.IntegerType) or kind.width == BYTE:
        return ir.IntegerType.get_signless(max(BYTE, kind.width))
    return kind


def element_pointer(memory: Memory, place: Sequence[Number]) -> ir.Value:
    """The address of an element."""
    if memory.swizzle:
        return byte_pointer(memory.pointer, swizzled_offset(memory, place))
    products = [numbers.multiply(at, stride) for at, stride in zip(place, memory.strides, strict=True)]
    return offset_pointer(memory.pointer, numbers.total(products), stored_type(memory.element))


def swizzled_offset(memory: Memory, place: Sequence[Number]) -> Number:
    """Bytes from the start of a swizzled matrix: panels of `swizzle` bytes of columns, in which the pieces of
    16 bytes of a row are permuted by the row's number."""
    row, column = place
    size = element_bytes(memory.element)
    columns, piece_bits = memory.swizzle // size, (memory.swizzle // 16).bit_length() - 1
    inner = numbers.multiply(numbers.mask(column, columns - 1), size)
    # Narrower swizzles repeat after rows that together are 128 bytes long.
    turn = numbers.mask(numbers.shift_right(row, 3 - piece_bits), (1 << piece_bits) - 1)
    inner = numbers.exclusive_or(inner, numbers.multiply(turn, 16))
    panel = numbers.shift_right(column, columns.bit_length() - 1)
    panel_bytes = numbers.multiply(memory.sizes[0], memory.swizzle)
    return numbers.total([numbers.multiply(panel, panel_bytes), numbers.multiply(row, memory.swizzle), inner])


def byte_pointer(pointer: ir.Value, offset: Number) -> ir.Value:
    """`offset` bytes behind `pointer`."""
    return offset_pointer(pointer, offset, ir.IntegerType.get_signless(8))


def offset_pointer(pointer: ir.Value, offset: Number, element: ir.Type) -> ir.Value:
    """`offset` elements behind `pointer`."""
    if offset == 0:
        return pointer
    if isinstance(offset, int):
        return llvm.GEPOp(pointer.type, pointer, [], [offset], element, 0).result
    return llvm.GEPOp(pointer.type, pointer, [offset], [_DYNAMIC], element, 0).result


def load_tile(
    code: ThreadCode,
    layout: Layout,
    memory: Memory,
    base: Sequence[Number],
    padding: ir.Value | None,
    multiple: int,
    mask: Sequence[ir.Value] = (),
) -> Tile:
    """The tile that begins at `base`, whose last number is a multiple of `multiple`; the last dims of the
    memory are those of the tile. With `padding`, elements outside of the memory are that; without, there must
    be none. Elements whose register has no truth in `mask`, if there is one, are the padding too."""
    run = 1 if mask else access_run(layout, memory, multiple)
    values: dict[int, ir.Value] = {}
    for first in range(0, layout.size, run):
        place = place_of(code, layout, base, first)
        conditions = [*mask[first : first + 1], *(inside(memory, place) if padding is not None else [])]
        for part, loaded in enumerate(load_elements(memory, place, run, conditions, padding)):
            values[first + part] = loaded
    return Tile(layout, tuple(values[each] for each in range(layout.size)))


def store_tile(
    code: ThreadCode,
    tile: Tile,
    memory: Memory,
    base: Sequence[Number],
    clipped: bool,
    multiple: int,
    own_places: int = 0,
    mask: Sequence[ir.Value] = (),
) -> None:
    """Writes the tile; if `clipped`, only what lies inside of the memory. `multiple` and `mask` are as for
    `load_tile`.

    One thread of those that hold copies writes; threads whose numbers differ in the bits `own_places` write
    to places of their own.
    """
    run = 1 if mask else access_run(tile.layout, memory, multiple)
    once = one_of_copies(code, tile.layout, own_places)
    for first in range(0, tile.layout.size, run):
        place = place_of(code, tile.layout, base, first)
        conditions = inside(memory, place) if clipped else []
        condition = numbers.all_of([*mask[first : first + 1], *once, *conditions])
        _store(memory, place, tile.values[first : first + run], condition)


def access_run(layout: Layout, memory: Memory, multiple: int) -> int:
    """How many elements one access takes."""
    if not layout.shape or memory.strides[-1] != 1:
        return 1
    size = element_bytes(memory.element)
    run = min(layout.unit_run(len(layout.shape) - 1), LONGEST_BYTES // size)
    others = (*memory.strides[:-1], memory.sizes[-1], memory.multiple, multiple)
    while run > 1 and not all(isinstance(each, int) and each % run == 0 for each in others):
        run //= 2
    return run


def place_of(code: ThreadCode, layout: Layout, base: Sequence[Number], register: int) -> list[Number]:
    """Where the element of a register lies, in a memory in which its tile begins at `base`."""
    offset, outer = layout.offset(register), len(base) - len(layout.shape)
    inner = [
        numbers.total([base[outer + dim], code.place(layout, dim), offset[dim]])
        for dim in range(len(layout.shape))
    ]
    return [*base[:outer], *inner]


def inside(memory: Memory, place: Sequence[Number]) -> list[ir.Value]:
    """Conditions for the place to be in the memory; runs end where the memory does."""
    pairs = zip(place, memory.sizes, strict=True)
    return [numbers.within(at, size) for at, size in pairs if not _surely_within(at, size)]


def _surely_within(at: Number, size: Number) -> bool:
    return isinstance(at, int) and isinstance(size, int) and 0 <= at < size


def load_elements(
    memory: Memory,
    place: Sequence[Number],
    run: int,
    conditions: list[ir.Value],
    padding: ir.Value | None,
) -> list[ir.Value]:
    """`run` elements from `place` on; where a condition does not hold, `padding`."""
    pointer = element_pointer(memory, place)
    condition = numbers.all_of(conditions)
    if condition is not None:
        # Branches cost more than a load of the first elements that is thrown away.
        pointer = arith.SelectOp(condition, pointer, memory.pointer).result
    kind = stored_type(memory.element)
    size = element_bytes(memory.element)
    if run == 1:
        loaded = [llvm.LoadOp(kind, pointer, alignment=size).result]
    else:
        whole = llvm.LoadOp(ir.VectorType.get([run], kind), pointer, alignment=size * run).result
        loaded = [llvm.ExtractElementOp(whole, numbers.value(part)).result for part in range(run)]
    loaded = [_as_number(each, memory.element) for each in loaded]
    if condition is None:
        return loaded
    return [arith.SelectOp(condition, each, padding).result for each in loaded]


def _as_number(loaded: ir.Value, kind: ir.Type) -> ir.Value:
    return arith.TruncIOp(kind, loaded).result if _is_truth(kind) else loaded


def _is_truth(kind: ir.Type) -> bool:
    return isinstance(kind, ir.IntegerType) and kind.width == 1


def _store(
    memory: Memory, place: Sequence[Number], values: Sequence[ir.Value], condition: ir.Value | None
) -> None:
    if condition is not None:
        branch = scf.IfOp(condition)
        with ir.InsertionPoint(branch.operation.regions[0].blocks[0]):
            _store(memory, place, values, None)
            scf.YieldOp([])
        return
    pointer, kind = element_pointer(memory, place), stored_type(memory.element)
    size = element_bytes(memory.element)
    stored = [each if each.type == kind else arith.ExtUIOp(kind, each).result for each in values]
    whole = stored[0]
    if len(stored) > 1:
        whole = llvm.UndefOp(ir.VectorType.get([len(stored)], kind)).result
        for part, each in enumerate(stored):
            whole = llvm.InsertElementOp(whole, each, numbers.value(part)).result
    llvm.StoreOp(whole, pointer, alignment=size * len(stored))


def one_of_copies(code: ThreadCode, layout: Layout, own_places: int) -> list[ir.Value]:
    """Conditions for the thread to be the first of those that hold the same elements."""
    copies = sum(1 << bit for bit, vector in enumerate(layout.threads) if not any(vector)) & ~own_places
    if not copies:
        return []
    number = numbers.mask(code.thread(), copies)
    return [arith.cmpi(arith.CmpIPredicate.eq, numbers.value(number), numbers.value(0))]
