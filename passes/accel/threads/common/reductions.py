"""`vector.multi_reduction`: within a thread, then between lanes, then between warps through shared memory."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import arith, ir
from mlc.bindings import vector as vector_dialect
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.axis_info import ANYTHING
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.threads.common import addresses
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadTile
from mlc.passes.accel.threads.common.layout_conversions import convert_layout, scratch_for, tile_in_layout
from mlc.passes.base import PassError
from mlc.passes.common.constants import i32, integer_constant

Join = Callable[[ir.Value, ir.Value], ir.Value]
_JOINS: dict[str, Callable[..., ir.Operation]] = {
    "add:float": arith.AddFOp,
    "add:integer": arith.AddIOp,
    "mul:float": arith.MulFOp,
    "mul:integer": arith.MulIOp,
    "maximumf:float": arith.MaximumFOp,
    "maxnumf:float": arith.MaxNumFOp,
    "minimumf:float": arith.MinimumFOp,
    "minnumf:float": arith.MinNumFOp,
    "maxsi:integer": arith.MaxSIOp,
    "maxui:integer": arith.MaxUIOp,
    "minsi:integer": arith.MinSIOp,
    "minui:integer": arith.MinUIOp,
    "and:integer": arith.AndIOp,
    "or:integer": arith.OrIOp,
    "xor:integer": arith.XOrIOp,
}


def multi_reduction(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `vector.multi_reduction`. The result, which includes the accumulator, has the source's layout
    without the reduced dims; all threads have a result that is a scalar."""
    view = vector_dialect.MultiDimReduction(op)
    result, dims = view.dest, list(view.reduction_dims)
    join = _join(op)
    tile = code.tile(view.source)
    reduced = _between_lanes(code, _in_registers(tile, dims, join), tile.layout, dims, join)
    reduced = _between_warps(code, reduced, tile.layout, dims, join)
    if code.in_flight:
        code.overlapped = reduced.values
    if not isinstance(result.type, ir.VectorType):
        code.values[result] = join(code.scalar(view.acc), reduced.values[0])
        return
    start = tile_in_layout(code, view.acc, reduced.layout)
    sums = (join(a, b) for a, b in zip(start.values, reduced.values, strict=True))
    code.values[result] = convert_layout(code, ThreadTile(reduced.layout, tuple(sums)), code.layouts[result])


def _join(op: ir.Operation) -> Join:
    view = vector_dialect.MultiDimReduction(op)
    combining = str(view.kind).split("<")[-1].rstrip(">").strip()
    element = view.source.type.element_type
    family = "integer" if isinstance(element, ir.IntegerType | ir.IndexType) else "float"
    made = _JOINS.get(f"{combining}:{family}")
    if made is None:
        raise PassError(f"cannot distribute a reduction by '{combining}' of {element}", op.location)
    return lambda a, b: made(a, b).result


def _in_registers(tile: ThreadTile, dims: list[int], join: Join) -> ThreadTile:
    """Reduces the registers that differ in `dims` only to one, as a tree: short chains, small errors."""
    layout = tile.layout.remove_dims(dims)
    groups: dict[tuple[int, ...], list[ir.Value]] = {}
    for register, value in enumerate(tile.values):
        offset = tile.layout.offset(register)
        kept = tuple(at for dim, at in enumerate(offset) if dim not in dims)
        groups.setdefault(kept, []).append(value)
    return ThreadTile(
        layout, tuple(_tree(groups[layout.offset(index)], join) for index in range(layout.size))
    )


def _tree(values: list[ir.Value], join: Join) -> ir.Value:
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=True)
        values = [join(a, b) for a, b in pairs]
    return values[0]


def _between_lanes(
    code: ThreadCode, tile: ThreadTile, before: Layout, dims: list[int], join: Join
) -> ThreadTile:
    """Reduces across the lanes that hold other elements along `dims`, by butterfly exchanges: all get the
    result."""
    values = tile.values
    for bit in _reduced_bits(before.lanes, dims):
        values = tuple(join(value, _shuffle_xor(code, value, 1 << bit)) for value in values)
    return ThreadTile(tile.layout, values)


def _reduced_bits(vectors: tuple[tuple[int, ...], ...], dims: list[int]) -> list[int]:
    return [bit for bit, vector in enumerate(vectors) if any(vector[dim] for dim in dims)]


def _shuffle_xor(code: ThreadCode, value: ir.Value, distance: int) -> ir.Value:
    """Returns `value` of the lane whose id is this lane's xor `distance`."""
    element = value.type
    if element.width == i32().width:
        return code.architecture.shuffle_xor(code, value, distance)
    bits = ir.IntegerType.get_signless(element.width)
    word = value if element == bits else arith.BitcastOp(bits, value).result
    received = _shuffle_integer(code, word, distance)
    return received if element == bits else arith.BitcastOp(element, received).result


def _shuffle_integer(code: ThreadCode, value: ir.Value, distance: int) -> ir.Value:
    """Exchanges integers of less than 32 bits, or of 64 bits, which take two exchanges."""

    def shuffle(word: ir.Value) -> ir.Value:
        return code.architecture.shuffle_xor(code, word, distance)

    integer, word = value.type, i32()
    if integer.width < word.width:
        return arith.TruncIOp(integer, shuffle(arith.ExtUIOp(word, value).result)).result
    shift = integer_constant(integer, word.width)
    parts = [arith.TruncIOp(word, half).result for half in (value, arith.ShRUIOp(value, shift).result)]
    low, high = (arith.ExtUIOp(integer, shuffle(part)).result for part in parts)
    return arith.OrIOp(low, arith.ShLIOp(high, shift).result).result


def _between_warps(
    code: ThreadCode, tile: ThreadTile, before: Layout, dims: list[int], join: Join
) -> ThreadTile:
    """Through shared memory, in a row for each group of warps that held other elements along `dims`."""
    warp_bits = _reduced_bits(before.warps, dims)
    if not warp_bits:
        return tile
    count, layout = 1 << len(warp_bits), tile.layout
    memory = scratch_for(code, (count, *layout.shape), tile.values[0].type)
    row = _row(code, warp_bits)
    origin = [0] * len(layout.shape)
    code.barrier()
    own_rows = sum(1 << (code.architecture.lane_bits + bit) for bit in warp_bits)
    addresses.store_tile(code, tile, memory, [row, *origin], False, ANYTHING, own_rows)
    code.barrier()
    parts = [
        addresses.load_tile(code, layout, memory, [index, *origin], None, ANYTHING).values
        for index in range(count)
    ]
    return ThreadTile(layout, tuple(_tree(list(values), join) for values in zip(*parts, strict=True)))


def _row(code: ThreadCode, warp_bits: list[int]) -> integers.Integer:
    parts = []
    for index, bit in enumerate(warp_bits):
        shifted = integers.shift_right(code.thread_id(), code.architecture.lane_bits + bit)
        parts.append(integers.multiply(integers.mask(shifted, 1), 1 << index))
    return integers.total(parts)


HANDLERS = {vector_dialect.MultiDimReduction.NAME: multi_reduction}
