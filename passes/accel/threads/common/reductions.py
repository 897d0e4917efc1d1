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
    """The result, which starts from the accumulator, has the layout of the source without the dims; if it is
    one number, all threads have it."""
    source, initial = op.operands
    (result,) = op.results
    dims = list(ir.DenseI64ArrayAttr(op.attributes["reduction_dims"]))
    join = _join(op)
    tile = code.tile(source)
    reduced = _between_lanes(code, _in_registers(tile, dims, join), tile.layout, dims, join)
    reduced = _between_warps(code, reduced, tile.layout, dims, join)
    if code.in_flight:
        code.overlapped = reduced.values
    if not isinstance(result.type, ir.VectorType):
        code.values[result] = join(code.scalar(initial), reduced.values[0])
        return
    start = tile_in_layout(code, initial, reduced.layout)
    sums = (join(a, b) for a, b in zip(start.values, reduced.values, strict=True))
    code.values[result] = convert_layout(code, ThreadTile(reduced.layout, tuple(sums)), code.layouts[result])


def _join(op: ir.Operation) -> Join:
    kind = str(op.attributes["kind"]).split("<")[-1].rstrip(">").strip()
    element = op.operands[0].type.element_type
    family = "integer" if isinstance(element, ir.IntegerType | ir.IndexType) else "float"
    made = _JOINS.get(f"{kind}:{family}")
    if made is None:
        raise PassError(f"cannot distribute a reduction by '{kind}' of {element}", op.location)
    return lambda a, b: made(a, b).result


def _in_registers(tile: ThreadTile, dims: list[int], join: Join) -> ThreadTile:
    """One register for all that differ in `dims` only, as a tree, which is short and adds little error."""
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
    """Lanes that held other elements along `dims` exchange what they have; then all have the result."""
    values = tile.values
    for bit in _reduced_bits(before.lanes, dims):
        values = tuple(join(value, _shuffle_xor(code, value, 1 << bit)) for value in values)
    return ThreadTile(tile.layout, values)


def _reduced_bits(vectors: tuple[tuple[int, ...], ...], dims: list[int]) -> list[int]:
    return [bit for bit, vector in enumerate(vectors) if any(vector[dim] for dim in dims)]


def _shuffle_xor(code: ThreadCode, value: ir.Value, distance: int) -> ir.Value:
    """What the lane whose number differs in one bit has."""
    kind = value.type
    if kind.width == i32().width:
        return code.architecture.shuffle_xor(code, value, distance)
    bits = ir.IntegerType.get_signless(kind.width)
    word = value if kind == bits else arith.BitcastOp(bits, value).result
    received = _shuffle_word(code, word, distance)
    return received if kind == bits else arith.BitcastOp(kind, received).result


def _shuffle_word(code: ThreadCode, word: ir.Value, distance: int) -> ir.Value:
    """Integers of less than 32 bits, or of 64, which are exchanged in two parts."""

    def exchanged(half_word: ir.Value) -> ir.Value:
        return code.architecture.shuffle_xor(code, half_word, distance)

    kind, half = word.type, i32()
    if kind.width < half.width:
        return arith.TruncIOp(kind, exchanged(arith.ExtUIOp(half, word).result)).result
    shift = integer_constant(kind, half.width)
    parts = [arith.TruncIOp(half, each).result for each in (word, arith.ShRUIOp(word, shift).result)]
    low, high = (arith.ExtUIOp(kind, exchanged(part)).result for part in parts)
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
    return ThreadTile(layout, tuple(_tree(list(each), join) for each in zip(*parts, strict=True)))


def _row(code: ThreadCode, warp_bits: list[int]) -> integers.Integer:
    parts = []
    for place, bit in enumerate(warp_bits):
        number = integers.mask(integers.shift_right(code.thread_id(), code.architecture.lane_bits + bit), 1)
        parts.append(integers.multiply(number, 1 << place))
    return integers.total(parts)


HANDLERS = {vector_dialect.MultiDimReduction.NAME: multi_reduction}
