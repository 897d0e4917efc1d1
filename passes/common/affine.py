"""Indices as sums: constant plus coefficient times value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.passes.common.constants import constant_value


@dataclass(frozen=True)
class Linear:
    """`constant + sum(coefficient * value)`.

    Quotients and remainders of one value by constants are terms too: a term's `part` is (divisor, modulus),
    with modulus 0 for none."""

    constant: int = 0
    # value, (divisor, modulus), coefficient
    terms: tuple[tuple[ir.Value, tuple[int, int], int], ...] = field(default=())

    def __add__(self, other: Linear) -> Linear:
        terms = list(self.terms)
        for value, part, factor in other.terms:
            for index, (present, its_part, its_factor) in enumerate(terms):
                if present == value and its_part == part:
                    terms[index] = (value, part, its_factor + factor)
                    break
            else:
                terms.append((value, part, factor))
        return Linear(self.constant + other.constant, tuple(each for each in terms if each[2]))

    def scaled(self, factor: int) -> Linear:
        terms = tuple((value, part, its * factor) for value, part, its in self.terms if factor)
        return Linear(self.constant * factor, terms)

    def coefficient(self, value: ir.Value) -> int | None:
        """How much the sum grows with `value`; None where a quotient or a remainder of it occurs."""
        found = [(part, factor) for each, part, factor in self.terms if each == value]
        if any(part != (1, 0) for part, _ in found):
            return None
        return found[0][1] if found else 0

    def without(self, value: ir.Value) -> Linear:
        return Linear(self.constant, tuple(each for each in self.terms if each[0] != value))


def linear(value: ir.Value) -> Linear:
    """`value` as a sum of loop indices and other values. What is not linear is a term of its own."""
    constant = constant_value(value)
    if constant is not None:
        return Linear(constant)
    owner = value.owner
    if not isinstance(owner, ir.Block):
        operands = list(owner.operands)
        if owner.name == "affine.apply":
            found = of_expression(_first(owner.operation), owner.operation, operands)
            return found or Linear(0, ((value, (1, 0), 1),))
        if owner.name in ("arith.addi", "arith.muli", "arith.subi"):
            return _of_arith(owner.name, linear(operands[0]), linear(operands[1]), value)
    return Linear(0, ((value, (1, 0), 1),))


def _first(op: ir.Operation) -> ir.AffineExpr:
    """The result of the map of an `affine.apply`."""
    return next(iter(op.attributes["map"].value.results))


def _of_arith(name: str, left: Linear, right: Linear, value: ir.Value) -> Linear:
    if name == "arith.addi":
        return left + right
    if name == "arith.subi":
        return left + right.scaled(-1)
    if not right.terms:
        return left.scaled(right.constant)
    return right.scaled(left.constant) if not left.terms else Linear(0, ((value, (1, 0), 1),))


def map_results(
    indexing_map: ir.AffineMap, operands: Sequence[ir.Value], op: ir.Operation
) -> list[Linear | None]:
    """The results of a map applied to `operands`; None for those that are not linear."""
    return [of_expression(each, op, list(operands), indexing_map.n_dims) for each in indexing_map.results]


def of_expression(
    expression: ir.AffineExpr, op: ir.Operation, operands: list[ir.Value], dims: int | None = None
) -> Linear | None:
    """An affine expression over `operands` (dims, then symbols) as a sum, or None if it is not one."""
    if dims is None:
        dims = op.attributes["map"].value.n_dims
    if isinstance(expression, ir.AffineConstantExpr):
        return Linear(ir.AffineConstantExpr(expression).value)
    if isinstance(expression, ir.AffineDimExpr):
        return linear(operands[ir.AffineDimExpr(expression).position])
    if isinstance(expression, ir.AffineSymbolExpr):
        return linear(operands[dims + ir.AffineSymbolExpr(expression).position])
    binary = ir.AffineBinaryExpr(expression)
    left = of_expression(binary.lhs, op, operands, dims)
    right = of_expression(binary.rhs, op, operands, dims)
    if left is None or right is None:
        return None
    if isinstance(expression, ir.AffineAddExpr):
        return left + right
    if right.terms:
        return None
    if isinstance(expression, ir.AffineMulExpr):
        return left.scaled(right.constant)
    return _part(expression, left, right.constant)


def _part(expression: ir.AffineExpr, whole: Linear, by: int) -> Linear | None:
    """The quotient or the remainder of a single term by a constant."""
    if len(whole.terms) != 1 or whole.constant or whole.terms[0][2] != 1:
        return None
    value, (divisor, modulus), _ = whole.terms[0]
    if isinstance(expression, ir.AffineModExpr) and (not modulus or modulus % by == 0):
        return Linear(0, ((value, (divisor, by), 1),))
    if isinstance(expression, ir.AffineFloorDivExpr) and (not modulus or modulus % by == 0):
        return Linear(0, ((value, (divisor * by, modulus // by), 1),))
    return None


def largest(value: ir.Value) -> int | None:
    """A number that `value` does not exceed: a constant, one of those of which it is the minimum, or a sum of
    such."""
    constant = constant_value(value)
    if constant is not None:
        return constant
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    if owner.name == "affine.min":
        return smallest_constant(owner.attributes["map"].value)
    return _largest_sum(linear(value)) if owner.name == "affine.apply" else None


def _largest_sum(total: Linear) -> int | None:
    """Of a sum without quotients, whose terms grow with their values."""
    result = total.constant
    for value, part, factor in total.terms:
        bound = None if part != (1, 0) or isinstance(value.owner, ir.Block) else _of_minimum(value)
        if bound is None or factor < 0:
            return None
        result += factor * bound
    return result


def _of_minimum(value: ir.Value) -> int | None:
    owner = value.owner
    return smallest_constant(owner.attributes["map"].value) if owner.name == "affine.min" else None


def smallest_constant(minimum: ir.AffineMap) -> int | None:
    """The smallest constant among the results of a map, or None if there is none."""
    results = [each for each in minimum.results if isinstance(each, ir.AffineConstantExpr)]
    return min((int(ir.AffineConstantExpr(each).value) for each in results), default=None)


def without_symbols(bound: ir.AffineMap) -> ir.AffineMap:
    """The map with dims in place of symbols, which come behind the dims."""
    dims, symbols = bound.n_dims, bound.n_symbols
    for position in range(symbols):
        symbol, dim = ir.AffineExpr.get_symbol(position), ir.AffineExpr.get_dim(dims + position)
        bound = bound.replace(symbol, dim, dims + symbols, symbols)
    return ir.AffineMap.get(dims + symbols, 0, list(bound.results))
