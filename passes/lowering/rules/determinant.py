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
    """Multiplies the pivots of each matrix, in scratch memory of its size."""
    x = graph.Det(op).x
    *outer, size, _ = static_shape(x)
    element = tensor_type(x).element_type

    def matrix(indices: Indices, carried: Carried) -> Carried:
        before = list(indices.values())

        def copy_element(at: Indices, scratch: Carried) -> Carried:
            inner = list(at.values())
            return [tensor.insert(tensor.extract(x, [*before, *inner]), scratch[0], inner)]

        copy = nest({0: size, 1: size}, [empty([size, size], element)], copy_element)
        _, product = loop(
            size, [*copy, constant(element, 1)], lambda at, values: _eliminate(at, size, values)
        )
        return [tensor.insert(product, carried[0], before)]

    return nest(dict(enumerate(outer)), [empty(outer, element)], matrix)


def _eliminate(step: ir.Value, size: int, carried: Carried) -> Carried:
    """Clears the column `step` below the diagonal, and multiplies the product by the pivot."""
    a, product = carried
    row = _pivot_row(a, step, size)
    (a,) = loop(size, [a], lambda column, parts: _swap(parts[0], step, row, column), step)
    pivot = tensor.extract(a, [step, step])
    kept = arith.cmpi(arith.CmpIPredicate.eq, row, step)
    next_row = arith.addi(step, index_value(1))
    (a,) = loop(size, [a], lambda below, parts: _clear(parts[0], step, below, pivot, size), next_row)
    return [a, mul(product, select(kept, pivot, negate(pivot)))]


def _pivot_row(a: ir.Value, step: ir.Value, size: int) -> ir.Value:
    """Returns the row of the largest element of the column, from the diagonal on."""

    def body(row: ir.Value, best: Carried) -> Carried:
        value = absolute(tensor.extract(a, [row, step]))
        larger = compare("greater", value, best[1])
        return [select(larger, row, best[0]), select(larger, value, best[1])]

    return loop(size, [step, constant(tensor_type(a).element_type, -1)], body, step)[0]


def _swap(a: ir.Value, one: ir.Value, other: ir.Value, column: ir.Value) -> Carried:
    first, second = (tensor.extract(a, [row, column]) for row in (one, other))
    return [tensor.insert(first, tensor.insert(second, a, [one, column]), [other, column])]


def _clear(a: ir.Value, step: ir.Value, row: ir.Value, pivot: ir.Value, size: int) -> Carried:
    """Subtracts from a row the multiple of the pivot's row that clears its element in the column; a pivot of
    0 has nothing to clear."""
    zero = constant(pivot.type, 0)
    quotient = div(tensor.extract(a, [row, step]), pivot)
    factor = select(compare("equal", pivot, zero), zero, quotient)

    def body(column: ir.Value, parts: Carried) -> Carried:
        (rows,) = parts
        taken = mul(factor, tensor.extract(rows, [step, column]))
        return [tensor.insert(sub(tensor.extract(rows, [row, column]), taken), rows, [row, column])]

    return loop(size, [a], body, arith.addi(step, index_value(1)))
