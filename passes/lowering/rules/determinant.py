"""Determinants, by Gaussian elimination with partial pivoting."""

from __future__ import annotations

from mlc.bindings import arith, ir, tensor
from mlc.dialects import graph
from mlc.passes.common.linalg_builders import constant, empty, index_value, static_shape, tensor_type
from mlc.passes.common.loop_builders import Carried, Indices, loop, nest
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import absolute, compare, div, mul, negate, select, sub


@rule("det")
def lower_det(op: ir.Operation) -> list[ir.Value]:
    """For each matrix the product of the pivots, in scratch memory of its size."""
    x = graph.Det(op).x
    *outer, size, _ = static_shape(x)
    element = tensor_type(x).element_type

    def matrix(places: Indices, carried: Carried) -> Carried:
        before = list(places.values())

        def copied(at: Indices, scratch: Carried) -> Carried:
            inner = list(at.values())
            return [tensor.insert(tensor.extract(x, [*before, *inner]), scratch[0], inner)]

        copy = nest({0: size, 1: size}, [empty([size, size], element)], copied)
        _, product = loop(
            size, [*copy, constant(element, 1)], lambda at, values: _eliminate(at, size, values)
        )
        return [tensor.insert(product, carried[0], before)]

    return nest(dict(enumerate(outer)), [empty(outer, element)], matrix)


def _eliminate(step: ir.Value, size: int, carried: Carried) -> Carried:
    """Clears the column `step` below the diagonal; the product so far takes the pivot in."""
    a, product = carried
    row = _pivot_row(a, step, size)
    (a,) = loop(size, [a], lambda column, each: _swapped(each[0], step, row, column), step)
    pivot = tensor.extract(a, [step, step])
    kept = arith.cmpi(arith.CmpIPredicate.eq, row, step)
    next_row = arith.addi(step, index_value(1))
    (a,) = loop(size, [a], lambda below, each: _cleared(each[0], step, below, pivot, size), next_row)
    return [a, mul(product, select(kept, pivot, negate(pivot)))]


def _pivot_row(a: ir.Value, step: ir.Value, size: int) -> ir.Value:
    """Where the largest element of the column is, from the diagonal on."""

    def body(row: ir.Value, best: Carried) -> Carried:
        value = absolute(tensor.extract(a, [row, step]))
        larger = compare("greater", value, best[1])
        return [select(larger, row, best[0]), select(larger, value, best[1])]

    return loop(size, [step, constant(tensor_type(a).element_type, -1)], body, step)[0]


def _swapped(a: ir.Value, one: ir.Value, other: ir.Value, column: ir.Value) -> Carried:
    first, second = (tensor.extract(a, [row, column]) for row in (one, other))
    return [tensor.insert(first, tensor.insert(second, a, [one, column]), [other, column])]


def _cleared(a: ir.Value, step: ir.Value, row: ir.Value, pivot: ir.Value, size: int) -> Carried:
    """A row less the multiple of the pivot's row that clears its element in the column; with a pivot of 0
    there is nothing to clear."""
    zero = constant(pivot.type, 0)
    quotient = div(tensor.extract(a, [row, step]), pivot)
    factor = select(compare("equal", pivot, zero), zero, quotient)

    def body(column: ir.Value, each: Carried) -> Carried:
        (rows,) = each
        taken = mul(factor, tensor.extract(rows, [step, column]))
        return [tensor.insert(sub(tensor.extract(rows, [row, column]), taken), rows, [row, column])]

    return loop(size, [a], body, arith.addi(step, index_value(1)))
