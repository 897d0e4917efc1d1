"""Data movement. Views become slices and reshapes of tensors; the rest reads its source at computed
places.

Blocked layouts: tiles are read from the places where their elements lie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import affine, arith, ir, linalg, tensor
from mlc.dialects import graph
from mlc.dialects.graph.sizes import maximum, product
from mlc.passes.common.constants import i1
from mlc.passes.common.dynamic_dims import static_and_dynamic
from mlc.passes.common.linalg_builders import (
    affine_map,
    broadcast_map,
    constant,
    dims,
    empty,
    generic,
    insert,
    note_shape,
    slice_of,
    static_shape,
    tensor_type,
)
from mlc.passes.lowering.common.rule import integers, rule


@rule("pack")
def lower_pack(op: ir.Operation) -> list[ir.Value]:
    pack = graph.Pack(op)
    x, shape = pack.x, static_shape(pack.result)
    inner_dims, tiles = integers(op, "inner_dims"), integers(op, "inner_tiles")
    source = static_shape(x)
    order = integers(op, "outer_permutation") or list(range(len(source)))
    exprs = dims(len(shape))
    read = [exprs[order.index(axis)] for axis in range(len(source))]
    padded = list(source)
    for place, (axis, tile) in enumerate(zip(inner_dims, tiles, strict=True)):
        read[axis] = read[axis] * tile + exprs[len(source) + place]
        padded[axis] = -(-source[axis] // tile) * tile
    if padded == source:
        return [gather_by_map(x, shape, read)]
    assert pack.padding is not None, "the verifier asks for padding where tiles do not divide the dims"
    return [_gather_padded(x, shape, read, pack.padding)]


@rule("unpack")
def lower_unpack(op: ir.Operation) -> list[ir.Value]:
    unpack = graph.Unpack(op)
    shape = static_shape(unpack.result)
    inner_dims, tiles = integers(op, "inner_dims"), integers(op, "inner_tiles")
    order = integers(op, "outer_permutation") or list(range(len(shape)))
    outer = dims(len(shape))
    inner = []
    for axis, tile in zip(inner_dims, tiles, strict=True):
        inner.append(ir.AffineExpr.get_mod(outer[axis], tile))
        outer[axis] = ir.AffineExpr.get_floor_div(outer[axis], tile)
    return [gather_by_map(unpack.x, shape, [*(outer[axis] for axis in order), *inner])]


def _gather_padded(
    source: ir.Value, result: Sequence[int], read: Sequence[ir.AffineExpr], padding: float
) -> ir.Value:
    """Like `gather_by_map`, with `padding` where `read` lies beyond the end of `source`."""
    extents, element, count = static_shape(source), tensor_type(source).element_type, len(result)
    index_type = ir.IndexType.get()

    def body(_old: ir.Value) -> ir.Value:
        indices = [linalg.IndexOp(dim).result for dim in range(count)]
        inside, places = constant(i1(), 1), []
        for expression, extent in zip(read, extents, strict=True):
            place = affine.AffineApplyOp(affine_map(count, [expression]), indices).result
            last = constant(index_type, extent - 1)
            inside = arith.andi(inside, arith.cmpi(arith.CmpIPredicate.sle, place, last))
            places.append(arith.minsi(place, last))
        return arith.select(inside, tensor.extract(source, places), constant(element, padding))

    return generic([], [], empty(result, element), affine_map(count, dims(count)), body)


def gather_by_map(source: ir.Value, result: Sequence[int], read: Sequence[ir.AffineExpr]) -> ir.Value:
    """The tensor of shape `result` whose element at d0, d1, ... is `source[read]`."""
    count = len(result)
    output = empty(result, tensor_type(source).element_type)
    return generic(
        [source],
        [affine_map(count, read)],
        output,
        affine_map(count, dims(count)),
        lambda value, _old: value,
    )


def gather_at(
    source: ir.Value, result: Sequence[int], places: Callable[[list[ir.Value]], list[ir.Value]]
) -> ir.Value:
    """The same, with what `places` computes of the indices for the place that is read."""
    count = len(result)

    def body(_old: ir.Value) -> ir.Value:
        return tensor.extract(source, places([linalg.IndexOp(dim).result for dim in range(count)]))

    output = empty(result, tensor_type(source).element_type)
    return generic([], [], output, affine_map(count, dims(count)), body)


def reshaped(x: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Row-major reshape through the flat tensor."""
    old = static_shape(x)
    if list(shape) == old:
        return x
    element = tensor_type(x).element_type
    flat = x
    if len(old) != 1:
        count = [product(old)]
        kind = ir.RankedTensorType.get(static_and_dynamic(count)[0], element)
        flat = note_shape(tensor.CollapseShapeOp(kind, x, _groups(len(old))).result, count)
    if len(shape) == 1:
        return flat
    sizes, open_sizes = static_and_dynamic(shape)
    result = ir.RankedTensorType.get(sizes, element)
    return note_shape(
        tensor.ExpandShapeOp(result, flat, _groups(len(shape)), open_sizes, sizes).result, shape
    )


