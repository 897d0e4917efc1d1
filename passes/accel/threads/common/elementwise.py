"""Elementwise ops, constants, masks and changes of shape: ops on the registers of tiles.

A thread's registers hold elements at static distances from each other; comparisons of indices use that.
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
from mlc.passes.common.rewriting import attributes_of

# The values of arith.cmpi's predicates slt, sle, sgt and sge.
_SIGNED = (2, 3, 4, 5)


def compare(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `arith.cmpi`. If registers hold indices `x + c` with a common `x` and constants `c`, `x + c >
    y` becomes `c > y - x`, with one subtraction for all registers with the same `y` and no additions. Indices
    of memory and loops are far from the limits of 32 bits."""
    comparison = arith.CmpI(op)
    type_, predicate = comparison.lhs.type, comparison.predicate
    is_index = isinstance(type_, ir.VectorType) and isinstance(type_.element_type, ir.IndexType)
    if not is_index or ir.IntegerAttr(predicate).value not in _SIGNED:
        elementwise(code, op)
        return
    layout = code.layouts[comparison.result]
    left, right = (tile_in_layout(code, operand, layout).values for operand in op.operands)
    sums = [_split_sum(value) for value in left]
    if len({terms for terms, _ in sums}) > 1 or len({known for _, known in sums}) == 1:
        elementwise(code, op)
        return
    differences = _differences(right, sums[0][0])
    pairs = zip((known for _, known in sums), right, strict=True)
    compared = (arith.cmpi(predicate, integers.value(known), differences[b]) for known, b in pairs)
    code.values[comparison.result] = ThreadTile(layout, tuple(compared))


def _split_sum(value: ir.Value) -> tuple[tuple[ir.Value, ...], int]:
    """Returns the dynamic terms of a sum, and the sum of its constant terms."""
    constant, total = arith.Constant.defining(value), arith.AddI.defining(value)
    if constant is not None:
        return (), int(ir.IntegerAttr(constant.value).value)
    if total is None:
        return (value,), 0
    parts = [_split_sum(operand) for operand in (total.lhs, total.rhs)]
    return tuple(term for terms, _ in parts for term in terms), sum(known for _, known in parts)


def _differences(values: Sequence[ir.Value], terms: Sequence[ir.Value]) -> dict[ir.Value, ir.Value]:
    """Returns each of `values` minus the sum of `terms`, by value."""
    base = integers.total(terms)
    if base == 0:
        return {value: value for value in values}
    return {value: arith.subi(value, integers.value(base)) for value in dict.fromkeys(values)}


def scalar_type(type_: ir.Type) -> ir.Type:
    """Returns the type of a register that holds an element: i32 for `index`, i8 for floats of 8 bits."""
    element = type_.element_type if isinstance(type_, ir.VectorType) else type_
    if isinstance(element, ir.FloatType) and element.width == 8:
        return i8()
    if isinstance(element, ir.IntegerType):
        return ir.IntegerType.get_signless(element.width)
    return i32() if isinstance(element, ir.IndexType) else element


