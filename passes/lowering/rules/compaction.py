"""Results as many as the data say: written one after the other, then zeros."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, tensor
from mlc.dialects import graph
from mlc.passes.common.constants import i64
from mlc.passes.common.linalg_builders import (
    constant,
    empty,
    index_value,
    is_float,
    static_shape,
    tensor_type,
)
from mlc.passes.common.loop_builders import Carried, Indices, conditional, loop, nest
from mlc.passes.lowering.common.rule import rule


def integer(index: ir.Value) -> ir.Value:
    """An index as i64."""
    return arith.index_cast(i64(), index)


def finished(values: ir.Value, shape: Sequence[int], count: ir.Value, axis: int) -> list[ir.Value]:
    """Zeros behind the first `count` places along an axis of a tensor of this shape, and the count."""
    element = tensor_type(values).element_type
    others = {dim: extent for dim, extent in enumerate(shape) if dim != axis}

    def cleared(at: ir.Value, carried: Carried) -> Carried:
        def body(places: Indices, each: Carried) -> Carried:
            place = [at if dim == axis else places[dim] for dim in range(len(shape))]
            return [tensor.insert(constant(element, 0), each[0], place)]

        return nest(others, carried, body)

    (whole,) = loop(shape[axis], [values], cleared, count)
    number = tensor.insert(integer(count), empty([], i64()), [])
    return [whole, number]


def next_index(count: ir.Value) -> ir.Value:
    return arith.addi(count, index_value(1))


@rule("compress")
def lower_compress(op: ir.Operation) -> list[ir.Value]:
    compress = graph.Compress(op)
    x, condition = op.operands
    axis, shape = compress.axis, static_shape(compress.values)
    others = {dim: extent for dim, extent in enumerate(shape) if dim != axis}

    def step(at: ir.Value, carried: Carried) -> Carried:
        values, count = carried

        def body(places: Indices, each: Carried) -> Carried:
            source, target = (
                [place if dim == axis else places[dim] for dim in range(len(shape))] for place in (at, count)
            )
            return [tensor.insert(tensor.extract(x, source), each[0], target)]

        here = tensor.extract(condition, [at])
        return conditional(here, carried, lambda: [*nest(others, [values], body), next_index(count)])

    output = empty(shape, tensor_type(x).element_type)
    values, count = loop(shape[axis], [output, index_value(0)], step)
    return finished(values, shape, count, axis)


@rule("non_zero")
def lower_non_zero(op: ir.Operation) -> list[ir.Value]:
    non_zero = graph.NonZero(op)
    x, shape = non_zero.x, static_shape(non_zero.x)

    def body(places: Indices, carried: Carried) -> Carried:
        indices, count = carried
        at = list(places.values())

        def written() -> Carried:
            result = indices
            for dim, place in enumerate(at):
                result = tensor.insert(integer(place), result, [index_value(dim), count])
            return [result, next_index(count)]

        return conditional(_is_set(tensor.extract(x, at)), carried, written)

    extents = static_shape(non_zero.indices)
    output = empty(extents, i64())
    indices, count = nest(dict(enumerate(shape)), [output, index_value(0)], body)
    return finished(indices, extents, count, 1)


def _is_set(value: ir.Value) -> ir.Value:
    """Whether it is not zero: NaN is not."""
    zero = constant(value.type, 0)
    if is_float(value.type):
        return arith.cmpf(arith.CmpFPredicate.UNE, value, zero)
    return arith.cmpi(arith.CmpIPredicate.ne, value, zero)


def row(result: ir.Value, at: ir.Value, values: Sequence[ir.Value]) -> ir.Value:
    """A matrix with other numbers in a row."""
    for column, value in enumerate(values):
        result = tensor.insert(integer(value), result, [at, index_value(column)])
    return result
