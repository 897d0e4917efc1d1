"""Ops whose elements depend on their index or on indices held in a tensor."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, linalg, math, tensor
from mlc.passes.lowering.linalg_tools import (
    affine_map,
    constant,
    dims,
    elementwise,
    empty,
    filled,
    generic,
    static_shape,
    tensor_type,
)
from mlc.passes.lowering.rule import rule
from mlc.passes.lowering.scalars import add, div, mul, select


def _index(dim: int) -> ir.Value:
    return linalg.IndexOp(dim).result


def _index_constant(value: int) -> ir.Value:
    return constant(ir.IndexType.get(), value)


def _compare(predicate: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.cmpi(getattr(arith.CmpIPredicate, predicate), a, b)


def bounded_index(index: ir.Value, extent: int) -> ir.Value:
    """An ONNX index (negative counts from the end) as a valid position: out-of-range ones are clamped, since
    a kernel must not read outside its buffers whatever the data says."""
    position = arith.index_cast(ir.IndexType.get(), index)
    zero = _index_constant(0)
    wrapped = select(_compare("slt", position, zero), arith.addi(position, _index_constant(extent)), position)
    return arith.minsi(arith.maxsi(wrapped, zero), _index_constant(extent - 1))


@rule("gather")
def lower_gather(op: ir.Operation) -> list[ir.Value]:
    """result[before..., places..., after...] = data[before..., indices[places...], after...]."""
    data, indices = op.operands
    axis, rank = op.attributes["axis"].value, len(static_shape(op.operands[1]))
    shape, extents = static_shape(op.results[0].type), static_shape(data)
    count = len(shape)

    def body(index: ir.Value, _old: ir.Value) -> ir.Value:
        before = [_index(dim) for dim in range(axis)]
        after = [_index(dim) for dim in range(axis + rank, count)]
        return tensor.extract(data, [*before, bounded_index(index, extents[axis]), *after])

    read = affine_map(count, dims(count)[axis : axis + rank])
    output = empty(shape, tensor_type(data).element_type)
    return [generic([indices], [read], output, affine_map(count, dims(count)), body)]


@rule("gather_elements")
def lower_gather_elements(op: ir.Operation) -> list[ir.Value]:
    data, indices = op.operands
    axis, shape = op.attributes["axis"].value, static_shape(op.results[0].type)
    extents, count = static_shape(op.operands[0]), len(static_shape(op.results[0].type))

    def body(index: ir.Value, _old: ir.Value) -> ir.Value:
        places = [bounded_index(index, extents[axis]) if dim == axis else _index(dim) for dim in range(count)]
        return tensor.extract(data, places)

    identity = affine_map(count, dims(count))
    return [generic([indices], [identity], empty(shape, tensor_type(data).element_type), identity, body)]


@rule("trilu")
def lower_trilu(op: ir.Operation) -> list[ir.Value]:
    upper, k = bool(op.attributes["upper"].value), op.attributes["k"].value
    rank = len(static_shape(op.results[0].type))

    def body(scalars: Sequence[ir.Value]) -> ir.Value:
        diagonal = arith.addi(_index(rank - 2), _index_constant(k))
        kept = _compare("sge" if upper else "sle", _index(rank - 1), diagonal)
        return select(kept, scalars[0], constant(scalars[0].type, 0))

    return [elementwise([op.operands[0]], op.results[0].type, body)]


@rule("lrn")
def lower_lrn(op: ir.Operation) -> list[ir.Value]:
    """x * (bias + alpha / size * sum of squares over `size` neighbouring channels) ^ -beta, on [N, C,
    spatial...].

    The neighbour is an outer reduction dim, so that the innermost loop stays contiguous.
    """
    x, size = op.operands[0], op.attributes["size"].value
    total = _neighbour_squares(x, size)
    scale, bias, beta = (
        op.attributes["alpha"].value / size,
        op.attributes["bias"].value,
        op.attributes["beta"].value,
    )

    def body(scalars: Sequence[ir.Value]) -> ir.Value:
        value, squares = scalars
        base = add(constant(value.type, bias), mul(constant(value.type, scale), squares))
        return div(value, _power(base, beta))

    return [elementwise([x, total], x.type, body)]


def _power(base: ir.Value, exponent: float) -> ir.Value:
    """`base ** exponent` with square roots where they do it (the exponent of every published LRN is 0.75)."""
    if exponent not in (0.5, 0.75):
        return math.powf(base, constant(base.type, exponent))
    root = math.sqrt(base)
    return root if exponent == 0.5 else mul(root, math.sqrt(root))


def _neighbour_squares(x: ir.Value, size: int) -> ir.Value:
    shape = static_shape(x)
    rank, element = len(shape), tensor_type(x).element_type
    count = rank + 1
    window_dim = 2  # n, c, neighbour, spatial...
    outer = [dim for dim in range(count) if dim != window_dim]
    exprs = dims(count)

    def body(_window: ir.Value, accumulator: ir.Value) -> ir.Value:
        channel = arith.addi(_index(1), arith.subi(_index(window_dim), _index_constant((size - 1) // 2)))
        inside = arith.andi(
            _compare("sge", channel, _index_constant(0)), _compare("slt", channel, _index_constant(shape[1]))
        )
        bounded = arith.minsi(arith.maxsi(channel, _index_constant(0)), _index_constant(shape[1] - 1))
        value = tensor.extract(x, [_index(0), bounded, *(_index(dim) for dim in outer[2:])])
        return add(accumulator, select(inside, mul(value, value), constant(element, 0)))

    return generic(
        [empty([size], element)],
        [affine_map(count, [exprs[window_dim]])],
        filled(shape, element, 0),
        affine_map(count, [exprs[dim] for dim in outer]),
        body,
        reductions=[window_dim],
    )
