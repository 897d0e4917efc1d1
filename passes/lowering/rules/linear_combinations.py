"""Linear combinations of vectors with constant coefficients, as few vector instructions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from mlc.bindings import arith, ir, vector

Row = Sequence[Fraction]


def _constant(like: ir.Value, number: Fraction) -> ir.Value:
    kind = ir.VectorType(like.type)
    element = ir.FloatAttr.get(kind.element_type, float(number))
    return arith.ConstantOp(kind, ir.DenseElementsAttr.get_splat(kind, element)).result


def _scaled(number: Fraction, value: ir.Value) -> ir.Value:
    return value if number == 1 else arith.mulf(_constant(value, number), value)


def combination(row: Row, values: Sequence[ir.Value]) -> ir.Value | None:
    """The sum of `row[i] * values[i]`; None if all coefficients are 0."""
    terms = [(number, value) for number, value in zip(row, values, strict=True) if number]
    # A term without a factor starts the sum: the others are multiply-adds onto it.
    terms.sort(key=lambda term: term[0] != 1)
    total = None
    for number, value in terms:
        if total is None:
            total = _scaled(number, value)
        elif abs(number) == 1:
            total = arith.addf(total, value) if number > 0 else arith.subf(total, value)
        else:
            total = vector.FMAOp(_constant(value, number), value, total).result
    return total


def by_row_pairs(matrix: Sequence[Row], values: Sequence[ir.Value]) -> list[ir.Value]:
    """`matrix` times `values`, where rows 1 and 2, 3 and 4, ... agree but for the signs of some columns: what
    they have in common is summed once, and so is what differs in sign."""
    results: list[ir.Value] = []
    index = 0
    while index < len(matrix):
        row = matrix[index]
        paired = index % 2 == 1 and index + 1 < len(matrix) - 1
        if not paired:
            results.append(_present(combination(row, values)))
            index += 1
            continue
        other = matrix[index + 1]
        even = combination([(a + b) / 2 for a, b in zip(row, other, strict=True)], values)
        signed = [(a - b) / 2 for a, b in zip(row, other, strict=True)]
        # Its last factor is that of the multiply-adds onto the even part.
        factor = next(number for number in reversed(signed) if number)
        odd = combination([number / factor for number in signed], values)
        results += [
            combination([Fraction(1), sign * factor], [_present(even), _present(odd)]) for sign in (1, -1)
        ]
        index += 2
    return results


def by_column_pairs(matrix: Sequence[Row], values: Sequence[ir.Value]) -> list[ir.Value]:
    """`matrix` times `values`, where columns 1 and 2, 3 and 4, ... agree but for the signs of some rows: the
    sum and the difference of each pair of values are made once."""
    columns: list[tuple[list[Fraction], ir.Value]] = []
    by_column = list(zip(*matrix, strict=True))
    columns.append((list(by_column[0]), values[0]))
    for index in range(1, len(values) - 1, 2):
        pairs = list(zip(by_column[index], by_column[index + 1], strict=True))
        one, other = values[index], values[index + 1]
        columns.append(([(a + b) / 2 for a, b in pairs], arith.addf(one, other)))
        columns.append(([(a - b) / 2 for a, b in pairs], arith.subf(one, other)))
    columns.append((list(by_column[-1]), values[-1]))
    parts = [value for _, value in columns]
    return [
        _present(combination([column[row] for column, _ in columns], parts)) for row in range(len(matrix))
    ]


def _present(value: ir.Value | None) -> ir.Value:
    assert value is not None, "no row of a transform is zero"
    return value
