"""Builders for `linalg.generic` and for scalar arithmetic, shared by the lowering rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from mlc.bindings import arith, ir, linalg, tensor
from mlc.bindings import complex as complex_dialect
from mlc.dialects.graph.sizes import Size
from mlc.passes.base import PassError
from mlc.passes.common.constants import i64, integer_constant
from mlc.passes.common.dynamic_dims import UNKNOWN, current, static_and_dynamic

Scalars = Sequence[ir.Value]
# A size that is known, or its value at run time.
Extent: TypeAlias = "int | ir.Value"


def tensor_type(value: ir.Value) -> ir.RankedTensorType:
    """Returns the type of a value that is a tensor."""
    return ir.RankedTensorType(value.type)


def static_shape(value: ir.Value | ir.Type) -> list[Any]:
    """Returns the dims of a tensor: integers, and sizes of dynamic dims. Raises PassError for a dynamic dim
    that the kernel does not name."""
    type_ = ir.RankedTensorType(value.type if isinstance(value, ir.Value) else value)
    if type_.has_static_shape:
        return list(type_.shape)
    known = current()
    if known is None or not isinstance(value, ir.Value):
        where = value.location if isinstance(value, ir.Value) else None
        raise PassError(f"this {type_} has dims that the kernel does not name", where)
    return list(known.of(value))


def is_float(type_: ir.Type) -> bool:
    """Whether a scalar type is a float."""
    return isinstance(type_, ir.FloatType)


def is_unsigned(type_: ir.Type) -> bool:
    """Whether a scalar type is an unsigned integer."""
    return isinstance(type_, ir.IntegerType) and type_.is_unsigned


def constant(type_: ir.Type, value: float | int | bool | Size) -> ir.Value:
    """Builds a scalar constant of a float, complex, integer or index type; of a size, its value at run
    time."""
    if isinstance(value, Size):
        return _size_value(type_, value)
    if is_float(type_):
        return arith.ConstantOp(type_, ir.FloatAttr.get(type_, float(value))).result
    if isinstance(type_, ir.ComplexType):
        parts = [ir.FloatAttr.get(type_.element_type, float(part)) for part in (value, 0.0)]
        return complex_dialect.ConstantOp(type_, ir.ArrayAttr.get(parts)).result
    if isinstance(type_, ir.IntegerType) and type_.width == 1:
        return integer_constant(type_, int(bool(value)))
    return integer_constant(type_, _as_signed(int(value), type_))


def index_value(value: int | Size) -> ir.Value:
    """Builds an index: a constant, or the value of a size at run time."""
    return constant(ir.IndexType.get(), value)


def extent_of(value: ir.Value, axis: int) -> Extent:
    """Returns the extent of a dim, computed at the insertion point if it is dynamic."""
    known = tensor_type(value).shape[axis]
    return tensor.DimOp(value, index_value(axis)).result if known == UNKNOWN else known


def _size_value(type_: ir.Type, size: Size) -> ir.Value:
    known = current()
    assert known is not None, "only kernels whose dims are named have sizes"
    value = known.value_of(size)
    if isinstance(type_, ir.IndexType):
        return value
    wide = arith.index_cast(i64(), value)
    if is_float(type_):
        return arith.sitofp(type_, wide)
    return wide if type_.width == 64 else arith.trunci(type_, wide)


def _as_signed(value: int, type_: ir.Type) -> int:
    """Returns the integer with the same bits that an attribute takes: no unsigned one of 64 bits."""
    return value - (1 << 64) if isinstance(type_, ir.IntegerType) and value >= 1 << 63 else value


def empty(shape: Sequence[int], element: ir.Type) -> ir.Value:
    """Builds a `tensor.empty`."""
    static, dynamic = static_and_dynamic(shape)
    values = iter(dynamic)
    sizes = [next(values) if size == UNKNOWN else size for size in static]
    return note_shape(tensor.EmptyOp(sizes, element).result, shape)


def slice_of(x: ir.Value, offsets: Sequence[int], sizes: Sequence[int], steps: Sequence[int]) -> ir.Value:
    """Builds the slice of x from `offsets` on, with `sizes` elements along the dims, `steps` apart."""
    (starts, moving), (counts, open_counts) = static_and_dynamic(offsets), static_and_dynamic(sizes)
    type_ = ir.RankedTensorType.get(counts, tensor_type(x).element_type)
    part = tensor.ExtractSliceOp(type_, x, moving, open_counts, [], starts, counts, list(steps))
    return note_shape(part.result, sizes)


def insert(source: ir.Value, into: ir.Value, offsets: Sequence[int]) -> ir.Value:
    """Builds `into` with `source` written at `offsets`."""
    shape = static_shape(source)
    (starts, moving), (counts, open_counts) = static_and_dynamic(offsets), static_and_dynamic(shape)
    whole = tensor.InsertSliceOp(
        source, into, moving, open_counts, [], starts, counts, [1] * len(shape)
    ).result
    return note_shape(whole, static_shape(into))


def note_shape(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Records the dims of a tensor for the kernel that is being lowered; returns the tensor."""
    known = current()
    if known is not None:
        known.note(value, shape)
    return value


