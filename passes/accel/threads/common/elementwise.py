"""Ops on elements: the same op on each register's value.

Comparisons of places, which a thread's registers have at known distances from each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, vector
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadTile
from mlc.passes.accel.threads.common.layout_conversions import convert_layout, tile_in_layout
from mlc.passes.base import PassError
from mlc.passes.common.constants import i8, i32
from mlc.passes.common.rewriting import attributes_of, defining_op

# arith.cmpi's numbers of slt, sle, sgt and sge.
_SIGNED = (2, 3, 4, 5)


def compare(code: ThreadCode, op: ir.Operation) -> None:
    """`arith.cmpi`: where registers hold places `x + c` of one `x`, `x + c > y` as `c > y - x`: there is one
    difference for all that have the same `y`, and nothing to add for each. Places are memories' and loops',
    and so far from where 32 bits end."""
    kind = op.operands[0].type
    predicate = op.attributes["predicate"]
    is_index = isinstance(kind, ir.VectorType) and isinstance(kind.element_type, ir.IndexType)
    if not is_index or ir.IntegerAttr(predicate).value not in _SIGNED:
        elementwise(code, op)
        return
    layout = code.layouts[op.results[0]]
    left, right = (tile_in_layout(code, operand, layout).values for operand in op.operands)
    sums = [_sum_of(each) for each in left]
    if len({terms for terms, _ in sums}) > 1 or len({known for _, known in sums}) == 1:
        elementwise(code, op)
        return
    differences = _differences(right, sums[0][0])
    pairs = zip((known for _, known in sums), right, strict=True)
    compared = (arith.cmpi(predicate, integers.value(known), differences[b]) for known, b in pairs)
    code.values[op.results[0]] = ThreadTile(layout, tuple(compared))


def _sum_of(value: ir.Value) -> tuple[tuple[ir.Value, ...], int]:
    """What is added up to a number, and of that what is known."""
    constant, total = defining_op(value, arith.Constant.NAME), defining_op(value, arith.AddI.NAME)
    if constant is not None:
        return (), int(ir.IntegerAttr(constant.attributes["value"]).value)
    if total is None:
        return (value,), 0
    parts = [_sum_of(operand) for operand in total.operands]
    return tuple(term for terms, _ in parts for term in terms), sum(known for _, known in parts)


def _differences(values: Sequence[ir.Value], terms: Sequence[ir.Value]) -> dict[ir.Value, ir.Value]:
    """Between each of `values` and the sum of `terms`."""
    base = integers.total(terms)
    if base == 0:
        return {value: value for value in values}
    return {fromkey: arith.subi(fromkey, integers.value(base)) for fromkey in dict.fromkeys(values)}


def scalar_type(kind: ir.Type) -> ir.Type:
    """Of a register that holds an element: 32 bits for `index`, as a thread computes, and the bytes of floats
    of 8 bits."""
    element = kind.element_type if isinstance(kind, ir.VectorType) else kind
    if isinstance(element, ir.FloatType) and element.width == 8:
        return i8()
    if isinstance(element, ir.IntegerType):
        return ir.IntegerType.get_signless(element.width)
    return i32() if isinstance(element, ir.IndexType) else element


def elementwise(code: ThreadCode, op: ir.Operation) -> None:
    """arith and math ops on vectors, and on what all threads have. Several results have one layout."""
    if not isinstance(op.results[0].type, ir.VectorType):
        _give(code, op, _copy(op, [code.scalar(operand) for operand in op.operands]))
        return
    layout = code.layouts[op.results[0]]
    operands = [
        tile_in_layout(code, operand, layout).values
        if isinstance(operand.type, ir.VectorType)
        else (code.scalar(operand),) * layout.size
        for operand in op.operands
    ]
    registers = [_copy(op, each) for each in zip(*operands, strict=True)]
    _give(code, op, [ThreadTile(layout, values) for values in zip(*registers, strict=True)])


def _give(code: ThreadCode, op: ir.Operation, results: Sequence[ir.Value | ThreadTile]) -> None:
    code.values.update(zip(op.results, results, strict=True))


def _copy(op: ir.Operation, operands: Sequence[ir.Value]) -> list[ir.Value]:
    kinds = [scalar_type(result.type) for result in op.results]
    return list(ir.Operation.create(op.name, kinds, list(operands), attributes_of(op)).results)


def cast_of_index(code: ThreadCode, op: ir.Operation) -> None:
    """`arith.index_cast`: an index has 32 bits here."""
    (operand,), (result,) = op.operands, op.results
    if not isinstance(result.type, ir.VectorType):
        code.values[result] = _resized(code.scalar(operand), scalar_type(result.type), op.name)
        return
    tile = code.tile(operand)
    kind = scalar_type(result.type)
    code.values[result] = ThreadTile(
        tile.layout, tuple(_resized(value, kind, op.name) for value in tile.values)
    )


def _resized(value: ir.Value, kind: ir.Type, name: str) -> ir.Value:
    before, after = value.type.width, kind.width
    if before == after:
        return value
    if before > after:
        return arith.TruncIOp(kind, value).result
    extend = arith.ExtUIOp if name.endswith("castui") else arith.ExtSIOp
    return extend(kind, value).result


def constant(code: ThreadCode, op: ir.Operation) -> None:
    """Of one number, or of a vector all of whose elements are equal."""
    (result,) = op.results
    attribute = op.attributes["value"]
    kind = scalar_type(result.type)
    if isinstance(attribute, ir.DenseElementsAttr):
        if not attribute.is_splat:
            raise PassError("cannot distribute a constant whose elements differ", op.location)
        attribute = attribute.get_splat_value()
    if isinstance(attribute, ir.IntegerAttr):
        attribute = ir.IntegerAttr.get(kind, attribute.value)
    value = arith.ConstantOp(attribute.type, attribute).result
    if value.type != kind:
        value = arith.BitcastOp(kind, value).result
    if isinstance(result.type, ir.VectorType):
        layout = code.layouts[result]
        code.values[result] = ThreadTile(layout, (value,) * layout.size)
    else:
        code.values[result] = value


def step(code: ThreadCode, op: ir.Operation) -> None:
    """`vector.step`: the elements' own numbers."""
    (result,) = op.results
    layout = code.layouts[result]
    place = code.thread_offset(layout, 0)
    at = (integers.value(integers.add(place, layout.offset(index)[0])) for index in range(layout.size))
    code.values[result] = ThreadTile(layout, tuple(at))


