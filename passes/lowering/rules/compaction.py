"""Results of a length that depends on the data: written consecutively, then zeros."""

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
    """Converts an index to i64."""
    return arith.index_cast(i64(), index)


def zero_tail(values: ir.Value, shape: Sequence[int], count: ir.Value, axis: int) -> list[ir.Value]:
    """Returns `values`, of this shape, with zeros after the first `count` indices along `axis`, and the count
    as a tensor."""
    element = tensor_type(values).element_type
    others = {dim: extent for dim, extent in enumerate(shape) if dim != axis}

    def clear(at: ir.Value, carried: Carried) -> Carried:
        def body(indices: Indices, parts: Carried) -> Carried:
            coordinates = [at if dim == axis else indices[dim] for dim in range(len(shape))]
            return [tensor.insert(constant(element, 0), parts[0], coordinates)]

        return nest(others, carried, body)

    (whole,) = loop(shape[axis], [values], clear, count)
    return [whole, tensor.insert(integer(count), empty([], i64()), [])]


def next_index(count: ir.Value) -> ir.Value:
    """`count + 1`."""
    return arith.addi(count, index_value(1))


@rule("compress")
def lower_compress(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.compress` to loops that write the selected slices one after another, then zeros."""
    compress = graph.Compress(op)
    x, condition = compress.x, compress.condition
    axis, shape = compress.axis, static_shape(compress.values)
    others = {dim: extent for dim, extent in enumerate(shape) if dim != axis}

    def step(at: ir.Value, carried: Carried) -> Carried:
        values, count = carried

        def body(indices: Indices, parts: Carried) -> Carried:
            source, target = (
                [index if dim == axis else indices[dim] for dim in range(len(shape))] for index in (at, count)
            )
            return [tensor.insert(tensor.extract(x, source), parts[0], target)]

        here = tensor.extract(condition, [at])
        return conditional(here, carried, lambda: [*nest(others, [values], body), next_index(count)])

    output = empty(shape, tensor_type(x).element_type)
    values, count = loop(shape[axis], [output, index_value(0)], step)
    return zero_tail(values, shape, count, axis)


@rule("non_zero")
def lower_non_zero(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.non_zero` to a loop nest that appends coordinates of nonzero elements, then zeros."""
    non_zero = graph.NonZero(op)
    x, shape = non_zero.x, static_shape(non_zero.x)

    def body(coordinates: Indices, carried: Carried) -> Carried:
        indices, count = carried
        at = list(coordinates.values())

        def append() -> Carried:
            result = indices
            for dim, index in enumerate(at):
                result = tensor.insert(integer(index), result, [index_value(dim), count])
            return [result, next_index(count)]

        return conditional(_is_set(tensor.extract(x, at)), carried, append)

    extents = static_shape(non_zero.indices)
    output = empty(extents, i64())
    indices, count = nest(dict(enumerate(shape)), [output, index_value(0)], body)
    return zero_tail(indices, extents, count, 1)


def _is_set(value: ir.Value) -> ir.Value:
    """Whether `value` is not zero; NaN is not."""
    zero = constant(value.type, 0)
    if is_float(value.type):
        return arith.cmpf(arith.CmpFPredicate.UNE, value, zero)
    return arith.cmpi(arith.CmpIPredicate.ne, value, zero)


def row(result: ir.Value, at: ir.Value, values: Sequence[ir.Value]) -> ir.Value:
    """Replaces the row `at` of a matrix by `values`, indices."""
    for column, value in enumerate(values):
        result = tensor.insert(integer(value), result, [at, index_value(column)])
    return result
