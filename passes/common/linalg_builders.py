"""Builders for `linalg.generic` and for scalar arithmetic, shared by the lowering rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlc.bindings import arith, ir, linalg, tensor
from mlc.bindings import complex as complex_dialect
from mlc.dialects.graph.sizes import Size
from mlc.passes.base import PassError
from mlc.passes.common.constants import i64, integer_constant
from mlc.passes.common.dynamic_dims import UNKNOWN, current, static_and_dynamic

Scalars = Sequence[ir.Value]


def tensor_type(value: ir.Value) -> ir.RankedTensorType:
    return ir.RankedTensorType(value.type)


def static_shape(value: ir.Value | ir.Type) -> list[Any]:
    """The dims of a tensor: numbers, and sizes where only running the kernel tells them. Raises PassError
    where nothing does."""
    kind = ir.RankedTensorType(value.type if isinstance(value, ir.Value) else value)
    if kind.has_static_shape:
        return list(kind.shape)
    known = current()
    if known is None or not isinstance(value, ir.Value):
        where = value.location if isinstance(value, ir.Value) else None
        raise PassError(f"this {kind} has dims that the kernel does not name", where)
    return list(known.of(value))


def is_float(kind: ir.Type) -> bool:
    return isinstance(kind, ir.FloatType)


def is_unsigned(kind: ir.Type) -> bool:
    return isinstance(kind, ir.IntegerType) and kind.is_unsigned


def constant(kind: ir.Type, value: float | int | bool | Size) -> ir.Value:
    """A scalar constant of a float, complex, integer or index type; of a size, the number that it is when the
    kernel runs."""
    if isinstance(value, Size):
        return _number(kind, value)
    if is_float(kind):
        return arith.ConstantOp(kind, ir.FloatAttr.get(kind, float(value))).result
    if isinstance(kind, ir.ComplexType):
        parts = [ir.FloatAttr.get(kind.element_type, float(each)) for each in (value, 0.0)]
        return complex_dialect.ConstantOp(kind, ir.ArrayAttr.get(parts)).result
    if isinstance(kind, ir.IntegerType) and kind.width == 1:
        return integer_constant(kind, int(bool(value)))
    return integer_constant(kind, _signed(int(value), kind))


def index_value(value: int | Size) -> ir.Value:
    """Builds an index: a constant, or the value of a size at run time."""
    return constant(ir.IndexType.get(), value)


def _number(kind: ir.Type, size: Size) -> ir.Value:
    known = current()
    assert known is not None, "only kernels whose dims are named have sizes"
    number = known.number(size)
    if isinstance(kind, ir.IndexType):
        return number
    wide = arith.index_cast(i64(), number)
    if is_float(kind):
        return arith.sitofp(kind, wide)
    return wide if kind.width == 64 else arith.trunci(kind, wide)


def _signed(value: int, kind: ir.Type) -> int:
    """The number with the same bits that an attribute takes: no unsigned one of 64 bits."""
    return value - (1 << 64) if isinstance(kind, ir.IntegerType) and value >= 1 << 63 else value


def empty(shape: Sequence[int], element: ir.Type) -> ir.Value:
    static, dynamic = static_and_dynamic(shape)
    sizes = iter(dynamic)
    return note_shape(
        tensor.EmptyOp([next(sizes) if each == UNKNOWN else each for each in static], element).result, shape
    )


def slice_of(x: ir.Value, offsets: Sequence[int], sizes: Sequence[int], steps: Sequence[int]) -> ir.Value:
    """The elements of x from `offsets` on, `sizes` of them along each dim, `steps` apart."""
    (starts, moving), (counts, open_counts) = static_and_dynamic(offsets), static_and_dynamic(sizes)
    kind = ir.RankedTensorType.get(counts, tensor_type(x).element_type)
    part = tensor.ExtractSliceOp(kind, x, moving, open_counts, [], starts, counts, list(steps))
    return note_shape(part.result, sizes)


def insert(source: ir.Value, into: ir.Value, offsets: Sequence[int]) -> ir.Value:
    """`into` with `source` written at `offsets`."""
    shape = static_shape(source)
    (starts, moving), (counts, open_counts) = static_and_dynamic(offsets), static_and_dynamic(shape)
    whole = tensor.InsertSliceOp(
        source, into, moving, open_counts, [], starts, counts, [1] * len(shape)
    ).result
    return note_shape(whole, static_shape(into))


def note_shape(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """The tensor, of which is known from now on that it has these dims."""
    known = current()
    if known is not None:
        known.note(value, shape)
    return value


def dims(count: int) -> list[ir.AffineExpr]:
    return [ir.AffineExpr.get_dim(index) for index in range(count)]


def affine_map(count: int, results: Sequence[ir.AffineExpr]) -> ir.AffineMap:
    """The map from `count` iteration dims to `results`."""
    return ir.AffineMap.get(count, 0, list(results))


def broadcast_map(shape: Sequence[int], iteration: Sequence[int]) -> ir.AffineMap:
    """The indexing map by which an operand of `shape` is read while iterating over `iteration` (NumPy
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
    """A `linalg.generic` with one output.

    `body` maps the scalars (inputs, then the output's old value) to the new value; the iteration dims in
    `reductions` are reductions, the others parallel.
    """
    kinds = ["reduction" if dim in reductions else "parallel" for dim in range(output_map.n_dims)]
    op = linalg.GenericOp(
        [output.type],
        list(inputs),
        [output],
        ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in [*maps, output_map]]),
        ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in kinds]),
    )
    scalars = [_scalar_type(value) for value in [*inputs, output]]
    block = op.regions[0].blocks.append(*scalars)
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(*block.arguments)])
    return note_shape(op.results[0], static_shape(output)) if current() else op.results[0]