def create_mask(code: ThreadCode, op: ir.Operation) -> None:
    """`vector.create_mask` and `constant_mask`: whether an element lies below a bound along each dim."""
    (result,) = op.results
    layout = code.layouts[result]
    if vector.ConstantMask.isa(op):
        bounds: list[Integer] = list(ir.DenseI64ArrayAttr(op.attributes["mask_dim_sizes"]))
    else:
        bounds = [code.scalar(operand) for operand in op.operands]
    places = [code.thread_offset(layout, dim) for dim in range(len(layout.shape))]
    values = []
    for register in range(layout.size):
        at = zip(places, layout.offset(register), bounds, layout.shape, strict=True)
        below = [
            integers.below(integers.add(place, offset), bound)
            for place, offset, bound, extent in at
            if bound != extent
        ]
        values.append(integers.all_of(below) or integers.truth())
    code.values[result] = ThreadTile(layout, tuple(values))


def broadcast(code: ThreadCode, op: ir.Operation) -> None:
    """`vector.broadcast`: new dims in front, extents of 1 that become others, or one number everywhere."""
    (operand,), (result,) = op.operands, op.results
    layout = code.layouts[result]
    if not isinstance(operand.type, ir.VectorType):
        code.values[result] = ThreadTile(layout, (code.scalar(operand),) * layout.size)
        return
    source = tile_in_layout(code, operand, broadcast_source(layout, operand.type))
    kept = _kept_dims(operand.type, len(layout.shape))
    values = []
    for register in range(layout.size):
        offset = layout.offset(register)
        at = tuple(
            offset[dim] if kept[dim] else 0 for dim in range(len(offset) - operand.type.rank, len(offset))
        )
        values.append(source.values[source.layout.register_at(at)])
    code.values[result] = ThreadTile(layout, tuple(values))


def broadcast_source(layout: Layout, kind: ir.VectorType) -> Layout:
    """The layout of what broadcasts to a vector of `layout` without moving anything between threads."""
    rank = len(layout.shape)
    kept = _kept_dims(kind, rank)
    stretched = [dim for dim in range(rank) if not kept[dim]]
    new = rank - kind.rank
    return layout.remove_dims(stretched).insert_dims([dim - new for dim in stretched if dim >= new])


def _kept_dims(kind: ir.VectorType, rank: int) -> list[bool]:
    return [False] * (rank - kind.rank) + [extent != 1 for extent in kind.shape]


def reshape(code: ThreadCode, op: ir.Operation) -> None:
    """`vector.shape_cast`, for which elements stay where they are."""
    (operand,), (result,) = op.operands, op.results
    layout = code.layouts[result]
    source = tile_in_layout(code, operand, layout.reshape(list(operand.type.shape)))
    code.values[result] = ThreadTile(layout, source.values)


def transpose(code: ThreadCode, op: ir.Operation) -> None:
    """`vector.transpose`: other names for the same places."""
    (operand,), (result,) = op.operands, op.results
    source = code.tile(operand)
    order = list(ir.DenseI64ArrayAttr(op.attributes["permutation"]))
    moved = ThreadTile(source.layout.transpose(order), source.values)
    code.values[result] = convert_layout(code, moved, code.layouts[result])


def part(code: ThreadCode, op: ir.Operation) -> None:
    """`vector.extract_strided_slice`: some of each thread's registers. Raises PassError where threads have
    different parts of it, or its elements do not follow each other."""
    (operand,), (result,) = op.operands, op.results
    source = code.tile(operand)
    start, steps = (_numbers(op, name) for name in ("offsets", "strides"))
    layout = source.layout.part(result.type.shape)
    aligned = all(at % size == 0 for at, size in zip(start, result.type.shape, strict=False))
    if layout is None or not aligned or any(each != 1 for each in steps):
        raise PassError(f"cannot distribute '{op.name}', of which threads have different parts", op.location)
    start += [0] * (len(layout.shape) - len(start))
    places = (tuple(map(sum, zip(layout.offset(index), start, strict=True))) for index in range(layout.size))
    values = tuple(source.values[source.layout.register_at(place)] for place in places)
    code.values[result] = convert_layout(code, ThreadTile(layout, values), code.layouts[result])


def _numbers(op: ir.Operation, name: str) -> list[int]:
    return [each.value for each in ir.ArrayAttr(op.attributes[name])]


HANDLERS = {
    "arith.*": elementwise,
    "math.*": elementwise,
    arith.CmpI.NAME: compare,
    arith.Constant.NAME: constant,
    arith.IndexCast.NAME: cast_of_index,
    arith.IndexCastUI.NAME: cast_of_index,
    vector.Broadcast.NAME: broadcast,
    vector.ConstantMask.NAME: create_mask,
    vector.CreateMask.NAME: create_mask,
    vector.ExtractStridedSlice.NAME: part,
    vector.ShapeCast.NAME: reshape,
    vector.Step.NAME: step,
    vector.Transpose.NAME: transpose,
}
