"""Affine forms: integers as a constant plus constant multiples of variables, and their extraction from IR."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from mlc.bindings import affine, arith, ir
from mlc.passes.common.constants import constant_value

Variable = TypeVar("Variable", bound=Hashable)
# The smallest and the largest value of an integer.
Range = tuple[int, int]


@dataclass(frozen=True)
class AffineTerm(Generic[Variable]):
    """`variable floordiv divisor mod modulus`; a modulus of 0 stands for none."""

    variable: Variable
    divisor: int = 1
    modulus: int = 0

    @property
    def is_variable(self) -> bool:
        """Whether the term is the variable itself, neither a quotient nor a remainder."""
        return self.divisor == 1 and self.modulus == 0


@dataclass(frozen=True)
class AffineForm(Generic[Variable]):
    """The integer `constant + sum(coefficient * term)`. `terms` maps terms to coefficients other than 0.

    Example: `affine_map<(d0, d1) -> (d0 * 4 + d1 mod 8 + 3)>` of `(%i, %j)`, where `%i` is `%k + 1`, is
    `AffineForm(7, {Term(%k): 4, Term(%j, 1, 8): 1})`. It is 4 per step of `%k`: `coefficient(%k)` is 4 and
    `coefficient(%j)` is None.
    """

    constant: int = 0
    terms: Mapping[AffineTerm[Variable], int] = field(default_factory=dict)

    @classmethod
    def of(cls, variable: Variable) -> AffineForm[Variable]:
        """Returns the form that is `variable` itself."""
        return cls(0, {AffineTerm(variable): 1})

    def __add__(self, other: AffineForm[Variable] | int) -> AffineForm[Variable]:
        if isinstance(other, int):
            return AffineForm(self.constant + other, self.terms)
        terms = dict(self.terms)
        for term, coefficient in other.terms.items():
            terms[term] = terms.get(term, 0) + coefficient
        kept = {term: coefficient for term, coefficient in terms.items() if coefficient}
        return AffineForm(self.constant + other.constant, kept)

    def __sub__(self, other: AffineForm[Variable]) -> AffineForm[Variable]:
        return self + other * -1

    def __mul__(self, factor: int) -> AffineForm[Variable]:
        terms = {term: coefficient * factor for term, coefficient in self.terms.items() if factor}
        return AffineForm(self.constant * factor, terms)

    def times(self, other: AffineForm[Variable]) -> AffineForm[Variable] | None:
        """Returns the product, or None if neither factor is a constant."""
        if not other.terms:
            return self * other.constant
        return None if self.terms else other * self.constant

    def as_variable(self) -> Variable | None:
        """Returns the variable that the form is, or None if it is not a single one."""
        if self.constant or list(self.terms.values()) != [1]:
            return None
        [term] = self.terms
        return term.variable if term.is_variable else None

    def coefficient(self, variable: Variable) -> int | None:
        """Returns the coefficient of `variable`, or None if a quotient or a remainder of it occurs."""
        terms = [term for term in self.terms if term.variable == variable]
        if not all(term.is_variable for term in terms):
            return None
        return self.terms[terms[0]] if terms else 0

    def without(self, variable: Variable) -> AffineForm[Variable]:
        """Returns the form less all terms of `variable`."""
        terms = {term: factor for term, factor in self.terms.items() if term.variable != variable}
        return AffineForm(self.constant, terms)

    def value_range(self, range_of: Callable[[Variable], Range | None]) -> Range | None:
        """Returns the smallest and the largest value that the form has where `range_of` gives those of its
        variables, or None if it does not, or if there are quotients or remainders."""
        low = high = self.constant
        for term, coefficient in self.terms.items():
            bounds = range_of(term.variable) if term.is_variable else None
            if bounds is None:
                return None
            ends = (coefficient * bounds[0], coefficient * bounds[1])
            low, high = low + min(ends), high + max(ends)
        return low, high


# A form whose variables are values of the IR.
IndexForm: TypeAlias = AffineForm[ir.Value]


def form_of(value: ir.Value) -> IndexForm:
    """Returns `value` in terms of loop indices and other values. What is not affine is a variable itself."""
    constant = constant_value(value)
    if constant is not None:
        return AffineForm(constant)
    form = None
    if not isinstance(value.owner, ir.Block):
        op = value.owner.operation
        if op.name == affine.AffineApply.NAME:
            [form] = map_forms(affine.AffineApply(op).map, list(op.operands))
        elif op.name in (arith.AddI.NAME, arith.MulI.NAME, arith.SubI.NAME):
            left, right = map(form_of, op.operands)
            if op.name == arith.MulI.NAME:
                form = left.times(right)
            else:
                form = left + right if op.name == arith.AddI.NAME else left - right
    return AffineForm.of(value) if form is None else form


def as_expression(form: IndexForm, first: int = 0) -> tuple[ir.AffineExpr, list[ir.Value]]:
    """Returns the form as an affine expression over dims from `first` on, and the values of these dims."""
    expression = ir.AffineExpr.get_constant(form.constant)
    operands: list[ir.Value] = []
    for term, coefficient in form.terms.items():
        factor = ir.AffineExpr.get_dim(first + len(operands))
        operands.append(term.variable)
        if term.divisor != 1:
            factor = ir.AffineExpr.get_floor_div(factor, term.divisor)
        if term.modulus:
            factor = ir.AffineExpr.get_mod(factor, term.modulus)
        expression = expression + factor * coefficient
    return expression, operands


def map_forms(indexing_map: ir.AffineMap, operands: Sequence[ir.Value]) -> list[IndexForm | None]:
    """Returns the results of a map of `operands`: dims, then symbols. None for those that are not affine."""
    forms = [form_of(operand) for operand in operands]
    dims = indexing_map.n_dims
    return [expression_form(result, forms[:dims], forms[dims:]) for result in indexing_map.results]


def expression_form(
    expression: ir.AffineExpr,
    dims: Sequence[AffineForm[Variable]],
    symbols: Sequence[AffineForm[Variable]] = (),
) -> AffineForm[Variable] | None:
    """Returns an affine expression of `dims` and `symbols` as a form, or None if it has none: of quotients
    and remainders only those of single terms by constants are terms."""
    expression = expression.maybe_downcast()
    if isinstance(expression, ir.AffineConstantExpr):
        return AffineForm(expression.value)
    if isinstance(expression, ir.AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, ir.AffineSymbolExpr):
        return symbols[expression.position]
    binary = ir.AffineBinaryExpr(expression)
    left = expression_form(binary.lhs, dims, symbols)
    right = expression_form(binary.rhs, dims, symbols)
    if left is None or right is None:
        return None
    if isinstance(expression, ir.AffineAddExpr):
        return left + right
    if isinstance(expression, ir.AffineMulExpr):
        return left.times(right)
    return None if right.terms else _divide(expression, left, right.constant)


def _divide(expression: ir.AffineExpr, whole: AffineForm[Variable], by: int) -> AffineForm[Variable] | None:
    """Returns the quotient or the remainder of a single term by a constant."""
    if whole.constant or list(whole.terms.values()) != [1]:
        return None
    [term] = whole.terms
    if term.modulus and term.modulus % by:
        return None
    if isinstance(expression, ir.AffineModExpr):
        return AffineForm(0, {AffineTerm(term.variable, term.divisor, by): 1})
    if isinstance(expression, ir.AffineFloorDivExpr):
        return AffineForm(0, {AffineTerm(term.variable, term.divisor * by, term.modulus // by): 1})
    return None


def upper_bound(value: ir.Value) -> int | None:
    """Returns an integer that `value` does not exceed, or None: a constant, the smallest constant of a
    minimum, or the sum of the bounds of a form's terms."""
    minimum = affine.AffineMin.defining(value)
    if minimum is not None:
        return smallest_constant(minimum.map)
    form = form_of(value)
    total = form.constant
    for term, coefficient in form.terms.items():
        bound = upper_bound(term.variable) if term.is_variable and term.variable != value else None
        if bound is None or coefficient < 0:
            return None
        total += coefficient * bound
    return total


def smallest_constant(minimum: ir.AffineMap) -> int | None:
    """Returns the smallest constant among the results of a map, or None if there is none."""
    constants = [result.value for result in minimum.results if isinstance(result, ir.AffineConstantExpr)]
    return min(constants, default=None)


def largest_constant(maximum: ir.AffineMap) -> int | None:
    """Returns the largest constant among the results of a map, or None if there is none."""
    constants = [result.value for result in maximum.results if isinstance(result, ir.AffineConstantExpr)]
    return max(constants, default=None)


def without_symbols(bound: ir.AffineMap) -> ir.AffineMap:
    """Returns the map with dims instead of symbols, which come after its dims."""
    dims, symbols = bound.n_dims, bound.n_symbols
    for position in range(symbols):
        symbol, dim = ir.AffineExpr.get_symbol(position), ir.AffineExpr.get_dim(dims + position)
        bound = bound.replace(symbol, dim, dims + symbols, symbols)
    return ir.AffineMap.get(dims + symbols, 0, list(bound.results))