def elementwise(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an op of arith or math on vectors or scalars. All results have the same layout."""
    if not isinstance(op.results[0].type, ir.VectorType):
        _set_results(code, op, _copy_op(op, [code.scalar(operand) for operand in op.operands]))
        return
    layout = code.layouts[op.results[0]]
    operands = [
        tile_in_layout(code, operand, layout).values
        if isinstance(operand.type, ir.VectorType)
        else (code.scalar(operand),) * layout.size
        for operand in op.operands
    ]
    registers = [_copy_op(op, values) for values in zip(*operands, strict=True)]
    _set_results(code, op, [ThreadTile(layout, values) for values in zip(*registers, strict=True)])


def _set_results(code: ThreadCode, op: ir.Operation, results: Sequence[ir.Value | ThreadTile]) -> None:
    code.values.update(zip(op.results, results, strict=True))


def _copy_op(op: ir.Operation, operands: Sequence[ir.Value]) -> list[ir.Value]:
    types = [scalar_type(result.type) for result in op.results]
    return list(ir.Operation.create(op.name, types, list(operands), attributes_of(op)).results)


def cast_index(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `arith.index_cast`: an index has 32 bits here."""
    (operand,), (result,) = op.operands, op.results
    target = scalar_type(result.type)
    if not isinstance(result.type, ir.VectorType):
        code.values[result] = _resize_integer(code.scalar(operand), target, op.name)
        return
    tile = code.tile(operand)
    values = tuple(_resize_integer(value, target, op.name) for value in tile.values)
    code.values[result] = ThreadTile(tile.layout, values)


def _resize_integer(value: ir.Value, target: ir.Type, name: str) -> ir.Value:
    before, after = value.type.width, target.width
    if before == after:
        return value
    if before > after:
        return arith.TruncIOp(target, value).result
    extend = arith.ExtUIOp if name.endswith("castui") else arith.ExtSIOp
    return extend(target, value).result


def constant(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `arith.constant`, a scalar or a splat."""
    attribute, result = arith.Constant(op).value, arith.Constant(op).result
    element = scalar_type(result.type)
    if isinstance(attribute, ir.DenseElementsAttr):
        if not attribute.is_splat:
            raise PassError("cannot distribute a constant whose elements differ", op.location)
        attribute = attribute.get_splat_value()
    if isinstance(attribute, ir.IntegerAttr):
        attribute = ir.IntegerAttr.get(element, attribute.value)
    value = arith.ConstantOp(attribute.type, attribute).result
    if value.type != element:
        value = arith.BitcastOp(element, value).result
    if isinstance(result.type, ir.VectorType):
        layout = code.layouts[result]
        code.values[result] = ThreadTile(layout, (value,) * layout.size)
    else:
        code.values[result] = value


def step(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `vector.step`: each element is its index."""
    result = vector.Step(op).result
    layout = code.layouts[result]
    start = code.thread_offset(layout, 0)
    indices = (integers.value(integers.add(start, layout.offset(index)[0])) for index in range(layout.size))
    code.values[result] = ThreadTile(layout, tuple(indices))


def create_mask(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `vector.create_mask` or `constant_mask`: whether an element's indices are below the bounds."""
    (result,) = op.results
    layout, static = code.layouts[result], vector.ConstantMask.match(op)
    bounds: list[Integer]
    if static is not None:
        bounds = list(static.mask_dim_sizes)
    else:
        bounds = [code.scalar(bound) for bound in vector.CreateMask(op).mask_dim_sizes]
    starts = [code.thread_offset(layout, dim) for dim in range(len(layout.shape))]
    values = []
    for register in range(layout.size):
        dims = zip(starts, layout.offset(register), bounds, layout.shape, strict=True)
        below = [
            integers.below(integers.add(start, offset), bound)
            for start, offset, bound, extent in dims
            if bound != extent
        ]
        values.append(integers.all_of(below) or integers.truth())
    code.values[result] = ThreadTile(layout, tuple(values))


def broadcast(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `vector.broadcast`: of a scalar, to new leading dims, or along dims of extent 1."""
    operand, result = vector.Broadcast(op).source, vector.Broadcast(op).vector
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


def broadcast_source(layout: Layout, source: ir.VectorType) -> Layout:
    """Returns the layout of a vector of type `source` whose broadcast to `layout` exchanges nothing between
    threads."""
    rank = len(layout.shape)
    kept = _kept_dims(source, rank)
    stretched = [dim for dim in range(rank) if not kept[dim]]
    new = rank - source.rank
    return layout.remove_dims(stretched).insert_dims([dim - new for dim in stretched if dim >= new])


def _kept_dims(source: ir.VectorType, rank: int) -> list[bool]:
    """Whether each dim of a broadcast's result, of `rank` dims, is a dim of its source that is not
    repeated."""
    return [False] * (rank - source.rank) + [extent != 1 for extent in source.shape]


def reshape(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `vector.shape_cast`: elements stay in their registers."""
    operand, result = vector.ShapeCast(op).source, vector.ShapeCast(op).result
    layout = code.layouts[result]
    source = tile_in_layout(code, operand, layout.reshape(list(operand.type.shape)))
    code.values[result] = ThreadTile(layout, source.values)


def transpose(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `vector.transpose`: the same registers with permuted dims."""
    view = vector.Transpose(op)
    source = code.tile(view.vector)
    moved = ThreadTile(source.layout.transpose(list(view.permutation)), source.values)
    code.values[view.result] = convert_layout(code, moved, code.layouts[view.result])


def extract_slice(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `vector.extract_strided_slice`: some of each thread's registers. Raises PassError if threads
    would have different parts of it, or if its elements are not contiguous."""
    view, (result,) = vector.ExtractStridedSlice(op), op.results
    source = code.tile(view.source)
    start, steps = (
        [ir.IntegerAttr(value).value for value in field] for field in (view.offsets, view.strides)
    )
    layout = source.layout.part(result.type.shape)
    aligned = all(at % size == 0 for at, size in zip(start, result.type.shape, strict=False))
    if layout is None or not aligned or any(step != 1 for step in steps):
        raise PassError(f"cannot distribute '{op.name}', of which threads have different parts", op.location)
    start += [0] * (len(layout.shape) - len(start))
    offsets = (tuple(map(sum, zip(layout.offset(index), start, strict=True))) for index in range(layout.size))
    values = tuple(source.values[source.layout.register_at(offset)] for offset in offsets)
    code.values[result] = convert_layout(code, ThreadTile(layout, values), code.layouts[result])


HANDLERS = {
    "arith.*": elementwise,
    "math.*": elementwise,
    arith.CmpI.NAME: compare,
    arith.Constant.NAME: constant,
    arith.IndexCast.NAME: cast_index,
    arith.IndexCastUI.NAME: cast_index,
    vector.Broadcast.NAME: broadcast,
    vector.ConstantMask.NAME: create_mask,
    vector.CreateMask.NAME: create_mask,
    vector.ExtractStridedSlice.NAME: extract_slice,
    vector.ShapeCast.NAME: reshape,
    vector.Step.NAME: step,
    vector.Transpose.NAME: transpose,
}
