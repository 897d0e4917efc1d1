"""graph-reassociate-constants: constants meet, and factors go into weights.

Rules that fold a constant factor before a product, or after views of one, into constant weights.

Factors right after a product are the matter of graph-fold-scale. Every constant times the factor must be
known, or likely, to be normal values (`constant_ranges.stays_normal`): in f16 weights take factors from
1/16 to 16.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import attributes_of, defining_op, has_one_use
from mlc.passes.exactness import exactness_option, rounding
from mlc.passes.graph.common.constant_operands import reads, sole_use, variable_and_constant
from mlc.passes.graph.common.op_families import VIEWS
from mlc.passes.graph.common.rules import Rules, apply_rules, join_tables
from mlc.passes.graph.common.values import dtype, is_constant, is_float, is_static
from mlc.passes.graph.simplify import constant_rules
from mlc.passes.graph.simplify.constant_ranges import known_values, leaves_range, stays_normal
from mlc.passes.remarks import report_missed

_MOVES = VIEWS | {graph.Transpose.NAME, graph.Slice.NAME}

_PRODUCTS = (graph.Matmul.NAME, graph.Conv.NAME)

# Projections of attention are three ops after their product: bias, heads, transposition.
_DEPTH = 6


def _is_scalar_constant(value: ir.Value) -> bool:
    return is_static(value) and prod(value.type.shape) == 1


def _rebuilt(op: ir.Operation, operands: list[ir.Value]) -> ir.Value:
    attributes = attributes_of(op)
    return graph.build(op.name, operands, attributes, op.results[0].type)


def _times_constant(value: ir.Value, scalar_value: ir.Value) -> ir.Value:
    """A constant times a scalar, in the constant's shape."""
    scalar = (
        scalar_value if scalar_value.type.rank == 0 else graph.build("reshape", [scalar_value], {"shape": []})
    )
    return graph.build("mul", [value, scalar])


def _safely(constant: ir.Value, scalar_value: ir.Value) -> bool:
    """Whether a constant times a scalar stays normal."""
    factor = known_values(scalar_value)
    scalar = None if factor is None else factor.reshape(())
    return not is_float(scalar_value) or stays_normal(
        graph.Mul.NAME, known_values(constant), scalar, dtype(scalar_value)
    )


def takes_constant(value: ir.Value, scalar_value: ir.Value, depth: int = _DEPTH) -> bool:
    """Whether a constant of one element times the value can go into constants that nothing else uses."""
    op = defining_op(value)
    if op is None or depth == 0 or not has_one_use(value):
        return False
    if op.name in _PRODUCTS:
        weights = op.operands[1]
        return is_constant(weights) and has_one_use(weights) and _safely(weights, scalar_value)
    if op.name in (graph.Mul.NAME, graph.Add.NAME):
        parts = variable_and_constant(op)
        if parts is None or not _safely(parts[1], scalar_value):
            return False
        return op.name == graph.Mul.NAME or takes_constant(parts[0], scalar_value, depth - 1)
    return op.name in _MOVES and takes_constant(op.operands[0], scalar_value, depth - 1)


def times_constant(value: ir.Value, scalar_value: ir.Value) -> ir.Value:
    """The value, which `takes_constant`, times a constant of one element."""
    op = defining_op(value)
    assert op is not None
    first, *rest = op.operands
    if op.name in _PRODUCTS:
        return _rebuilt(op, [first, _times_constant(rest[0], scalar_value)])
    if op.name in _MOVES:
        return _rebuilt(op, [times_constant(first, scalar_value), *rest])
    parts = variable_and_constant(op)
    assert parts is not None
    variable = parts[0] if op.name == graph.Mul.NAME else times_constant(parts[0], scalar_value)
    return _rebuilt(op, [variable, _times_constant(parts[1], scalar_value)])


@rounding
def factor_after_views(op: ir.Operation) -> ir.Value | None:
    """reshape(x @ w) * c -> reshape(x @ (w * c)), through views, transposes and offsets, for a scalar c."""
    found = variable_and_constant(op) if reads(op, *_MOVES) else None
    if not found or not graph.same_type(found[0], graph.Mul(op).result) or not _is_scalar_constant(found[1]):
        return None
    top = defining_op(found[0])
    if top is None or top.name not in _MOVES or not takes_constant(found[0], found[1]):
        return None
    return times_constant(found[0], found[1])


