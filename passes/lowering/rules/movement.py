"""Data movement: views become slices and reshapes of tensors; other ops read their source at computed
coordinates."""

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
from mlc.passes.lowering.common.rule import rule


@rule("pack")
def lower_pack(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.pack` to a `linalg.generic` that reads x in blocked order, or padding past its end."""
    pack = graph.Pack(op)
    x, shape = pack.x, static_shape(pack.result)
    source = static_shape(x)
    order = list(pack.outer_permutation or range(len(source)))
    exprs = dims(len(shape))
    read = [exprs[order.index(axis)] for axis in range(len(source))]
    padded = list(source)
    for position, (axis, tile) in enumerate(zip(pack.inner_dims, pack.inner_tiles, strict=True)):
        read[axis] = read[axis] * tile + exprs[len(source) + position]
        padded[axis] = -(-source[axis] // tile) * tile
    if padded == source:
        return [gather_by_map(x, shape, read)]
    assert pack.padding is not None, "the verifier asks for padding where tiles do not divide the dims"
    return [_gather_padded(x, shape, read, pack.padding)]


@rule("unpack")
def lower_unpack(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.unpack` to a `linalg.generic` that reads x in plain order."""
    unpack = graph.Unpack(op)
    shape = static_shape(unpack.result)
    order = unpack.outer_permutation or range(len(shape))
    outer = dims(len(shape))
    inner = []
    for axis, tile in zip(unpack.inner_dims, unpack.inner_tiles, strict=True):
        inner.append(ir.AffineExpr.get_mod(outer[axis], tile))
        outer[axis] = ir.AffineExpr.get_floor_div(outer[axis], tile)
    return [gather_by_map(unpack.x, shape, [*(outer[axis] for axis in order), *inner])]


def _gather_padded(
    source: ir.Value, result: Sequence[int], read: Sequence[ir.AffineExpr], padding: float
) -> ir.Value:
    """Like `gather_by_map`, with `padding` where `read` is beyond the end of `source`."""
    extents, element, count = static_shape(source), tensor_type(source).element_type, len(result)
    index_type = ir.IndexType.get()

    def body(_old: ir.Value) -> ir.Value:
        indices = [linalg.IndexOp(dim).result for dim in range(count)]
        inside, coordinates = constant(i1(), 1), []
        for expression, extent in zip(read, extents, strict=True):
            index = affine.AffineApplyOp(affine_map(count, [expression]), indices).result
            last = constant(index_type, extent - 1)
            inside = arith.andi(inside, arith.cmpi(arith.CmpIPredicate.sle, index, last))
            coordinates.append(arith.minsi(index, last))
        return arith.select(inside, tensor.extract(source, coordinates), constant(element, padding))

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
    source: ir.Value, result: Sequence[int], coordinates: Callable[[list[ir.Value]], list[ir.Value]]
) -> ir.Value:
    """The tensor of shape `result` whose element at indices `i` is `source[coordinates(i)]`."""
    count = len(result)

    def body(_old: ir.Value) -> ir.Value:
        return tensor.extract(source, coordinates([linalg.IndexOp(dim).result for dim in range(count)]))

    output = empty(result, tensor_type(source).element_type)
    return generic([], [], output, affine_map(count, dims(count)), body)


def reshape(x: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Row-major reshape through the flat tensor."""
    old = static_shape(x)
    if list(shape) == old:
        return x
    element = tensor_type(x).element_type
    flat = x
    if len(old) != 1:
        count = [product(old)]
        flat_type = ir.RankedTensorType.get(static_and_dynamic(count)[0], element)
        flat = note_shape(tensor.CollapseShapeOp(flat_type, x, _groups(len(old))).result, count)
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
    """Lowers reshapes to `tensor.collapse_shape` and `tensor.expand_shape`."""
    reshaping = graph.Reshaping(op)
    return [reshape(reshaping.x, static_shape(reshaping.result))]


@rule("transpose")
def lower_transpose(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.transpose` to a `linalg.generic` with a permuted indexing map."""
    transpose = graph.Transpose(op)
    permutation = transpose.permutation
    read = sorted(range(len(permutation)), key=permutation.__getitem__)
    exprs = dims(len(permutation))
    return [gather_by_map(transpose.x, static_shape(transpose.result), [exprs[axis] for axis in read])]


@rule("concat")
def lower_concat(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.concat` to one `tensor.insert_slice` per input."""
    concat = graph.Concat(op)
    shape, axis = static_shape(concat.result), concat.axis
    result = empty(shape, tensor_type(concat.result).element_type)
    offset = 0
    for part in concat.inputs:
        result = insert(part, result, [offset if dim == axis else 0 for dim in range(len(shape))])
        offset += static_shape(part)[axis]
    return [result]


@rule("slice")
def lower_slice(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.slice` to `tensor.extract_slice`; negative steps add a `linalg.generic` that reverses."""
    slice_op = graph.Slice(op)
    x, steps = slice_op.x, slice_op.steps
    # Negative starts count from the end; the attribute `sizes` may mean "all that follow".
    extents = zip(slice_op.starts, static_shape(x), strict=True)
    starts = [start + extent if start < 0 else start for start, extent in extents]
    sizes = static_shape(slice_op.result)
    # A negative step reads the same elements from the last one on, in reverse.
    lowest = [
        start if step > 0 else maximum(0, start + (size - 1) * step)
        for start, step, size in zip(starts, steps, sizes, strict=True)
    ]
    part = slice_of(x, lowest, sizes, list(map(abs, steps)))
    if all(step > 0 for step in steps):
        return [part]
    if any(step < 0 and not isinstance(size, int) for step, size in zip(steps, sizes, strict=True)):
        return [_reverse_dynamic(part, sizes, steps)]
    read = [
        index if step > 0 else size - 1 - index
        for index, step, size in zip(dims(len(sizes)), steps, sizes, strict=True)
    ]
    return [gather_by_map(part, sizes, read)]


def _reverse_dynamic(x: ir.Value, sizes: Sequence[int], steps: Sequence[int]) -> ir.Value:
    """Reverses the dims with negative steps: affine maps have no symbols for dynamic sizes."""
    index_type = ir.IndexType.get()

    def coordinates(indices: list[ir.Value]) -> list[ir.Value]:
        return [
            index if step > 0 else arith.subi(constant(index_type, size - 1), index)
            for index, size, step in zip(indices, sizes, steps, strict=True)
        ]

    return gather_at(x, sizes, coordinates)


@rule("expand")
def lower_expand(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.expand` to a `linalg.generic` that broadcasts x."""
    expand = graph.Expand(op)
    x, shape = expand.x, static_shape(expand.result)
    extents = static_shape(x)
    last = shape[len(shape) - len(extents) :]
    if any(extent not in (1, total) for extent, total in zip(extents, last, strict=True)):
        return [_expand_dynamic(x, extents, shape)]
    return [gather_by_map(x, shape, list(broadcast_map(extents, shape).results))]


def _expand_dynamic(x: ir.Value, extents: Sequence[int], shape: Sequence[int]) -> ir.Value:
    """Reads `x` at the indices of the result, or at 0 along dims whose extent is 1 at run time."""
    index_type, offset = ir.IndexType.get(), len(shape) - len(extents)

    def coordinates(indices: list[ir.Value]) -> list[ir.Value]:
        zero, one = constant(index_type, 0), constant(index_type, 1)
        found = []
        for index, extent, total in zip(indices[offset:], extents, shape[offset:], strict=True):
            is_one = arith.cmpi(arith.CmpIPredicate.eq, constant(index_type, extent), one)
            found.append(index if extent == total else arith.select(is_one, zero, index))
        return found

    return gather_at(x, shape, coordinates)


@rule("tile")
def lower_tile(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.tile` to a `linalg.generic` that reads x at indices modulo its extents."""
    x, shape = graph.Tile(op).x, static_shape(graph.Tile(op).result)
    extents = static_shape(x)
    if not all(isinstance(extent, int) for extent in extents):
        return [_tile_by_remainders(x, extents, shape)]
    read = [
        ir.AffineExpr.get_mod(index, extent) for index, extent in zip(dims(len(shape)), extents, strict=True)
    ]
    return [gather_by_map(x, shape, read)]


def _tile_by_remainders(x: ir.Value, extents: Sequence[int], shape: Sequence[int]) -> ir.Value:
    """Reads `x` at the remainders of the indices of the result, for dynamic extents."""
    index_type = ir.IndexType.get()

    def coordinates(indices: list[ir.Value]) -> list[ir.Value]:
        return [
            index if extent == total else arith.remui(index, constant(index_type, extent))
            for index, extent, total in zip(indices, extents, shape, strict=True)
        ]

    return gather_at(x, shape, coordinates)
