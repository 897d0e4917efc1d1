"""Builders for `linalg.generic` and for scalar arithmetic, shared by the lowering rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import arith, ir, linalg, tensor
from mlc.passes.base import PassFailure

Scalars = Sequence[ir.Value]


def tensor_type(value: ir.Value) -> ir.RankedTensorType:
    return ir.RankedTensorType(value.type)


def static_shape(value: ir.Value | ir.Type) -> list[int]:
    """The shape of a tensor, whose dims must all be known here. Raises PassFailure."""
    kind = ir.RankedTensorType(value.type if isinstance(value, ir.Value) else value)
    if not kind.has_static_shape:
        where = value.location if isinstance(value, ir.Value) else None
        raise PassFailure(f"kernels with dynamic dims are not compiled yet, but this one has a {kind}", where)
    return list(kind.shape)


def is_float(kind: ir.Type) -> bool:
    return isinstance(kind, ir.FloatType)


def is_unsigned(kind: ir.Type) -> bool:
    return isinstance(kind, ir.IntegerType) and kind.is_unsigned


def constant(kind: ir.Type, value: float | int | bool) -> ir.Value:
    """A scalar constant of a float, integer or index type."""
    if is_float(kind):
        return arith.ConstantOp(kind, ir.FloatAttr.get(kind, float(value))).result
    if isinstance(kind, ir.IntegerType) and kind.width == 1:
        return arith.ConstantOp(kind, ir.IntegerAttr.get(kind, int(bool(value)))).result
    return arith.ConstantOp(kind, ir.IntegerAttr.get(kind, _signed(int(value), kind))).result


def _signed(value: int, kind: ir.Type) -> int:
    """The number with the same bits that an attribute takes: no unsigned one of 64 bits."""
    return value - (1 << 64) if isinstance(kind, ir.IntegerType) and value >= 1 << 63 else value


def empty(shape: Sequence[int], element: ir.Type) -> ir.Value:
    return tensor.EmptyOp(list(shape), element).result


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
    return op.results[0]


def _scalar_type(value: ir.Value) -> ir.Type:
    return (
        ir.RankedTensorType(value.type).element_type
        if isinstance(value.type, ir.RankedTensorType)
        else value.type
    )


def elementwise(inputs: Sequence[ir.Value], result: ir.Type, body: Callable[[Scalars], ir.Value]) -> ir.Value:
    """Applies `body` to the broadcast elements of `inputs`; `result` is the result's tensor type."""
    shape = static_shape(result)
    maps = [broadcast_map(static_shape(value), shape) for value in inputs]
    output = empty(shape, ir.RankedTensorType(result).element_type)
    identity = affine_map(len(shape), dims(len(shape)))
    return generic(inputs, maps, output, identity, lambda *scalars: body(scalars[:-1]))


def filled(shape: Sequence[int], element: ir.Type, value: float | int) -> ir.Value:
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