def dims(count: int) -> list[ir.AffineExpr]:
    """Returns the expressions `d0`, `d1`, ... of a map with `count` dims."""
    return [ir.AffineExpr.get_dim(index) for index in range(count)]


def affine_map(count: int, results: Sequence[ir.AffineExpr]) -> ir.AffineMap:
    """Returns the map from `count` iteration dims to `results`."""
    return ir.AffineMap.get(count, 0, list(results))


def broadcast_map(shape: Sequence[int], iteration: Sequence[int]) -> ir.AffineMap:
    """Returns the indexing map of an operand of `shape` in the iteration space `iteration` (NumPy
    broadcasting)."""
    offset = len(iteration) - len(shape)
    zero = ir.AffineExpr.get_constant(0)
    results = [
        zero if extent == 1 and iteration[offset + axis] != 1 else ir.AffineExpr.get_dim(offset + axis)
        for axis, extent in enumerate(shape)
    ]
    return affine_map(len(iteration), results)


def generic(
    inputs: Sequence[ir.Value],
    maps: Sequence[ir.AffineMap],
    output: ir.Value,
    output_map: ir.AffineMap,
    body: Callable[..., ir.Value],
    reductions: Sequence[int] = (),
) -> ir.Value:
    """Builds a `linalg.generic` with one output.

    `body` maps the scalars (inputs, then the output's old value) to the new value; the iteration dims in
    `reductions` are reductions, the others parallel.
    """
    iterators = ["reduction" if dim in reductions else "parallel" for dim in range(output_map.n_dims)]
    op = linalg.GenericOp(
        [output.type],
        list(inputs),
        [output],
        ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in [*maps, output_map]]),
        ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{name}>") for name in iterators]),
    )
    scalars = [_scalar_type(value) for value in [*inputs, output]]
    block = op.regions[0].blocks.append(*scalars)
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(*block.arguments)])
    [result] = op.results
    return note_shape(result, static_shape(output)) if current() else result


def _scalar_type(value: ir.Value) -> ir.Type:
    return (
        ir.RankedTensorType(value.type).element_type
        if isinstance(value.type, ir.RankedTensorType)
        else value.type
    )


def elementwise(
    inputs: Sequence[ir.Value], result: ir.Type | ir.Value, body: Callable[[Scalars], ir.Value]
) -> ir.Value:
    """Applies `body` to the broadcast elements of `inputs`; `result` is the value to be replaced, or the
    tensor type of the result."""
    type_ = ir.RankedTensorType(result.type if isinstance(result, ir.Value) else result)
    shapes = [static_shape(value) for value in inputs]
    if type_.has_static_shape or isinstance(result, ir.Value):
        shape = static_shape(result)
    else:
        shape = broadcast_shape(shapes)
    maps = [broadcast_map(operand_shape, shape) for operand_shape in shapes]
    output = empty(shape, type_.element_type)
    identity = affine_map(len(shape), dims(len(shape)))
    return generic(inputs, maps, output, identity, lambda *scalars: body(scalars[:-1]))


def broadcast_shape(shapes: Sequence[Sequence[int]]) -> list[Any]:
    """Returns the shape that shapes broadcast to. Raises PassError if which of two sizes is 1 is dynamic."""
    result: list[Any] = [1] * max(map(len, shapes))
    for shape in shapes:
        for axis, extent in enumerate(shape, len(result) - len(shape)):
            if result[axis] != 1 and extent not in (1, result[axis]):
                raise PassError(f"whether {extent} or {result[axis]} is 1, and broadcast, is not known")
            result[axis] = extent if result[axis] == 1 else result[axis]
    return result


def full_tensor(shape: Sequence[int], element: ir.Type, value: float | int) -> ir.Value:
    """Builds a tensor with every element `value`, as a `linalg.generic`, so that schedules can name it like
    any computation."""
    scalar = constant(element, value)
    count = len(shape)
    return generic(
        [scalar],
        [affine_map(count, [])],
        empty(shape, element),
        affine_map(count, dims(count)),
        lambda new, _old: new,
    )