def _groups(rank: int) -> list[list[int]]:
    return [list(range(rank))] if rank else []


@rule("reshape", "squeeze", "unsqueeze")
def lower_reshape(op: ir.Operation) -> list[ir.Value]:
    reshaping = graph.Reshaping(op)
    return [reshaped(reshaping.x, static_shape(reshaping.result))]


@rule("transpose")
def lower_transpose(op: ir.Operation) -> list[ir.Value]:
    transpose = graph.Transpose(op)
    permutation = integers(op, "permutation")
    read = sorted(range(len(permutation)), key=permutation.__getitem__)
    exprs = dims(len(permutation))
    return [gather_by_map(transpose.x, static_shape(transpose.result), [exprs[axis] for axis in read])]


@rule("concat")
def lower_concat(op: ir.Operation) -> list[ir.Value]:
    concat = graph.Concat(op)
    shape, axis = static_shape(concat.result), concat.axis
    result = empty(shape, tensor_type(concat.result).element_type)
    offset = 0
    for part in op.operands:
        result = insert(part, result, [offset if dim == axis else 0 for dim in range(len(shape))])
        offset += static_shape(part)[axis]
    return [result]


@rule("slice")
def lower_slice(op: ir.Operation) -> list[ir.Value]:
    slice_op = graph.Slice(op)
    x, steps = slice_op.x, integers(op, "steps")
    # Negative starts count from the end; the attribute `sizes` may say "all that follow".
    places = zip(integers(op, "starts"), static_shape(x), strict=True)
    starts = [start + extent if start < 0 else start for start, extent in places]
    sizes = static_shape(slice_op.result)
    # A negative step reads the same places from the last one on, in reverse.
    lowest = [
        start if step > 0 else maximum(0, start + (size - 1) * step)
        for start, step, size in zip(starts, steps, sizes, strict=True)
    ]
    part = slice_of(x, lowest, sizes, list(map(abs, steps)))
    if all(step > 0 for step in steps):
        return [part]
    read = [
        place if step > 0 else size - 1 - place
        for place, step, size in zip(dims(len(sizes)), steps, sizes, strict=True)
    ]
    return [gather_by_map(part, sizes, read)]


@rule("expand")
def lower_expand(op: ir.Operation) -> list[ir.Value]:
    expand = graph.Expand(op)
    x, shape = expand.x, static_shape(expand.result)
    own = static_shape(x)
    behind = shape[len(shape) - len(own) :]
    if any(extent not in (1, total) for extent, total in zip(own, behind, strict=True)):
        return [_expand_what_is_one(x, own, shape)]
    return [gather_by_map(x, shape, list(broadcast_map(own, shape).results))]


def _expand_what_is_one(x: ir.Value, own: Sequence[int], shape: Sequence[int]) -> ir.Value:
    """Every place of the result reads x at the same place, or at 0 along dims that turn out to be 1."""
    kind, offset = ir.IndexType.get(), len(shape) - len(own)

    def places(indices: list[ir.Value]) -> list[ir.Value]:
        zero, one = constant(kind, 0), constant(kind, 1)
        found = []
        for index, extent, total in zip(indices[offset:], own, shape[offset:], strict=True):
            is_one = arith.cmpi(arith.CmpIPredicate.eq, constant(kind, extent), one)
            found.append(index if extent == total else arith.select(is_one, zero, index))
        return found

    return gather_at(x, shape, places)


@rule("tile")
def lower_tile(op: ir.Operation) -> list[ir.Value]:
    x, shape = graph.Tile(op).x, static_shape(graph.Tile(op).result)
    extents = static_shape(x)
    if not all(isinstance(extent, int) for extent in extents):
        return [_tile_by_remainders(x, extents, shape)]
    read = [
        ir.AffineExpr.get_mod(place, extent) for place, extent in zip(dims(len(shape)), extents, strict=True)
    ]
    return [gather_by_map(x, shape, read)]


def _tile_by_remainders(x: ir.Value, extents: Sequence[int], shape: Sequence[int]) -> ir.Value:
    """Every place of the result reads the one of x that it repeats."""
    kind = ir.IndexType.get()

    def places(indices: list[ir.Value]) -> list[ir.Value]:
        return [
            index if extent == total else arith.remui(index, constant(kind, extent))
            for index, extent, total in zip(indices, extents, shape, strict=True)
        ]

    return gather_at(x, shape, places)