@rounding
def factor_of_scores(op: ir.Operation) -> ir.Value | None:
    """(q @ k) * c -> (q * c) @ k, where the constant weights that make q or k take the scalar c."""
    found = variable_and_constant(op) if reads(op, graph.Matmul.NAME) else None
    product = sole_use(found[0], graph.Matmul.NAME) if found else None
    if not found or product is None or not _is_scalar_constant(found[1]):
        return None
    if not graph.same_type(found[0], graph.Mul(op).result):
        return None
    operands = list(product.operands)
    for position, operand in enumerate(operands):
        if takes_constant(operand, found[1]):
            operands[position] = times_constant(operand, found[1])
            return _rebuilt(product, operands)
    return None


def _per_row(op: ir.Operation, scale: ir.Value) -> ir.Value | None:
    """The weights of a matrix product times a scale of the values that they multiply."""
    weights = op.operands[1]
    shape, rows = graph.shape_of(scale), graph.shape_of(weights)[-2 if weights.type.rank > 1 else -1]
    if not is_static(scale) or any(dim != 1 for dim in shape[:-1]) or shape[-1:] not in ([], [1], [rows]):
        return None
    column = [rows] if weights.type.rank == 1 else [rows, 1]
    factors = known_values(scale)
    if factors is not None and factors.size > 1:
        factors = factors.reshape(column)
    if is_float(scale) and not stays_normal(graph.Mul.NAME, known_values(weights), factors, dtype(scale)):
        report_missed(op, "factor_before_product", leaves_range(weights))
        return None
    if _is_scalar_constant(scale):
        return _times_constant(weights, scale)
    return graph.build("mul", [weights, graph.build("reshape", [scale], {"shape": column})])


@rounding
def factor_before_product(op: ir.Operation) -> ir.Value | None:
    """(x * c) @ w -> x @ (c * w) for constant w and a scalar or a vector c along the reduced dim."""
    found = _scaled_input(op)
    weights = _per_row(op, found[1]) if found else None
    return _rebuilt(op, [found[0], weights]) if found and weights is not None else None


@rounding
def factor_before_conv(op: ir.Operation) -> ir.Value | None:
    """conv(x * c, w) -> conv(x, c * w) for constant w and a scalar c."""
    conv = graph.Conv(op)
    found = _scaled_input(op)
    if not found or not _is_scalar_constant(found[1]):
        return None
    if not _safely(conv.w, found[1]):
        report_missed(op, "factor_before_conv", leaves_range(conv.w))
        return None
    return _rebuilt(op, [found[0], _times_constant(conv.w, found[1])])


def _scaled_input(op: ir.Operation) -> tuple[ir.Value, ir.Value] | None:
    """Returns `x` and `c` of a product of `x * c` with constant weights, if nothing else uses the two."""
    x, weights = op.operands
    inner = sole_use(x, graph.Mul.NAME)
    parts = variable_and_constant(inner) if inner and is_constant(weights) else None
    if not parts or not graph.same_type(parts[0], x):
        return None
    if not has_one_use(weights):
        report_missed(op, "factor_before_product", "the weights have other users and would be held twice")
        return None
    return parts


SCALE_RULES: Rules = {
    graph.Mul.NAME: (factor_after_views, factor_of_scores),
    graph.Matmul.NAME: (factor_before_product,),
    graph.Conv.NAME: (factor_before_conv,),
}


RULES = join_tables(constant_rules.RULES, SCALE_RULES)


@dataclass(frozen=True)
class ReassociateConstants(Pass):
    """Bring constants together, where they are computed once and for all.

    Arithmetic on scalars; chains of offsets, of factors, and of differences and quotients of
    constants; signs into factors; differences of constants as sums. A factor before a product, after
    views of one, or of attention's scores goes into constant weights that nothing else uses; factors right
    after a product are left to graph-fold-scale. Ops with other users stay.
    """

    name: ClassVar[str] = "graph-reassociate-constants"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, self.limit)