def _scalar_type(value: ir.Value) -> ir.Type:
    return (
        ir.RankedTensorType(value.type).element_type
        if isinstance(value.type, ir.RankedTensorType)
        else value.type
    )


def elementwise(
    inputs: Sequence[ir.Value], result: ir.Type | ir.Value, body: Callable[[Scalars], ir.Value]
) -> ir.Value:
    """Applies `body` to the broadcast elements of `inputs`; `result` is the result that it stands for, or its
    tensor type."""
    kind = ir.RankedTensorType(result.type if isinstance(result, ir.Value) else result)
    shapes = [static_shape(value) for value in inputs]
    if kind.has_static_shape or isinstance(result, ir.Value):
        shape = static_shape(result)
    else:
        shape = broadcast_shape(shapes)
    maps = [broadcast_map(each, shape) for each in shapes]
    output = empty(shape, kind.element_type)
    identity = affine_map(len(shape), dims(len(shape)))
    return generic(inputs, maps, output, identity, lambda *scalars: body(scalars[:-1]))


def broadcast_shape(shapes: Sequence[Sequence[int]]) -> list[Any]:
    """The shape that shapes broadcast to. Raises PassError where only running tells which of two sizes is
    1."""
    result: list[Any] = [1] * max(map(len, shapes))
    for shape in shapes:
        for axis, extent in enumerate(shape, len(result) - len(shape)):
            if result[axis] != 1 and extent not in (1, result[axis]):
                raise PassError(f"whether {extent} or {result[axis]} is 1, and broadcast, is not known")
            result[axis] = extent if result[axis] == 1 else result[axis]
    return result


def full_tensor(shape: Sequence[int], element: ir.Type, value: float | int) -> ir.Value:
    """A tensor with every element `value`, as a `linalg.generic`, so that schedules can name it like any
    computation."""
    scalar = constant(element, value)
    count = len(shape)
    return generic(
        [scalar],
        [affine_map(count, [])],
        empty(shape, element),
        affine_map(count, dims(count)),
        lambda new, _old: new,
    )
